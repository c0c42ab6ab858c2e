// What the resource manager says of a bearer token, in its own memory or as a message to the other servers of the cluster.
import { fields, type JsonOf, many, number, optional, text, truth, word } from '../../lib/json-shape.ts';
import { tokenScopes } from './restriction.ts';

/** A token that counts. */
const tokenFacts = fields({
  id: text({ maxLength: 64 }),
  user: text({ minLength: 1, maxLength: 1024 }),
  scope: word(...tokenScopes),
  queues: optional(many(text({ maxLength: 1024 }))),
  /** ms since the epoch. */
  expiresMs: number(),
  /** Whether its maker proved who they are; a token made for a mere name counts only where names are believed. */
  proved: truth(),
});

export type TokenFacts = JsonOf<typeof tokenFacts>;

/** The answer to a question for a digest. */
export const tokenVerdict = fields({
  token: optional(tokenFacts),
  refused: optional(word('unknown', 'expired')),
  /** Changes with every token that is revoked, and with every start of the resource manager. */
  version: text({ maxLength: 64 }),
});
export type TokenVerdict = JsonOf<typeof tokenVerdict>;

/** The answer to a server that waits for changes. */
export const tokenVersion = fields({ version: text({ maxLength: 64 }) });

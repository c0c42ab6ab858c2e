// Tokens that let a master start, look at and stop a container on its node without asking the resource manager: what the container may
// be, in JSON, with an HMAC under the cluster's key (Hadoop's ContainerTokenIdentifier).
import { createHmac } from 'node:crypto';
import { checked, fields, type JsonOf, number, optional, text } from '../lib/json-shape.ts';
import { containerOrderMembers } from '../wire/cluster/container-messages.ts';
import { isSameSecret } from './secrets.ts';

/** However long a container may wait to be started: for so long after it was given its token can be shown, ms. */
export const longestContainerTokenLifeMs = 24 * 60 * 60_000;

/** What a token says: the order without what runs. */
export const containerTokenContent = fields({
  ...containerOrderMembers,
  nodeId: text(),
  /** What its node remembered when it was given (docs/protocol.md, P5); a node that has lost that does not start it. Absent: not known. */
  nodeMemory: optional(text()),
  /** ms since the epoch; after it the container can no longer be started. */
  expiresMs: number(),
});
export type ContainerTokenContent = JsonOf<typeof containerTokenContent>;

const sign = (key: Buffer, content: string): string => createHmac('sha256', key).update(`container:${content}`).digest('base64url');

/** The token of a container. */
export function containerToken(key: Buffer, content: ContainerTokenContent): string {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${text}.${sign(key, text)}`;
}

/** What a token says; undefined where it is not one of the cluster's, or of a version whose tokens say something else. */
export function readContainerToken(key: Buffer, token: string): ContainerTokenContent | undefined {
  const dot = token.indexOf('.');
  const text = token.slice(0, dot);
  if (dot < 0 || !isSameSecret(token.slice(dot + 1), sign(key, text))) return undefined;
  return checked(containerTokenContent, JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))).value;
}

// How other servers ask the resource manager what a token is worth: by its digest, with both sides proving that they know the cluster's
// secret. Neither the token nor the secret is sent, and an answer of another server is not believed.
import { createHmac } from 'node:crypto';
import { checked, fields, type JsonShape, text } from '../../lib/json-shape.ts';
import { isSameSecret } from '../secrets.ts';

/** Where the resource manager is asked for one digest, and where servers wait for changes. */
export const examinePath = '/api/v1/token-examinations';
export const changesPath = '/api/v1/token-changes';
/** How long a server that waits for changes is left waiting. */
export const longestWaitMs = 20_000;

const message = fields({
  content: text({ maxLength: 65_536 }),
  nonce: text({ minLength: 16, maxLength: 64 }),
  mac: text({ maxLength: 64 }),
});

/** What is asked, about which digest or which version. */
export const examineQuestion = fields({ digest: text({ minLength: 43, maxLength: 43 }) });
export const changesQuestion = fields({ version: text({ maxLength: 64 }) });

/** The two directions, and the two questions: what was said in one is worth nothing in another. */
export type Purpose = `${'examine' | 'changes'} ${'question' | 'answer'}`;

const macOf = (key: Buffer, purpose: Purpose, nonce: string, content: string): string =>
  createHmac('sha256', key).update(`heddle token ${purpose}\n${nonce}\n${content}`).digest('base64url');

/** A message under a key of the cluster's; an answer bears the nonce of its question. */
export function sealed(key: Buffer, purpose: Purpose, nonce: string, value: unknown): object {
  const content = JSON.stringify(value);
  return { content, nonce, mac: macOf(key, purpose, nonce, content) };
}

/** What a message says, its nonce and its key; undefined where it is not under one of the keys, of this purpose and form. */
export function unsealed<T>(
  keys: readonly Buffer[],
  purpose: Purpose,
  shape: JsonShape<T>,
  received: unknown,
): { readonly value: T; readonly nonce: string; readonly key: Buffer } | undefined {
  const { value: outer } = checked(message, received);
  const key = outer && keys.find((each) => isSameSecret(outer.mac, macOf(each, purpose, outer.nonce, outer.content)));
  if (!outer || !key) return undefined;
  const { value, fault } = checked(shape, JSON.parse(outer.content));
  return fault === undefined ? { value: value as T, nonce: outer.nonce, key } : undefined;
}

// The text of a bearer token that Heddle made: `heddle_ID_SECRET`. Its holder has the text, the store has its digest alone.
import { hash } from 'node:crypto';
import type { Random } from '../../lib/random.ts';

const prefix = 'heddle_';
const form = /^heddle_([0-9a-f]{16})_[\w-]{43}$/;

/** A new token: its public id (16 hexadecimal digits), its text, and what is kept of it. */
export function newBearerToken(random: Random): { readonly id: string; readonly text: string; readonly digest: string } {
  const id = random.bytes(8).toString('hex');
  const text = `${prefix}${id}_${random.bytes(32).toString('base64url')}`;
  return { id, text, digest: digestOfBearer(text) };
}

/** What is kept of a token, and what it is looked up by (SHA-256, base64url). */
export const digestOfBearer = (text: string): string => hash('sha256', text, 'base64url');

/** Whether a text claims to be a token of Heddle's. */
export const isOwnToken = (text: string): boolean => text.startsWith(prefix);

/** The public id in a token's text; undefined where the text is no token. */
export const idInToken = (text: string): string | undefined => form.exec(text)?.[1];

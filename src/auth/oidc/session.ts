// Who is signed in, in a cookie that this cluster signs: servers that share the secret of cookies take it from each other.
import { createHmac } from 'node:crypto';
import { checked, fields, type JsonOf, many, number, text, word } from '../../lib/json-shape.ts';
import { tokenScopes } from '../bearer/restriction.ts';
import { isSameSecret } from '../secrets.ts';

/** The name of the cookie. */
export const sessionCookieName = 'heddle.session';

const sessionShape = fields({
  /** How it began. */
  t: word('oidc'),
  id: text({ maxLength: 64 }),
  user: text({ minLength: 1, maxLength: 256 }),
  groups: many(text({ maxLength: 256 })),
  scope: word(...tokenScopes),
  /** ms since the epoch. */
  sinceMs: number(),
  untilMs: number(),
});
export type Session = JsonOf<typeof sessionShape>;

/** Browsers keep no more than 4096 bytes of a cookie. */
const longestValue = 3_800;

const sign = (key: Buffer, content: string): string => createHmac('sha256', key).update(`session ${content}`).digest('base64url');

/** The value of the cookie of a session; undefined where it would be too long for a browser. */
export function sessionValue(key: Buffer, session: Session): string | undefined {
  const content = Buffer.from(JSON.stringify(session)).toString('base64url');
  const value = `${content}.${sign(key, content)}`;
  return value.length > longestValue ? undefined : value;
}

/** The session of a cookie's value; undefined where it is not one of this cluster's, or over. */
export function readSession(key: Buffer, value: string, nowMs: number): Session | undefined {
  if (value.length > longestValue) return undefined;
  const [content = '', signature = '', more] = value.split('.');
  if (more !== undefined || !isSameSecret(signature, sign(key, content))) return undefined;
  const { value: session } = checked(sessionShape, JSON.parse(Buffer.from(content, 'base64url').toString('utf8')));
  return session && session.untilMs > nowMs ? session : undefined;
}

/** The value of a cookie of a request; of several with one name the first, which has the longest path (RFC 6265, section 5.4). */
export function cookieOf(header: string | string[] | undefined, name: string): string | undefined {
  if (typeof header !== 'string') return undefined;
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

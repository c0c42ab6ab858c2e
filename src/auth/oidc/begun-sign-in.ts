// A sign-in that has begun: everything of it is in a cookie of the browser that began it, so that nothing is kept here for who never
// comes back, and nobody else's browser can end it.
import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from '../secrets.ts';

/** How long a user may take. */
export const longestSignInMs = 600_000;

/** What is sent to the issuer, and what is proven with it later. */
export interface BegunSignIn {
  /** Comes back with the browser (RFC 6749, section 10.12). */
  readonly state: string;
  /** Stands in the issuer's token. */
  readonly nonce: string;
  /** Told to the issuer with the code (RFC 7636). */
  readonly verifier: string;
  /** Where to go on: a path of this server. */
  readonly to: string;
}

const derived = (key: Buffer, purpose: string, text: string): string =>
  createHmac('sha256', key).update(`sign-in ${purpose} ${text}`).digest('base64url');

const begunWith = (key: Buffer, seed: string, to: string): BegunSignIn => ({
  state: derived(key, 'state', seed),
  nonce: derived(key, 'nonce', seed),
  verifier: derived(key, 'verifier', seed),
  to,
});

/** What the issuer is told of the verifier. */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** The name of the cookie: one for each, as several may begin at once. */
export const signInCookieName = (state: string): string => `heddle-sign-in-${state.replace(/[^\w-]/g, '').slice(0, 12)}`;

/** Begins one; `seed` is random. */
export function beginSignIn(key: Buffer, seed: Buffer, to: string, nowMs: number): BegunSignIn & { readonly cookie: string } {
  const text = seed.toString('base64url');
  const content = `${text}.${nowMs + longestSignInMs}.${Buffer.from(to).toString('base64url')}`;
  return { ...begunWith(key, text, to), cookie: `${content}.${derived(key, 'cookie', content)}` };
}

/** The sign-in that a cookie holds, where it is the one that `state` belongs to and not too old. */
export function begunSignIn(key: Buffer, cookie: string, state: string, nowMs: number): BegunSignIn | undefined {
  const parts = cookie.split('.');
  const signature = parts.pop() ?? '';
  const [seed = '', until = '', to = ''] = parts;
  if (parts.length !== 3 || !isSameSecret(signature, derived(key, 'cookie', parts.join('.')))) return undefined;
  const begun = begunWith(key, seed, Buffer.from(to, 'base64url').toString('utf8'));
  return Number(until) > nowMs && isSameSecret(state, begun.state) ? begun : undefined;
}

/** A path of this server to go on at; anything that could lead elsewhere is its root. */
export function ownPath(text: string | undefined): string {
  if (text === undefined || text.length > 2048 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes('\\')) return '/';
  const base = 'http://own.invalid';
  const { origin, pathname, search } = new URL(text, base);
  // Dots in a path may make two slashes of one.
  return origin === base && !pathname.startsWith('//') && !pathname.startsWith('/heddle/') ? pathname + search : '/';
}

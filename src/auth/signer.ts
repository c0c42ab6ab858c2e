// The signed `hadoop.auth` cookie. Form and rules: AuthenticationToken and Signer of hadoop-auth.

import { createHmac } from 'node:crypto';
import { BoundedMap } from '../lib/bounded-map.ts';
import { isSameSecret } from './secrets.ts';

/** What a valid cookie says. */
export interface CookieToken {
  /** Name as given, possibly with realm or host (`ada@REALM`). */
  readonly user: string;
  readonly principal: string;
  /** `simple`, `simple-dt`, `kerberos`, … */
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** Cookies that are remembered with what they say. */
const mostKnown = 1000;

/** Signs and verifies cookies with one secret. */
export class CookieSigner {
  readonly #secret: Buffer;
  readonly #known = new BoundedMap<string, CookieToken>(mostKnown);

  /** `secret`: 32 random bytes, kept in the data folder or shared by setting. */
  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** The value of the cookie, without quotes. */
  sign(token: CookieToken): string {
    const text = `u=${token.user}&p=${token.principal}&t=${token.type}&e=${token.expiresMs}`;
    return `${text}&s=${this.#signature(text)}`;
  }

  /** The token of a cookie value, or undefined where it is forged, broken or past its end. */
  verify(value: string, nowMs: number): CookieToken | undefined {
    const known = this.#known.get(value);
    if (known) return known.expiresMs > nowMs ? known : undefined;
    const at = value.lastIndexOf('&s=');
    if (at < 0) return undefined;
    const text = value.slice(0, at);
    if (!isSameSecret(value.slice(at + 3), this.#signature(text))) return undefined;
    const parts = new Map(text.split('&').map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]));
    const token = {
      user: parts.get('u') ?? '',
      principal: parts.get('p') ?? '',
      type: parts.get('t') ?? '',
      expiresMs: Number(parts.get('e')),
    };
    if (token.user === '' || !(token.expiresMs > nowMs)) return undefined;
    this.#known.set(value, token);
    return token;
  }

  #signature(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64');
  }
}

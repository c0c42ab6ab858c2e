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

/** Callers that are remembered with their last cookies. */
const mostGiven = 1000;
/** How long a caller that shows no cookie is given the same one again. */
const sameForMs = 1000;

/** A cookie that was given, and since when. */
interface Given {
  readonly value: string;
  readonly token: CookieToken;
}

/** Signs and verifies cookies with one secret. */
export class CookieSigner {
  readonly #secret: Buffer;
  readonly #given = new BoundedMap<string, Given>(mostGiven);

  /** `secret`: 32 random bytes, kept in the data folder or shared by setting. */
  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** As `sign`; what says the same and ends less than a second earlier is given again. */
  give(token: CookieToken): string {
    const { user, principal, type, expiresMs } = token;
    const before = this.#given.get(user);
    const isSame = before?.token.principal === principal && before.token.type === type;
    const earlierMs = before ? expiresMs - before.token.expiresMs : 0;
    if (before && isSame && earlierMs >= 0 && earlierMs < sameForMs) return before.value;
    const value = this.sign(token);
    this.#given.set(user, { value, token });
    return value;
  }

  /** The value of the cookie, without quotes. */
  sign(token: CookieToken): string {
    const text = `u=${token.user}&p=${token.principal}&t=${token.type}&e=${token.expiresMs}`;
    return `${text}&s=${this.#signature(text)}`;
  }

  /** The token of a cookie value, or undefined where it is forged, broken or past its end. */
  verify(value: string, nowMs: number): CookieToken | undefined {
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
    return token.user !== '' && token.expiresMs > nowMs ? token : undefined;
  }

  #signature(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64');
  }
}

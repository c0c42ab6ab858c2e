// Comparing what callers prove themselves with: secrets, tokens, signatures; and where a request carries a bearer token.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether the given secret is the expected one, in a time that does not tell how far they agree (their lengths may be told). An empty
 * expected secret is no secret: nothing is equal to it.
 */
export function isSameSecret(given: string | Buffer, expected: string | Buffer): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return right.length > 0 && left.length === right.length && timingSafeEqual(left, right);
}

/** What a random secret is kept as where only its bearer needs to know it any more: nobody who reads that can show the secret. */
export const digestOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** The token of `Authorization: Bearer …` (RFC 6750, section 2.1); undefined where the request has none. */
export function bearerToken({ authorization }: Pick<IncomingHttpHeaders, 'authorization'>): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

// Whom the web proxy names to a master, signed, so that nobody but the proxy can. Hadoop's proxy writes the name into the cookie
// `proxy-user` alone, which any page or program can send; that cookie is for masters of other makers.
import { createHmac } from 'node:crypto';
import { isSameSecret } from './secrets.ts';

/** The header with the signed name. */
export const proxyUserHeader = 'heddle-proxy-user';
/** The header by which a request is known that a server sends to an address of a user's (proxied, or fetched for a container): no server but a master takes one. */
export const proxiedHeader = 'heddle-proxied';

/** How far the clocks of proxy and master may differ, and how old a signature may be. */
const longestAgeMs = 600_000;

const digest = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The key by which the proxy and the masters of one application know each other, text; `secret` is the proxies'. */
export const proxyKeyOf = (secret: Buffer, applicationId: string): string =>
  digest(secret, `proxy-user\n${applicationId}`).toString('base64url');

/** The header's value; `user` undefined: a caller without a name. */
export function signedProxyUser(key: string, applicationId: string, user: string | undefined, nowMs: number): string {
  const signed = `v1.${nowMs}.${user === undefined ? '' : Buffer.from(user, 'utf8').toString('base64url')}`;
  return `${signed}.${digest(key, `${applicationId}\n${signed}`).toString('base64url')}`;
}

/** The name in the header's value; undefined where it has none, or is not signed with the key, or too old. */
export function verifiedProxyUser(header: string, key: string, applicationId: string, nowMs: number): string | undefined {
  const found = /^(v1\.(\d{1,15})\.([\w-]{0,2000}))\.([\w-]{43})$/.exec(header);
  if (!found || Math.abs(nowMs - Number(found[2])) > longestAgeMs) return undefined;
  if (!isSameSecret(found[4]!, digest(key, `${applicationId}\n${found[1]}`).toString('base64url'))) return undefined;
  return Buffer.from(found[3]!, 'base64url').toString('utf8') || undefined;
}

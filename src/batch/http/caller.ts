// Who calls a batch master: the web proxy says so in a cookie. Source: AmIpFilter of Hadoop's web proxy module.
import type { Authenticator } from '../../auth/authenticator.ts';

/** The cookie in which the proxy names the caller. */
const proxyUserCookie = 'proxy-user';

function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at < 0 || part.slice(0, at).trim() !== name) continue;
    const value = part
      .slice(at + 1)
      .trim()
      .replace(/^"|"$/g, '');
    try {
      return decodeURIComponent(value);
    } catch {
      return value;
    }
  }
  return undefined;
}

/** Trusts the cookie of the proxy; without it the caller has no name. Only the proxy may reach the master (see `createMasterService`). */
export const proxyCallerAuthenticator: Authenticator = {
  identify({ headers, remoteAddress }) {
    const user = cookieValue(headers['cookie'] as string | undefined, proxyUserCookie) || undefined;
    return {
      caller: {
        user,
        principal: user,
        anonymous: user === undefined,
        authentication: user === undefined ? undefined : 'simple',
        remoteAddress,
      },
    };
  },
};

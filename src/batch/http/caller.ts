// Who calls a batch master: the web proxy says so, signed with a key that it and the application's masters alone know.
import type { Authenticator } from '../../auth/authenticator.ts';
import { proxyUserHeader, verifiedProxyUser } from '../../auth/proxy-user.ts';
import type { Clock } from '../../lib/clock.ts';

/** What signatures are checked with. */
export interface ProxySignature {
  readonly applicationId: string;
  /** The application's key; undefined until the master has registered. */
  readonly key: () => string | undefined;
  readonly clock: Clock;
}

/** Takes the name that the proxy signed; whoever comes without has none. */
export const proxyCallerAuthenticator = ({ applicationId, key: keyOf, clock }: ProxySignature): Authenticator => ({
  identify({ headers, remoteAddress }) {
    const header = headers[proxyUserHeader];
    const key = keyOf();
    const user = typeof header === 'string' && key !== undefined ? verifiedProxyUser(header, key, applicationId, clock.now()) : undefined;
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
});

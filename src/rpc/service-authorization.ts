// What callers are told whom the lists of services keep out (ServiceAuthorizationManager.authorize).
import type { ServiceAccess } from '../auth/service-access.ts';
import { type RpcCaller, shortUserOf } from './authentication.ts';
import { javaClasses, RpcException } from './exceptions.ts';

/** Why a caller may not speak a protocol; undefined where it may. `protocol` is undefined where a connection names none. */
export type AuthorizeService = (protocol: string | undefined, caller: RpcCaller) => RpcException | undefined;

/** The rule as it is at the time of a call; without lists everyone may. */
export const authorizeBy =
  (access: () => ServiceAccess | undefined): AuthorizeService =>
  (protocol, caller) => {
    const lists = access();
    if (!lists) return undefined;
    const refused = (message: string) => new RpcException(javaClasses.AuthorizationException, message);
    if (protocol === undefined || protocol === '') return refused('Null protocol not authorized');
    const { remoteAddress } = caller;
    switch (lists(protocol, shortUserOf(caller) ?? '', remoteAddress)) {
      case undefined:
        return undefined;
      case 'unknown':
        return refused(`Unknown protocol: ${protocol}`);
      case 'user':
        return refused(`User ${described(caller)} is not authorized for protocol interface ${protocol}: denied by configured ACL`);
      case 'host':
        return refused(`Host ${remoteAddress.replace(/^::ffff:/, '')} is not authorized for protocol interface ${protocol}`);
    }
  };

/** UserGroupInformation.toString. */
function described({ user = 'null', principal, realUser, authentication }: RpcCaller): string {
  const method = `(auth:${authentication.toUpperCase()})`;
  if (realUser === undefined || authentication === 'token') return `${principal ?? user} ${method}`;
  return `${user} (auth:PROXY) via ${principal ?? realUser} ${method}`;
}

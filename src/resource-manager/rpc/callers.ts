// Who calls a command over Hadoop RPC.
import type { GroupsOf } from '../../auth/access-lists.ts';
import { shortName } from '../../auth/authenticator.ts';
import { failure } from '../../model/errors.ts';
import type { RpcCaller } from '../../rpc/authentication.ts';
import type { Caller } from '../commands/caller.ts';

/** The caller of a command. @throws Failure UNAUTHENTICATED where the connection names nobody */
export type KnownRpcCaller = (caller: RpcCaller) => Caller;

/** The gate of one resource manager. */
export function knownRpcCallers(groupsOf: GroupsOf): KnownRpcCaller {
  return ({ user: principal, realUser, authentication, remoteAddress }) => {
    // A token was given to a user; what a caller says of itself may be a principal.
    const user = principal === undefined ? '' : authentication === 'token' ? principal : shortName(principal);
    if (principal === undefined || user.trim() === '') throw failure('UNAUTHENTICATED');
    return { user, principal, realUser, authentication, remoteAddress, groups: () => groupsOf(user) };
  };
}

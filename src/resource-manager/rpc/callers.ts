// Who calls a command over Hadoop RPC.
import type { GroupsOf } from '../../auth/access-lists.ts';
import { failure } from '../../model/errors.ts';
import { type RpcCaller, shortUserOf } from '../../rpc/authentication.ts';
import type { Caller } from '../commands/caller.ts';

/** The caller of a command. @throws Failure UNAUTHENTICATED where the connection names nobody */
export type KnownRpcCaller = (caller: RpcCaller) => Caller;

/** The gate of one resource manager. */
export function knownRpcCallers(groupsOf: GroupsOf): KnownRpcCaller {
  return (caller) => {
    const { realUser, authentication, remoteAddress } = caller;
    const user = shortUserOf(caller);
    if (caller.user === undefined || user === undefined || user.trim() === '') throw failure('UNAUTHENTICATED');
    const principal = realUser === undefined && caller.principal !== undefined ? caller.principal : caller.user;
    return { user, principal, realUser, authentication, remoteAddress, groups: () => groupsOf(user) };
  };
}

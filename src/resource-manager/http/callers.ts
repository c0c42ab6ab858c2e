// Who calls a command over HTTP: the caller that authentication found, once it is known (the first gate of RMWebServices).
import type { GroupsOf } from '../../auth/access-lists.ts';
import type { Caller as HttpCaller } from '../../auth/authenticator.ts';
import { failure } from '../../model/errors.ts';
import type { Caller } from '../commands/caller.ts';

/** What the gate depends on. */
export interface CallersOptions {
  /** Whether callers must prove who they are (`hadoop.security.authentication` is not simple). */
  readonly security: boolean;
  /** `hadoop.http.staticuser.user`: stands in for callers who name no user. */
  readonly staticUser: string;
  readonly groupsOf: GroupsOf;
}

/** The caller of a command. @throws Failure UNAUTHENTICATED, STATIC_USER_REFUSED */
export type KnownCaller = (caller: HttpCaller) => Caller;

/** The gate of one resource manager: a caller that changes something must be known. */
export function knownCallers({ security, staticUser, groupsOf }: CallersOptions): KnownCaller {
  return ({ user, principal, realUser, anonymous, authentication, onlyNamed, restriction, remoteAddress, requestId }) => {
    if (user === undefined) throw failure('UNAUTHENTICATED');
    if (security && anonymous && user === staticUser) throw failure('STATIC_USER_REFUSED');
    return {
      user,
      principal: principal ?? user,
      realUser,
      authentication,
      ...(onlyNamed && { onlyNamed }),
      ...(restriction && { restriction }),
      remoteAddress,
      ...(requestId !== undefined && { requestId }),
      groups: () => groupsOf(user),
    };
  };
}

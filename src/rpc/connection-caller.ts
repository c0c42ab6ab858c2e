// Who calls on a connection: what its login proved, and for whom its context says it acts (Server.Connection.processConnectionContext,
// ProxyUsers.authorize of hadoop-common).
import type { Socket } from 'node:net';
import { namesUser } from '../auth/authenticator.ts';
import type { RpcAuthentication, RpcCaller } from './authentication.ts';
import { FatalRpcException, javaClasses } from './exceptions.ts';

/** What a login proved. */
export type Proved =
  | { readonly method: 'simple' }
  | { readonly method: 'token'; readonly identifier: Buffer }
  | { readonly method: 'kerberos'; readonly principal: string };

/** Of the connection's context. */
interface UserInformation {
  readonly effectiveUser?: string;
  readonly realUser?: string;
}

/** The caller of a connection; undefined where Hadoop hangs up without a word. @throws FatalRpcException for those who are refused */
export function connectionCaller(
  authentication: RpcAuthentication,
  proved: Proved,
  context: UserInformation | undefined,
  socket: Socket,
): RpcCaller | undefined {
  const remoteAddress = socket.remoteAddress ?? '';
  switch (proved.method) {
    case 'token': {
      const { user, realUser } = authentication.tokens!.userOf(proved.identifier);
      return { user, realUser, authentication: 'token', token: proved.identifier, remoteAddress };
    }
    case 'kerberos':
      return callerByTicket(authentication.tickets!, proved.principal, context?.effectiveUser, remoteAddress);
    case 'simple':
      return callerByName(authentication.simple!, context, socket, remoteAddress);
  }
}

/** The principal's user, or whom it acts for: then the context names another user. */
function callerByTicket(
  { nameOf, mayImpersonate }: NonNullable<RpcAuthentication['tickets']>,
  principal: string,
  effectiveUser: string | undefined,
  remoteAddress: string,
): RpcCaller | undefined {
  if (effectiveUser === '') return undefined;
  const named = (name: string): string => {
    const user = nameOf(name);
    if (user !== undefined && namesUser(user)) return user;
    throw unauthorized(
      javaClasses.AccessControlException,
      `Illegal principal name ${name}: no rule of hadoop.security.auth_to_local gives a user for it`,
    );
  };
  const caller = { principal, authentication: 'kerberos', token: undefined, remoteAddress } as const;
  const user = named(principal);
  if (effectiveUser === undefined || effectiveUser === principal) return { ...caller, user, realUser: undefined };
  const target = named(effectiveUser);
  if (!mayImpersonate(user, target, remoteAddress)) throw impersonationRefused(principal, effectiveUser);
  return { ...caller, user: target, realUser: user };
}

function callerByName(
  simple: NonNullable<RpcAuthentication['simple']>,
  { effectiveUser: user, realUser }: UserInformation = {},
  socket: Socket,
  remoteAddress: string,
): RpcCaller | undefined {
  // UserGroupInformation refuses an empty name, and Hadoop's server then hangs up.
  if (user === '' || realUser === '') return undefined;
  if (simple.mayName?.(socket, realUser ?? user) === false)
    throw unauthorized(
      javaClasses.AccessControlException,
      'Other users of this machine are strangers here: prove who you are, or ask the owner to let you in (heddle.security.trusted-local-users).',
    );
  const isProxied = realUser !== undefined && realUser !== user;
  if (isProxied && !simple.mayImpersonate(realUser, user ?? '', remoteAddress)) throw impersonationRefused(realUser, user ?? 'null');
  return { user, realUser: isProxied ? realUser : undefined, authentication: 'simple', token: undefined, remoteAddress };
}

const unauthorized = (javaClass: string, message: string) => new FatalRpcException(javaClass, 'FATAL_UNAUTHORIZED', message);

const impersonationRefused = (realUser: string, target: string) =>
  unauthorized(javaClasses.AuthorizationException, `User: ${realUser} is not allowed to impersonate ${target}`);

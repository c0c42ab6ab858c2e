// Who may log in to a port of Hadoop RPC, and how (SaslRpcServer.AuthMethod; Server.getAuthMethods of hadoop-common).
import type { Socket } from 'node:net';
import { shortName } from '../auth/authenticator.ts';
import type { MayImpersonate } from '../auth/proxy-users.ts';
import type { TicketLogin } from './gssapi.ts';

/** Who calls, as the connection proved or, under `simple`, said. */
export interface RpcCaller {
  /** Under `simple` what the caller says of itself, which may be a principal; else a short name. Undefined where the connection names nobody. */
  readonly user: string | undefined;
  /** The principal that a ticket proved, of `realUser` where there is one. */
  readonly principal?: string | undefined;
  /** The proxy user who acts for `user`. */
  readonly realUser: string | undefined;
  readonly authentication: 'simple' | 'token' | 'kerberos';
  /** The identifier of the token that logged in. */
  readonly token: Buffer | undefined;
  readonly remoteAddress: string;
}

/** The short name of a caller: what it says of itself may be a principal. */
export const shortUserOf = ({ user, authentication }: Pick<RpcCaller, 'user' | 'authentication'>): string | undefined =>
  user === undefined || authentication !== 'simple' ? user : shortName(user);

/** The tokens that a port takes. */
export interface TokenLogin {
  /**
   * The password of a token, by its identifier.
   * @throws RpcException of class InvalidToken where the token is unknown, forged or over
   */
  passwordOf(identifier: Buffer): Buffer;
  /** Who the token stands for. Called only after the password was proved. */
  userOf(identifier: Buffer): { readonly user: string; readonly realUser?: string | undefined };
}

/** How callers of a port prove who they are; at least one of them. */
export interface RpcAuthentication {
  readonly tokens?: TokenLogin | undefined;
  /** Kerberos tickets, by GSSAPI. */
  readonly tickets?: TicketLogin | undefined;
  /** Callers may name themselves. */
  readonly simple?: {
    readonly mayImpersonate: MayImpersonate;
    /** Whether whoever is at the other end may say that name; undefined: none. Absent: all may. */
    readonly mayName?: (socket: Socket, user: string | undefined) => boolean;
    /** What has to be known before `mayName` is asked. */
    readonly learn?: (socket: Socket) => Promise<void> | undefined;
  };
}

// Who may log in to a port of Hadoop RPC, and how (SaslRpcServer.AuthMethod; Server.getAuthMethods of hadoop-common).
import type { Socket } from 'node:net';
import type { MayImpersonate } from '../auth/proxy-users.ts';

/** Who calls, as the connection proved or, under `simple`, said. */
export interface RpcCaller {
  /** Short name; undefined where the connection names nobody. */
  readonly user: string | undefined;
  /** The proxy user who acts for `user`. */
  readonly realUser: string | undefined;
  readonly authentication: 'simple' | 'token';
  /** The identifier of the token that logged in. */
  readonly token: Buffer | undefined;
  readonly remoteAddress: string;
}

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

/** How callers of a port prove who they are; at least one of `tokens` and `simple`. */
export interface RpcAuthentication {
  readonly tokens?: TokenLogin;
  /** Callers may name themselves. */
  readonly simple?: {
    readonly mayImpersonate: MayImpersonate;
    /** Whether whoever is at the other end may say that name; undefined: none. Absent: all may. */
    readonly mayName?: (socket: Socket, user: string | undefined) => boolean;
    /** What has to be known before `mayName` is asked. */
    readonly learn?: (socket: Socket) => Promise<void> | undefined;
  };
}

// Other users of this machine are strangers: where callers prove no names, a connection over loopback counts only when the process at its other
// end belongs to this server's own unix user, to root, to a user whom the settings trust, or to a container of the user it names.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Configuration } from '../config/load.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { ConfigurationError } from '../config/table.ts';
import type { ConnectionCountsOptions } from '../lib/connection-counts.ts';
import { isLoopbackAddress } from '../lib/loopback.ts';
import { machinePeers, type TcpPeers } from '../lib/tcp-peers.ts';
import { failure } from '../model/errors.ts';
import type { AuthenticationRequest, Authenticator, Identity, Proof } from './authenticator.ts';

/** What the owner of a connection may do. */
export type Standing =
  /** Name itself as it likes. */
  | 'trusted'
  /** Name itself as one of these users, or not at all: containers of theirs run as the unix user with this number. */
  | { readonly users: ReadonlySet<string>; readonly userId: number }
  /** Nothing without a proof. `userId` is undefined where the kernel does not tell it. */
  | { readonly userId: number | undefined };

/** What tells users of this machine apart. */
export interface LocalUsersOptions {
  /** Numbers of users who count as this process' own does. */
  readonly trusted: ReadonlySet<number>;
  /** Users for whom containers run here as the unix user with that number. */
  readonly containerUsers?: (userId: number) => ReadonlySet<string> | undefined;
  readonly peers?: Pick<TcpPeers, 'userIdOf'>;
}

const unknownUser: Standing = { userId: undefined };

/** Knows for each connection whose it is: asked of the kernel once, at its first request. */
export class LocalUsers {
  readonly #trusted: ReadonlySet<number>;
  readonly #containerUsers: NonNullable<LocalUsersOptions['containerUsers']>;
  readonly #peers: Pick<TcpPeers, 'userIdOf'>;
  /** By connection; undefined as a value: the kernel told none. */
  readonly #known = new WeakMap<Socket, number | undefined>();

  constructor({ trusted, containerUsers = () => undefined, peers = machinePeers }: LocalUsersOptions) {
    this.#trusted = trusted;
    this.#containerUsers = containerUsers;
    this.#peers = peers;
  }

  /** Finds out whose the request's connection is; undefined where that is known. Never rejects. */
  learn({ socket }: Pick<AuthenticationRequest, 'socket'>): Promise<void> | undefined {
    if (!(socket instanceof Socket) || this.#known.has(socket)) return undefined;
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    if (localAddress === undefined || localPort === undefined || remoteAddress === undefined || remotePort === undefined) return undefined;
    if (!isLoopbackAddress(localAddress)) return undefined;
    return this.#peers.userIdOf({ localAddress, localPort, remoteAddress, remotePort }).then(
      (userId) => void this.#known.set(socket, userId),
      () => void this.#known.set(socket, undefined),
    );
  }

  /** What the request's connection may do, once `learn` is done. */
  standingOf({ socket }: Pick<AuthenticationRequest, 'socket'>): Standing {
    // No connection at all: a call inside this process.
    if (!(socket instanceof Socket)) return 'trusted';
    if (!this.#known.has(socket)) {
      // What reaches an address beyond loopback is a matter of that address (config/exposure.ts). A socket without any is closed.
      return socket.localAddress !== undefined && !isLoopbackAddress(socket.localAddress) ? 'trusted' : unknownUser;
    }
    const userId = this.#known.get(socket);
    if (userId === undefined) return unknownUser;
    if (this.#trusted.has(userId)) return 'trusted';
    const users = this.#containerUsers(userId);
    return users === undefined || users.size === 0 ? { userId } : { users, userId };
  }

  /** Whether the process at the other end may say that it is `user`; undefined: nobody. */
  mayName(connection: Pick<AuthenticationRequest, 'socket'>, user: string | undefined): boolean {
    const standing = this.standingOf(connection);
    return standing === 'trusted' || ('users' in standing && (user === undefined || standing.users.has(user)));
  }

  /** What only says a name, as a proof does or the rule for callers without any: it counts for those who may say it. */
  believed<Said extends ReturnType<Proof>>(
    say: (request: AuthenticationRequest) => Said,
  ): (request: AuthenticationRequest) => Said | Identity {
    return (request) => {
      const standing = this.standingOf(request);
      const said: ReturnType<Proof> = say(request);
      // Nothing was said: another proof may be in the request.
      if (standing === 'trusted' || said === undefined) return said as Said;
      if (!('users' in standing)) return refused(standing.userId);
      return said instanceof Promise ? (said.then((identity) => among(identity, standing)) as Said) : among(said, standing);
    };
  }

  /** The authenticator, asked once it is known whose the connection is. */
  before(authenticator: Authenticator): Authenticator {
    return {
      identify: (request) => {
        const learning = this.learn(request);
        return learning ? learning.then(() => authenticator.identify(request)) : authenticator.identify(request);
      },
    };
  }
}

function among(identity: Identity, { users, userId }: { readonly users: ReadonlySet<string>; readonly userId: number }): Identity {
  if (!('caller' in identity)) return identity;
  const { user, anonymous } = identity.caller;
  return anonymous || user === undefined || users.has(user) ? identity : refused(userId);
}

const refused = (userId: number | undefined): Identity => ({
  refusal: failure('LOCAL_USER_UNTRUSTED', {
    who: userId === undefined ? 'a process that this system does not tell' : `unix user ${userId}`,
  }),
  headers: { 'www-authenticate': 'PseudoAuth' },
});

/**
 * Unix users who are served as the owner is: this process' own, root, and whom the settings name (`*` names nobody by number).
 * @throws ConfigurationError for a name that this machine does not know
 */
export function trustedUserIds(configuration: Configuration): ReadonlySet<number> {
  const { trustedLocalUsers } = configuration.values(heddleSettings);
  const named = userIdsOf(
    trustedLocalUsers.filter((name) => name !== '*'),
    heddleSettings.trustedLocalUsers.key,
  );
  return new Set([0, process.geteuid?.() ?? 0, ...named]);
}

/** Tells users of this machine apart where connections are counted; undefined where the kernel does not tell them. */
export function countedLocalUsers(configuration: Configuration): NonNullable<ConnectionCountsOptions['localUsers']> | undefined {
  if (!existsSync('/proc/self/net/tcp')) return undefined;
  let trusted: ReadonlySet<number> | undefined;
  return {
    // Names are looked up by a program: not before there is a crowd.
    isPrivileged: (userId) => {
      trusted ??= trustedUserIds(configuration);
      return trusted.has(userId);
    },
  };
}

/** The numbers of unix users given by name or number. @throws ConfigurationError for a name that this machine does not know */
export function userIdsOf(names: readonly string[], key: string): number[] {
  return names.map((name) => {
    if (/^\d{1,10}$/.test(name)) return Number(name);
    try {
      return Number(execFileSync('id', ['-u', '--', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    } catch {
      throw new ConfigurationError('settings', key, `this machine has no user '${name}'`, 'Name unix users, their numbers, or * for all.');
    }
  });
}

// Connections that come from this machine, counted by the unix user they belong to: loopback is one address for all users of a machine, and an
// address of its own for each connection of who wants that. Whose they are is asked of the kernel only where there are many.
import { isLoopbackAddress } from './loopback.ts';
import { Tally } from './tally.ts';
import { type ConnectionEnds, machinePeers, type TcpPeers } from './tcp-peers.ts';

/** What is looked at of a connection. */
export interface LocalSocket extends Readonly<Partial<ConnectionEnds>> {
  once(event: 'close', heard: () => void): unknown;
}

/** Why a connection of a local user is beyond a limit: its user has too many, or all that strangers may have is taken; `far`: so far that nobody listens to it. */
export interface LocalExcess {
  readonly kind: 'user' | 'strangers' | 'far';
  readonly userId: number | undefined;
}

/** What tells users of this machine apart, and how much each has. */
export interface LocalUserCountsOptions {
  /** Connections of one user at most. */
  readonly perUser: number;
  /** Connections at most of all users together who are not privileged. */
  readonly ofStrangers: number;
  /** How many may wait at once until it is known whose they are. */
  readonly unknown: number;
  /** Whether part of what there is is kept for this user: the one who runs the server, root, whom the settings trust. */
  readonly isPrivileged: (userId: number) => boolean;
  /** Part of a user's limit beyond it at which its connections are not listened to any more. */
  readonly overflow: number;
  readonly peers?: Pick<TcpPeers, 'userIdOf'>;
}

/** From which part of a limit on it is asked whose connections are. */
export const crowdedPart = 0.25;
/** Rest after reading the kernel's table, in parts of the time which that took, while few wait: whoever connects without end makes it be read. */
const restPerLook = 2;

interface Unknown {
  readonly ends: ConnectionEnds;
  /** Nothing is left for strangers, as it was when the connection came. */
  readonly isLast: boolean;
  readonly refused: (excess: LocalExcess) => void;
}

/** Whether a connection comes from this machine: over loopback, or from the address that it goes to. */
export const isLocal = ({ localAddress, remoteAddress }: Readonly<Partial<ConnectionEnds>>): boolean =>
  remoteAddress !== undefined && (isLoopbackAddress(remoteAddress) || remoteAddress === localAddress);

/** Counts the connections of one port that come from this machine. */
export class LocalUserCounts {
  readonly #options: LocalUserCountsOptions;
  readonly #peers: Pick<TcpPeers, 'userIdOf'>;
  readonly #unknown = new Map<LocalSocket, Unknown>();
  readonly #byUser = new Tally<number | undefined>();
  #known = 0;
  #strangers = 0;
  #isLooking = false;
  #endRest = (): void => undefined;

  constructor(options: LocalUserCountsOptions) {
    this.#options = options;
    this.#peers = options.peers ?? machinePeers;
  }

  /** Connections of which it is not known yet whose they are. */
  get unknown(): number {
    return this.#unknown.size;
  }

  /**
   * Counts a connection until it closes. `refused` hears when it turns out that it is beyond a limit. `isCrowded`: there are many connections
   * besides those of this port and machine; `isLast`: so many that a stranger is not let in.
   */
  add(socket: LocalSocket, { isCrowded, isLast }: { isCrowded: boolean; isLast: boolean }, refused: Unknown['refused']): void {
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    if (localAddress === undefined || localPort === undefined || remoteAddress === undefined || remotePort === undefined) return;
    this.#unknown.set(socket, { ends: { localAddress, localPort, remoteAddress, remotePort }, isLast, refused });
    socket.once('close', () => this.#unknown.delete(socket));
    if (this.#unknown.size > this.#options.unknown * crowdedPart) this.#endRest();
    if (this.#unknown.size > this.#options.unknown) this.#refuseOldest();
    if (!this.#isLooking && (isCrowded || this.#isCrowded())) void this.#lookAtAll();
  }

  /** Whoever asks for something has its answer soon: what waits longest is most likely held for no purpose. */
  #refuseOldest(): void {
    for (const [socket, { refused }] of this.#unknown) {
      this.#unknown.delete(socket);
      return refused({ kind: 'far', userId: undefined });
    }
  }

  #isCrowded(): boolean {
    const { perUser, ofStrangers } = this.#options;
    return this.#unknown.size + this.#known > Math.min(perUser, ofStrangers) * crowdedPart;
  }

  async #lookAtAll(): Promise<void> {
    this.#isLooking = true;
    while (this.#unknown.size > 0) {
      const startedAtMs = performance.now();
      await Promise.all(
        [...this.#unknown].map(async ([socket, { ends }]) => {
          const userId = await this.#peers.userIdOf(ends).catch(() => undefined);
          this.#learnt(socket, userId);
        }),
      );
      const tookMs = performance.now() - startedAtMs;
      await new Promise<void>((resolve) => {
        this.#endRest = resolve;
        setTimeout(resolve, tookMs * restPerLook).unref();
      });
    }
    this.#isLooking = false;
  }

  #learnt(socket: LocalSocket, userId: number | undefined): void {
    const unknown = this.#unknown.get(socket);
    // It has closed meanwhile.
    if (!unknown) return;
    this.#unknown.delete(socket);
    const isStranger = userId === undefined || !this.#options.isPrivileged(userId);
    const own = this.#byUser.add(userId);
    this.#known++;
    if (isStranger) this.#strangers++;
    socket.once('close', () => this.#left(userId, isStranger));
    const { perUser, ofStrangers, overflow } = this.#options;
    const isFarBeyond = (count: number, limit: number) => count > limit * (1 + overflow) + 1;
    if (isFarBeyond(own, perUser)) unknown.refused({ kind: 'far', userId });
    else if (isStranger && (unknown.isLast || isFarBeyond(this.#strangers, ofStrangers))) unknown.refused({ kind: 'far', userId });
    else if (own > perUser) unknown.refused({ kind: 'user', userId });
    else if (isStranger && this.#strangers > ofStrangers) unknown.refused({ kind: 'strangers', userId });
  }

  #left(userId: number | undefined, isStranger: boolean): void {
    this.#known--;
    if (isStranger) this.#strangers--;
    this.#byUser.remove(userId);
  }
}

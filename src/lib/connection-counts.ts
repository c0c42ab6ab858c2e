// How many connections a port has at once, of all, of one address and of one user of this machine, so that nobody takes the descriptors of the
// process. Each kind of server says in its own words what becomes of those beyond a limit.
import { readFileSync } from 'node:fs';
import {
  crowdedPart,
  isLocal,
  type LocalExcess,
  type LocalSocket,
  LocalUserCounts,
  type LocalUserCountsOptions,
} from './local-user-counts.ts';
import { Tally } from './tally.ts';

/** What is looked at of a connection. */
export type CountedSocket = LocalSocket;

/** Connections at most. */
export interface ConnectionCountsOptions {
  readonly total: number;
  readonly perAddress: number;
  /** Descriptors that are open with a new connection, and may be at most, undefined where that cannot be told; default: those of this process. */
  readonly descriptors?: (socket: CountedSocket) => { readonly open: number; readonly limit: number } | undefined;
  /** Tells users of this machine apart: what comes from it counts by its user then. Absent: by its address, as everything else. */
  readonly localUsers?: Pick<LocalUserCountsOptions, 'isPrivileged' | 'peers'> | undefined;
}

/** Why a connection is beyond a limit: its address has too many, all have, either by far, or the process has no descriptors left. */
export type Excess = 'address' | 'total' | 'far' | 'descriptors';

/** What a connection turned out to be beyond once it was known whose it is. */
export type LateExcess = LocalExcess;

/** Part of the limit beyond it at which connections are not listened to any more. */
const overflow = 0.1;
/** Part of all descriptors that connections may not take: files, sockets to others, logs need some. */
const keptFree = 0.15;
/** Part of connections and descriptors that strangers on this machine leave to who runs the server. */
const keptFromStrangers = 0.25;
/** How many connections of this machine may wait at least until it is known whose they are. */
const leastUnknown = 1024;
/** After how many connections the limit of the process is read again. */
const connectionsPerLook = 1000;

/** How many files this process may open; undefined where the system does not say. */
function descriptorLimit(): number | undefined {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]) || undefined;
  } catch {
    return undefined;
  }
}

/**
 * How many descriptors are open at least: a new one gets the lowest number that is free (POSIX, `accept`), of all threads of the process. So
 * nothing has to be counted, and ports that are flooded at once cannot miss each other's connections.
 */
const descriptorsWith = (socket: CountedSocket): number => ((socket as { _handle?: { fd?: number } | null })._handle?.fd ?? -1) + 1;

/** Counts the connections of one port. */
export class ConnectionCounts {
  readonly #options: ConnectionCountsOptions;
  readonly #byAddress = new Tally<string>();
  readonly #unknownLimit: number;
  readonly #local: LocalUserCounts | undefined;
  #total = 0;
  #leaving = 0;
  #untilLooked = 0;
  #limit: number | undefined;

  constructor(options: ConnectionCountsOptions) {
    this.#options = options;
    this.#unknownLimit = Math.max(leastUnknown, Math.floor(Math.min(options.total, options.perAddress) * keptFromStrangers));
    const { total, perAddress, localUsers } = options;
    if (localUsers)
      this.#local = new LocalUserCounts({
        ...localUsers,
        overflow,
        unknown: this.#unknownLimit,
        perUser: perAddress,
        ofStrangers: total === Number.POSITIVE_INFINITY ? total : Math.floor(total * (1 - keptFromStrangers)),
      });
  }

  /** Connections that are open now. */
  get total(): number {
    return this.#total;
  }

  /**
   * Counts a connection until it closes; says what limit it is beyond, undefined where it is within all. `late` hears of one that turns out to
   * be beyond a limit of local users: whose it is, the kernel says later.
   */
  add(socket: CountedSocket, late: (excess: LateExcess) => void = () => undefined): Excess | undefined {
    const { total, perAddress } = this.#options;
    this.#total++;
    socket.once('close', () => this.#total--);
    const local = isLocal(socket) ? this.#local : undefined;
    const own = local ? 0 : this.#addTo(socket);
    // Of those of this machine it is not known yet whether they may have room. They wait beside the others, so that no stranger fills what is kept.
    const unknown = this.#local?.unknown ?? 0;
    const counted = this.#total - this.#leaving - unknown;
    if (counted > total * (1 + overflow) + 1 || own > perAddress * (1 + overflow) + 1) return 'far';
    const used = this.#usedDescriptors(socket);
    if (used > 1 - keptFree) return 'descriptors';
    local?.add(
      socket,
      { isCrowded: Math.max(used, counted / total) > crowdedPart, isLast: used > 1 - keptFree - keptFromStrangers },
      (excess) => {
        if (excess.kind === 'far') this.#leaves(socket);
        late(excess);
      },
    );
    if (own > perAddress) return 'address';
    return counted > total ? 'total' : undefined;
  }

  /** Nobody listens to the connection any more, and it takes nobody's room while it closes. */
  #leaves(socket: CountedSocket): void {
    this.#leaving++;
    socket.once('close', () => this.#leaving--);
  }

  #addTo(socket: CountedSocket): number {
    const address = socket.remoteAddress ?? '';
    socket.once('close', () => this.#byAddress.remove(address));
    return this.#byAddress.add(address);
  }

  /** Which part of all descriptors is open. */
  #usedDescriptors(socket: CountedSocket): number {
    const found = (this.#options.descriptors ?? this.#ownDescriptors)(socket);
    return found === undefined ? 0 : found.open / found.limit;
  }

  readonly #ownDescriptors = (socket: CountedSocket): { open: number; limit: number } | undefined => {
    if (this.#untilLooked-- <= 0) {
      this.#untilLooked = connectionsPerLook;
      this.#limit = descriptorLimit();
    }
    return this.#limit === undefined ? undefined : { open: descriptorsWith(socket), limit: this.#limit };
  };
}

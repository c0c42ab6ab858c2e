// How many connections a port has at once, of all and of one address, so that nobody takes the descriptors of the process. Each kind of
// server says in its own words what becomes of those beyond a limit.
import { readFileSync } from 'node:fs';

/** What is looked at of a connection. */
export interface CountedSocket {
  readonly remoteAddress?: string | undefined;
  once(event: 'close', heard: () => void): unknown;
}

/** Connections at most. */
export interface ConnectionCountsOptions {
  readonly total: number;
  readonly perAddress: number;
  /** Descriptors that are open with a new connection, and may be at most, undefined where that cannot be told; default: those of this process. */
  readonly descriptors?: (socket: CountedSocket) => { readonly open: number; readonly limit: number } | undefined;
}

/** Why a connection is beyond a limit: its address has too many, all have, either by far, or the process has no descriptors left. */
export type Excess = 'address' | 'total' | 'far' | 'descriptors';

/** Part of the limit beyond it at which connections are not listened to any more. */
const overflow = 0.1;
/** Part of all descriptors that connections may not take: files, sockets to others, logs need some. */
const keptFree = 0.15;
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
  readonly #byAddress = new Map<string, number>();
  #total = 0;
  #untilLooked = 0;
  #limit: number | undefined;

  constructor(options: ConnectionCountsOptions) {
    this.#options = options;
  }

  /** Connections that are open now. */
  get total(): number {
    return this.#total;
  }

  /** Counts a connection until it closes; says what limit it is beyond, undefined where it is within all. */
  add(socket: CountedSocket): Excess | undefined {
    const address = socket.remoteAddress ?? '';
    const own = (this.#byAddress.get(address) ?? 0) + 1;
    this.#total++;
    this.#byAddress.set(address, own);
    socket.once('close', () => this.#left(address));
    const { total, perAddress } = this.#options;
    if (this.#total > total * (1 + overflow) + 1 || own > perAddress * (1 + overflow) + 1) return 'far';
    if (!this.#hasDescriptors(socket)) return 'descriptors';
    if (own > perAddress) return 'address';
    return this.#total > total ? 'total' : undefined;
  }

  #left(address: string): void {
    this.#total--;
    const left = (this.#byAddress.get(address) ?? 1) - 1;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }

  #hasDescriptors(socket: CountedSocket): boolean {
    const found = (this.#options.descriptors ?? this.#ownDescriptors)(socket);
    return found === undefined || found.open <= Math.floor(found.limit * (1 - keptFree));
  }

  readonly #ownDescriptors = (socket: CountedSocket): { open: number; limit: number } | undefined => {
    if (this.#untilLooked-- <= 0) {
      this.#untilLooked = connectionsPerLook;
      this.#limit = descriptorLimit();
    }
    return this.#limit === undefined ? undefined : { open: descriptorsWith(socket), limit: this.#limit };
  };
}

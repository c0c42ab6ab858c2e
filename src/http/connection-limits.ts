// How many connections a server has at once, of all and of one address, so that nobody takes the descriptors of the process. Who is
// beyond a limit gets one answer, in the format that its request asks for; far beyond, or without descriptors, a bare one at once.
import { readdirSync, readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { type Failure, failure } from '../model/errors.ts';
import { refuseConnection } from './body-watch.ts';

/** Connections at most. */
export interface ConnectionLimitsOptions {
  readonly total: number;
  readonly perAddress: number;
  /** Descriptors open now and at most, undefined where that cannot be told; default: those of this process. */
  readonly descriptors?: () => { readonly open: number; readonly limit: number } | undefined;
}

const retrySeconds = 5;
/** Part of the limit beyond it at which connections are not listened to any more. */
const overflow = 0.1;
/** Part of all descriptors that connections may not take: files, sockets to others, logs need some. */
const keptFree = 0.15;
const whole = 1000;

/** The descriptors of this process, by Linux's account. */
function ownDescriptors(): { open: number; limit: number } | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? undefined : { open: readdirSync('/proc/self/fd').length, limit: Number(limit) };
  } catch {
    return undefined;
  }
}

const keyOf = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string => `${remoteAddress} ${remotePort}`;

/** Counts the connections of one server. */
export class ConnectionLimits {
  readonly #options: ConnectionLimitsOptions;
  readonly #byAddress = new Map<string, number>();
  /** Connections beyond a limit, with what they are told. */
  readonly #refused = new Map<string, Failure>();
  #total = 0;
  /** Connections that may come before descriptors are counted again. */
  #untilCounted = 0;
  #hasDescriptors = true;

  constructor(options: ConnectionLimitsOptions) {
    this.#options = options;
  }

  /** Connections that are open now. */
  get total(): number {
    return this.#total;
  }

  /** Counts from now on. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#accept(socket));
  }

  /** What a connection beyond a limit is told; undefined for others. */
  refusalOf(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): Failure | undefined {
    return this.#refused.size === 0 ? undefined : this.#refused.get(keyOf(socket));
  }

  #accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const key = keyOf(socket);
    const own = (this.#byAddress.get(address) ?? 0) + 1;
    this.#total++;
    this.#byAddress.set(address, own);
    socket.once('close', () => this.#left(address, key));
    const { total, perAddress } = this.#options;
    const isFarBeyond = this.#total > total * (1 + overflow) + 1 || own > perAddress * (1 + overflow) + 1;
    if (isFarBeyond || !this.#descriptorsLeft()) return refuseConnection(socket, 503, 'Service Unavailable', { retrySeconds });
    if (own > perAddress) this.#refused.set(key, failure('CONNECTIONS_OF_ADDRESS_FULL', { address, seconds: retrySeconds }));
    else if (this.#total > total) this.#refused.set(key, failure('CONNECTIONS_FULL', { seconds: retrySeconds }));
  }

  #left(address: string, key: string): void {
    this.#total--;
    this.#refused.delete(key);
    const left = (this.#byAddress.get(address) ?? 1) - 1;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }

  #descriptorsLeft(): boolean {
    if (this.#untilCounted-- > 0) return this.#hasDescriptors;
    const found = (this.#options.descriptors ?? ownDescriptors)();
    const left = found === undefined ? whole : Math.floor(found.limit * (1 - keptFree)) - found.open;
    this.#hasDescriptors = left > 0;
    this.#untilCounted = Math.min(whole, Math.max(1, Math.floor(left / 8)));
    return this.#hasDescriptors;
  }
}

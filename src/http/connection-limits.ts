// What connections beyond the limits of a web server are told. Who is beyond a limit gets one answer, in the format that its request asks
// for; far beyond, or without descriptors, a bare one at once.
import type { Server, Socket } from 'node:net';
import { ConnectionCounts, type ConnectionCountsOptions } from '../lib/connection-counts.ts';
import { type Failure, failure } from '../model/errors.ts';
import { refuseConnection } from './body-watch.ts';

const retrySeconds = 5;

const keyOf = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string => `${remoteAddress} ${remotePort}`;

/** Counts the connections of one server. */
export class ConnectionLimits {
  readonly #counts: ConnectionCounts;
  /** Connections beyond a limit, with what they are told. */
  readonly #refused = new Map<string, Failure>();

  constructor(options: ConnectionCountsOptions) {
    this.#counts = new ConnectionCounts(options);
  }

  /** Connections that are open now. */
  get total(): number {
    return this.#counts.total;
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
    const excess = this.#counts.add(socket);
    if (excess === undefined) return;
    if (excess === 'far' || excess === 'descriptors') {
      refuseConnection(socket, 503, 'Service Unavailable', { retrySeconds });
      // Who does not close it in turn would hold it all the same.
      return socket.destroySoon();
    }
    const key = keyOf(socket);
    socket.once('close', () => this.#refused.delete(key));
    const address = socket.remoteAddress ?? '';
    this.#refused.set(
      key,
      excess === 'address'
        ? failure('CONNECTIONS_OF_ADDRESS_FULL', { address, seconds: retrySeconds })
        : failure('CONNECTIONS_FULL', { seconds: retrySeconds }),
    );
  }
}

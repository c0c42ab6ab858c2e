// What connections beyond the limits of a web server are told. Who is beyond a limit gets one answer, in the format that its request asks
// for; far beyond, or without descriptors, a bare one at once.
import type { Server, Socket } from 'node:net';
import { ConnectionCounts, type ConnectionCountsOptions, type LateExcess } from '../lib/connection-counts.ts';
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
    const excess = this.#counts.add(socket, (late) => this.#refuseLate(socket, late));
    if (excess === undefined) return;
    if (excess === 'far' || excess === 'descriptors') {
      refuseConnection(socket, 503, 'Service Unavailable', { retrySeconds });
      // Who does not close it in turn would hold it all the same.
      return socket.destroySoon();
    }
    this.#refuse(
      socket,
      excess === 'address'
        ? failure('CONNECTIONS_OF_ADDRESS_FULL', { address: socket.remoteAddress ?? '', seconds: retrySeconds })
        : failure('CONNECTIONS_FULL', { seconds: retrySeconds }),
    );
  }

  /** It may be answering by now: what is far beyond a limit is told why only where nothing was said yet. */
  #refuseLate(socket: Socket, { kind, userId }: LateExcess): void {
    if (kind === 'far') {
      if (socket.bytesWritten > 0) return void socket.destroy();
      refuseConnection(socket, 503, 'Service Unavailable', { retrySeconds });
      return socket.destroySoon();
    }
    this.#refuse(
      socket,
      kind === 'user'
        ? failure('CONNECTIONS_OF_USER_FULL', {
            who: userId === undefined ? 'A process that this system does not tell' : `Unix user ${userId}`,
            seconds: retrySeconds,
          })
        : failure('CONNECTIONS_OF_STRANGERS_FULL', { seconds: retrySeconds }),
    );
  }

  #refuse(socket: Socket, told: Failure): void {
    const key = keyOf(socket);
    socket.once('close', () => this.#refused.delete(key));
    this.#refused.set(key, told);
  }
}

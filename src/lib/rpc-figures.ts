// What the ports of Hadoop RPC of one process served, for those who watch them.
import { EventRate } from './event-rate.ts';
import { type CountedSocket, SocketBytes } from './socket-bytes.ts';

/** The figures of one port. */
export class RpcPortFigures {
  /** The protocol that it is for: `ApplicationClientProtocol`. */
  readonly protocol: string;
  /** 0 until it listens. */
  port = 0;
  /** Connections that were closed at once, for there were too many. */
  dropped = 0;
  /** Connections whose caller may speak the protocol, and those whose login was refused. */
  admitted = 0;
  refusedLogins = 0;
  /** Connections and calls that the lists of `hadoop-policy.xml` refused. */
  unauthorized = 0;
  /** Calls that were refused, and their connections closed, for too many were under way. */
  backedOff = 0;
  /** Calls that were answered, those of them that failed, and how long all together took. */
  answered = 0;
  failed = 0;
  answeringMs = 0;
  /** Calls under way. */
  running = 0;
  /** Calls of the last second. */
  readonly rate = new EventRate();
  readonly #users = new Map<string, number>();
  /** By the name of the method, of protocols that were spoken: how often it was called, and how long all together took. */
  readonly methods = new Map<string, { calls: number; totalMs: number }>();
  readonly #sockets = new SocketBytes();

  constructor(protocol: string) {
    this.protocol = protocol;
  }

  /** A call of a method that there is was answered, well or not; `ofProtocol`: all methods of its protocol. */
  called(method: string, tookMs: number, ofProtocol: Iterable<string> = []): void {
    if (!this.methods.has(method)) for (const name of [method, ...ofProtocol]) this.methods.set(name, { calls: 0, totalMs: 0 });
    const figures = this.methods.get(method)!;
    figures.calls++;
    figures.totalMs += tookMs;
  }

  /** A connection is let in; it is its user's until it closes. */
  admit(user: string, socket: CountedSocket): void {
    this.admitted++;
    this.#users.set(user, (this.#users.get(user) ?? 0) + 1);
    socket.once('close', () => {
      const left = this.#users.get(user)! - 1;
      if (left === 0) this.#users.delete(user);
      else this.#users.set(user, left);
    });
  }

  /** How many open connections each user has. */
  get connectionsByUser(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#users);
  }

  /** A connection was accepted. */
  connected(socket: CountedSocket): void {
    this.#sockets.connected(socket);
  }

  get connections(): number {
    return this.#sockets.open;
  }

  /** Bytes of all connections, those that are closed among them. */
  get receivedBytes(): number {
    return this.#sockets.received;
  }

  get sentBytes(): number {
    return this.#sockets.sent;
  }
}

/** The ports of a process. */
export class RpcFigures {
  readonly ports: RpcPortFigures[] = [];

  /** The figures of another port. */
  add(protocol: string): RpcPortFigures {
    const figures = new RpcPortFigures(protocol);
    this.ports.push(figures);
    return figures;
  }
}

// What the ports of Hadoop RPC of one process served, for those who watch them.

/** As much of a socket as is counted. */
interface CountedSocket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  once(event: 'close', listener: () => void): unknown;
}

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
  /** Calls that were answered, those of them that failed, and how long all together took. */
  answered = 0;
  failed = 0;
  answeringMs = 0;
  /** Calls under way. */
  running = 0;
  /** By the name of the method that was called: how often, and how long all together took. */
  readonly methods = new Map<string, { calls: number; totalMs: number }>();
  readonly #sockets = new Set<CountedSocket>();
  #closedReceived = 0;
  #closedSent = 0;

  constructor(protocol: string) {
    this.protocol = protocol;
  }

  /** A call of a method that there is was answered, well or not. */
  called(method: string, tookMs: number): void {
    let figures = this.methods.get(method);
    if (!figures) {
      figures = { calls: 0, totalMs: 0 };
      this.methods.set(method, figures);
    }
    figures.calls++;
    figures.totalMs += tookMs;
  }

  /** A connection was accepted. */
  connected(socket: CountedSocket): void {
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#closedReceived += socket.bytesRead;
      this.#closedSent += socket.bytesWritten;
    });
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Bytes of all connections, those that are closed among them. */
  get receivedBytes(): number {
    return this.#sockets.values().reduce((sum, { bytesRead }) => sum + bytesRead, this.#closedReceived);
  }

  get sentBytes(): number {
    return this.#sockets.values().reduce((sum, { bytesWritten }) => sum + bytesWritten, this.#closedSent);
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

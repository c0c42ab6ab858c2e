// What the connections of a server received and sent, those that are closed among them.

/** As much of a socket as is counted. */
export interface CountedSocket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  once(event: 'close', listener: () => void): unknown;
}

/** Counts the bytes of sockets, as the sockets count them. */
export class SocketBytes {
  readonly #sockets = new Set<CountedSocket>();
  #closedReceived = 0;
  #closedSent = 0;

  /** A connection was accepted. */
  connected(socket: CountedSocket): void {
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#closedReceived += socket.bytesRead;
      this.#closedSent += socket.bytesWritten;
    });
  }

  /** Connections that are open. */
  get open(): number {
    return this.#sockets.size;
  }

  get received(): number {
    return this.#sockets.values().reduce((sum, { bytesRead }) => sum + bytesRead, this.#closedReceived);
  }

  get sent(): number {
    return this.#sockets.values().reduce((sum, { bytesWritten }) => sum + bytesWritten, this.#closedSent);
  }
}

// Asking for one address again and again over connections that are kept: what is compared is what a server does for a request, not for a connection.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** How many requests are under way at a time. */
const connections = 8;

/** What ends the head of an answer, and what says how long its body is. */
const headEnd = '\r\n\r\n';
const lengthHeader = /\r\ncontent-length: (\d+)/i;

/** Open connections to a server, and the request that goes over them. */
export class KeptConnections {
  readonly #request: string;
  readonly #url: string;
  readonly #sockets: readonly Socket[];

  private constructor(url: string, request: string, sockets: readonly Socket[]) {
    this.#url = url;
    this.#request = request;
    this.#sockets = sockets;
  }

  /** Opens the connections for GET requests of an address with these headers. */
  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<KeptConnections> {
    const { host, hostname, port, pathname, search } = new URL(url);
    const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const sockets = Array.from({ length: connections }, () => connect({ host: hostname, port: Number(port), noDelay: true }));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return new KeptConnections(url, `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`, sockets);
  }

  /** Sends so many requests, each when an answer has made room for it; resolves with the last answer. @throws for an answer other than 200 */
  async ask(count: number): Promise<void> {
    let left = count;
    const take = () => left-- > 0;
    await Promise.all(this.#sockets.map((socket) => this.#askBy(socket, take)));
  }

  #askBy(socket: Socket, take: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let text = '';
    const next = () => (take() ? void socket.write(this.#request) : resolve());
    const read = (piece: Buffer) => {
      text += piece.toString('latin1');
      const bodyAt = text.indexOf(headEnd) + headEnd.length;
      if (bodyAt < headEnd.length) return;
      const length = Number(lengthHeader.exec(text)?.[1]);
      if (!text.startsWith('HTTP/1.1 200 ') || Number.isNaN(length)) return reject(new Error(`${this.#url}: ${text.slice(0, 300)}`));
      if (text.length < bodyAt + length) return;
      text = '';
      next();
    };
    const closed = () => reject(new Error(`${this.#url}: the connection was closed`));
    socket.on('data', read).once('close', closed);
    next();
    return promise.finally(() => socket.off('data', read).off('close', closed));
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

// Connections on which both ends have proven that they know the same key, beside ordinary ones on the same port: the client asks for the
// upgrade, both do TLS with the pre-shared key inside, and what comes then is HTTP as on any other connection.
import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket, Server as TlsServer } from 'node:tls';
import { provenContext, provenProtocol } from '../auth/connection-key.ts';
import type { Logger } from '../lib/log.ts';

/** What is needed. */
export interface ProvenConnectionsOptions {
  /** Serves the requests on them. */
  readonly server: Server;
  /** Names of the keys that are known, for clients with several; at most 128 characters. */
  readonly hint?: () => string;
  /** The key of an identity, now; undefined: there is none (any more). */
  readonly keyOf: (identity: string) => Buffer | undefined;
  readonly logger: Logger;
  /** Hears of who could not prove themselves. */
  readonly refused?: (remoteAddress: string) => void;
}

/** How long a client may take to prove itself. */
const handshakeTimeoutMs = 10_000;
/** More at once are not waited for. */
const mostUnproven = 256;

/** Whether a request asks for such a connection. */
export const wantsProven = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean => headers.upgrade?.toLowerCase() === provenProtocol;

/** Takes such connections. */
export class ProvenConnections {
  readonly #options: ProvenConnectionsOptions;
  /** Those that are open and proven: by which key, and inside which connection. */
  readonly #proven = new Map<Duplex, { readonly identity: string; readonly outer: Duplex | undefined }>();
  readonly #unproven = new Set<Duplex>();
  #tls: { readonly hint: string; readonly server: TlsServer } | undefined;

  constructor(options: ProvenConnectionsOptions) {
    this.#options = options;
  }

  /** The identity that the client of a request has proven; undefined on any other connection. */
  identityOf({ socket }: Pick<IncomingMessage, 'socket'>): string | undefined {
    return this.#proven.get(socket)?.identity;
  }

  /** The certificate that the client showed in the TLS around it, where an authority that counts has signed it. */
  certificateOf({ socket }: Pick<IncomingMessage, 'socket'>): X509Certificate | undefined {
    const outer = this.#proven.get(socket)?.outer;
    return outer instanceof TLSSocket && outer.authorized ? outer.getPeerX509Certificate() : undefined;
  }

  /** Takes over the socket of a request that `wantsProven`. */
  handle(_request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Nothing is sent before the answer: the key begins what is said.
    if (head.length > 0 || this.#unproven.size >= mostUnproven) return void socket.destroy();
    this.#unproven.add(socket);
    socket.once('close', () => this.#unproven.delete(socket));
    socket.on('error', (error) => this.#options.logger.debug({ err: error }, 'a connection broke while it was proven'));
    (socket as Socket).setTimeout(0);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${provenProtocol}\r\n\r\n`);
    this.#server().emit('connection', socket);
    const late = setTimeout(() => this.#unproven.has(socket) && socket.destroy(), handshakeTimeoutMs);
    late.unref();
    socket.once('close', () => clearTimeout(late));
  }

  /** Closes connections whose key does not count any more. */
  recheck(counts: (identity: string) => boolean): void {
    for (const [socket, { identity }] of this.#proven) if (!counts(identity)) socket.destroy();
  }

  /** Closes all of them. */
  close(): void {
    for (const socket of [...this.#unproven, ...this.#proven.keys()]) socket.destroy();
  }

  #server(): TlsServer {
    const hint = this.#options.hint?.() ?? '';
    if (this.#tls?.hint === hint) return this.#tls.server;
    const claimed = new WeakMap<TLSSocket, string>();
    const server = new TlsServer({
      ...provenContext,
      handshakeTimeout: handshakeTimeoutMs,
      pskIdentityHint: hint,
      pskCallback: (socket, identity) => {
        claimed.set(socket, identity);
        return this.#options.keyOf(identity) ?? null;
      },
    });
    server.on('secureConnection', (socket) => this.#serve(socket, claimed.get(socket)));
    server.on('tlsClientError', (error, socket) => {
      this.#options.logger.debug({ err: error }, 'a connection was not proven');
      this.#options.refused?.(socket.remoteAddress ?? '');
      socket.destroy();
    });
    this.#tls = { hint, server };
    return server;
  }

  #serve(socket: TLSSocket, identity: string | undefined): void {
    if (identity === undefined || !this.#options.keyOf(identity)) {
      this.#options.refused?.(socket.remoteAddress ?? '');
      return void socket.destroy();
    }
    const raw = (socket as TLSSocket & { readonly _parent?: Duplex })._parent;
    if (raw) this.#unproven.delete(raw);
    this.#proven.set(socket, { identity, outer: raw });
    socket.once('close', () => this.#proven.delete(socket));
    const { server } = this.#options;
    // Where the server itself speaks TLS, its requests are read from that event.
    server.emit('setSecureContext' in server ? 'secureConnection' : 'connection', socket);
  }
}

// The port of Hadoop's shuffle: where it listens, how many connections it serves, how long they stay.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { AuditLog } from '../../auth/audit-log.ts';
import { ConnectionLimits } from '../../http/connection-limits.ts';
import { connectionLimits, type ServiceLimits } from '../../http/limits.ts';
import type { ServerTls } from '../../http/server-tls.ts';
import { createServer } from '../../lib/plain-http.ts';
import { auditCertificate } from '../unproven-tasks.ts';
import type { HadoopShuffle } from './hadoop-shuffle.ts';

/** What the port is made of. */
export interface HadoopListenerOptions {
  readonly shuffle: HadoopShuffle;
  readonly host: string;
  /** Ports to try, in this order: the first that is free is served. 0: any. */
  readonly ports: readonly number[];
  /** Connections that wait to be accepted. */
  readonly backlog: number;
  /** More are told to come again; 0: only `limits` count. */
  readonly maximumConnections: number;
  /** What the process takes of any server. */
  readonly limits: Pick<ServiceLimits, 'connections' | 'connectionsPerAddress' | 'localUsers'>;
  /** How long a connection may be idle between requests. */
  readonly keepAliveMs: number;
  /** Has clients without a certificate that counts, where those are asked for. */
  readonly audit: Pick<AuditLog, 'refusedRequest'>;
  /** Absent: plain HTTP. */
  readonly tls?: ServerTls | undefined;
}

/** A port that listens. */
export interface HadoopListener {
  readonly port: number;
  close(): Promise<void>;
}

/** How long a connection may stand still while a request or an answer is under way. */
const stalledMs = 600_000;
const headersMs = 60_000;
/** How long a connection beyond the limit may take for its request. */
const surplusMs = 5_000;

/** Listens. @throws Error where no port can be had: with `code` EADDRINUSE where the last one is in use */
export async function listenHadoop(options: HadoopListenerOptions): Promise<HadoopListener> {
  const { shuffle, tls, limits, maximumConnections } = options;
  const surplus = new WeakSet<Socket>();
  let port = 0;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    // Nothing that is sent with a request is read.
    request.resume();
    if (surplus.has(request.socket)) shuffle.handleTooMany(response);
    else shuffle.handle(request, response, port);
  };
  const timing = { headersTimeout: headersMs, requestTimeout: stalledMs, keepAliveTimeout: options.keepAliveMs };
  const server: Server = tls ? createTlsServer({ ...tls.options, ...timing }, answer) : createServer(timing, answer);
  server.setTimeout(stalledMs);
  new ConnectionLimits(connectionLimits(limits)).watch(server);
  if (tls) server.on('tlsClientError', (error: Error, socket: TLSSocket) => auditCertificate(options.audit, error, socket));
  let served = 0;
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    served++;
    socket.once('close', () => served--);
    if (maximumConnections === 0 || served <= maximumConnections) return;
    surplus.add(socket);
    socket.setTimeout(surplusMs, () => socket.destroy());
  });
  port = await firstFree(server, options);
  const unfollow = tls?.follow((changed) => (server as ReturnType<typeof createTlsServer>).setSecureContext(changed));
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        unfollow?.();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function firstFree(server: Server, { host, ports, backlog }: HadoopListenerOptions): Promise<number> {
  for (const [index, wanted] of ports.entries()) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port: wanted, backlog }, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || index === ports.length - 1) throw error;
    }
  }
  throw new Error('no port is named');
}

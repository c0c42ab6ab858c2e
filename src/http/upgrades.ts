// Upgraded connections of a service, by their paths. Whatever else asks for an upgrade (HTTP/2 over plain text, as Java's client
// does with each first request) is answered as if it had not.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Authenticator, Caller } from '../auth/authenticator.ts';
import { scopeRefusal } from '../auth/bearer/restriction.ts';
import type { RouteAccess } from '../auth/route-access.ts';
import type { Logger } from '../lib/log.ts';
import { Failure } from '../model/errors.ts';
import { pathOf, schemeOf } from './paths.ts';
import { Query } from './query.ts';
import { type GateRules, gateRefusal } from './request-gate.ts';
import { type RequestIds, requestIdHeader } from './request-ids.ts';
import type { Refusal } from './route.ts';

/** A request that wants another protocol: a WebSocket where its path names none. */
export interface Upgrade {
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  readonly headers: IncomingMessage['headers'];
  readonly user: string | undefined;
  /** Who calls; absent on paths with their own credentials. */
  readonly caller?: Caller | undefined;
  readonly remoteAddress: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly request: IncomingMessage;
}

/** Takes the connection over; what it throws becomes the refusal. */
export type UpgradeHandler = (upgrade: Upgrade, socket: Duplex, head: Buffer) => void | Promise<void>;

/** Where upgrades are taken. */
export interface UpgradePath {
  /** The path itself, or with a slash at its end everything below it. */
  readonly path: string;
  /** Token of the `Upgrade` header, in small letters; default `websocket`. */
  readonly protocol?: string;
  /** Whether the caller is told to the handler; `none` for paths with their own credentials. */
  readonly authentication: 'required' | 'none';
  /** As that of a route. */
  readonly access?: RouteAccess;
  readonly about?: string;
  readonly handle: UpgradeHandler;
}

/** Whether a request asks for what a service may upgrade. */
export function wantsUpgrade({ headers }: Pick<IncomingMessage, 'headers'>, paths: readonly UpgradePath[]): boolean {
  const wanted = headers.upgrade?.toLowerCase();
  return wanted !== undefined && paths.some(({ protocol = webSocket }) => protocol === wanted);
}

const webSocket = 'websocket';

/** An upgrade as it is told of where it is refused. */
type Refused = Omit<Refusal, 'failure' | 'caller'> & { caller: Caller | undefined; readonly requestId: string };

/** What upgrades are taken by. */
export interface UpgradeRules {
  /** They may grow later. */
  readonly paths: readonly UpgradePath[];
  readonly gate: GateRules;
  readonly authenticator: Authenticator;
  readonly ids: RequestIds;
  readonly logger: Logger;
  /** Hears of what was thrown where an upgrade was not taken. */
  readonly refused: (problem: unknown, of: Omit<Refusal, 'failure'>) => void;
}

/** The web sockets of a server. */
export interface Upgrades {
  /** Ends those that their handlers have not: what was written to them is sent first. */
  close(): Promise<void>;
}

/** Listens on the server for upgrades. */
export function serveUpgrades(server: Server, { paths, gate, authenticator, ids, logger, refused: tell }: UpgradeRules): Upgrades {
  const open = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const requestId = ids.of(request);
    // Who is refused may be gone before the answer: a socket without a listener would end this process.
    socket.on('error', (error) => logger.debug({ err: error, request: requestId }, 'a socket failed while it was upgraded'));
    const { method = 'GET', url = '' } = request;
    const refusal: Refused = { method, path: pathOf(url), caller: undefined, remoteAddress: request.socket.remoteAddress ?? '', requestId };
    void upgrade(request, socket, head, refusal).catch((problem: unknown) => {
      if (!(problem instanceof Failure)) logger.error({ err: problem, request: requestId }, 'an upgrade failed inside the server');
      if (socket.writable) socket.end(refusalText(problem, requestId));
      tell(problem, refusal);
    });
  });

  return {
    async close() {
      for (const socket of open) socket.end();
      await new Promise(setImmediate);
      for (const socket of open) socket.destroy();
    },
  };

  /** `refused`: what is told where it is not upgraded; the caller is added once it is known. */
  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, refused: Refused): Promise<void> {
    const closed = gateRefusal(request, gate, true);
    if (closed) throw closed;
    const { remoteAddress, requestId } = refused;
    const [path = '', ...more] = (request.url ?? '').split('?');
    const query = more.join('?');
    const found = paths
      .filter(({ protocol = webSocket }) => protocol === request.headers.upgrade?.toLowerCase())
      .find((known) => (known.path.endsWith('/') ? path.startsWith(known.path) : path === known.path));
    if (!found) return void socket.end(`HTTP/1.1 404 Not Found\r\nConnection: close\r\n${requestIdHeader}: ${requestId}\r\n\r\n`);
    // Others carry requests, whose answers end with those of the server.
    if (found.protocol !== undefined) open.delete(socket);
    if (found.authentication === 'required') {
      const credentials = new Query(query);
      const identity = await authenticator.identify({
        method: 'GET',
        path,
        // An operation on tokens is no part of an upgrade, in which nobody would hear of what it did.
        query: (name) => (name === 'op' ? undefined : credentials.credential(name)),
        headers: request.headers,
        remoteAddress,
        socket: request.socket,
        requestId,
      });
      if ('refusal' in identity) throw identity.refusal;
      if ('answer' in identity) {
        tell(identity.failure, refused);
        return void socket.end(`HTTP/1.1 400 Bad Request\r\nConnection: close\r\n${requestIdHeader}: ${requestId}\r\n\r\n`);
      }
      refused.caller = { ...identity.caller, requestId };
      // What is said on a web socket may change anything, although it begins with GET.
      const narrow = scopeRefusal(identity.caller, found.access, 'POST');
      if (narrow) throw narrow;
    }
    const { caller } = refused;
    const { headers } = request;
    const scheme = schemeOf(request.socket);
    await found.handle(
      { path, query, headers, user: caller?.user, caller, remoteAddress, scheme, host: headers.host ?? '', request },
      socket,
      head,
    );
  }
}

function refusalText(problem: unknown, requestId: string): string {
  const status = problem instanceof Failure ? problem.entry.status : 500;
  const text = problem instanceof Failure ? problem.message : 'The connection could not be upgraded.';
  const headers = [
    `${requestIdHeader}: ${requestId}`,
    'Content-Type: text/plain;charset=utf-8',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return `HTTP/1.1 ${status} Refused\r\nConnection: close\r\n${headers.join('\r\n')}\r\n\r\n${text}`;
}

// A port of Hadoop RPC: accepts connections, bounds how many there are and how long they may stay silent, and closes them.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { ConnectionCounts, type ConnectionCountsOptions } from '../lib/connection-counts.ts';
import { turnsAreOver } from '../lib/turn-end.ts';
import { CallQueue, type CallQueueOptions } from './call-queue.ts';
import { CallTurns } from './call-turns.ts';
import type { Connection, ConnectionOptions } from './connection.ts';
import { FrameRoom } from './frame-room.ts';
import { lengthBytes } from './frames.ts';
import { LongAnswers } from './long-answers.ts';
import type { RpcProtocol } from './protocol.ts';

/** What a port is made of; see ConnectionOptions for the rest. */
export interface RpcServerOptions extends Omit<ConnectionOptions, 'protocols' | 'room' | 'turns' | 'calls' | 'longAnswers'> {
  /** What the port serves; asked for at the first connection, so that a port nobody uses costs nothing. */
  readonly protocols: () => Promise<readonly RpcProtocol[]>;
  /** `host:port`; port 0 picks a free one. */
  readonly address: string;
  /** How many connections are accepted, of all and of one address; more are closed at once, as are those for which too few descriptors are left. */
  readonly connections: ConnectionCountsOptions;
  readonly callQueue: CallQueueOptions;
  /** From how many connections on idle ones are closed (`ipc.client.idlethreshold`). */
  readonly idleThreshold: number;
  /** How long a connection may be idle then, and how long a login or a frame may take at any time (ms). */
  readonly idleMs: number;
}

/** A port that listens. */
export interface RpcServer {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Unfinished frames of all connections of a port: so many of the longest at least. */
const longestFrames = 4;

/** How often silent connections are looked for, in parts of `idleMs`. */
const looksPerIdleTime = 4;

interface Accepted {
  readonly socket: Socket;
  readonly connection: Connection;
  progress: string;
  silentLooks: number;
}

/** Listens; rejects where the address cannot be bound. */
export async function listenRpc(options: RpcServerOptions): Promise<RpcServer> {
  const accepted = new Set<Accepted>();
  let serving: Promise<(socket: Socket) => Connection> | undefined;
  const serve = async (socket: Socket): Promise<void> => {
    serving ??= loadServing(options);
    const [connect] = await Promise.all([serving, options.authentication.simple?.learn?.(socket)]);
    if (socket.destroyed) return;
    const entry = { socket, connection: connect(socket), progress: '', silentLooks: 0 };
    accepted.add(entry);
    socket.on('close', () => accepted.delete(entry));
  };
  const sockets = new Set<Socket>();
  const counts = new ConnectionCounts(options.connections);
  const server = createServer({ noDelay: true, pauseOnConnect: false }, (socket) => {
    socket.on('error', () => socket.destroy());
    if (counts.add(socket, () => socket.destroy()) !== undefined) {
      options.figures.dropped++;
      return void socket.destroy();
    }
    options.figures.connected(socket);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket).catch((error: unknown) => {
      options.logger.error({ err: error }, 'a connection could not be served');
      socket.destroy();
    });
  });
  const looking = setInterval(() => closeSilent(accepted, options), options.idleMs / looksPerIdleTime);
  looking.unref();
  const { address: host, port } = await listening(server, options.address);
  options.figures.port = port;
  return {
    host,
    port,
    async close() {
      clearInterval(looking);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await turnsAreOver();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function loadServing(options: RpcServerOptions): Promise<(socket: Socket) => Connection> {
  const [{ Connection: Served, waitingLimitBytes }, protocols] = await Promise.all([import('./connection.ts'), options.protocols()]);
  const byName = new Map(protocols.map((protocol) => [protocol.name, protocol]));
  const connectionOptions = {
    ...options,
    protocols: byName,
    room: new FrameRoom(longestFrames * (lengthBytes + options.frameLimitBytes), waitingLimitBytes),
    turns: new CallTurns(),
    calls: new CallQueue(options.callQueue),
    longAnswers: new LongAnswers(),
  };
  return (socket) => new Served(socket, connectionOptions);
}

function listening(server: Server, address: string): Promise<AddressInfo> {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port: Number(address.slice(at + 1)) }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

/**
 * Closes connections that get nowhere: a login, a frame or the reading of answers that takes too long; and idle ones where there are too
 * many (ConnectionManager.closeIdle).
 */
function closeSilent(accepted: ReadonlySet<Accepted>, { idleThreshold }: RpcServerOptions): void {
  const isCrowded = accepted.size >= idleThreshold;
  for (const entry of accepted) {
    const { socket, connection } = entry;
    const progress = connection.progress;
    entry.silentLooks = progress === entry.progress && !connection.isWorking ? entry.silentLooks + 1 : 0;
    entry.progress = progress;
    if (entry.silentLooks >= looksPerIdleTime && (isCrowded || !connection.isIdle)) socket.destroy();
  }
}

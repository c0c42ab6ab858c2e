// Numbered, acknowledged messages over a WebSocket that reconnects: within one session nothing is lost, repeated or reordered.
// The client says hello with its session and what it received; the server answers whether it still knows that session. If it does,
// both resend what the other has not acknowledged. If not, both start a new session with empty outboxes and the owner is told,
// so that it can describe its whole state again. A session never continues with a hole in it.
// Messages are any JSON: the receiver checks what it is (json-shape.ts).
import type { Agent, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { ChannelFigures } from './channel-figures.ts';
import type { Clock, Timer } from './clock.ts';
import { anything, checked, type JsonOf, tagged, text, truth, whole } from './json-shape.ts';
import { parseJson } from './json-text.ts';
import type { Logger } from './log.ts';
import type { Random } from './random.ts';

const frameNumber = whole({ minimum: 0 });
const frame = tagged('kind', {
  hello: { session: text(), received: frameNumber },
  welcome: { session: text(), resumed: truth(), received: frameNumber },
  data: { number: frameNumber, message: anything() },
  ack: { number: frameNumber },
});
type Frame = JsonOf<typeof frame>;

/** Limits and times that both sides share. */
export interface ChannelLimits {
  /** Unacknowledged messages kept while the peer is away; beyond this the session is given up and a new one begins. Default 100,000. */
  readonly maximumOutboxMessages?: number;
  /** Longest accepted frame in bytes. Default 64 MiB. */
  readonly maximumFrameBytes?: number;
  /** A silent peer is pinged this often and given up after twice this time. Default 5,000. */
  readonly pingIntervalMs?: number;
  /** Counts what is carried; several channels may share it. */
  readonly figures?: ChannelFigures;
}

interface Dependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** One side of a channel. */
export interface ReliableChannel<Out> {
  /** Queues a message; it arrives exactly once, in order, unless the session is given up first. */
  send(message: Out): void;
  /** Whether a socket is up and its handshake done. */
  readonly connected: boolean;
  /** Messages not acknowledged yet. */
  readonly pending: number;
  /** Ends the channel for good; the peer is told by the closed socket only. */
  close(): void;
}

const defaultPingIntervalMs = 5000;
/** Pieces of a message on a WebSocket, at the most. */
export const mostFragments = 16_384;
const defaultFrameBytes = 64 * 1024 * 1024;
const defaultOutboxMessages = 100_000;

/** Numbers, outbox and socket of one side; knows nothing of connecting. */
class Side<Out> {
  readonly #limits: ChannelLimits;
  readonly #dependencies: Dependencies;
  readonly #deliver: (message: unknown) => void;
  readonly #overflow: () => void;
  readonly #figures: ChannelFigures;
  readonly #unwatch: () => void;
  #outbox: { readonly number: number; readonly text: string }[] = [];
  #lastNumber = 0;
  #received = 0;
  #acknowledged = 0;
  #acknowledging = false;
  #socket: WebSocket | undefined;
  #pinger: Timer | undefined;

  constructor(limits: ChannelLimits, dependencies: Dependencies, deliver: (message: unknown) => void, overflow: () => void) {
    this.#limits = limits;
    this.#dependencies = dependencies;
    this.#deliver = deliver;
    this.#overflow = overflow;
    this.#figures = limits.figures ?? new ChannelFigures();
    this.#unwatch = this.#figures.watch(this);
  }

  get received(): number {
    return this.#received;
  }
  get connected(): boolean {
    return this.#socket !== undefined;
  }
  get pending(): number {
    return this.#outbox.length;
  }

  /** Forgets everything of the session before. */
  reset(): void {
    this.#outbox = [];
    this.#lastNumber = 0;
    this.#received = 0;
    this.#acknowledged = 0;
  }

  /** Uses `socket` from now on; the peer has everything up to `peerReceived`, the rest is sent again. */
  attach(socket: WebSocket, peerReceived: number, isResumed: boolean): void {
    this.#figures.connected(isResumed);
    this.#acknowledge(peerReceived);
    this.#socket = socket;
    for (const { text } of this.#outbox) this.#write(socket, text);
    this.#keepAlive(socket);
  }

  detach(): void {
    this.#socket = undefined;
    this.#pinger?.cancel();
  }

  send(message: Out): void {
    const number = ++this.#lastNumber;
    const text = JSON.stringify({ kind: 'data', number, message } satisfies Frame);
    this.#outbox.push({ number, text });
    if (this.#outbox.length > (this.#limits.maximumOutboxMessages ?? defaultOutboxMessages)) this.#overflow();
    else if (this.#socket) this.#write(this.#socket, text);
  }

  /** It is not used again, and its figures go. */
  end(): void {
    this.detach();
    this.#unwatch();
  }

  #write(socket: WebSocket, text: string): void {
    socket.send(text);
    this.#figures.sent.add(Buffer.byteLength(text));
  }

  /** Takes a frame of the peer; false when it breaks the protocol. */
  take({ frame, bytes }: Received): boolean {
    if (frame.kind === 'ack') {
      this.#acknowledge(frame.number);
      return true;
    }
    if (frame.kind !== 'data' || frame.number > this.#received + 1) return false;
    this.#figures.received.add(bytes);
    if (frame.number <= this.#received) return true;
    this.#received = frame.number;
    try {
      this.#deliver(frame.message);
    } catch (error) {
      this.#dependencies.logger.error({ err: error }, 'handling a channel message failed');
    }
    this.#scheduleAcknowledgement();
    return true;
  }

  #acknowledge(number: number): void {
    let count = 0;
    while (count < this.#outbox.length && this.#outbox[count]!.number <= number) count++;
    if (count > 0) this.#outbox.splice(0, count);
  }

  /** One acknowledgement for all messages of one turn of the event loop. */
  #scheduleAcknowledgement(): void {
    if (this.#acknowledging) return;
    this.#acknowledging = true;
    setImmediate(() => {
      this.#acknowledging = false;
      if (!this.#socket || this.#acknowledged === this.#received) return;
      this.#acknowledged = this.#received;
      this.#socket.send(JSON.stringify({ kind: 'ack', number: this.#received } satisfies Frame));
    });
  }

  #keepAlive(socket: WebSocket): void {
    let alive = true;
    const heard = () => {
      alive = true;
    };
    socket.on('pong', heard).on('message', heard).on('ping', heard);
    const check = () => {
      if (this.#socket !== socket) return;
      if (!alive) return socket.terminate();
      alive = false;
      socket.ping();
      this.#pinger = this.#dependencies.clock.setTimer(this.#limits.pingIntervalMs ?? defaultPingIntervalMs, check);
    };
    this.#pinger?.cancel();
    this.#pinger = this.#dependencies.clock.setTimer(this.#limits.pingIntervalMs ?? defaultPingIntervalMs, check);
  }
}

/** A frame that came, and how long it is. */
interface Received {
  readonly frame: Frame;
  readonly bytes: number;
}

/** Parses what came; undefined when it is no frame. */
function readFrame(data: RawData): Received | undefined {
  try {
    const text = String(data);
    // Both sides have proven themselves; a node that has much says much.
    const { value } = checked(frame, parseJson(text, undefined, Number.POSITIVE_INFINITY));
    return value && { frame: value, bytes: Buffer.byteLength(text) };
  } catch {
    return undefined;
  }
}

/** What the connecting side tells its owner and needs to know. */
export interface ConnectOptions extends ChannelLimits, Dependencies {
  /** Where to connect; asked before each try, so that it may change. */
  readonly url: () => string;
  /** Makes the connections; absent: plain ones, or as the address says. */
  readonly agent?: Agent | undefined;
  /** Wait before the first new try; doubles up to `maximumReconnectMs`. Default 50. */
  readonly reconnectMs?: number;
  /** Default 1,000. */
  readonly maximumReconnectMs?: number;
  /** A session began: nothing sent before it will arrive any more. Called before any message of the new session. */
  readonly onNewSession: () => void;
  readonly onMessage: (message: unknown) => void;
  /** The socket came up or went down; `isResumed`: it came up and the session goes on, without `onNewSession`. */
  readonly onConnection?: (connected: boolean, isResumed: boolean) => void;
  /** It could not be connected, or the connection broke. */
  readonly onFailure?: (error: Error) => void;
}

/** Connects, and keeps connecting until closed. Messages sent before the first session are dropped by it, so send from `onNewSession` on. */
export function connectChannel<Out>(options: ConnectOptions): ReliableChannel<Out> {
  const { clock, random, logger } = options;
  const newSession = () => random.bytes(16).toString('hex');
  let session = newSession();
  let closed = false;
  let socket: WebSocket | undefined;
  let failures = 0;
  let retry: Timer | undefined;
  const side = new Side<Out>(options, options, options.onMessage, () => {
    logger.warn({ messages: side.pending }, 'the channel outbox is full; starting a new session');
    side.reset();
    session = newSession();
    socket?.terminate();
  });

  const welcome = (current: WebSocket, frame: Frame | undefined) => {
    if (frame?.kind !== 'welcome') return current.terminate();
    failures = 0;
    if (!frame.resumed) side.reset();
    session = frame.session;
    side.attach(current, frame.received, frame.resumed);
    options.onConnection?.(true, frame.resumed);
    if (!frame.resumed) options.onNewSession();
  };

  const connect = () => {
    const current = new WebSocket(options.url(), {
      ...(options.agent ? { agent: options.agent } : {}),
      maxPayload: options.maximumFrameBytes ?? defaultFrameBytes,
      perMessageDeflate: false,
      handshakeTimeout: 10_000,
    });
    socket = current;
    let welcomed = false;
    current.on('open', () => current.send(JSON.stringify({ kind: 'hello', session, received: side.received } satisfies Frame)));
    current.on('message', (data) => {
      if (closed || socket !== current) return;
      const received = readFrame(data);
      if (!welcomed) {
        welcomed = true;
        welcome(current, received?.frame);
      } else if (!received || !side.take(received)) current.terminate();
    });
    current.on('error', (error) => {
      logger.debug({ err: error }, 'the channel failed');
      if (!closed) options.onFailure?.(error);
    });
    current.on('close', () => {
      if (socket !== current) return;
      const wasConnected = side.connected;
      side.detach();
      socket = undefined;
      if (wasConnected) options.onConnection?.(false, false);
      if (closed) return;
      const base = Math.min((options.reconnectMs ?? 50) * 2 ** failures++, options.maximumReconnectMs ?? 1000);
      retry = clock.setTimer(base * (0.75 + random.next() / 2), connect);
    });
  };
  connect();
  return {
    send: (message) => side.send(message),
    get connected() {
      return side.connected;
    },
    get pending() {
      return side.pending;
    },
    close() {
      closed = true;
      retry?.cancel();
      side.end();
      socket?.close();
      setTimeout(() => socket?.terminate(), 200).unref();
    },
  };
}

/** What the owner of an accepted channel hears. */
export interface AcceptedHandlers {
  onMessage(message: unknown): void;
  onConnection?(connected: boolean): void;
  /** The session is over: the peer began a new one, stayed away for longer than `retentionMs`, or overflowed. Not called after `close`. */
  onEnd?(): void;
}

/** What the accepting side needs. */
export interface AcceptOptions<Out> extends ChannelLimits, Dependencies {
  /** How long the session of an absent peer is kept. Default 600,000. */
  readonly retentionMs?: number;
  /** A new session began; the handlers returned belong to it. */
  readonly onSession: (channel: ReliableChannel<Out>, request: IncomingMessage) => AcceptedHandlers;
}

/** The accepting side: hand it the HTTP upgrades of the channel's path. */
export interface ChannelAcceptor {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes all sockets and forgets all sessions. */
  close(): void;
}

interface Session {
  readonly take: (received: Received) => boolean;
  readonly received: () => number;
  readonly attach: (socket: WebSocket, peerReceived: number, isResumed: boolean) => void;
  readonly drop: () => void;
}

/** Begins a session for a peer that names none that is known; it is in `sessions` until it ends. */
function beginSession<Out>(options: AcceptOptions<Out>, sessions: Map<string, Session>, id: string, request: IncomingMessage): Session {
  let current: WebSocket | undefined;
  let expiry: Timer | undefined;
  let handlers: AcceptedHandlers | undefined;
  const end = (tellOwner: boolean) => {
    if (!sessions.delete(id)) return;
    expiry?.cancel();
    side.end();
    const socket = current;
    current = undefined;
    socket?.terminate();
    if (tellOwner) handlers?.onEnd?.();
  };
  const side = new Side<Out>(
    options,
    options,
    (message) => handlers?.onMessage(message),
    () => end(true),
  );
  const session: Session = {
    take: (received) => side.take(received),
    received: () => side.received,
    attach: (socket, peerReceived, isResumed) => {
      expiry?.cancel();
      const former = current;
      current = socket;
      former?.terminate();
      side.attach(socket, peerReceived, isResumed);
      if (!former) handlers?.onConnection?.(true);
      socket.on('close', () => {
        if (current !== socket) return;
        current = undefined;
        side.detach();
        handlers?.onConnection?.(false);
        expiry = options.clock.setTimer(options.retentionMs ?? 600_000, () => end(true));
      });
    },
    drop: () => end(false),
  };
  sessions.set(id, session);
  handlers = options.onSession(
    {
      send: (message) => sessions.get(id) === session && side.send(message),
      get connected() {
        return side.connected;
      },
      get pending() {
        return side.pending;
      },
      close: () => end(false),
    },
    request,
  );
  return session;
}

/** Makes an acceptor; authenticate the upgrade before handing it over. */
export function acceptChannels<Out>(options: AcceptOptions<Out>): ChannelAcceptor {
  const { random } = options;
  const webSockets = new WebSocketServer({
    noServer: true,
    maxPayload: options.maximumFrameBytes ?? defaultFrameBytes,
    maxFragments: mostFragments,
    perMessageDeflate: false,
  });
  const sessions = new Map<string, Session>();

  const greet = (socket: WebSocket, frame: Frame | undefined, request: IncomingMessage): Session | undefined => {
    if (frame?.kind !== 'hello') {
      socket.terminate();
      return undefined;
    }
    const known = sessions.get(frame.session);
    const id = known ? frame.session : random.bytes(16).toString('hex');
    const session = known ?? beginSession(options, sessions, id, request);
    if (!sessions.has(id)) {
      socket.terminate();
      return undefined;
    }
    socket.send(
      JSON.stringify({ kind: 'welcome', session: id, resumed: known !== undefined, received: session.received() } satisfies Frame),
    );
    session.attach(socket, known ? frame.received : 0, known !== undefined);
    return session;
  };

  return {
    handleUpgrade(request, stream, head) {
      webSockets.handleUpgrade(request, stream, head, (socket) => {
        let session: Session | undefined;
        let greeted = false;
        const silence = options.clock.setTimer(2 * (options.pingIntervalMs ?? defaultPingIntervalMs), () => socket.terminate());
        socket.on('close', () => silence.cancel());
        socket.on('error', (error) => options.logger.debug({ err: error }, 'a channel socket failed'));
        socket.on('message', (data) => {
          const received = readFrame(data);
          if (!greeted) {
            greeted = true;
            silence.cancel();
            session = greet(socket, received?.frame, request);
          } else if (!received || !session?.take(received)) socket.terminate();
        });
      });
    },
    close() {
      for (const session of [...sessions.values()]) session.drop();
      for (const socket of webSockets.clients) socket.terminate();
      webSockets.close();
    },
  };
}

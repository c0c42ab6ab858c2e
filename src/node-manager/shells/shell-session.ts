// One shell of one web socket: what goes from one to the other, how much of it may wait, and how both end.
import { StringDecoder } from 'node:string_decoder';
import type { RawData, WebSocket } from 'ws';
import type { ShellOrder, ShellProcess } from '../../engines/engine.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import { checked } from '../../lib/json-shape.ts';
import { parseJson } from '../../lib/json-text.ts';
import type { Logger } from '../../lib/log.ts';
import { hadoopHeartbeat, mostInputBytes, type ShellAnswer, type ShellRequest, shellRequest, shellStreams } from '../../wire/node/shell.ts';

/** Why a socket is closed (RFC 6455, section 7.4). */
export const closeCodes = { ended: 1000, goingAway: 1001, refused: 1008, failed: 1011, busy: 1013 } as const;
type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];

/** What is run. */
export type ShellStart = Pick<ShellOrder, 'command' | 'terminal'>;

/** What a session works with. */
export interface ShellSessionOptions {
  readonly socket: WebSocket;
  /** What Hadoop's client wants, which says no more than that; absent: the first message tells. */
  readonly start?: ShellStart;
  readonly enter: (start: ShellStart) => Promise<ShellProcess>;
  readonly idleMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called once, when socket and processes are gone. Without `exitCode` nothing was run. */
  readonly onEnd: (end: { readonly reason: string; readonly exitCode?: number | undefined }) => void;
}

/** Bytes that wait for a client that reads slowly, above which the command has to wait. */
const mostOutputBytes = 256 * 1024;
const startTimeoutMs = 10_000;
/** What fits into a message that closes a socket. */
const longestReason = 120;

/** Reads a message of Heddle's client. */
export function readShellRequest(text: string): ShellRequest | undefined {
  try {
    return checked(shellRequest, parseJson(text)).value;
  } catch {
    return undefined;
  }
}

/** A session; it begins with its making. Nothing of it throws or rejects. */
export class ShellSession {
  readonly #options: ShellSessionOptions;
  readonly #speaksHadoop: boolean;
  /** Input that came while the command was being started. */
  #early: Buffer[] = [];
  #waitingBytes = 0;
  #process: ShellProcess | undefined;
  #isStarted = false;
  #reason = '';
  #isOver = false;
  #lastMs: number;
  #timer: Timer;

  constructor(options: ShellSessionOptions) {
    const { socket, start, clock } = options;
    this.#options = options;
    this.#speaksHadoop = start !== undefined;
    this.#lastMs = clock.steadyMs();
    this.#timer = clock.setTimer(startTimeoutMs, () => this.end(closeCodes.refused, 'it was not said what to run'));
    socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    socket.on('close', () => this.#closed());
    socket.on('error', (error) => options.logger.debug({ err: error }, 'the socket of a shell failed'));
    if (start) void this.#start(start);
  }

  /** Ends the command and closes the socket. */
  end(code: CloseCode, reason: string): void {
    if (this.#reason === '') this.#reason = reason;
    this.#options.socket.close(code, reason.slice(0, longestReason));
    void this.#process?.end();
    // Who said nothing may never answer the good-bye either.
    if (!this.#isStarted) this.#over(undefined);
  }

  #take(data: RawData, isBinary: boolean): void {
    const bytes = data as Buffer;
    if (this.#speaksHadoop) {
      if (bytes.length !== hadoopHeartbeat.length || bytes.toString('latin1') !== hadoopHeartbeat) this.#takeInput(bytes);
      return;
    }
    if (isBinary) return this.#takeInput(bytes);
    const request = readShellRequest(bytes.toString('utf8'));
    if (!request || this.#isStarted === (request.type === 'start')) return this.end(closeCodes.refused, 'a message cannot be read');
    this.#lastMs = this.#options.clock.steadyMs();
    if (request.type === 'start') {
      this.#mostOnTheWay = request.mostOutputBytes ?? Infinity;
      void this.#start(request);
    } else if (request.type === 'resize') this.#process?.resize(request);
    else if (request.type === 'taken') {
      this.#onTheWay = Math.max(0, this.#onTheWay - request.bytes);
      this.#flow();
    } else this.#endInput();
  }

  #takeInput(bytes: Buffer): void {
    this.#lastMs = this.#options.clock.steadyMs();
    this.#waitingBytes += bytes.length;
    if (!this.#isStarted || this.#waitingBytes > mostInputBytes) return this.end(closeCodes.refused, 'more input than was asked for');
    if (this.#process) this.#write(this.#process, bytes);
    else this.#early.push(bytes);
  }

  #write({ input }: ShellProcess, bytes: Buffer): void {
    input.write(bytes, () => {
      this.#waitingBytes -= bytes.length;
      if (bytes.length > 0) this.#say({ type: 'taken', bytes: bytes.length });
    });
  }

  #inputEnds = false;
  #endInput(): void {
    this.#inputEnds = true;
    this.#process?.input.end();
  }

  async #start({ command, terminal }: ShellStart): Promise<void> {
    this.#isStarted = true;
    this.#timer.cancel();
    this.#watchIdleness();
    const { enter, logger } = this.#options;
    try {
      const started = await enter({ command: command.length === 0 ? ['bash'] : command, ...(terminal && { terminal }) });
      this.#process = started;
      this.#pass(started);
      if (this.#isOver || this.#reason !== '') void started.end();
      this.#say({ type: 'started' });
      for (const bytes of this.#early.splice(0)) this.#write(started, bytes);
      if (this.#inputEnds) started.input.end();
      const exitCode = await started.ended;
      this.#say({ type: 'exit', exitCode });
      this.end(closeCodes.ended, 'the command has ended');
      this.#over(exitCode);
    } catch (error) {
      logger.warn({ err: error }, 'a shell could not be started');
      this.end(closeCodes.failed, (error as Error).message);
      this.#over(undefined);
    }
  }

  #mostOnTheWay = Infinity;
  /** Bytes of output that the client has not said to be taken. */
  #onTheWay = 0;
  #flow: () => void = () => undefined;

  /** Passes on what the command writes. While the client reads slowly the command has to wait. */
  #pass({ output, errors }: ShellProcess): void {
    const { socket, clock } = this.#options;
    const streams = [output, errors] as const;
    const flow = () => {
      const isFull = !this.#isOver && (socket.bufferedAmount > mostOutputBytes || this.#onTheWay >= this.#mostOnTheWay);
      for (const stream of streams) {
        if (isFull) stream.pause();
        else if (stream.isPaused()) stream.resume();
      }
    };
    this.#flow = flow;
    for (const stream of streams) {
      const head = Buffer.of(stream === output ? shellStreams.output : shellStreams.errors);
      const decoder = new StringDecoder('utf8');
      stream.on('data', (bytes: Buffer) => {
        if (this.#isOver) return;
        this.#lastMs = clock.steadyMs();
        this.#onTheWay += bytes.length;
        socket.send(this.#speaksHadoop ? decoder.write(bytes) : Buffer.concat([head, bytes]), flow);
        flow();
      });
    }
  }

  #say(message: ShellAnswer): void {
    const { socket } = this.#options;
    if (!this.#speaksHadoop && socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
  }

  #watchIdleness(): void {
    const { clock, idleMs } = this.#options;
    const leftMs = this.#lastMs + idleMs - clock.steadyMs();
    if (leftMs <= 0) return this.end(closeCodes.refused, 'nothing went through it for too long');
    this.#timer = clock.setTimer(leftMs, () => this.#watchIdleness());
  }

  /** The client is gone, or was told that it is over. */
  #closed(): void {
    if (this.#reason === '') this.#reason = 'the client closed it';
    this.#isOver = true;
    this.#timer.cancel();
    if (this.#process) {
      void this.#process.end();
      this.#process.output.resume();
      this.#process.errors.resume();
    } else if (!this.#isStarted) this.#over(undefined);
  }

  #isTold = false;
  #over(exitCode: number | undefined): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#timer.cancel();
    this.#options.onEnd({ reason: this.#reason, exitCode });
  }
}

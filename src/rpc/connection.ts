// One connection: preamble, login, context, calls (Server.Connection of hadoop-common). States as a table; a refusal that Hadoop calls
// fatal is written and the connection closed, any other answer leaves it open. Calls run side by side and are answered as they end.
import type { Socket } from 'node:net';
import { decode, decodeDelimited, MalformedMessage } from '../wire/rpc/codec.ts';
import { IpcConnectionContextProto, RpcRequestHeaderProto, RpcSaslProto } from '../wire/rpc/tables/transport.ts';
import { type Asked, httpAnswer, ipcVersion, oldVersionMismatch, refused, saslMessage, specialCalls, unasked } from './answers.ts';
import type { RpcAuthentication, RpcCaller } from './authentication.ts';
import type { CallQueue } from './call-queue.ts';
import type { CallTurns } from './call-turns.ts';
import { connectionCaller, type Proved } from './connection-caller.ts';
import { answerCall, type DispatchOptions } from './dispatch.ts';
import { FatalRpcException, javaClasses, RpcException } from './exceptions.ts';
import type { FrameRoom } from './frame-room.ts';
import { FrameLengthRefused, FrameReader, preambleBytes } from './frames.ts';
import { Login, type LoginStep, simpleNotEnabled } from './login.ts';
import { type LongAnswers, longBytes } from './long-answers.ts';
import type { Qop, SecurityLayer } from './security-layer.ts';
import { writeWithTurn } from './turn-writes.ts';

/** A login that was refused. */
export interface RefusedLogin {
  readonly remoteAddress: string;
  /** How the client tried to prove itself. */
  readonly method: 'simple' | 'token' | 'kerberos';
  readonly reason: string;
}

/** What connections of a port have in common. */
export interface ConnectionOptions extends Omit<DispatchOptions, 'growsLong'> {
  readonly authentication: RpcAuthentication;
  /** What messages of callers with tokens or tickets are protected by, as they choose (`hadoop.rpc.protection`). */
  readonly qops: readonly Qop[];
  /** Hears of logins that were refused. */
  readonly refused?: (refusal: RefusedLogin) => void;
  /** Longest frame of a caller that is known (`ipc.maximum.data.length`), in bytes. */
  readonly frameLimitBytes: number;
  /** What unfinished frames of all connections share. */
  readonly room: FrameRoom;
  /** What the calls of all connections share. */
  readonly turns: CallTurns;
  /** How many calls of all connections are under way. */
  readonly calls: CallQueue;
  /** Long answers of all connections. */
  readonly longAnswers: LongAnswers;
  /** How many calls of one connection may be under way; above it nothing more is read. */
  readonly callLimit: number;
}

/** Longest frame of a login or context: nobody is known yet. */
const loginLimitBytes = 256 * 1024;
/** Answers that a client has not read; above it nothing more of it is read. */
const unreadLimitBytes = 4 * 1024 * 1024;

/** What a client may have sent before its turn; above it nothing more of it is read until then. So much of unfinished frames counts for nothing. */
export const waitingLimitBytes = 256 * 1024;

const saslByte = 0xdf;
/**
 * What a connection waits for, and which special calls it takes meanwhile. `closing`: its last answer is on the way.
 */
type State = 'preamble' | 'login' | 'context' | 'calls' | 'closing';

/** Where messages are protected: what does it, and the frames that stand in what was protected. */
interface Protection {
  readonly layer: SecurityLayer;
  readonly frames: FrameReader;
}

type RequestHeader = typeof RpcRequestHeaderProto;

/** A connection that is served until it ends. */
export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #frames = new FrameReader();
  readonly #remoteAddress: string;
  #state: State = 'preamble';
  #login: Login | undefined;
  #proved: Proved = { method: 'simple' };
  #caller: RpcCaller | undefined;
  #dispatch: DispatchOptions | undefined;
  #protected: Protection | undefined;
  #running = 0;
  #taken = 0;
  #isPaused = false;
  /** What else came in this turn of the event loop took its time: the next frame has another one. */
  #awaitsTurn = false;
  /** The port has as many calls as it may: more of this client are read when there is room. */
  #awaitsRoom = false;
  /** Something is under way that has to be over before more is read. */
  #isBusy = false;
  /** Over when all that was protected so far is on its way. */
  #protecting: Promise<void> = Promise.resolve();

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#remoteAddress = socket.remoteAddress ?? '';
    socket.on('data', (chunk: Buffer) => {
      this.#frames.push(chunk);
      if (!this.#awaitsTurn) this.#read();
      else if (this.#frames.waitingBytes > waitingLimitBytes) this.#pause();
      this.#hold();
    });
    socket.on('drain', () => this.#resume());
    socket.on('close', () => {
      this.#options.room.leave(this);
      this.#login?.close();
    });
  }

  /** The client waits for the server, and has read what it was answered. */
  get isWorking(): boolean {
    if (this.#socket.writableLength > unreadLimitBytes) return false;
    return this.#running > 0 || this.#isBusy || this.#awaitsTurn || this.#awaitsRoom;
  }

  /** Its caller is known and nothing of a frame or an answer is on the way. */
  get isIdle(): boolean {
    return this.#state === 'calls' && !this.isWorking && this.#waitingBytes === 0 && this.#socket.writableLength === 0;
  }

  /** What came and is no whole frame yet. */
  get #waitingBytes(): number {
    return this.#frames.waitingBytes + (this.#protected?.frames.waitingBytes ?? 0);
  }

  #hold(): void {
    if (this.#socket.destroyed || this.#options.room.holds(this, this.#waitingBytes)) return;
    this.#options.figures.dropped++;
    this.#options.logger.warn(
      { remoteAddress: this.#remoteAddress, waitingBytes: this.#waitingBytes },
      'a connection is closed: unfinished requests of all clients together hold as much memory as they may',
    );
    this.#socket.destroy();
  }

  /** Changes with every whole frame that comes, and with what is read of answers: also of a long one, which counts as written when it is all gone. */
  get progress(): string {
    const { _handle: handle } = this.#socket as { _handle?: { writeQueueSize?: number } | null };
    return `${this.#taken}/${this.#socket.writableLength}/${handle?.writeQueueSize ?? 0}`;
  }

  /** `isTurn`: the first frame has its turn. */
  #read(isTurn = false): void {
    let hasTurn = isTurn;
    try {
      for (; this.#state !== 'closing' && !this.#holdBack(); hasTurn = false) {
        if (!hasTurn && this.#options.turns.isOver()) return this.#awaitTurn();
        if (!this.#readOne()) return;
      }
    } catch (problem) {
      if (!(problem instanceof FrameLengthRefused)) this.#options.logger.error({ err: problem }, 'a connection failed inside the server');
      this.#socket.destroy();
    }
  }

  #awaitTurn(): void {
    this.#awaitsTurn = true;
    this.#options.turns.wait(() => {
      this.#awaitsTurn = false;
      if (this.#isPaused) this.#resume(true);
      else this.#read(true);
      this.#hold();
    });
  }

  #readOne(): boolean {
    if (this.#state === 'preamble') {
      const preamble = this.#frames.take(preambleBytes);
      if (preamble) this.#takePreamble(preamble);
      return preamble !== undefined;
    }
    const limitBytes = this.#state === 'calls' ? this.#options.frameLimitBytes : loginLimitBytes;
    const inner = this.#protected?.frames.frame(limitBytes);
    const frame = inner ?? this.#frames.frame(limitBytes);
    if (!frame) return false;
    this.#taken++;
    this.#takeFrame(frame, inner === undefined ? this.#protected : undefined);
    return true;
  }

  /** Whether the client has to wait: it reads no answers, or it or all clients together ask for more than they may at once. */
  #holdBack(): boolean {
    const isFree = !this.#isBusy && this.#running < this.#options.callLimit && this.#socket.writableLength <= unreadLimitBytes;
    if (isFree && !this.#awaitRoom()) return false;
    this.#pause();
    return true;
  }

  #awaitRoom(): boolean {
    const { calls } = this.#options;
    if (this.#state !== 'calls' || !calls.holdsBack()) return false;
    if (!this.#awaitsRoom) {
      this.#awaitsRoom = true;
      calls.wait(() => {
        this.#awaitsRoom = false;
        if (!this.#socket.destroyed) this.#resume();
      });
    }
    return true;
  }

  #pause(): void {
    if (!this.#isPaused) this.#socket.pause();
    this.#isPaused = true;
  }

  #resume(isTurn = false): void {
    if (!this.#isPaused || this.#awaitsTurn || this.#holdBack()) return;
    this.#isPaused = false;
    this.#socket.resume();
    this.#read(isTurn);
    this.#hold();
  }

  #takePreamble(preamble: Buffer): void {
    const [version, authByte] = [preamble[4]!, preamble[6]!];
    if (preamble.toString('latin1', 0, 4) === 'GET ') return this.#end(httpAnswer);
    const isHadoop = preamble.toString('latin1', 0, 4) === 'hrpc';
    if (!isHadoop || version !== ipcVersion) {
      const message = `Server IPC version ${ipcVersion} cannot communicate with client version ${version}`;
      if (isHadoop && version >= 3 && version < ipcVersion) return this.#end(oldVersionMismatch(javaClasses.VersionMismatch, message));
      return this.#refuse(unasked, new FatalRpcException(javaClasses.VersionMismatch, 'FATAL_VERSION_MISMATCH', message));
    }
    if (authByte === saslByte) {
      this.#login = new Login(this.#options.authentication, this.#options.random, this.#options.qops);
      this.#state = 'login';
    } else if (authByte !== 0)
      this.#refuse(unasked, new FatalRpcException(javaClasses.IpcException, 'FATAL_UNAUTHORIZED', `Unknown auth protocol:${authByte}`));
    else if (!this.#options.authentication.simple) this.#refuse(unasked, unauthorized(simpleNotEnabled(this.#options.authentication)));
    else this.#state = 'context';
  }

  /** `protection`: what the frame has to be protected by. */
  #takeFrame(frame: Buffer, protection: Protection | undefined): void {
    let asked: Asked = unasked;
    try {
      const { value: header, next } = readHeader(frame);
      asked = header;
      checkHeader(header);
      if (protection) this.#takeWrapped(protection, header.callId, frame, next);
      else if (header.callId >= 0) this.#takeCall(header, frame, next);
      else this.#takeSpecial(header.callId, frame, next);
    } catch (problem) {
      if (problem instanceof FatalRpcException) this.#refuse(asked, problem);
      else throw problem;
    }
  }

  /** Goes on with what may come later; nothing is read meanwhile. */
  #continue<T>(coming: T | Promise<T>, then: (value: T) => void): void {
    if (!(coming instanceof Promise)) return then(coming);
    this.#isBusy = true;
    void coming
      .then(then)
      .catch((problem: unknown) => {
        if (problem instanceof FatalRpcException) return this.#refuse({ ...unasked, callId: specialCalls.sasl }, problem);
        this.#options.logger.error({ err: problem }, 'a connection failed inside the server');
        this.#socket.destroy();
      })
      .then(() => {
        this.#isBusy = false;
        this.#resume();
      });
  }

  #takeSpecial(callId: number, frame: Buffer, next: number): void {
    if (callId === specialCalls.ping) return;
    if (callId === specialCalls.sasl && this.#login) return this.#takeSasl(frame, next);
    if (callId === specialCalls.connectionContext) return this.#takeContext(frame, next);
    throw invalidHeader(callId === specialCalls.sasl ? 'SASL protocol not requested by client' : `Unknown out of band call #${callId}`);
  }

  /** A piece of the stream of frames: it may hold several, or a part of one. */
  #takeWrapped({ layer, frames }: Protection, callId: number, frame: Buffer, next: number): void {
    if (callId !== specialCalls.sasl) throw invalidHeader('Messages of this connection are protected: this one is not');
    const unwrapped = ofSasl(() => {
      const { state, token } = decodeDelimited(RpcSaslProto, frame, next).value;
      if (state !== 'WRAP' || !token) throw new RpcException(javaClasses.SaslException, `Client sent unsupported state ${state}`);
      return layer.unwrap(token);
    });
    this.#continue(unwrapped, (bytes) => frames.push(bytes));
  }

  #takeSasl(frame: Buffer, next: number): void {
    if (this.#state !== 'login') throw invalidHeader('Connection is already authenticated');
    this.#continue(
      ofSasl(() => this.#login!.take(decodeDelimited(RpcSaslProto, frame, next).value)),
      (step) => this.#takeStep(step),
    );
  }

  #takeStep({ reply, done }: LoginStep): void {
    if (reply) void this.#write(saslMessage(reply));
    if (!done) return;
    this.#state = 'context';
    this.#proved = done;
    // What ends the login is not protected yet.
    if (done.method !== 'simple' && done.layer) this.#protected = { layer: done.layer, frames: new FrameReader() };
  }

  #takeContext(frame: Buffer, next: number): void {
    if (this.#state === 'login') throw invalidHeader('Connection header sent during SASL negotiation');
    if (this.#state === 'calls') throw invalidHeader('Connection context already processed');
    const { userInfo, protocol } = decoded(() => decodeDelimited(IpcConnectionContextProto, frame, next).value);
    const caller = connectionCaller(this.#options.authentication, this.#proved, userInfo, this.#socket);
    if (!caller) return this.#close();
    const refusal = this.#options.authorize?.(protocol, caller);
    if (refusal) {
      this.#options.figures.unauthorized++;
      throw unauthorized(refusal);
    }
    this.#options.figures.admit(caller.user ?? '', this.#socket);
    this.#caller = caller;
    this.#state = 'calls';
  }

  #takeCall(asked: Asked, frame: Buffer, next: number): void {
    if (this.#state !== 'calls') throw invalidHeader('Connection context not established');
    const { calls, figures } = this.#options;
    if (calls.refuses()) {
      figures.backedOff++;
      throw new FatalRpcException(javaClasses.RetriableException, 'ERROR_RPC_SERVER', 'Server too busy - disconnecting');
    }
    this.#running++;
    calls.begin();
    figures.running++;
    const begunMs = performance.now();
    figures.rate.add(1, begunMs);
    this.#dispatch ??= { ...this.#options, growsLong: () => this.#options.longAnswers.begin(this.#socket) };
    void answerCall(this.#dispatch, this.#caller!, asked, frame, next)
      .then((answer) => {
        figures.running--;
        figures.answered++;
        figures.answeringMs += performance.now() - begunMs;
        return this.#answer(answer);
      })
      .then(() => {
        this.#running--;
        calls.end();
        this.#resume();
      });
  }

  #answer(answer: Buffer): void | Promise<void> {
    const written = this.#write(answer);
    if (answer.length <= longBytes) return written;
    return Promise.resolve(written).then(() => this.#options.longAnswers.wrote(this.#socket));
  }

  /** Never rejects; a promise where the message has to be protected first. */
  #write(bytes: Buffer): void | Promise<void> {
    if (this.#state !== 'closing') return this.#guarded(bytes, (guarded) => writeWithTurn(this.#socket, guarded));
  }

  /** Sends what was protected, each message in the turn in which it came here. */
  #guarded(bytes: Buffer, send: (guarded: Buffer) => void): void | Promise<void> {
    const sendOpen = (guarded: Buffer): void => {
      if (!this.#socket.destroyed) send(guarded);
    };
    if (!this.#protected) return sendOpen(bytes);
    const wrapped = this.#protected.layer.wrap(bytes);
    const frame = (token: Buffer): Buffer => saslMessage({ state: 'WRAP', token });
    if (!(wrapped instanceof Promise)) return sendOpen(frame(wrapped));
    this.#protecting = Promise.all([wrapped, this.#protecting]).then(
      ([token]) => sendOpen(frame(token)),
      (problem: unknown) => {
        this.#options.logger.debug({ err: problem }, 'an answer could not be protected');
        this.#socket.destroy();
      },
    );
    return this.#protecting;
  }

  #refuse(asked: Asked, problem: FatalRpcException): void {
    const reason = problem.cause instanceof Error ? `${problem.message} (${problem.cause.message})` : problem.message;
    this.#options.logger.debug({ remoteAddress: this.#remoteAddress, reason }, 'a connection was refused');
    const method = this.#login?.method ?? 'simple';
    if (problem.detail === 'FATAL_UNAUTHORIZED') this.#options.refused?.({ remoteAddress: this.#remoteAddress, method, reason });
    this.#end(refused(asked, problem));
  }

  #end(last: Buffer): void {
    this.#state = 'closing';
    void this.#guarded(last, (guarded) => this.#socket.end(guarded));
    // What still comes is not read: a client that does not hang up is not waited for.
    this.#socket.resume();
    this.#socket.setTimeout(1000, () => this.#socket.destroy());
  }

  #close(): void {
    this.#state = 'closing';
    this.#socket.destroy();
  }
}

const unauthorized = ({ javaClass, message, cause }: RpcException) =>
  new FatalRpcException(javaClass, 'FATAL_UNAUTHORIZED', message, { cause });
const invalidHeader = (message: string) => new FatalRpcException(javaClasses.RpcServerException, 'FATAL_INVALID_RPC_HEADER', message);

function ofSasl<T>(take: () => T | Promise<T>): T | Promise<T> {
  try {
    const taken = take();
    return taken instanceof Promise ? taken.catch(refuseLogin) : taken;
  } catch (problem) {
    return refuseLogin(problem);
  }
}

function refuseLogin(problem: unknown): never {
  if (problem instanceof RpcException) throw unauthorized(problem);
  if (problem instanceof MalformedMessage)
    throw new FatalRpcException(javaClasses.RpcServerException, 'FATAL_DESERIALIZING_REQUEST', problem.message);
  throw problem;
}

function decoded<T>(read: () => T): T {
  try {
    return read();
  } catch (problem) {
    if (!(problem instanceof MalformedMessage)) throw problem;
    const message = `Error decoding IpcConnectionContextProto: ${javaClasses.InvalidProtocolBufferException}: ${problem.message}`;
    throw new FatalRpcException(javaClasses.RpcServerException, 'FATAL_DESERIALIZING_REQUEST', message);
  }
}

function readHeader(frame: Buffer) {
  try {
    if (frame.length === 0) decode(RpcRequestHeaderProto, Buffer.of(8));
    return decodeDelimited<RequestHeader>(RpcRequestHeaderProto, frame);
  } catch (problem) {
    if (!(problem instanceof MalformedMessage)) throw problem;
    const message = `Error decoding RpcRequestHeaderProto: ${javaClasses.InvalidProtocolBufferException}: ${problem.message}`;
    throw new FatalRpcException(javaClasses.RpcServerException, 'FATAL_DESERIALIZING_REQUEST', message);
  }
}

/** Server.Connection.checkRpcHeaders. The words are Hadoop's, blanks included. */
function checkHeader({ rpcOp, rpcKind }: ReturnType<typeof readHeader>['value']): void {
  if (rpcOp === undefined) throw invalidHeader(' IPC Server: No rpc op in rpcRequestHeader');
  if (rpcOp !== 'RPC_FINAL_PACKET') throw invalidHeader(`IPC Server does not implement rpc header operation${rpcOp}`);
  if (rpcKind === undefined) throw invalidHeader(' IPC Server: No rpc kind in rpcRequestHeader');
  if (rpcKind !== 'RPC_PROTOCOL_BUFFER') throw invalidHeader(`Unknown rpc kind in rpc header${rpcKind}`);
}

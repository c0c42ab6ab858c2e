// One connection: preamble, login, context, calls (Server.Connection of hadoop-common). States as a table; a refusal that Hadoop calls
// fatal is written and the connection closed, any other answer leaves it open. Calls run side by side and are answered as they end.
import type { Socket } from 'node:net';
import { decode, decodeDelimited, MalformedMessage } from '../wire/rpc/codec.ts';
import { IpcConnectionContextProto, RpcRequestHeaderProto, RpcSaslProto } from '../wire/rpc/tables/transport.ts';
import { type Asked, httpAnswer, ipcVersion, oldVersionMismatch, refused, saslMessage, specialCalls, unasked } from './answers.ts';
import type { RpcAuthentication, RpcCaller } from './authentication.ts';
import type { Qop, SecurityLayer } from './digest-layers.ts';
import { answerCall, type DispatchOptions } from './dispatch.ts';
import { FatalRpcException, javaClasses, RpcException } from './exceptions.ts';
import { FrameLengthRefused, FrameReader, preambleBytes } from './frames.ts';
import { Login, simpleNotEnabled } from './login.ts';

/** A login that was refused. */
export interface RefusedLogin {
  readonly remoteAddress: string;
  readonly reason: string;
}

/** What connections of a port have in common. */
export interface ConnectionOptions extends DispatchOptions {
  readonly authentication: RpcAuthentication;
  /** What messages of callers with tokens are protected by, as they choose (`hadoop.rpc.protection`). */
  readonly qops: readonly Qop[];
  /** Hears of logins that were refused. */
  readonly refused?: (refusal: RefusedLogin) => void;
  /** Longest frame of a caller that is known (`ipc.maximum.data.length`), in bytes. */
  readonly frameLimitBytes: number;
  /** How many calls of one connection may be under way; above it nothing more is read. */
  readonly callLimit: number;
}

/** Longest frame of a login or context: nobody is known yet. */
const loginLimitBytes = 256 * 1024;
/** Answers that a client has not read; above it nothing more of it is read. */
const unreadLimitBytes = 4 * 1024 * 1024;

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
  #token: Buffer | undefined;
  #caller: RpcCaller | undefined;
  #protected: Protection | undefined;
  #running = 0;
  #taken = 0;
  #isPaused = false;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#remoteAddress = socket.remoteAddress ?? '';
    socket.on('data', (chunk: Buffer) => {
      this.#frames.push(chunk);
      this.#read();
    });
    socket.on('drain', () => this.#resume());
  }

  /** Calls are under way: the client waits for the server. */
  get isWorking(): boolean {
    return this.#running > 0;
  }

  /** Its caller is known and nothing of a frame or an answer is on the way. */
  get isIdle(): boolean {
    const waitingBytes = this.#frames.waitingBytes + (this.#protected?.frames.waitingBytes ?? 0);
    return this.#state === 'calls' && this.#running === 0 && waitingBytes === 0 && this.#socket.writableLength === 0;
  }

  /** Changes with every whole frame that comes and with the answers that are read. */
  get progress(): string {
    return `${this.#taken}/${this.#socket.writableLength}`;
  }

  #read(): void {
    try {
      while (this.#state !== 'closing' && !this.#holdBack()) if (!this.#readOne()) return;
    } catch (problem) {
      if (!(problem instanceof FrameLengthRefused)) this.#options.logger.error({ err: problem }, 'a connection failed inside the server');
      this.#socket.destroy();
    }
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

  /** Whether the client has to wait: it reads no answers, or asks for more than it may at once. */
  #holdBack(): boolean {
    if (this.#running < this.#options.callLimit && this.#socket.writableLength <= unreadLimitBytes) return false;
    if (!this.#isPaused) this.#socket.pause();
    this.#isPaused = true;
    return true;
  }

  #resume(): void {
    if (!this.#isPaused || this.#holdBack()) return;
    this.#isPaused = false;
    this.#socket.resume();
    this.#read();
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

  #takeSpecial(callId: number, frame: Buffer, next: number): void {
    if (callId === specialCalls.ping) return;
    if (callId === specialCalls.sasl && this.#login) return this.#takeSasl(frame, next);
    if (callId === specialCalls.connectionContext) return this.#takeContext(frame, next);
    throw invalidHeader(callId === specialCalls.sasl ? 'SASL protocol not requested by client' : `Unknown out of band call #${callId}`);
  }

  /** A piece of the stream of frames: it may hold several, or a part of one. */
  #takeWrapped({ layer, frames }: Protection, callId: number, frame: Buffer, next: number): void {
    if (callId !== specialCalls.sasl) throw invalidHeader('Messages of this connection are protected: this one is not');
    frames.push(
      ofSasl(() => {
        const { state, token } = decodeDelimited(RpcSaslProto, frame, next).value;
        if (state !== 'WRAP' || !token) throw new RpcException(javaClasses.SaslException, `Client sent unsupported state ${state}`);
        return layer.unwrap(token);
      }),
    );
  }

  #takeSasl(frame: Buffer, next: number): void {
    if (this.#state !== 'login') throw invalidHeader('Connection is already authenticated');
    const { reply, done } = ofSasl(() => this.#login!.take(decodeDelimited(RpcSaslProto, frame, next).value));
    if (reply) this.#write(saslMessage(reply));
    if (!done) return;
    this.#state = 'context';
    if (done.method !== 'token') return;
    this.#token = done.identifier;
    // What ends the login is not protected yet.
    if (done.layer) this.#protected = { layer: done.layer, frames: new FrameReader() };
  }

  #takeContext(frame: Buffer, next: number): void {
    if (this.#state === 'login') throw invalidHeader('Connection header sent during SASL negotiation');
    if (this.#state === 'calls') throw invalidHeader('Connection context already processed');
    const { userInfo, protocol } = decoded(() => decodeDelimited(IpcConnectionContextProto, frame, next).value);
    const caller = this.#token ? this.#callerOfToken(this.#token) : this.#callerByName(userInfo);
    if (!caller) return this.#close();
    const refusal = this.#options.authorize?.(protocol, caller);
    if (refusal) throw unauthorized(refusal);
    this.#caller = caller;
    this.#state = 'calls';
  }

  #callerOfToken(token: Buffer): RpcCaller {
    const { user, realUser } = this.#options.authentication.tokens!.userOf(token);
    return { user, realUser, authentication: 'token', token, remoteAddress: this.#remoteAddress };
  }

  #callerByName(userInfo: { readonly effectiveUser?: string; readonly realUser?: string } | undefined): RpcCaller | undefined {
    const { effectiveUser: user, realUser } = userInfo ?? {};
    const remoteAddress = this.#remoteAddress;
    // UserGroupInformation refuses an empty name, and Hadoop's server then hangs up.
    if (user === '' || realUser === '') return undefined;
    if (this.#options.authentication.simple!.mayName?.(this.#socket, realUser ?? user) === false)
      throw new FatalRpcException(
        javaClasses.AccessControlException,
        'FATAL_UNAUTHORIZED',
        'Other users of this machine are strangers here: prove who you are, or ask the owner to let you in (heddle.security.trusted-local-users).',
      );
    const isProxied = realUser !== undefined && realUser !== user;
    if (isProxied && !this.#options.authentication.simple!.mayImpersonate(realUser, user ?? '', remoteAddress))
      throw new FatalRpcException(
        javaClasses.AuthorizationException,
        'FATAL_UNAUTHORIZED',
        `User: ${realUser} is not allowed to impersonate ${user ?? 'null'}`,
      );
    return { user, realUser: isProxied ? realUser : undefined, authentication: 'simple', token: undefined, remoteAddress };
  }

  #takeCall(asked: Asked, frame: Buffer, next: number): void {
    if (this.#state !== 'calls') throw invalidHeader('Connection context not established');
    this.#running++;
    void answerCall(this.#options, this.#caller!, asked, frame, next).then((answer) => {
      this.#write(answer);
      this.#running--;
      this.#resume();
    });
  }

  #write(bytes: Buffer): void {
    if (this.#state !== 'closing' && !this.#socket.destroyed) this.#socket.write(this.#guarded(bytes));
  }

  #guarded(bytes: Buffer): Buffer {
    return this.#protected ? saslMessage({ state: 'WRAP', token: this.#protected.layer.wrap(bytes) }) : bytes;
  }

  #refuse(asked: Asked, problem: FatalRpcException): void {
    this.#options.logger.debug({ remoteAddress: this.#remoteAddress, reason: problem.message }, 'a connection was refused');
    if (problem.detail === 'FATAL_UNAUTHORIZED') this.#options.refused?.({ remoteAddress: this.#remoteAddress, reason: problem.message });
    this.#end(refused(asked, problem));
  }

  #end(last: Buffer): void {
    this.#state = 'closing';
    this.#socket.end(this.#guarded(last));
    // What still comes is not read: a client that does not hang up is not waited for.
    this.#socket.resume();
    this.#socket.setTimeout(1000, () => this.#socket.destroy());
  }

  #close(): void {
    this.#state = 'closing';
    this.#socket.destroy();
  }
}

const unauthorized = ({ javaClass, message }: RpcException) => new FatalRpcException(javaClass, 'FATAL_UNAUTHORIZED', message);
const invalidHeader = (message: string) => new FatalRpcException(javaClasses.RpcServerException, 'FATAL_INVALID_RPC_HEADER', message);

function ofSasl<T>(take: () => T): T {
  try {
    return take();
  } catch (problem) {
    if (problem instanceof RpcException) throw unauthorized(problem);
    if (problem instanceof MalformedMessage)
      throw new FatalRpcException(javaClasses.RpcServerException, 'FATAL_DESERIALIZING_REQUEST', problem.message);
    throw problem;
  }
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

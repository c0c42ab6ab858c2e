// A client of Hadoop RPC for tests: speaks frames, so that it can also speak them wrongly.
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { decode, decodeDelimited, encodeDelimited, part } from '../../wire/rpc/codec.ts';
import type { Decoded, Encodable, Message } from '../../wire/rpc/message.ts';
import type { ProtocolDescription } from '../../wire/rpc/protocols/description.ts';
import {
  IpcConnectionContextProto,
  RequestHeaderProto,
  RpcRequestHeaderProto,
  RpcResponseHeaderProto,
  RpcSaslProto,
} from '../../wire/rpc/tables/transport.ts';
import { type DigestCipher, type DigestLayer, digestLayer } from '../digest-layers.ts';
import { framed } from '../frames.ts';
import type { Qop } from '../security-layer.ts';

export type ResponseHeader = Decoded<typeof RpcResponseHeaderProto>;

/** A reply as it came: its header, and the bytes behind it. */
export interface Reply {
  readonly header: ResponseHeader;
  readonly rest: Buffer;
}

/** Thrown by `call` where the server refused. */
export class RefusedCall extends Error {
  readonly header: ResponseHeader;

  constructor(header: ResponseHeader) {
    super(`${header.exceptionClassName}: ${header.errorMsg}`);
    this.header = header;
  }
}

const md5 = (...parts: readonly (string | Buffer)[]) => parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest();

const clientId = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');

/** Bytes of a request's header and what follows it. */
const request = (callId: number, ...more: readonly ReturnType<typeof part>[]): Buffer =>
  framed(
    encodeDelimited(
      part(RpcRequestHeaderProto, { rpcKind: 'RPC_PROTOCOL_BUFFER', rpcOp: 'RPC_FINAL_PACKET', callId, clientId, retryCount: -1 }),
      ...more,
    ),
  );

/** What a client chooses of the protections that it is offered. */
interface TestProtection {
  readonly qop: Qop;
  readonly cipher: DigestCipher;
}
const authOnly: TestProtection = { qop: 'auth', cipher: '3des' };

/** A client's side of GSSAPI. */
export interface TestTicket {
  readonly first: Buffer;
  readonly takeProof?: (token: Buffer) => Promise<void>;
  /** Answers the offer of protections. */
  readonly choose: (offer: Buffer) => Buffer | Promise<Buffer>;
  /** What protects messages after the login. */
  readonly layer: DigestLayer | undefined;
}

/** How many bytes the first reply of these has, as far as they tell. */
const wholeBytes = (bytes: Buffer): number => 4 + (bytes.length >= 4 ? bytes.readInt32BE(0) : 0);

/** The first reply of these bytes and how many it has; undefined where it is not whole. */
function taken(bytes: Buffer): (Reply & { readonly bytes: number }) | undefined {
  const whole = wholeBytes(bytes);
  if (bytes.length < 4 || bytes.length < whole) return undefined;
  const frame = bytes.subarray(4, whole);
  const { value, next } = decodeDelimited(RpcResponseHeaderProto, frame);
  return { header: value, rest: frame.subarray(next), bytes: whole };
}

/** One connection. */
export class RpcTestClient implements Disposable {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #bytes: Buffer = Buffer.alloc(0);
  /** What came since, put together when it is enough: long answers come in many pieces. */
  #pieces: Buffer[] = [];
  #arrivedBytes = 0;
  #wantedBytes = 0;
  #isClosed = false;
  /** What protects messages after the login. */
  #layer: DigestLayer | undefined;
  /** The layer of a login that is not over. */
  #agreed: DigestLayer | undefined;
  #unwrapped: Buffer = Buffer.alloc(0);
  #wake: (() => void) | undefined;
  #nextCall = 0;

  constructor(address: string) {
    const [host, port] = address.split(':');
    // As Hadoop's clients: nothing waits for more.
    this.socket = connect({ port: Number(port), host: host!, noDelay: true });
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk: Buffer) => {
      this.#pieces.push(chunk);
      this.#arrivedBytes += chunk.length;
      if (this.#arrivedBytes >= this.#wantedBytes) this.#wake?.();
    });
    this.closed = new Promise((resolve) =>
      this.socket.on('close', () => {
        this.#isClosed = true;
        this.#wake?.();
        resolve();
      }),
    );
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  #arrived(): Buffer {
    if (this.#pieces.length > 0) this.#bytes = Buffer.concat([this.#bytes, ...this.#pieces.splice(0)]);
    return this.#bytes;
  }

  send(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  /** As `send`, protected where that was agreed on. */
  #say(bytes: Buffer): void {
    this.send(this.#layer ? request(-33, part(RpcSaslProto, { state: 'WRAP', token: this.#layer.wrap(bytes) })) : bytes);
  }

  /** Preamble and context of a caller who names itself. */
  static named(address: string, user: string, protocol: string, realUser?: string): RpcTestClient {
    const client = new RpcTestClient(address);
    client.send(Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0]));
    client.context({ effectiveUser: user, realUser }, protocol);
    return client;
  }

  /** Preamble, login by a token's identifier and password, context. @throws RefusedCall */
  static async proven(
    address: string,
    { identifier, password }: { readonly identifier: Uint8Array; readonly password: Uint8Array },
    protocol: string,
    protection: TestProtection = authOnly,
  ): Promise<RpcTestClient> {
    const client = new RpcTestClient(address);
    client.send(Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0xdf]));
    await client.login(Buffer.from(identifier).toString('base64'), Buffer.from(password).toString('base64'), protection);
    const { state } = await client.saslReply();
    if (state !== 'SUCCESS') throw new Error(`the login ended with ${state}`);
    client.context({}, protocol);
    return client;
  }

  /** DIGEST-MD5 as far as its answer is sent (RFC 2831). @throws RefusedCall */
  async login(user: string, password: string, { qop, cipher }: TestProtection = authOnly): Promise<Decoded<typeof RpcSaslProto>['auths']> {
    this.sasl({ state: 'NEGOTIATE' });
    const { auths } = await this.saslReply();
    const nonce = /nonce="([^"]+)"/.exec(Buffer.from(auths[0]!.challenge!).toString())![1]!;
    const a1 = Buffer.concat([md5(`${user}:default:${password}`), Buffer.from(`:${nonce}:c`)]);
    const a2 = md5(`AUTHENTICATE:/default${qop === 'auth' ? '' : `:${'0'.repeat(32)}`}`).toString('hex');
    const response = md5(`${md5(a1).toString('hex')}:${nonce}:00000001:c:${qop}:${a2}`).toString('hex');
    if (qop !== 'auth') this.#agreed = digestLayer({ qop, cipher, sessionKey: md5(a1), side: 'client' });
    const token = Buffer.from(
      `charset=utf-8,username="${user}",realm="default",nonce="${nonce}",nc=00000001,cnonce="c",digest-uri="/default",response=${response},qop=${qop}${qop === 'auth-conf' ? `,cipher="${cipher}"` : ''}`,
    );
    this.sasl({ state: 'INITIATE', auths: [{ method: 'TOKEN', mechanism: 'DIGEST-MD5', protocol: '', serverId: 'default' }], token });
    return auths;
  }

  /** GSSAPI by what makes and wraps a ticket's messages, to its end; gives the offered mechanisms. @throws RefusedCall */
  async loginByTicket(ticket: TestTicket): Promise<Decoded<typeof RpcSaslProto>['auths']> {
    this.send(Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0xdf]));
    this.sasl({ state: 'NEGOTIATE' });
    const { auths } = await this.saslReply();
    const offered = auths.find(({ method }) => method === 'KERBEROS')!;
    this.sasl({ state: 'INITIATE', auths: [{ ...offered, challenge: undefined }], token: ticket.first });
    let answer = await this.saslReply();
    await ticket.takeProof?.(Buffer.from(answer.token ?? []));
    this.sasl({ state: 'RESPONSE', token: Buffer.alloc(0) });
    answer = await this.saslReply();
    this.sasl({ state: 'RESPONSE', token: await ticket.choose(Buffer.from(answer.token ?? [])) });
    this.#agreed = ticket.layer;
    await this.saslReply();
    return auths;
  }

  context(userInfo: { readonly effectiveUser?: string; readonly realUser?: string | undefined }, protocol: string): void {
    this.#say(request(-3, part(IpcConnectionContextProto, { userInfo, protocol })));
  }

  sasl(message: Encodable<typeof RpcSaslProto>): void {
    this.send(request(-33, part(RpcSaslProto, message)));
  }

  /** The next reply; undefined where the connection is closed before it is whole. */
  async reply(): Promise<Reply | undefined> {
    for (;;) {
      const inner = this.#layer && taken(this.#unwrapped);
      if (inner) {
        this.#unwrapped = this.#unwrapped.subarray(inner.bytes);
        return inner;
      }
      const next = taken(this.#arrived());
      if (next) {
        this.#bytes = this.#bytes.subarray(next.bytes);
        if (!this.#layer) return next;
        const { state, token } = decodeDelimited(RpcSaslProto, next.rest).value;
        if (state !== 'WRAP') throw new Error(`${state} where messages are protected`);
        this.#unwrapped = Buffer.concat([this.#unwrapped, this.#layer.unwrap(token!)]);
        continue;
      }
      if (this.#isClosed) return undefined;
      this.#wantedBytes = wholeBytes(this.#bytes);
      this.#arrivedBytes = this.#bytes.length;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** All bytes until the server closes the connection. */
  async untilClosed(): Promise<Buffer> {
    await this.closed;
    return this.#arrived();
  }

  async saslReply(): Promise<Decoded<typeof RpcSaslProto>> {
    const reply = await this.reply();
    if (!reply) throw new Error('the connection was closed');
    if (reply.header.status !== 'SUCCESS') throw new RefusedCall(reply.header);
    const message = decodeDelimited(RpcSaslProto, reply.rest).value;
    if (message.state === 'SUCCESS') this.#layer = this.#agreed;
    return message;
  }

  /** Sends a call without waiting for its answer. */
  begin(protocol: Pick<ProtocolDescription, 'name' | 'version'>, method: string, description: Message, value: object): number {
    const callId = this.#nextCall++;
    const header = { methodName: method, declaringClassProtocolName: protocol.name, clientProtocolVersion: protocol.version };
    this.#say(request(callId, part(RequestHeaderProto, header), { description, value: value as Record<string, unknown> }));
    return callId;
  }

  /** A call and its answer. @throws RefusedCall */
  async call<D extends ProtocolDescription, Name extends keyof D['methods'] & string>(
    protocol: D,
    method: Name,
    value: Encodable<D['methods'][Name][0]>,
  ): Promise<Decoded<D['methods'][Name][1]>> {
    const [requestType, responseType] = protocol.methods[method]!;
    this.begin(protocol, method, requestType, value as object);
    const reply = await this.reply();
    if (!reply) throw new Error('the connection was closed');
    if (reply.header.status !== 'SUCCESS') throw new RefusedCall(reply.header);
    const { value: answer, next } = decodeDelimited(responseType, reply.rest, 0, Number.POSITIVE_INFINITY);
    if (next !== reply.rest.length) decode(responseType, reply.rest.subarray(next), Number.POSITIVE_INFINITY);
    return answer as Decoded<D['methods'][Name][1]>;
  }
}

// One call: which method it names, its answer, or what the client is told instead (ProtobufRpcEngine2.Server of hadoop-common). Whatever
// happens the connection stays.
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { RpcPortFigures } from '../lib/rpc-figures.ts';
import { decode, decodeDelimited, MalformedMessage } from '../wire/rpc/codec.ts';
import type { Decoded } from '../wire/rpc/message.ts';
import { RequestHeaderProto } from '../wire/rpc/tables/transport.ts';
import { type Asked, answered, failed } from './answers.ts';
import type { RpcCaller } from './authentication.ts';
import { javaClasses, RpcException } from './exceptions.ts';
import type { RpcMethod, RpcProtocol } from './protocol.ts';
import type { AuthorizeService } from './service-authorization.ts';

/** What calls of a port are answered with. */
export interface DispatchOptions {
  readonly protocols: ReadonlyMap<string, RpcProtocol>;
  /** Who may speak which protocol; absent: everyone whom the port lets in. */
  readonly authorize?: AuthorizeService | undefined;
  /** What answers that grow long wait for. */
  readonly growsLong: () => Promise<() => void>;
  readonly figures: RpcPortFigures;
  readonly random: Random;
  readonly logger: Logger;
}

/** Answers the call whose request header begins at `start` of the frame; never rejects. */
export async function answerCall(options: DispatchOptions, caller: RpcCaller, asked: Asked, frame: Buffer, start: number): Promise<Buffer> {
  let called: Called | undefined;
  const begunMs = performance.now();
  try {
    const { value: header, next } = decodeDelimited(RequestHeaderProto, frame, start);
    called = methodOf(options, header);
    // A port may have several protocols, and a connection speaks others than the one it named.
    const refusal = options.authorize?.(called.protocol.name, caller);
    if (refusal) {
      options.figures.unauthorized++;
      throw refusal;
    }
    // Nothing behind the header is a message that ended too early, not an empty one.
    const request = next < frame.length ? decodeDelimited(called.method.request, frame, next).value : decode(called.method.request, cutOff);
    const handled = called.method.handle({ request: request as never, caller, growsLong: options.growsLong });
    // What is answered at once is written at once, so that the time it takes counts for its turn.
    const value = handled instanceof Promise ? await handled : handled;
    return answered(asked, called.method.response, value as Record<string, unknown>);
  } catch (problem) {
    return failure(options, { asked, caller, called }, problem);
  } finally {
    if (called) options.figures.called(called.name, performance.now() - begunMs, called.protocol.methods.keys());
  }
}

/** The tag of a field whose value is missing. */
const cutOff = Buffer.of(8);

interface Called {
  readonly protocol: RpcProtocol;
  readonly name: string;
  readonly method: RpcMethod;
}

function methodOf({ protocols }: DispatchOptions, header: Decoded<typeof RequestHeaderProto>): Called {
  const { declaringClassProtocolName: protocolName, methodName: name, clientProtocolVersion: version } = header;
  const protocol = protocols.get(protocolName);
  if (!protocol)
    throw new RpcException(javaClasses.RpcNoSuchProtocolException, `Unknown protocol: ${protocolName}`, 'ERROR_NO_SUCH_PROTOCOL');
  if (protocol.version !== version) {
    const message = `Protocol ${protocolName} version mismatch. (client = ${version}, server = ${protocol.version})`;
    throw new RpcException(javaClasses.VersionMismatch, message, 'ERROR_RPC_VERSION_MISMATCH');
  }
  const method = protocol.methods.get(name);
  if (method) return { protocol, name, method };
  const message = `Unknown method ${name} called on ${protocolName} protocol.`;
  throw new RpcException(javaClasses.RpcNoSuchMethodException, message, 'ERROR_NO_SUCH_METHOD');
}

interface FailedCall {
  readonly asked: Asked;
  readonly caller: RpcCaller;
  readonly called: Called | undefined;
}

function failure(options: DispatchOptions, call: FailedCall, problem: unknown): Buffer {
  options.figures.failed++;
  return failed(call.asked, toldOf(problem, call) ?? unexpected(options, call, problem));
}

/** What the client is told of a problem that is one of the call; undefined for one of the server. */
function toldOf(problem: unknown, { called, caller }: FailedCall): RpcException | undefined {
  if (problem instanceof RpcException) return problem;
  if (problem instanceof MalformedMessage) return new RpcException(javaClasses.InvalidProtocolBufferException, problem.message);
  return called?.protocol.translate(problem, { method: called.name, caller });
}

function unexpected({ random, logger }: DispatchOptions, { called }: FailedCall, problem: unknown): RpcException {
  const reference = random.bytes(4).toString('hex');
  logger.error({ err: problem, protocol: called?.protocol.name, method: called?.name, reference }, 'a call failed inside the server');
  return new RpcException(javaClasses.IOException, `The server failed; its log says more under ${reference}.`);
}

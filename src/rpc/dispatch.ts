// One call: which method it names, its answer, or what the client is told instead (ProtobufRpcEngine2.Server of hadoop-common). Whatever
// happens the connection stays.
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { decode, decodeDelimited, MalformedMessage } from '../wire/rpc/codec.ts';
import type { Decoded } from '../wire/rpc/message.ts';
import { RequestHeaderProto } from '../wire/rpc/tables/transport.ts';
import { type Asked, answered, type ErrorDetail, failed } from './answers.ts';
import type { RpcCaller } from './authentication.ts';
import { javaClasses, RpcException } from './exceptions.ts';
import type { RpcMethod, RpcProtocol } from './protocol.ts';

/** What calls of a port are answered with. */
export interface DispatchOptions {
  readonly protocols: ReadonlyMap<string, RpcProtocol>;
  readonly random: Random;
  readonly logger: Logger;
}

/** A refusal that says more than that the call failed. */
class NotServed extends Error {
  readonly javaClass: string;
  readonly detail: ErrorDetail;

  constructor(detail: ErrorDetail, javaClass: string, message: string) {
    super(message);
    this.detail = detail;
    this.javaClass = javaClass;
  }
}

/** Answers the call whose request header begins at `start` of the frame; never rejects. */
export async function answerCall(options: DispatchOptions, caller: RpcCaller, asked: Asked, frame: Buffer, start: number): Promise<Buffer> {
  let called: Called | undefined;
  try {
    const { value: header, next } = decodeDelimited(RequestHeaderProto, frame, start);
    called = methodOf(options, header);
    // Nothing behind the header is a message that ended too early, not an empty one.
    const request = next < frame.length ? decodeDelimited(called.method.request, frame, next).value : decode(called.method.request, cutOff);
    const value = await called.method.handle({ request: request as never, caller });
    return answered(asked, called.method.response, value as Record<string, unknown>);
  } catch (problem) {
    return failure(options, { asked, caller, called }, problem);
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
  if (!protocol) throw new NotServed('ERROR_NO_SUCH_PROTOCOL', javaClasses.RpcNoSuchProtocolException, `Unknown protocol: ${protocolName}`);
  if (protocol.version !== version) {
    const message = `Protocol ${protocolName} version mismatch. (client = ${version}, server = ${protocol.version})`;
    throw new NotServed('ERROR_RPC_VERSION_MISMATCH', javaClasses.VersionMismatch, message);
  }
  const method = protocol.methods.get(name);
  if (method) return { protocol, name, method };
  const message = `Unknown method ${name} called on ${protocolName} protocol.`;
  throw new NotServed('ERROR_NO_SUCH_METHOD', javaClasses.RpcNoSuchMethodException, message);
}

interface FailedCall {
  readonly asked: Asked;
  readonly caller: RpcCaller;
  readonly called: Called | undefined;
}

function failure({ random, logger }: DispatchOptions, { asked, caller, called }: FailedCall, problem: unknown): Buffer {
  if (problem instanceof NotServed) return failed(asked, problem.detail, problem.javaClass, problem.message);
  if (problem instanceof MalformedMessage)
    return failed(asked, 'ERROR_APPLICATION', javaClasses.InvalidProtocolBufferException, problem.message);
  const told = problem instanceof RpcException ? problem : called?.protocol.translate(problem, { method: called.name, caller });
  if (told) return failed(asked, 'ERROR_APPLICATION', told.javaClass, told.message);
  const reference = random.bytes(4).toString('hex');
  logger.error({ err: problem, protocol: called?.protocol.name, method: called?.name, reference }, 'a call failed inside the server');
  return failed(asked, 'ERROR_APPLICATION', javaClasses.IOException, `The server failed; its log says more under ${reference}.`);
}

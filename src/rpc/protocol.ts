// What a port serves: protocols with their methods, each from the description of its messages.
import type { Decoded, Encodable, Message } from '../wire/rpc/message.ts';
import type { ProtocolDescription } from '../wire/rpc/protocols/description.ts';
import type { RpcCaller } from './authentication.ts';
import type { RpcException } from './exceptions.ts';

/** One call, decoded. */
export interface RpcCall<Request> {
  readonly request: Request;
  readonly caller: RpcCaller;
  /** For an answer that grows long: resolves when it may grow on, to what has to be called when it is made. */
  readonly growsLong: () => Promise<() => void>;
}

/** A method of a protocol. `handle` throws RpcException for what the client is to be told, or a Failure that the door translates. */
export interface RpcMethod {
  readonly request: Message;
  readonly response: Message;
  readonly handle: (call: RpcCall<never>) => unknown;
}

/** What a caller is told of a failure that is no RpcException; undefined: it is a fault of the server. */
export type Translate = (problem: unknown, call: { readonly method: string; readonly caller: RpcCaller }) => RpcException | undefined;

/** A protocol of one port: its Java interface's name, its version, its methods by name. */
export interface RpcProtocol {
  readonly name: string;
  readonly version: number;
  readonly methods: ReadonlyMap<string, RpcMethod>;
  readonly translate: Translate;
}

type Handler<Request extends Message, Response extends Message> = (
  call: RpcCall<Decoded<Request>>,
) => Encodable<Response> | Promise<Encodable<Response>>;

/** Handlers for every method of a protocol: none can be forgotten, none has other messages. */
export type Handlers<D extends ProtocolDescription> = {
  readonly [Name in keyof D['methods']]: Handler<D['methods'][Name][0], D['methods'][Name][1]>;
};

/** A protocol that is served: its description with a handler for each method. */
export function serveProtocol<const D extends ProtocolDescription>(
  { name, version, methods }: D,
  handlers: Handlers<D>,
  translate: Translate,
): RpcProtocol {
  const served = Object.entries(methods).map(([method, [request, response]]): [string, RpcMethod] => [
    method,
    { request, response, handle: handlers[method] as RpcMethod['handle'] },
  ]);
  return { name, version, methods: new Map(served), translate };
}

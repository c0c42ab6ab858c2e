// What a server writes: answers, refusals, SASL messages (RpcHeader.proto; Server.setupResponse of hadoop-common).
import { encodeDelimited, part } from '../wire/rpc/codec.ts';
import type { Encodable, Message } from '../wire/rpc/message.ts';
import { RpcResponseHeaderProto, RpcSaslProto } from '../wire/rpc/tables/transport.ts';
import type { FatalRpcException, RpcException } from './exceptions.ts';
import { framed } from './frames.ts';

/** The version of the protocol of Hadoop 2.1 and later. */
export const ipcVersion = 9;

/** Call ids that are none of a call (RpcConstants). */
export const specialCalls = { invalid: -2, connectionContext: -3, ping: -4, authorizationFailed: -1, sasl: -33 } as const;

/** What a request's header said that the answer repeats. */
export interface Asked {
  readonly callId: number;
  readonly clientId: Uint8Array;
  readonly retryCount: number;
}

const noClient = new Uint8Array(0);
/** For what answers no request: a preamble that is refused. */
export const unasked: Asked = { callId: specialCalls.authorizationFailed, clientId: noClient, retryCount: -1 };

type ResponseHeader = Encodable<typeof RpcResponseHeaderProto>;
type Failure = Pick<ResponseHeader, 'exceptionClassName' | 'errorMsg' | 'errorDetail'>;

const header = ({ callId, clientId, retryCount }: Asked, status: ResponseHeader['status'], failure: Failure = {}) =>
  part(RpcResponseHeaderProto, {
    // Of type uint32, though ids below 0 exist.
    callId: callId >>> 0,
    status,
    serverIpcVersionNum: ipcVersion,
    clientId,
    retryCount,
    ...failure,
  });

/** The frame of an answer. */
export const answered = (asked: Asked, description: Message, value: Record<string, unknown>): Buffer =>
  framed(encodeDelimited(header(asked, 'SUCCESS'), { description, value }));

/** The frame of a call that failed; the connection stays. */
export const failed = (asked: Asked, { javaClass, detail, message }: RpcException): Buffer =>
  framed(encodeDelimited(header(asked, 'ERROR', { exceptionClassName: javaClass, errorMsg: message, errorDetail: detail })));

/** The frame after which the connection is closed. */
export const refused = ({ callId, retryCount }: Asked, { javaClass, detail, message }: FatalRpcException): Buffer =>
  framed(
    encodeDelimited(
      header({ callId, retryCount, clientId: noClient }, 'FATAL', {
        exceptionClassName: javaClass,
        errorMsg: message,
        errorDetail: detail,
      }),
    ),
  );

/** The frame of a SASL message. */
export const saslMessage = (value: Encodable<typeof RpcSaslProto>): Buffer =>
  framed(encodeDelimited(header({ ...unasked, callId: specialCalls.sasl }, 'SUCCESS'), part(RpcSaslProto, value)));

/** What clients before IPC version 9 understand (Server.setupBadVersionResponse). */
export function oldVersionMismatch(javaClass: string, message: string): Buffer {
  const text = (value: string) => {
    const bytes = Buffer.from(value);
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  return Buffer.concat([Buffer.alloc(8, 0xff), text(javaClass), text(message)]);
}

/** What a program that speaks HTTP gets (Server.RECEIVED_HTTP_REQ_RESPONSE). */
export const httpAnswer = Buffer.from(
  'HTTP/1.1 404 Not Found\r\nContent-type: text/plain\r\n\r\n' +
    'It looks like you are making an HTTP request to a Hadoop IPC port. This is not the correct port for the web interface on this daemon.\r\n',
);

// What a call of Hadoop RPC may end with besides its answer. Class names are part of the wire: clients decide by them what to do next.
import type { Decoded } from '../wire/rpc/message.ts';
import type { RpcResponseHeaderProto } from '../wire/rpc/tables/transport.ts';

/** Java classes that clients of YARN tell apart, by their short names. */
export const javaClasses = {
  AccessControlException: 'org.apache.hadoop.security.AccessControlException',
  AuthorizationException: 'org.apache.hadoop.security.authorize.AuthorizationException',
  InvalidProtocolBufferException: 'org.apache.hadoop.thirdparty.protobuf.InvalidProtocolBufferException',
  InvalidToken: 'org.apache.hadoop.security.token.SecretManager$InvalidToken',
  IOException: 'java.io.IOException',
  IpcException: 'org.apache.hadoop.ipc.IpcException',
  RetriableException: 'org.apache.hadoop.ipc.RetriableException',
  RpcNoSuchMethodException: 'org.apache.hadoop.ipc.RpcNoSuchMethodException',
  RpcNoSuchProtocolException: 'org.apache.hadoop.ipc.RpcNoSuchProtocolException',
  RpcServerException: 'org.apache.hadoop.ipc.RpcServerException',
  SaslException: 'javax.security.sasl.SaslException',
  VersionMismatch: 'org.apache.hadoop.ipc.RPC$VersionMismatch',
  YarnException: 'org.apache.hadoop.yarn.exceptions.YarnException',
} as const;

/** What kind of error a call ended with (RpcErrorCodeProto). */
type ErrorDetail = NonNullable<Decoded<typeof RpcResponseHeaderProto>['errorDetail']>;

/** What a client is told when its call fails and the connection stays. `javaClass` must exist in the client's virtual machine. */
export class RpcException extends Error {
  override readonly name = 'RpcException';
  readonly javaClass: string;
  readonly detail: ErrorDetail;

  /** `cause`: what the log is told and the client is not. */
  constructor(javaClass: string, message: string, detail: ErrorDetail = 'ERROR_APPLICATION', options?: ErrorOptions) {
    super(message, options);
    this.javaClass = javaClass;
    this.detail = detail;
  }
}

/** Details of refusals that end the connection (RpcErrorCodeProto). */
export type FatalDetail =
  | 'ERROR_RPC_SERVER'
  | 'FATAL_UNKNOWN'
  | 'FATAL_INVALID_RPC_HEADER'
  | 'FATAL_DESERIALIZING_REQUEST'
  | 'FATAL_VERSION_MISMATCH'
  | 'FATAL_UNAUTHORIZED';

/** A refusal after which the server closes the connection. */
export class FatalRpcException extends Error {
  override readonly name = 'FatalRpcException';
  readonly javaClass: string;
  readonly detail: FatalDetail;

  /** `cause`: what the log is told and the client is not. */
  constructor(javaClass: string, detail: FatalDetail, message: string, options?: ErrorOptions) {
    super(message, options);
    this.javaClass = javaClass;
    this.detail = detail;
  }
}

// What every connection speaks: headers, SASL, the connection context, tokens. RpcHeader.proto, IpcConnectionContext.proto,
// ProtobufRpcEngine2.proto and Security.proto of Hadoop 3.4.2.
import { defaulted, enumeration, message, optional, repeated, required } from '../message.ts';

export const UserInformationProto = message('hadoop.common.UserInformationProto', {
  effectiveUser: optional(1, 'string'),
  realUser: optional(2, 'string'),
});

export const IpcConnectionContextProto = message('hadoop.common.IpcConnectionContextProto', {
  userInfo: optional(2, UserInformationProto),
  protocol: optional(3, 'string'),
});

export const RequestHeaderProto = message('hadoop.common.RequestHeaderProto', {
  methodName: required(1, 'string'),
  declaringClassProtocolName: required(2, 'string'),
  clientProtocolVersion: required(3, 'uint64'),
});

export const RpcKindProto = enumeration({ RPC_BUILTIN: 0, RPC_WRITABLE: 1, RPC_PROTOCOL_BUFFER: 2 });

export const RPCTraceInfoProto = message('hadoop.common.RPCTraceInfoProto', {
  traceId: optional(1, 'int64'),
  parentId: optional(2, 'int64'),
  spanContext: optional(3, 'bytes'),
});

export const RPCCallerContextProto = message('hadoop.common.RPCCallerContextProto', {
  context: required(1, 'string'),
  signature: optional(2, 'bytes'),
});

export const RpcOperation = enumeration({ RPC_FINAL_PACKET: 0, RPC_CONTINUATION_PACKET: 1, RPC_CLOSE_CONNECTION: 2 });

export const RpcRequestHeaderProto = message('hadoop.common.RpcRequestHeaderProto', {
  rpcKind: optional(1, RpcKindProto),
  rpcOp: optional(2, RpcOperation),
  callId: required(3, 'sint32'),
  clientId: required(4, 'bytes'),
  retryCount: defaulted(5, 'sint32', -1),
  traceInfo: optional(6, RPCTraceInfoProto),
  callerContext: optional(7, RPCCallerContextProto),
  stateId: optional(8, 'int64'),
  routerFederatedState: optional(9, 'bytes'),
});

export const RpcStatus = enumeration({ SUCCESS: 0, ERROR: 1, FATAL: 2 });

export const RpcErrorCode = enumeration({
  ERROR_APPLICATION: 1,
  ERROR_NO_SUCH_METHOD: 2,
  ERROR_NO_SUCH_PROTOCOL: 3,
  ERROR_RPC_SERVER: 4,
  ERROR_SERIALIZING_RESPONSE: 5,
  ERROR_RPC_VERSION_MISMATCH: 6,
  FATAL_UNKNOWN: 10,
  FATAL_UNSUPPORTED_SERIALIZATION: 11,
  FATAL_INVALID_RPC_HEADER: 12,
  FATAL_DESERIALIZING_REQUEST: 13,
  FATAL_VERSION_MISMATCH: 14,
  FATAL_UNAUTHORIZED: 15,
});

export const RpcResponseHeaderProto = message('hadoop.common.RpcResponseHeaderProto', {
  callId: required(1, 'uint32'),
  status: required(2, RpcStatus),
  serverIpcVersionNum: optional(3, 'uint32'),
  exceptionClassName: optional(4, 'string'),
  errorMsg: optional(5, 'string'),
  errorDetail: optional(6, RpcErrorCode),
  clientId: optional(7, 'bytes'),
  retryCount: defaulted(8, 'sint32', -1),
  stateId: optional(9, 'int64'),
  routerFederatedState: optional(10, 'bytes'),
});

export const SaslState = enumeration({ SUCCESS: 0, NEGOTIATE: 1, INITIATE: 2, CHALLENGE: 3, RESPONSE: 4, WRAP: 5 });

export const SaslAuth = message('hadoop.common.RpcSaslProto.SaslAuth', {
  method: required(1, 'string'),
  mechanism: required(2, 'string'),
  protocol: optional(3, 'string'),
  serverId: optional(4, 'string'),
  challenge: optional(5, 'bytes'),
});

export const RpcSaslProto = message('hadoop.common.RpcSaslProto', {
  version: optional(1, 'uint32'),
  state: required(2, SaslState),
  token: optional(3, 'bytes'),
  auths: repeated(4, SaslAuth),
});

export const TokenProto = message('hadoop.common.TokenProto', {
  identifier: required(1, 'bytes'),
  password: required(2, 'bytes'),
  kind: required(3, 'string'),
  service: required(4, 'string'),
});

export const CredentialsKVProto = message('hadoop.common.CredentialsKVProto', {
  alias: required(1, 'string'),
  token: optional(2, TokenProto),
  secret: optional(3, 'bytes'),
});

export const CredentialsProto = message('hadoop.common.CredentialsProto', {
  tokens: repeated(1, CredentialsKVProto),
  secrets: repeated(2, CredentialsKVProto),
});

export const GetDelegationTokenRequestProto = message('hadoop.common.GetDelegationTokenRequestProto', {
  renewer: required(1, 'string'),
});

export const GetDelegationTokenResponseProto = message('hadoop.common.GetDelegationTokenResponseProto', {
  token: optional(1, TokenProto),
});

export const RenewDelegationTokenRequestProto = message('hadoop.common.RenewDelegationTokenRequestProto', {
  token: required(1, TokenProto),
});

export const RenewDelegationTokenResponseProto = message('hadoop.common.RenewDelegationTokenResponseProto', {
  newExpiryTime: required(1, 'uint64'),
});

export const CancelDelegationTokenRequestProto = message('hadoop.common.CancelDelegationTokenRequestProto', {
  token: required(1, TokenProto),
});

export const CancelDelegationTokenResponseProto = message('hadoop.common.CancelDelegationTokenResponseProto', {});

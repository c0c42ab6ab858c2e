// What the identifiers of tokens say, those of applications and those of people. Of yarn_security_token.proto of Hadoop 3.4.2.
import { defaulted, enumeration, message, optional, repeated } from '../message.ts';
import { LogAggregationContextProto } from './applications.ts';
import {
  ApplicationAttemptIdProto,
  ContainerIdProto,
  ExecutionTypeProto,
  NodeIdProto,
  PriorityProto,
  ResourceProto,
} from './identifiers.ts';

export const NMTokenIdentifierProto = message('hadoop.yarn.NMTokenIdentifierProto', {
  appAttemptId: optional(1, ApplicationAttemptIdProto),
  nodeId: optional(2, NodeIdProto),
  appSubmitter: optional(3, 'string'),
  keyId: defaulted(4, 'int32', -1),
});

export const AMRMTokenIdentifierProto = message('hadoop.yarn.AMRMTokenIdentifierProto', {
  appAttemptId: optional(1, ApplicationAttemptIdProto),
  keyId: defaulted(2, 'int32', -1),
});

export const ClientToAMTokenIdentifierProto = message('hadoop.yarn.ClientToAMTokenIdentifierProto', {
  appAttemptId: optional(1, ApplicationAttemptIdProto),
  clientName: optional(2, 'string'),
});

export const ContainerTypeProto = enumeration({ APPLICATION_MASTER: 1, TASK: 2 });

export const ContainerTokenIdentifierProto = message('hadoop.yarn.ContainerTokenIdentifierProto', {
  containerId: optional(1, ContainerIdProto),
  nmHostAddr: optional(2, 'string'),
  appSubmitter: optional(3, 'string'),
  resource: optional(4, ResourceProto),
  expiryTimeStamp: optional(5, 'int64'),
  masterKeyId: defaulted(6, 'int32', -1),
  rmIdentifier: optional(7, 'int64'),
  priority: optional(8, PriorityProto),
  creationTime: optional(9, 'int64'),
  logAggregationContext: optional(10, LogAggregationContextProto),
  nodeLabelExpression: optional(11, 'string'),
  containerType: optional(12, ContainerTypeProto),
  executionType: defaulted(13, ExecutionTypeProto, 'GUARANTEED'),
  version: defaulted(14, 'int32', 0),
  allocation_request_id: defaulted(15, 'int64', -1),
  allocation_tags: repeated(16, 'string'),
  /** Heddle's own: the order that its node starts, as JSON. Readers of Hadoop skip it. */
  heddle_order: optional(1000, 'string'),
});

export const YARNDelegationTokenIdentifierProto = message('hadoop.yarn.YARNDelegationTokenIdentifierProto', {
  owner: optional(1, 'string'),
  renewer: optional(2, 'string'),
  realUser: optional(3, 'string'),
  issueDate: optional(4, 'int64'),
  maxDate: optional(5, 'int64'),
  // Both of int32 in Hadoop, which is the same on the wire; ours may count further.
  sequenceNumber: optional(6, 'int64'),
  masterKeyId: defaulted(7, 'int64', -1),
});

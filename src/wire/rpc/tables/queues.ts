// Queues. Of yarn_protos.proto of Hadoop 3.4.2.
import { type Encodable, enumeration, type Message, message, optional, recursive, repeated, required } from '../message.ts';
import { ApplicationReportProto } from './applications.ts';
import { ResourceProto } from './identifiers.ts';

export const QueueStateProto = enumeration({ Q_STOPPED: 1, Q_RUNNING: 2, Q_DRAINING: 3 });

export const QueueACLProto = enumeration({ QACL_SUBMIT_APPLICATIONS: 1, QACL_ADMINISTER_QUEUE: 2 });

export const QueueStatisticsProto = message('hadoop.yarn.QueueStatisticsProto', {
  numAppsSubmitted: optional(1, 'int64'),
  numAppsRunning: optional(2, 'int64'),
  numAppsPending: optional(3, 'int64'),
  numAppsCompleted: optional(4, 'int64'),
  numAppsKilled: optional(5, 'int64'),
  numAppsFailed: optional(6, 'int64'),
  numActiveUsers: optional(7, 'int64'),
  availableMemoryMB: optional(8, 'int64'),
  allocatedMemoryMB: optional(9, 'int64'),
  pendingMemoryMB: optional(10, 'int64'),
  reservedMemoryMB: optional(11, 'int64'),
  availableVCores: optional(12, 'int64'),
  allocatedVCores: optional(13, 'int64'),
  pendingVCores: optional(14, 'int64'),
  reservedVCores: optional(15, 'int64'),
  allocatedContainers: optional(16, 'int64'),
  pendingContainers: optional(17, 'int64'),
  reservedContainers: optional(18, 'int64'),
});

export const QueueConfigurationsProto = message('hadoop.yarn.QueueConfigurationsProto', {
  capacity: optional(1, 'float'),
  absoluteCapacity: optional(2, 'float'),
  maxCapacity: optional(3, 'float'),
  absoluteMaxCapacity: optional(4, 'float'),
  maxAMPercentage: optional(5, 'float'),
  effectiveMinCapacity: optional(6, ResourceProto),
  effectiveMaxCapacity: optional(7, ResourceProto),
  configuredMinCapacity: optional(8, ResourceProto),
  configuredMaxCapacity: optional(9, ResourceProto),
});

export const QueueConfigurationsMapProto = message('hadoop.yarn.QueueConfigurationsMapProto', {
  partitionName: required(1, 'string'),
  queueConfigurations: optional(2, QueueConfigurationsProto),
});

const ownFields = {
  queueName: optional(1, 'string'),
  capacity: optional(2, 'float'),
  maximumCapacity: optional(3, 'float'),
  currentCapacity: optional(4, 'float'),
  state: optional(5, QueueStateProto),
  applications: repeated(7, ApplicationReportProto),
  accessibleNodeLabels: repeated(8, 'string'),
  defaultNodeLabelExpression: optional(9, 'string'),
  queueStatistics: optional(10, QueueStatisticsProto),
  preemptionDisabled: optional(11, 'bool'),
  queueConfigurationsMap: repeated(12, QueueConfigurationsMapProto),
  intraQueuePreemptionDisabled: optional(13, 'bool'),
  weight: optional(14, 'float'),
  queuePath: optional(15, 'string'),
  maxParallelApps: optional(16, 'int32'),
  schedulerType: optional(17, 'string'),
  minResourceVCore: optional(18, 'int32'),
  minResourceMemory: optional(19, 'int64'),
  maxResourceVCore: optional(20, 'int32'),
  maxResourceMemory: optional(21, 'int64'),
  reservedResourceVCore: optional(22, 'int32'),
  reservedResourceMemory: optional(23, 'int64'),
  steadyFairShareVCore: optional(24, 'int32'),
  steadyFairShareMemory: optional(25, 'int64'),
  subClusterId: optional(26, 'string'),
  maxRunningApp: optional(27, 'int32'),
};

/** A queue, and where they were asked for, those below it. */
export type QueueInfo = Encodable<Message<typeof ownFields>> & { readonly childQueues?: readonly QueueInfo[] };

export const QueueInfoProto = message('hadoop.yarn.QueueInfoProto', {
  ...ownFields,
  childQueues: repeated(
    6,
    recursive<QueueInfo>((): Message => QueueInfoProto),
  ),
});

export const QueueUserACLInfoProto = message('hadoop.yarn.QueueUserACLInfoProto', {
  queueName: optional(1, 'string'),
  userAcls: repeated(2, QueueACLProto),
});

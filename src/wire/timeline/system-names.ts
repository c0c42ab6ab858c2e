// The names that the system metrics publisher writes and the application history reads
// (ApplicationMetricsConstants, AppAttemptMetricsConstants, ContainerMetricsConstants).

/** Names of the YARN_APPLICATION entity. */
export const applicationNames = {
  type: 'YARN_APPLICATION',
  created: 'YARN_APPLICATION_CREATED',
  launched: 'YARN_APPLICATION_LAUNCHED',
  finished: 'YARN_APPLICATION_FINISHED',
  aclsUpdated: 'YARN_APPLICATION_ACLS_UPDATED',
  updated: 'YARN_APPLICATION_UPDATED',
  stateUpdated: 'YARN_APPLICATION_STATE_UPDATED',
  name: 'YARN_APPLICATION_NAME',
  applicationType: 'YARN_APPLICATION_TYPE',
  user: 'YARN_APPLICATION_USER',
  queue: 'YARN_APPLICATION_QUEUE',
  submittedTime: 'YARN_APPLICATION_SUBMITTED_TIME',
  viewAcls: 'YARN_APPLICATION_VIEW_ACLS',
  tags: 'YARN_APPLICATION_TAGS',
  unmanaged: 'YARN_APPLICATION_UNMANAGED_APPLICATION',
  priority: 'YARN_APPLICATION_PRIORITY',
  diagnostics: 'YARN_APPLICATION_DIAGNOSTICS_INFO',
  finalStatus: 'YARN_APPLICATION_FINAL_STATUS',
  state: 'YARN_APPLICATION_STATE',
  latestAttempt: 'YARN_APPLICATION_LATEST_APP_ATTEMPT',
  appNodeLabelExpression: 'YARN_APP_NODE_LABEL_EXPRESSION',
  amNodeLabelExpression: 'YARN_AM_NODE_LABEL_EXPRESSION',
  launchCommand: 'YARN_AM_CONTAINER_LAUNCH_COMMAND',
  callerContext: 'YARN_APPLICATION_CALLER_CONTEXT',
  callerSignature: 'YARN_APPLICATION_CALLER_SIGNATURE',
  cpu: 'YARN_APPLICATION_CPU',
  memory: 'YARN_APPLICATION_MEMORY',
  cpuPreempted: 'YARN_APPLICATION_CPU_PREEMPT_METRIC',
  memoryPreempted: 'YARN_APPLICATION_MEM_PREEMPT_METRIC',
  resourcePreemptedCpu: 'YARN_APPLICATION_RESOURCE_PREEMPTED_CPU',
  resourcePreemptedMemory: 'YARN_APPLICATION_RESOURCE_PREEMPTED_MEMORY',
  masterContainersPreempted: 'YARN_APPLICATION_AM_CONTAINER_PREEMPTED',
  otherContainersPreempted: 'YARN_APPLICATION_NON_AM_CONTAINER_PREEMPTED',
} as const;

/** Names of the YARN_APPLICATION_ATTEMPT entity. */
export const attemptNames = {
  type: 'YARN_APPLICATION_ATTEMPT',
  parent: 'YARN_APPLICATION_ATTEMPT_PARENT',
  registered: 'YARN_APPLICATION_ATTEMPT_REGISTERED',
  finished: 'YARN_APPLICATION_ATTEMPT_FINISHED',
  trackingUrl: 'YARN_APPLICATION_ATTEMPT_TRACKING_URL',
  originalTrackingUrl: 'YARN_APPLICATION_ATTEMPT_ORIGINAL_TRACKING_URL',
  host: 'YARN_APPLICATION_ATTEMPT_HOST',
  rpcPort: 'YARN_APPLICATION_ATTEMPT_RPC_PORT',
  masterContainer: 'YARN_APPLICATION_ATTEMPT_MASTER_CONTAINER',
  masterNodeAddress: 'YARN_APPLICATION_ATTEMPT_MASTER_NODE_ADDRESS',
  masterNodeId: 'YARN_APPLICATION_ATTEMPT_MASTER_NODE_ID',
  diagnostics: 'YARN_APPLICATION_ATTEMPT_DIAGNOSTICS_INFO',
  finalStatus: 'YARN_APPLICATION_ATTEMPT_FINAL_STATUS',
  state: 'YARN_APPLICATION_ATTEMPT_STATE',
} as const;

/** Names of the YARN_CONTAINER entity. */
export const containerNames = {
  type: 'YARN_CONTAINER',
  parent: 'YARN_CONTAINER_PARENT',
  created: 'YARN_CONTAINER_CREATED',
  finished: 'YARN_CONTAINER_FINISHED',
  allocatedMemory: 'YARN_CONTAINER_ALLOCATED_MEMORY',
  allocatedVcore: 'YARN_CONTAINER_ALLOCATED_VCORE',
  allocatedHost: 'YARN_CONTAINER_ALLOCATED_HOST',
  allocatedPort: 'YARN_CONTAINER_ALLOCATED_PORT',
  allocatedPriority: 'YARN_CONTAINER_ALLOCATED_PRIORITY',
  allocatedHttpAddress: 'YARN_CONTAINER_ALLOCATED_HOST_HTTP_ADDRESS',
  diagnostics: 'YARN_CONTAINER_DIAGNOSTICS_INFO',
  exitStatus: 'YARN_CONTAINER_EXIT_STATUS',
  state: 'YARN_CONTAINER_STATE',
} as const;

/** Names of the metrics of a YARN_CONTAINER entity of version 2 (ContainersMonitorImpl.ContainerMetric). */
export const containerMetrics = { memory: 'MEMORY', cpu: 'CPU' } as const;

/** Whether the resource manager alone writes entities of a type, in both versions (TimelineEntityType). */
export const isSystemType = (type: string): boolean =>
  /^YARN_(CLUSTER|FLOW_RUN|FLOW_ACTIVITY|APPLICATION|APPLICATION_ATTEMPT|CONTAINER|USER|QUEUE)$/.test(type);

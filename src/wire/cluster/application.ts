// Applications on the resource manager's REST interface: AppInfo, AppsInfo and the small records around one application.
import { boolean, float, int, list, long, map, object, record, rooted, type Shape, text } from '../codec/describe.ts';
import { resourceInfo } from './resource.ts';

/** An outstanding request of the application (ResourceRequestInfo). */
export const resourceRequest = object({
  priority: int(),
  allocationRequestId: long(),
  resourceName: text(),
  capability: resourceInfo,
  numContainers: int(),
  relaxLocality: boolean(),
  nodeLabelExpression: text(),
  executionTypeRequest: object({ executionType: text(), enforceExecutionType: boolean() }),
  placementConstraint: text(),
  allocationTags: list(text()),
});
export type ResourceRequest = Shape<typeof resourceRequest>;

/** Use of a queue, user or application in one partition (PartitionResourcesInfo). */
export const partitionUsage = object({
  partitionName: text(),
  used: resourceInfo,
  reserved: resourceInfo,
  pending: resourceInfo,
  amUsed: resourceInfo,
  amLimit: resourceInfo,
  userAmLimit: resourceInfo,
});
export type PartitionUsageInfo = Shape<typeof partitionUsage>;

/** AppTimeoutInfo inside other records. */
export const timeout = object({ type: text(), expiryTime: text(), remainingTimeInSeconds: long() });
export type Timeout = Shape<typeof timeout>;

const timeouts = object({ timeout: list(timeout) });

/** AppInfo inside a list. Which members strangers see is the view's business. */
export const application = object({
  id: text(),
  user: text(),
  name: text(),
  queue: text(),
  state: text(),
  finalStatus: text(),
  progress: float(),
  trackingUI: text(),
  trackingUrl: text(),
  diagnostics: text(),
  clusterId: long(),
  rmClusterId: text(),
  applicationType: text(),
  applicationTags: text(),
  priority: int(),
  startedTime: long(),
  launchTime: long(),
  finishedTime: long(),
  elapsedTime: long(),
  amContainerLogs: text(),
  amHostHttpAddress: text(),
  amRPCAddress: text(),
  masterNodeId: text(),
  allocatedMB: long(),
  allocatedVCores: long(),
  reservedMB: long(),
  reservedVCores: long(),
  runningContainers: int(),
  memorySeconds: long(),
  vcoreSeconds: long(),
  queueUsagePercentage: float(),
  clusterUsagePercentage: float(),
  resourceSecondsMap: map(long()),
  preemptedResourceMB: long(),
  preemptedResourceVCores: long(),
  numNonAMContainerPreempted: int(),
  numAMContainerPreempted: int(),
  preemptedMemorySeconds: long(),
  preemptedVcoreSeconds: long(),
  preemptedResourceSecondsMap: map(long()),
  resourceRequests: list(resourceRequest),
  logAggregationStatus: text(),
  unmanagedApplication: boolean(),
  appNodeLabelExpression: text(),
  amNodeLabelExpression: text(),
  resourceInfo: object({ resourceUsagesByPartition: list(partitionUsage) }),
  timeouts,
});
export type ApplicationInfo = Shape<typeof application>;

/** `GET /apps/{appid}`. */
export const app = rooted('app', application, { json: 'natural' });
/** `GET /apps`. */
export const apps = record('apps', { app: list(application) }, { json: 'natural' });

/** `GET /apps/{appid}/timeouts/{type}`, `PUT /apps/{appid}/timeout`. */
export const appTimeout = rooted('timeout', timeout, { json: 'natural' });
/** `GET /apps/{appid}/timeouts`. */
export const appTimeouts = rooted('timeouts', timeouts, { json: 'natural' });

/** `GET` and `PUT /apps/{appid}/state`; `diagnostics` is read only from a body. */
export const appState = record('appstate', { state: text(), diagnostics: text() }, { json: 'mapped' });
/** `GET` and `PUT /apps/{appid}/queue`. */
export const appQueue = record('appqueue', { queue: text() }, { json: 'natural', wrapped: false });
/** `GET` and `PUT /apps/{appid}/priority`. */
export const appPriority = record('applicationpriority', { priority: int() }, { json: 'natural', wrapped: false });

/** `GET /appstatistics`. */
export const appStatistics = record(
  'appStatInfo',
  { statItem: list(object({ state: text(), type: text(), count: long() })) },
  { json: 'natural' },
);
/** `POST /apps/new-application`. */
export const newApplication = record(
  'NewApplication',
  { 'application-id': text(), 'maximum-resource-capability': resourceInfo },
  { json: 'natural', wrapped: false },
);

// The application history on the wire (org.apache.hadoop.yarn.server.webapp.dao): JSON without a root, XML with one.

import { container } from '../cluster/attempt.ts';
import { boolean, float, int, list, long, object, record, rooted, type Shape, text } from '../codec/describe.ts';

const plain = { json: 'plain', wrapped: false } as const;

const application = object({
  appId: text(),
  currentAppAttemptId: text(),
  user: text(),
  name: text(),
  queue: text(),
  type: text(),
  host: text(),
  rpcPort: int(),
  appState: text(),
  runningContainers: int(),
  progress: float(),
  diagnosticsInfo: text(),
  originalTrackingUrl: text(),
  trackingUrl: text(),
  finalAppStatus: text(),
  submittedTime: long(),
  startedTime: long(),
  launchTime: long(),
  finishedTime: long(),
  elapsedTime: long(),
  applicationTags: text(),
  priority: int(),
  allocatedCpuVcores: long(),
  allocatedMemoryMB: long(),
  allocatedGpus: long(),
  reservedCpuVcores: long(),
  reservedMemoryMB: long(),
  reservedGpus: long(),
  unmanagedApplication: boolean(),
  appNodeLabelExpression: text(),
  amNodeLabelExpression: text(),
  aggregateResourceAllocation: text(),
  aggregatePreemptedResourceAllocation: text(),
});

const attempt = object({
  appAttemptId: text(),
  host: text(),
  rpcPort: int(),
  trackingUrl: text(),
  originalTrackingUrl: text(),
  diagnosticsInfo: text(),
  appAttemptState: text(),
  amContainerId: text(),
  startedTime: long(),
  finishedTime: long(),
});

export type HistoryApplication = Shape<typeof application>;
export type HistoryAttempt = Shape<typeof attempt>;
export type HistoryContainer = Shape<typeof container>;

/** One application. */
export const historyApplication = rooted('app', application, plain);
/** A list of applications. */
export const historyApplications = record('apps', { app: list(application, { keepEmpty: true }) }, plain);
/** One attempt. */
export const historyAttempt = rooted('appAttempt', attempt, plain);
/** The attempts of an application. */
export const historyAttempts = record('appAttempts', { appAttempt: list(attempt, { keepEmpty: true }) }, plain);
/** One container. */
export const historyContainer = rooted('container', container, plain);
/** The containers of an attempt. */
export const historyContainers = record('containers', { container: list(container, { keepEmpty: true }) }, plain);

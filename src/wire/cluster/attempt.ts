// Attempts and containers on the resource manager's REST interface. Two attempt records exist: the list's (RM) and the single one's (common).
import { int, list, long, map, object, record, rooted, type Shape, text } from '../codec/describe.ts';

/** AppAttemptInfo of the resource manager, inside its list. */
export const attemptInList = object({
  id: int(),
  startTime: long(),
  finishedTime: long(),
  containerId: text(),
  nodeHttpAddress: text(),
  nodeId: text(),
  logsLink: text(),
  blacklistedNodes: text(),
  nodesBlacklistedBySystem: text(),
  appAttemptId: text(),
  exportPorts: text(),
  appAttemptState: text(),
});
export type AttemptInList = Shape<typeof attemptInList>;

/** `GET /apps/{appid}/appattempts`. */
export const appAttempts = record('appAttempts', { appAttempt: list(attemptInList) }, { json: 'natural' });

/** `GET /apps/{appid}/appattempts/{appattemptid}` (the common AppAttemptInfo, shared with application history). */
export const appAttempt = record(
  'appAttempt',
  {
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
  },
  { json: 'mapped' },
);
export type AppAttempt = Shape<typeof appAttempt>;

/** ContainerInfo inside its list; the application history shows containers by the same class. */
export const container = object({
  containerId: text(),
  allocatedMB: long(),
  allocatedVCores: long(),
  assignedNodeId: text(),
  priority: int(),
  startedTime: long(),
  finishedTime: long(),
  elapsedTime: long(),
  diagnosticsInfo: text(),
  logUrl: text(),
  containerExitStatus: int(),
  containerState: text(),
  nodeHttpAddress: text(),
  nodeId: text(),
  allocatedResources: map(long()),
  exposedPorts: text(),
});
export type ContainerInfo = Shape<typeof container>;

/** `GET …/containers`. */
export const containers = record('containers', { container: list(container) }, { json: 'mapped' });
/** `GET …/containers/{containerid}`. */
export const containerRecord = rooted('container', container, { json: 'mapped', wrapped: false });

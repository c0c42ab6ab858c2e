// Reports as the objects of the application history interface (webapp.dao.AppInfo, AppAttemptInfo, ContainerInfo).
import { hashSetOrder } from '../../lib/java-hash-set.ts';
import { parseApplicationId } from '../../model/ids.ts';
import type { HistoryApplication, HistoryAttempt, HistoryContainer } from '../../wire/timeline/history-records.ts';
import type { SeenApplication } from './history.ts';
import type { AttemptReport, ContainerReport } from './reports.ts';

const unavailable = 'N/A';

/** The id that stands for an unknown attempt: number −1, as FastNumberFormat pads it. */
export function placeholderAttemptId(applicationId: string): string {
  const { clusterTimestamp, sequence } = parseApplicationId(applicationId);
  return `appattempt_${clusterTimestamp}_${String(sequence).padStart(4, '0')}_-000001`;
}

const elapsed = (startedMs: number, finishedMs: number, nowMs: number): number =>
  startedMs <= 0 ? 0 : Math.max(0, (finishedMs > 0 ? finishedMs : nowMs) - startedMs);

/** An application. `nowMs` counts for those that still run. */
export function applicationView({ report, attempt }: SeenApplication, nowMs: number): HistoryApplication {
  const { usage } = report;
  return {
    appId: report.applicationId,
    currentAppAttemptId: report.latestAttemptId ?? placeholderAttemptId(report.applicationId),
    user: report.user,
    name: report.name,
    queue: report.queue,
    type: report.type,
    host: attempt?.host ?? unavailable,
    rpcPort: attempt?.rpcPort ?? -1,
    appState: report.state,
    runningContainers: 0,
    progress: report.finished ? 100 : 0,
    diagnosticsInfo: report.diagnostics ?? '',
    originalTrackingUrl: attempt?.originalTrackingUrl ?? unavailable,
    trackingUrl: attempt?.trackingUrl ?? unavailable,
    finalAppStatus: report.finalStatus,
    submittedTime: report.submittedTimeMs,
    startedTime: report.createdTimeMs,
    launchTime: report.launchTimeMs,
    finishedTime: report.finishedTimeMs,
    elapsedTime: elapsed(report.createdTimeMs, report.finishedTimeMs, nowMs),
    applicationTags: report.tags.length > 0 ? hashSetOrder(report.tags).join(',') : undefined,
    priority: report.priority,
    allocatedCpuVcores: 0,
    allocatedMemoryMB: 0,
    allocatedGpus: 0,
    reservedCpuVcores: 0,
    reservedMemoryMB: 0,
    reservedGpus: 0,
    unmanagedApplication: report.unmanaged,
    appNodeLabelExpression: report.appNodeLabelExpression,
    amNodeLabelExpression: report.amNodeLabelExpression,
    aggregateResourceAllocation: usage && `${usage.memoryMiBSeconds} MB-seconds, ${usage.vcoreSeconds} vcore-seconds`,
    aggregatePreemptedResourceAllocation:
      usage && `${usage.preemptedMemoryMiBSeconds} MB-seconds, ${usage.preemptedVcoreSeconds} vcore-seconds`,
  };
}

/** An attempt; its times are not kept in version 1 of the timeline. */
export function attemptView(report: AttemptReport): HistoryAttempt {
  return {
    appAttemptId: report.attemptId,
    host: report.host,
    rpcPort: report.rpcPort,
    trackingUrl: report.trackingUrl,
    originalTrackingUrl: report.originalTrackingUrl,
    diagnosticsInfo: report.diagnostics,
    appAttemptState: report.state,
    amContainerId: report.masterContainerId,
    startedTime: 0,
    finishedTime: 0,
  };
}

const nodeIdOf = ({ host, port }: ContainerReport): string | undefined => (host === undefined ? undefined : `${host}:${port}`);

/** The page with the logs of a container of `owner`, where it is known on which node it ran; `webUrl` is the base URL of this server. */
export function containerLogUrl(report: ContainerReport, owner: string | undefined, webUrl: string): string | undefined {
  const nodeId = nodeIdOf(report);
  return nodeId && `${webUrl}/applicationhistory/logs/${nodeId}/${report.containerId}/${report.containerId}/${owner ?? ''}`;
}

/** A container. `webUrl` is the base URL of this server. */
export function containerView(report: ContainerReport, owner: string | undefined, webUrl: string, nowMs: number): HistoryContainer {
  const { containerId } = report;
  const nodeId = nodeIdOf(report);
  return {
    containerId,
    allocatedMB: report.memoryMiB,
    allocatedVCores: report.vcores,
    assignedNodeId: nodeId,
    priority: report.priority,
    startedTime: report.createdTimeMs,
    finishedTime: report.finishedTimeMs,
    elapsedTime: elapsed(report.createdTimeMs, report.finishedTimeMs, nowMs),
    diagnosticsInfo: report.diagnostics,
    logUrl: containerLogUrl(report, owner, webUrl),
    containerExitStatus: report.exitStatus,
    containerState: report.state,
    nodeHttpAddress: report.nodeHttpAddress,
    nodeId,
    allocatedResources: { 'memory-mb': report.memoryMiB, vcores: report.vcores },
    exposedPorts: '',
  };
}

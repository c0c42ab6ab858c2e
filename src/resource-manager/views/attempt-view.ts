// Attempts and containers as clients see them.
import type { AppAttempt, AttemptInList, ContainerInfo } from '../../wire/cluster/attempt.ts';
import type { Application } from '../applications/application.ts';
import { type Attempt, publicAttemptState } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { ApplicationViews } from './applications-view.ts';

const ended = (attempt: Attempt): boolean => attempt.state === 'FINISHED' || attempt.state === 'FAILED' || attempt.state === 'KILLED';

/** One attempt of the list. `scheme` is the request's. */
export function attemptInList(
  views: ApplicationViews,
  application: Application,
  attempt: Attempt,
  visible: boolean,
  scheme: string,
): AttemptInList {
  const containerId = visible ? attempt.masterContainerId : undefined;
  const { logServerUrl } = views.options;
  const link = !containerId
    ? ''
    : ended(attempt) && logServerUrl
      ? `${logServerUrl}/${attempt.masterNodeId}/${containerId}/${containerId}/${application.user}`
      : `${scheme}://${attempt.masterNodeHttpAddress}/node/containerlogs/${containerId}/${application.user}`;
  // Hadoop shows the nodes kept from the next master, and none where that would be too many.
  const blacklisted = views.options.avoidedNodes(application).join(', ');
  return {
    id: attempt.number,
    startTime: attempt.startedMs,
    finishedTime: attempt.finishedMs,
    containerId: containerId ?? '',
    nodeHttpAddress: containerId ? (attempt.masterNodeHttpAddress ?? '') : '',
    nodeId: containerId ? (attempt.masterNodeId ?? '') : '',
    logsLink: link,
    blacklistedNodes: containerId ? [...attempt.blacklistedNodes].join(', ') : '',
    nodesBlacklistedBySystem: containerId ? blacklisted : undefined,
    appAttemptId: attempt.id,
    exportPorts: containerId ? 'null' : '',
    appAttemptState: attempt.state,
  };
}

/** The single attempt's report. */
export function attemptReport(views: ApplicationViews, application: Application, attempt: Attempt): AppAttempt {
  const lost = attempt.state === 'FAILED' || attempt.state === 'KILLED';
  return {
    appAttemptId: attempt.id,
    host: lost ? 'N/A' : attempt.host,
    rpcPort: lost ? -1 : attempt.rpcPort,
    trackingUrl: views.trackingUrl(application, attempt),
    originalTrackingUrl: views.originalTrackingUrl(application, attempt),
    diagnosticsInfo: views.attemptDiagnosticsOf(application, attempt),
    appAttemptState: publicAttemptState(attempt),
    amContainerId: attempt.masterContainerId,
    startedTime: attempt.startedMs,
    finishedTime: attempt.finishedMs,
  };
}

/** A live container. */
export function containerInfo(views: ApplicationViews, container: Container, user: string): ContainerInfo {
  const { scheme, types, now } = views.options;
  const elapsed = (container.finishedMs || now()) - container.createdMs;
  const address = `${scheme}://${container.nodeHttpAddress}`;
  return {
    containerId: container.id,
    allocatedMB: container.resource[0] ?? 0,
    allocatedVCores: container.resource[1] ?? 0,
    assignedNodeId: container.nodeId,
    priority: container.priority,
    startedTime: container.createdMs,
    finishedTime: container.finishedMs,
    elapsedTime: elapsed < 0 ? -1 : elapsed,
    diagnosticsInfo: undefined,
    logUrl: `${address}/node/containerlogs/${container.id}/${user}`,
    containerExitStatus: 0,
    containerState: 'RUNNING',
    nodeHttpAddress: address,
    nodeId: container.nodeId,
    allocatedResources: types.types.map(({ name }, index): [string, number] => [name, container.resource[index] ?? 0]),
    exposedPorts: '',
  };
}

// Containers with their times and ends: those that live as the cluster has them, those that ended as the events of the last hour tell.
import { exitFacts } from '../../model/exit-status.ts';
import type { ApplicationLife } from '../../wire/cluster/own-answers.ts';
import type { Application } from '../applications/application.ts';
import type { Container } from '../applications/container.ts';
import type { ClusterEvent } from './cluster-events.ts';
import type { EventLog } from './event-log.ts';
import { placeOf } from './instance-place.ts';

/** How much of a diagnostics text is shown. */
export const longestDiagnostics = 2000;

/** A container as it is shown. */
export type ContainerLife = ApplicationLife['containers'][number];

/** One that lives, of its application. */
export const containerLife = (application: Application, container: Container): ContainerLife => ({
  id: container.id,
  attemptId: container.attemptId,
  nodeId: container.nodeId,
  state: container.state,
  createdTime: container.createdMs,
  startedTime: container.startedMs,
  finishedTime: 0,
  isMaster: container.isMaster,
  executionType: container.executionType,
  memoryMiB: container.resource[0] ?? 0,
  vcores: container.resource[1] ?? 0,
  ...placeOf(application, container),
  diagnostics: container.diagnostics.slice(0, longestDiagnostics),
});

/** Containers of an application that ended, the newest first, as far as events of it are kept. */
export function endedContainers(events: EventLog<ClusterEvent>, applicationId: string): ContainerLife[] {
  return events.of(applicationId).flatMap(({ timeMs, event }) => {
    if (event.kind !== 'container.finished') return [];
    const { containerId, diagnostics, ...facts } = event.facts as unknown as Omit<ContainerLife, 'id'> & {
      readonly containerId: string;
      readonly exitStatus: number;
    };
    const { attemptId, nodeId, createdTime, startedTime, exitStatus, isMaster, executionType, memoryMiB, vcores } = facts;
    const { instance, tryNumber } = facts;
    const place = instance === undefined || tryNumber === undefined ? {} : { instance, tryNumber };
    const size = { memoryMiB, vcores, isMaster, executionType, ...place };
    const times = { createdTime, startedTime, finishedTime: timeMs };
    return [
      {
        id: containerId,
        attemptId,
        nodeId,
        state: 'COMPLETE' as const,
        ...times,
        ...exitFacts(exitStatus),
        ...size,
        diagnostics: diagnostics.slice(0, longestDiagnostics),
      },
    ];
  });
}

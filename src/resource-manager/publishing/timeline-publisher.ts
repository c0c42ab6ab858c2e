// Tells the timeline what happens in the cluster, as Hadoop's system metrics publisher does. The cluster never waits for it.
import type { SystemMetricsPublisher } from '../../client/system-metrics-publisher.ts';
import type { Clock } from '../../lib/clock.ts';
import { exitStatus } from '../../model/exit-status.ts';
import { parseNodeId } from '../../model/ids.ts';
import type { ApplicationCreated, ApplicationFinished, AttemptFinished } from '../../wire/timeline/system-facts.ts';
import {
  type Application,
  currentAttempt,
  diagnosticsOf,
  finalStatus,
  publicState,
  usedResourceSeconds,
} from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { ClusterObserver } from '../cluster/observer.ts';

/** What the publisher needs. */
export interface TimelinePublisherOptions {
  /** Sends to the versions of the timeline that are on; containers only where `yarn.rm.system-metrics-publisher.emit-container-events` says so. */
  readonly publisher: SystemMetricsPublisher;
  readonly clock: Clock;
  /** The address clients use for an application's interface. */
  readonly trackingUrl: (applicationId: string) => string;
  readonly scheme: 'http' | 'https';
}

const notPlacedYet = new Set(['NEW', 'NEW_SAVING', 'SUBMITTED']);

/** An observer that publishes. */
export function timelinePublisher(options: TimelinePublisherOptions): ClusterObserver {
  const { publisher, clock, trackingUrl, scheme } = options;
  const launched = new Set<string>();
  /** Applications that were created, but whose queue is not known by its full path yet. */
  const unplaced = new Set<string>();
  const at = ({ nodeId }: Container) => parseNodeId(nodeId);
  return {
    applicationCreated(application) {
      unplaced.add(application.id);
    },
    submissionRefused(application) {
      unplaced.delete(application.id);
    },
    applicationRecovered(application) {
      // What an earlier process told of it may not have been kept: it is told again, which changes nothing.
      unplaced.add(application.id);
      if (application.attempts.some(({ masterContainerId }) => masterContainerId !== undefined)) launched.add(application.id);
    },
    endRecovered(application) {
      // One that was never admitted is told of with its end alone.
      if (application.submittedQueue === '') unplaced.add(application.id);
      announce(application);
      const attempt = currentAttempt(application);
      if (attempt) publisher.attemptFinished(attemptFinishedFacts(application, attempt, options));
      publisher.applicationFinished(finishedFacts(application, clock.now()));
    },
    applicationUpdated(application) {
      publisher.applicationUpdated(application.id, application.queue, application.priority, clock.now());
    },
    applicationStateChanged(application, { to }) {
      if (!notPlacedYet.has(to)) announce(application);
      if (to === 'RUNNING') publisher.applicationStateUpdated(application.id, 'RUNNING', clock.now());
    },
    applicationFinished(application) {
      announce(application);
      launched.delete(application.id);
      publisher.applicationFinished(finishedFacts(application, clock.now()));
    },
    attemptRegistered(application, attempt) {
      const original = attempt.originalTrackingUrl || 'N/A';
      publisher.attemptRegistered({
        applicationId: application.id,
        attemptId: attempt.id,
        registeredTimeMs: clock.now(),
        trackingUrl: application.submission.unmanaged ? original : trackingUrl(application.id),
        originalTrackingUrl: original,
        host: attempt.host,
        rpcPort: attempt.rpcPort,
        masterContainerId: attempt.masterContainerId,
      });
    },
    attemptFinished(application, attempt) {
      publisher.attemptFinished(attemptFinishedFacts(application, attempt, options));
    },
    containerCreated(application, container) {
      if (container.isMaster && !launched.has(application.id)) {
        launched.add(application.id);
        publisher.applicationLaunched(application.id, clock.now());
      }
      publisher.containerCreated({
        containerId: container.id,
        attemptId: container.attemptId,
        createdTimeMs: container.createdMs,
        memoryMiB: container.resource[0] ?? 0,
        vcores: container.resource[1] ?? 0,
        priority: container.priority,
        nodeHttpAddress: `${scheme}://${container.nodeHttpAddress}`,
        ...at(container),
      });
    },
    containerFinished(_application, container) {
      publisher.containerFinished({
        containerId: container.id,
        attemptId: container.attemptId,
        finishedTimeMs: container.finishedMs,
        // The resource manager itself says so of containers that end with their attempt, whatever the node reports later.
        ...(container.exitCode === exitStatus.killedByResourceManager
          ? { diagnostics: 'Container of a completed application', exitStatus: exitStatus.aborted }
          : { diagnostics: container.diagnostics, exitStatus: container.exitCode }),
        state: 'COMPLETE',
        ...at(container),
      });
    },
  };

  /** Publishes that an application was created, once its queue is known. */
  function announce(application: Application): void {
    if (!unplaced.delete(application.id)) return;
    publisher.applicationCreated(createdFacts(application));
    publisher.applicationAclsUpdated(application.id, application.submission.viewAcl ?? '', application.startedMs);
  }
}

function createdFacts(application: Application): ApplicationCreated {
  const { submission } = application;
  return {
    applicationId: application.id,
    name: submission.name,
    type: submission.type,
    user: application.user,
    queue: application.queue,
    submittedTimeMs: application.submittedMs,
    createdTimeMs: application.startedMs,
    tags: submission.tags,
    unmanaged: submission.unmanaged,
    priority: submission.priority,
    appNodeLabelExpression: submission.applicationLabelExpression,
    amNodeLabelExpression: submission.unmanaged ? undefined : submission.masterLabelExpression,
    launchCommands: submission.launch.commands,
  };
}

function finishedFacts(application: Application, nowMs: number): ApplicationFinished {
  const [memoryMiBSeconds = 0, vcoreSeconds = 0] = usedResourceSeconds(application, nowMs);
  return {
    applicationId: application.id,
    finishedTimeMs: application.finishedMs,
    diagnostics: diagnosticsOf(application),
    // What the master reported: an end that the cluster decided leaves it undefined in the timeline.
    finalStatus: publicState(application) === 'FINISHED' ? finalStatus(application) : 'UNDEFINED',
    state: publicState(application),
    latestAttemptId: currentAttempt(application)?.id,
    memoryMiBSeconds,
    vcoreSeconds,
  };
}

function attemptFinishedFacts(
  application: Application,
  attempt: Attempt,
  { clock, trackingUrl }: TimelinePublisherOptions,
): AttemptFinished {
  const original = attempt.originalTrackingUrl || 'N/A';
  const ended = attempt.state === 'FAILED' || attempt.state === 'KILLED';
  return {
    applicationId: application.id,
    attemptId: attempt.id,
    finishedTimeMs: attempt.finishedMs || clock.now(),
    trackingUrl: ended || application.submission.unmanaged ? original : trackingUrl(application.id),
    originalTrackingUrl: original,
    diagnostics: attempt.diagnostics || attempt.launchDiagnostics,
    finalStatus: ended ? 'UNDEFINED' : attempt.finalStatus,
    state: attempt.state,
    masterContainerId: attempt.masterContainerId,
  };
}

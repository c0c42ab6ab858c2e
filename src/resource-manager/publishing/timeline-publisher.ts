// Tells timeline v1 what happens in the cluster, as Hadoop's system metrics publisher does. The cluster never waits for it.
import type { TimelineClient } from '../../client/timeline-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { parseNodeId } from '../../model/ids.ts';
import type { TimelineEntity } from '../../wire/timeline/entity.ts';
import * as entities from '../../wire/timeline/system-entities.ts';
import {
  type Application,
  type Attempt,
  type Container,
  currentAttempt,
  diagnosticsOf,
  finalStatus,
  publicState,
  usedResourceSeconds,
} from '../applications/application.ts';
import type { ClusterObserver } from '../cluster/observer.ts';

/** What the publisher needs. */
export interface TimelinePublisherOptions {
  readonly client: Pick<TimelineClient, 'putEntities'>;
  readonly clock: Clock;
  /** Whether containers are published too (`yarn.rm.system-metrics-publisher.emit-container-events`). */
  readonly containers: boolean;
  /** The address clients use for an application's interface. */
  readonly trackingUrl: (applicationId: string) => string;
  readonly scheme: 'http' | 'https';
}

/** An observer that publishes. */
export function timelinePublisher(options: TimelinePublisherOptions): ClusterObserver {
  const { client, clock, trackingUrl, scheme } = options;
  const launched = new Set<string>();
  const put = (...published: TimelineEntity[]) => client.putEntities(published);
  const at = ({ nodeId }: Container) => parseNodeId(nodeId);
  return {
    applicationCreated(application) {
      const { submission } = application;
      put(
        entities.applicationCreated({
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
        }),
        entities.applicationAclsUpdated(application.id, submission.viewAcl ?? '', clock.now()),
      );
    },
    applicationUpdated(application) {
      put(entities.applicationUpdated(application.id, application.queue, application.priority, clock.now()));
    },
    applicationStateChanged(application) {
      if (application.state === 'RUNNING') put(entities.applicationStateUpdated(application.id, 'RUNNING', clock.now()));
    },
    applicationFinished(application) {
      launched.delete(application.id);
      put(finished(application));
    },
    attemptRegistered(application, attempt) {
      const original = attempt.originalTrackingUrl || 'N/A';
      put(
        entities.attemptRegistered({
          applicationId: application.id,
          attemptId: attempt.id,
          registeredTimeMs: clock.now(),
          trackingUrl: application.submission.unmanaged ? original : trackingUrl(application.id),
          originalTrackingUrl: original,
          host: attempt.host,
          rpcPort: attempt.rpcPort,
          masterContainerId: attempt.masterContainerId,
        }),
      );
    },
    attemptFinished(application, attempt) {
      put(attemptFinished(application, attempt));
    },
    containerCreated(application, container) {
      if (container.isMaster && !launched.has(application.id)) {
        launched.add(application.id);
        put(entities.applicationLaunched(application.id, clock.now()));
      }
      if (!options.containers) return;
      put(
        entities.containerCreated({
          containerId: container.id,
          attemptId: container.attemptId,
          createdTimeMs: container.createdMs,
          memoryMiB: container.resource[0] ?? 0,
          vcores: container.resource[1] ?? 0,
          priority: container.priority,
          nodeHttpAddress: `${scheme}://${container.nodeHttpAddress}`,
          ...at(container),
        }),
      );
    },
    containerFinished(_application, container) {
      if (!options.containers) return;
      put(
        entities.containerFinished({
          containerId: container.id,
          attemptId: container.attemptId,
          finishedTimeMs: container.finishedMs,
          diagnostics: container.diagnostics,
          exitStatus: container.exitCode,
          state: 'COMPLETE',
          ...at(container),
        }),
      );
    },
  };

  function finished(application: Application): TimelineEntity {
    const [memoryMiBSeconds = 0, vcoreSeconds = 0] = usedResourceSeconds(application, clock.now());
    return entities.applicationFinished({
      applicationId: application.id,
      finishedTimeMs: application.finishedMs,
      diagnostics: diagnosticsOf(application),
      finalStatus: finalStatus(application),
      state: publicState(application),
      latestAttemptId: currentAttempt(application)?.id,
      memoryMiBSeconds,
      vcoreSeconds,
    });
  }

  function attemptFinished(application: Application, attempt: Attempt): TimelineEntity {
    const original = attempt.originalTrackingUrl || 'N/A';
    const ended = attempt.state === 'FAILED' || attempt.state === 'KILLED';
    return entities.attemptFinished({
      applicationId: application.id,
      attemptId: attempt.id,
      finishedTimeMs: attempt.finishedMs || clock.now(),
      trackingUrl: ended || application.submission.unmanaged ? original : trackingUrl(application.id),
      originalTrackingUrl: original,
      diagnostics: attempt.diagnostics,
      finalStatus: attempt.finalStatus,
      state: attempt.state,
      masterContainerId: attempt.masterContainerId,
    });
  }
}

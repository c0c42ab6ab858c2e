// What the cluster itself tells timeline v1 about applications, attempts and containers: entities with the names of events,
// other info and primary filters that Hadoop's TimelineServiceV1Publisher writes. Pure functions; the application history reads them back.
import type { JsonValue, TimelineEntity, TimelineEvent } from './entity.ts';
import type {
  ApplicationCreated,
  ApplicationFinished,
  AttemptFinished,
  AttemptRegistered,
  ContainerCreated,
  ContainerFinished,
} from './system-facts.ts';
import { applicationNames as app, attemptNames as attempt, containerNames as box } from './system-names.ts';

/** The text of a label expression: `<Not set>` when absent, `<DEFAULT_PARTITION>` when blank (RMAppImpl.getAppNodeLabelExpression). */
export function labelExpressionText(expression: string | undefined): string {
  if (expression === undefined) return '<Not set>';
  return expression.trim() === '' ? '<DEFAULT_PARTITION>' : expression;
}

const event = (eventtype: string, timestamp: number, eventinfo: Record<string, JsonValue> = {}): TimelineEvent => ({
  timestamp,
  eventtype,
  eventinfo,
});

const ofApplication = (applicationId: string, more: Partial<TimelineEntity>): TimelineEntity => ({
  entity: applicationId,
  entitytype: app.type,
  ...more,
});

const ofAttempt = (attemptId: string, applicationId: string, events: TimelineEvent[]): TimelineEntity => ({
  entity: attemptId,
  entitytype: attempt.type,
  events,
  primaryfilters: { [attempt.parent]: [applicationId] },
});

const ofContainer = (
  containerId: string,
  attemptId: string,
  events: TimelineEvent[],
  otherinfo: Record<string, JsonValue>,
): TimelineEntity => ({
  entity: containerId,
  entitytype: box.type,
  events,
  otherinfo,
  primaryfilters: { [box.parent]: [attemptId] },
});

/** The application was accepted by the resource manager (its start time). */
export function applicationCreated(facts: ApplicationCreated): TimelineEntity {
  return ofApplication(facts.applicationId, {
    events: [event(app.created, facts.createdTimeMs)],
    otherinfo: {
      [app.name]: facts.name,
      [app.applicationType]: facts.type,
      [app.user]: facts.user,
      [app.queue]: facts.queue,
      [app.submittedTime]: facts.submittedTimeMs,
      [app.tags]: [...facts.tags],
      [app.unmanaged]: facts.unmanaged,
      [app.priority]: facts.priority,
      [app.appNodeLabelExpression]: labelExpressionText(facts.appNodeLabelExpression),
      [app.amNodeLabelExpression]: labelExpressionText(facts.amNodeLabelExpression),
      [app.state]: 'NEW_SAVING',
      ...(facts.launchCommands === undefined ? {} : { [app.launchCommand]: [...facts.launchCommands] }),
    },
  });
}

/** The master's container was launched. */
export function applicationLaunched(applicationId: string, launchTimeMs: number): TimelineEntity {
  return ofApplication(applicationId, { events: [event(app.launched, launchTimeMs)] });
}

/** The queue or the priority of an application changed. */
export function applicationUpdated(applicationId: string, queue: string, priority: number, updatedTimeMs: number): TimelineEntity {
  return ofApplication(applicationId, { events: [event(app.updated, updatedTimeMs, { [app.queue]: queue, [app.priority]: priority })] });
}

/** The application's state changed to one that is not its last (RUNNING when its master registered). */
export function applicationStateUpdated(applicationId: string, state: string, updatedTimeMs: number): TimelineEntity {
  return ofApplication(applicationId, { events: [event(app.stateUpdated, updatedTimeMs, { [app.state]: state })] });
}

/** Who may see the application; `viewAcls` as submitted, '' when none was. */
export function applicationAclsUpdated(applicationId: string, viewAcls: string, updatedTimeMs: number): TimelineEntity {
  return ofApplication(applicationId, {
    events: [event(app.aclsUpdated, updatedTimeMs)],
    otherinfo: { [app.viewAcls]: viewAcls },
  });
}

/** The application came to its end. */
export function applicationFinished(facts: ApplicationFinished): TimelineEntity {
  return ofApplication(facts.applicationId, {
    events: [
      event(app.finished, facts.finishedTimeMs, {
        [app.diagnostics]: facts.diagnostics,
        [app.finalStatus]: facts.finalStatus,
        [app.state]: facts.state,
        ...(facts.latestAttemptId === undefined ? {} : { [app.latestAttempt]: facts.latestAttemptId }),
      }),
    ],
    otherinfo: {
      [app.cpu]: facts.vcoreSeconds,
      [app.memory]: facts.memoryMiBSeconds,
      [app.cpuPreempted]: facts.preemptedVcoreSeconds ?? 0,
      [app.memoryPreempted]: facts.preemptedMemoryMiBSeconds ?? 0,
    },
  });
}

/** The master registered. */
export function attemptRegistered(facts: AttemptRegistered): TimelineEntity {
  return ofAttempt(facts.attemptId, facts.applicationId, [
    event(attempt.registered, facts.registeredTimeMs, {
      [attempt.trackingUrl]: facts.trackingUrl,
      [attempt.originalTrackingUrl]: facts.originalTrackingUrl,
      [attempt.host]: facts.host,
      [attempt.rpcPort]: facts.rpcPort,
      ...(facts.masterContainerId === undefined ? {} : { [attempt.masterContainer]: facts.masterContainerId }),
    }),
  ]);
}

/** The attempt came to its end, registered or not. */
export function attemptFinished(facts: AttemptFinished): TimelineEntity {
  return ofAttempt(facts.attemptId, facts.applicationId, [
    event(attempt.finished, facts.finishedTimeMs, {
      ...(facts.trackingUrl === undefined ? {} : { [attempt.trackingUrl]: facts.trackingUrl }),
      ...(facts.originalTrackingUrl === undefined ? {} : { [attempt.originalTrackingUrl]: facts.originalTrackingUrl }),
      [attempt.diagnostics]: facts.diagnostics,
      [attempt.finalStatus]: facts.finalStatus,
      [attempt.state]: facts.state,
      ...(facts.masterContainerId === undefined ? {} : { [attempt.masterContainer]: facts.masterContainerId }),
    }),
  ]);
}

/** The scheduler allocated a container. */
export function containerCreated(facts: ContainerCreated): TimelineEntity {
  return ofContainer(facts.containerId, facts.attemptId, [event(box.created, facts.createdTimeMs)], {
    [box.allocatedMemory]: facts.memoryMiB,
    [box.allocatedVcore]: facts.vcores,
    [box.allocatedHost]: facts.host,
    [box.allocatedPort]: facts.port,
    [box.allocatedPriority]: facts.priority,
    [box.allocatedHttpAddress]: facts.nodeHttpAddress,
  });
}

/** The container is gone. */
export function containerFinished(facts: ContainerFinished): TimelineEntity {
  return ofContainer(
    facts.containerId,
    facts.attemptId,
    [
      event(box.finished, facts.finishedTimeMs, {
        [box.diagnostics]: facts.diagnostics,
        [box.exitStatus]: facts.exitStatus,
        [box.state]: facts.state,
      }),
    ],
    { [box.allocatedHost]: facts.host, [box.allocatedPort]: facts.port },
  );
}

// What the cluster itself tells timeline v2: the names and places that Hadoop's TimelineServiceV2Publisher and NMTimelinePublisher use.
// Pure functions of the same facts as version 1.
import { stoppedContainerStatuses } from '../../model/exit-status.ts';
import { attemptIdOfContainer, parseApplicationId, parseAttemptId, parseContainerId } from '../../model/ids.ts';
import type { JsonValue } from './entity.ts';
import { labelExpressionText } from './system-entities.ts';
import type {
  ApplicationCreated,
  ApplicationFinished,
  AttemptFinished,
  AttemptRegistered,
  ContainerCreated,
  ContainerFinished,
  ContainerUsed,
} from './system-facts.ts';
import { applicationNames as app, attemptNames as attempt, containerNames as box, containerMetrics } from './system-names.ts';
import type { EntityV2, EventV2, FlowContext } from './v2-entity.ts';

/** Newer things first: Long.MAX_VALUE minus the number (TimelineServiceHelper.invertLong). */
const inverted = (value: number): string => (9223372036854775807n - BigInt(value)).toString();
const event = (id: string, timestamp: number): EventV2 => ({ id, timestamp, info: {} });
const known = (values: Record<string, JsonValue | undefined>): Record<string, JsonValue> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<string, JsonValue>;

const ofApplication = (id: string, more: Partial<EntityV2>): EntityV2 => ({ type: app.type, id, ...more });
const ofAttempt = (id: string, more: Partial<EntityV2>): EntityV2 => ({
  type: attempt.type,
  id,
  idprefix: inverted(parseAttemptId(id).attempt),
  ...more,
});
const ofContainer = (id: string, more: Partial<EntityV2>): EntityV2 => ({
  type: box.type,
  id,
  idprefix: inverted(parseContainerId(id).number),
  ...more,
});

const flowTags = { flow: 'timeline_flow_name_tag:', version: 'timeline_flow_version_tag:', run: 'timeline_flow_run_id_tag:' } as const;

/** The flow of an application: from its tags, else its name, version 1 and its start time (TimelineUtils, RMTimelineCollectorManager). */
export function flowOf(facts: ApplicationCreated): FlowContext {
  const tagged = (prefix: string): string | undefined =>
    facts.tags.find((tag) => tag.toLowerCase().startsWith(prefix) && tag.length > prefix.length)?.slice(prefix.length);
  const { clusterTimestamp, sequence } = parseApplicationId(facts.applicationId);
  const run = Number(tagged(flowTags.run));
  return {
    user: facts.user,
    flow: tagged(flowTags.flow) ?? (facts.name.trim() === '' ? `flow_${clusterTimestamp}_${sequence}` : facts.name),
    version: tagged(flowTags.version) ?? '1',
    run: Number.isSafeInteger(run) ? run : facts.createdTimeMs,
  };
}

export function applicationCreatedV2(facts: ApplicationCreated): EntityV2 {
  return ofApplication(facts.applicationId, {
    createdtime: facts.createdTimeMs,
    info: known({
      [app.name]: facts.name,
      [app.applicationType]: facts.type,
      [app.user]: facts.user,
      [app.queue]: facts.queue,
      [app.submittedTime]: facts.submittedTimeMs,
      [app.tags]: [...facts.tags],
      [app.unmanaged]: facts.unmanaged,
      [app.priority]: facts.priority,
      // Told on the way out of that state (RMAppImpl.AddApplicationToSchedulerTransition); the next one told is RUNNING.
      [app.state]: 'NEW_SAVING',
      [app.launchCommand]: facts.launchCommands === undefined ? undefined : [...facts.launchCommands],
    }),
    configs: {
      [app.amNodeLabelExpression]: labelExpressionText(facts.amNodeLabelExpression),
      [app.appNodeLabelExpression]: labelExpressionText(facts.appNodeLabelExpression),
    },
    events: [event(app.created, facts.createdTimeMs)],
  });
}

export const applicationLaunchedV2 = (applicationId: string, launchTimeMs: number): EntityV2 =>
  ofApplication(applicationId, { events: [event(app.launched, launchTimeMs)] });

export const applicationAclsUpdatedV2 = (applicationId: string, viewAcls: string, updatedTimeMs: number): EntityV2 =>
  ofApplication(applicationId, { info: { [app.viewAcls]: viewAcls }, events: [event(app.aclsUpdated, updatedTimeMs)] });

export const applicationUpdatedV2 = (applicationId: string, queue: string, priority: number, updatedTimeMs: number): EntityV2 =>
  ofApplication(applicationId, { info: { [app.queue]: queue, [app.priority]: priority }, events: [event(app.updated, updatedTimeMs)] });

export const applicationStateUpdatedV2 = (applicationId: string, state: string, updatedTimeMs: number): EntityV2 =>
  ofApplication(applicationId, { info: { [app.state]: state }, events: [event(app.stateUpdated, updatedTimeMs)] });

export function applicationFinishedV2(facts: ApplicationFinished): EntityV2 {
  const metrics: readonly (readonly [string, number])[] = [
    [app.cpu, facts.vcoreSeconds],
    [app.memory, facts.memoryMiBSeconds],
    [app.cpuPreempted, facts.preemptedVcoreSeconds ?? 0],
    [app.memoryPreempted, facts.preemptedMemoryMiBSeconds ?? 0],
    [app.resourcePreemptedCpu, facts.preemptedVcores ?? 0],
    [app.resourcePreemptedMemory, facts.preemptedMemoryMiB ?? 0],
    [app.masterContainersPreempted, facts.preemptedMasterContainers ?? 0],
    [app.otherContainersPreempted, facts.preemptedOtherContainers ?? 0],
  ];
  return ofApplication(facts.applicationId, {
    info: known({
      [app.diagnostics]: facts.diagnostics,
      [app.finalStatus]: facts.finalStatus,
      [app.state]: facts.state,
      [app.latestAttempt]: facts.latestAttemptId,
    }),
    metrics: metrics.map(([id, value]) => ({ id, type: 'SINGLE_VALUE', values: { [facts.finishedTimeMs]: value } })),
    events: [event(app.finished, facts.finishedTimeMs)],
  });
}

export function attemptRegisteredV2(facts: AttemptRegistered): EntityV2 {
  return ofAttempt(facts.attemptId, {
    createdtime: facts.registeredTimeMs,
    info: known({
      [attempt.trackingUrl]: facts.trackingUrl,
      [attempt.originalTrackingUrl]: facts.originalTrackingUrl,
      [attempt.host]: facts.host,
      [attempt.rpcPort]: facts.rpcPort,
      [attempt.masterContainer]: facts.masterContainerId,
      [attempt.masterNodeAddress]: facts.masterNodeAddress,
      [attempt.masterNodeId]: facts.masterNodeId,
    }),
    events: [event(attempt.registered, facts.registeredTimeMs)],
  });
}

export function attemptFinishedV2(facts: AttemptFinished): EntityV2 {
  return ofAttempt(facts.attemptId, {
    info: { [attempt.diagnostics]: facts.diagnostics, [attempt.finalStatus]: facts.finalStatus, [attempt.state]: facts.state },
    events: [event(attempt.finished, facts.finishedTimeMs)],
  });
}

export function containerCreatedV2(facts: ContainerCreated): EntityV2 {
  return ofContainer(facts.containerId, {
    createdtime: facts.createdTimeMs,
    info: {
      [box.allocatedMemory]: facts.memoryMiB,
      [box.allocatedVcore]: facts.vcores,
      [box.allocatedHost]: facts.host,
      [box.allocatedPort]: facts.port,
      [box.allocatedPriority]: String(facts.priority),
      [box.allocatedHttpAddress]: facts.nodeHttpAddress.replace(/^https?:\/\//, ''),
    },
    events: [event('YARN_RM_CONTAINER_CREATED', facts.createdTimeMs), event(box.created, facts.createdTimeMs)],
  });
}

export function containerFinishedV2(facts: ContainerFinished): EntityV2 {
  const stopped = stoppedContainerStatuses.has(facts.exitStatus) ? [event('YARN_CONTAINER_KILLED', facts.finishedTimeMs)] : [];
  return ofContainer(facts.containerId, {
    info: {
      [box.diagnostics]: facts.diagnostics,
      [box.exitStatus]: facts.exitStatus,
      [box.state]: facts.state,
      YARN_CONTAINER_FINISHED_TIME: facts.finishedTimeMs,
    },
    events: [...stopped, event(box.finished, facts.finishedTimeMs), event('YARN_RM_CONTAINER_FINISHED', facts.finishedTimeMs)],
  });
}

/** What a node tells of the beginning of a container, where the resource manager does not. */
export const nodeContainerCreatedV2 = (facts: ContainerCreated): EntityV2 => ({
  ...containerCreatedV2(facts),
  events: [event(box.created, facts.createdTimeMs)],
});

/** What a node tells of the end of a container, where the resource manager does not. */
export function nodeContainerFinishedV2(facts: ContainerFinished): EntityV2 {
  const whole = containerFinishedV2(facts);
  return { ...whole, events: (whole.events ?? []).filter(({ id }) => !id.startsWith('YARN_RM_')) };
}

/** What a container uses: metrics of which collectors make the sum over all containers of the application. */
export function containerUsedV2({ containerId, atMs, memoryBytes, cpuPercent }: ContainerUsed): EntityV2 {
  const metric = (id: string, value: number) => ({ id, type: 'SINGLE_VALUE' as const, aggregationOp: 'SUM', values: { [atMs]: value } });
  return ofContainer(containerId, {
    info: { SYSTEM_INFO_PARENT_ENTITY: { type: attempt.type, id: attemptIdOfContainer(containerId) } },
    metrics: [metric(containerMetrics.memory, memoryBytes), metric(containerMetrics.cpu, Math.round(cpuPercent))],
  });
}

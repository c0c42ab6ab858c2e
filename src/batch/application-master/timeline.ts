// A job in timeline v1: each event of its history as an event of the entity of the job or of the task (JobHistoryEventHandler.processEventForTimelineServer).
import type { TimelineClient } from '../../client/timeline-client.ts';
import type { Long } from '../../lib/java-long.ts';
import type { HistoryEvent, JhCounters } from '../../wire/files/job-history.ts';
import type { TimelineEntity } from '../../wire/timeline/entity.ts';
import { rawNumber } from '../../wire/timeline/exact-json.ts';

export const jobEntityType = 'MAPREDUCE_JOB';
export const taskEntityType = 'MAPREDUCE_TASK';

/** A counter has 64 bits: what a number would round is written as it stands. */
const exactly = (value: Long) => (Number.isSafeInteger(Number(value)) ? Number(value) : rawNumber(String(value)));

const counterGroups = (counters: JhCounters | null | undefined) =>
  (counters?.groups ?? []).map((group) => ({
    NAME: group.name,
    DISPLAY_NAME: group.displayName,
    COUNTERS: group.counts.map((counter) => ({ NAME: counter.name, DISPLAY_NAME: counter.displayName, VALUE: exactly(counter.value) })),
  }));

type EventOf<Type extends HistoryEvent['type']> = Extract<HistoryEvent, { readonly type: Type }>['event'];

const jobEnded = (event: EventOf<'JOB_FAILED' | 'JOB_KILLED' | 'JOB_ERROR'>) => ({
  FINISH_TIME: event.finishTime,
  NUM_MAPS: event.finishedMaps + (event.failedMaps ?? 0) + (event.killedMaps ?? 0),
  NUM_REDUCES: event.finishedReduces + (event.failedReduces ?? 0) + (event.killedReduces ?? 0),
  JOB_STATUS: event.jobStatus,
  DIAGNOSTICS: event.diagnostics ?? '',
  SUCCESSFUL_MAPS: event.finishedMaps,
  SUCCESSFUL_REDUCES: event.finishedReduces,
  FAILED_MAPS: event.failedMaps,
  FAILED_REDUCES: event.failedReduces,
  KILLED_MAPS: event.killedMaps,
  KILLED_REDUCES: event.killedReduces,
});

const attemptStarted = (event: EventOf<'MAP_ATTEMPT_STARTED' | 'REDUCE_ATTEMPT_STARTED'>) => ({
  TASK_TYPE: event.taskType,
  TASK_ATTEMPT_ID: event.attemptId,
  START_TIME: event.startTime,
  HTTP_PORT: event.httpPort,
  TRACKER_NAME: event.trackerName,
  SHUFFLE_PORT: event.shufflePort,
  CONTAINER_ID: event.containerId,
});

const attemptFinished = (event: EventOf<'MAP_ATTEMPT_FINISHED' | 'REDUCE_ATTEMPT_FINISHED'>) => ({
  TASK_TYPE: event.taskType,
  FINISH_TIME: event.finishTime,
  STATUS: event.taskStatus,
  STATE: event.state,
  ...('mapFinishTime' in event
    ? { MAP_FINISH_TIME: event.mapFinishTime }
    : { SHUFFLE_FINISH_TIME: event.shuffleFinishTime, SORT_FINISH_TIME: event.sortFinishTime }),
  COUNTERS_GROUPS: counterGroups(event.counters),
  HOSTNAME: event.hostname,
  PORT: event.port,
  RACK_NAME: event.rackname,
  ATTEMPT_ID: event.attemptId,
});

const attemptFailed = (
  event: EventOf<'MAP_ATTEMPT_FAILED' | 'MAP_ATTEMPT_KILLED' | 'REDUCE_ATTEMPT_FAILED' | 'REDUCE_ATTEMPT_KILLED'>,
) => ({
  TASK_TYPE: event.taskType,
  TASK_ATTEMPT_ID: event.attemptId,
  FINISH_TIME: event.finishTime,
  ERROR: event.error,
  STATUS: event.status,
  HOSTNAME: event.hostname,
  PORT: event.port,
  RACK_NAME: event.rackname,
  COUNTERS_GROUPS: counterGroups(event.counters),
});

/** What events say, under the names Hadoop gives it; of those that are not named nothing. */
const eventInfo: { readonly [Type in HistoryEvent['type']]?: (event: EventOf<Type>, submitTimeMs: number) => Record<string, unknown> } = {
  AM_STARTED: (event, submitTimeMs) => ({
    APPLICATION_ATTEMPT_ID: event.applicationAttemptId,
    CONTAINER_ID: event.containerId,
    NODE_MANAGER_HOST: event.nodeManagerHost,
    NODE_MANAGER_PORT: event.nodeManagerPort,
    NODE_MANAGER_HTTP_PORT: event.nodeManagerHttpPort,
    START_TIME: event.startTime,
    SUBMIT_TIME: submitTimeMs,
  }),
  JOB_SUBMITTED: (event) => ({
    SUBMIT_TIME: event.submitTime,
    QUEUE_NAME: event.jobQueueName,
    JOB_NAME: event.jobName,
    USER_NAME: event.userName,
    JOB_CONF_PATH: event.jobConfPath,
    ACLS: event.acls,
    JOB_QUEUE_NAME: event.jobQueueName,
    WORKFLOW_ID: event.workflowId,
    WORKFLOW_NAME: event.workflowName,
    WORKFLOW_NODE_NAME: event.workflowNodeName,
    WORKFLOW_ADJACENCIES: event.workflowAdjacencies,
    WORKFLOW_TAGS: event.workflowTags,
  }),
  JOB_INITED: (event) => ({
    START_TIME: event.launchTime,
    STATUS: event.jobStatus,
    TOTAL_MAPS: event.totalMaps,
    TOTAL_REDUCES: event.totalReduces,
    UBERIZED: event.uberized,
  }),
  JOB_INFO_CHANGED: (event) => ({ SUBMIT_TIME: event.submitTime, LAUNCH_TIME: event.launchTime }),
  JOB_QUEUE_CHANGED: (event) => ({ QUEUE_NAMES: event.jobQueueName }),
  JOB_FINISHED: (event) => ({
    FINISH_TIME: event.finishTime,
    NUM_MAPS: event.finishedMaps + event.failedMaps + (event.killedMaps ?? 0),
    NUM_REDUCES: event.finishedReduces + event.failedReduces + (event.killedReduces ?? 0),
    FAILED_MAPS: event.failedMaps,
    FAILED_REDUCES: event.failedReduces,
    SUCCESSFUL_MAPS: event.finishedMaps,
    SUCCESSFUL_REDUCES: event.finishedReduces,
    KILLED_MAPS: event.killedMaps,
    KILLED_REDUCES: event.killedReduces,
    FINISHED_MAPS: event.finishedMaps,
    FINISHED_REDUCES: event.finishedReduces,
    MAP_COUNTERS_GROUPS: counterGroups(event.mapCounters),
    REDUCE_COUNTERS_GROUPS: counterGroups(event.reduceCounters),
    TOTAL_COUNTERS_GROUPS: counterGroups(event.totalCounters),
    JOB_STATUS: 'SUCCEEDED',
  }),
  JOB_FAILED: jobEnded,
  JOB_KILLED: jobEnded,
  JOB_ERROR: jobEnded,
  TASK_STARTED: (event) => ({ TASK_TYPE: event.taskType, START_TIME: event.startTime, SPLIT_LOCATIONS: event.splitLocations }),
  TASK_FINISHED: (event) => ({
    TASK_TYPE: event.taskType,
    COUNTERS_GROUPS: counterGroups(event.counters),
    FINISH_TIME: event.finishTime,
    STATUS: 'SUCCEEDED',
    SUCCESSFUL_TASK_ATTEMPT_ID: event.successfulAttemptId ?? '',
  }),
  TASK_FAILED: (event) => ({
    TASK_TYPE: event.taskType,
    STATUS: 'FAILED',
    FINISH_TIME: event.finishTime,
    ERROR: event.error,
    FAILED_ATTEMPT_ID: event.failedDueToAttempt ?? '',
    COUNTERS_GROUPS: counterGroups(event.counters),
  }),
  MAP_ATTEMPT_STARTED: attemptStarted,
  REDUCE_ATTEMPT_STARTED: attemptStarted,
  MAP_ATTEMPT_FINISHED: attemptFinished,
  REDUCE_ATTEMPT_FINISHED: attemptFinished,
  MAP_ATTEMPT_FAILED: attemptFailed,
  MAP_ATTEMPT_KILLED: attemptFailed,
  REDUCE_ATTEMPT_FAILED: attemptFailed,
  REDUCE_ATTEMPT_KILLED: attemptFailed,
};

/** What one event says in version 1. */
export function timelineInfoOf<Type extends HistoryEvent['type']>(
  type: Type,
  event: EventOf<Type>,
  submitTimeMs: number,
): Record<string, unknown> {
  return eventInfo[type]?.(event, submitTimeMs) ?? {};
}

/** The entity an event belongs to, with that event. */
export function timelineEntityOf(
  history: HistoryEvent,
  job: { readonly id: string; readonly submitTimeMs: number },
  nowMs: number,
): TimelineEntity {
  const taskId = 'taskid' in history.event ? history.event.taskid : undefined;
  return {
    entity: taskId ?? job.id,
    entitytype: taskId === undefined ? jobEntityType : taskEntityType,
    ...(history.type === 'JOB_INITED' ? { starttime: Number(history.event.launchTime) } : {}),
    events: [{ timestamp: nowMs, eventtype: history.type, eventinfo: timelineInfoOf(history.type, history.event, job.submitTimeMs) }],
    ...(taskId === undefined ? {} : { relatedentities: { [jobEntityType]: [job.id] } }),
  } as TimelineEntity;
}

/** Publishes events as they are written to the history. */
export function timelinePublisher(
  client: TimelineClient,
  job: { readonly id: string; readonly submitTimeMs: number },
  now: () => number,
): (event: HistoryEvent) => void {
  return (event) => client.putEntities([timelineEntityOf(event, job, now())]);
}

// What a batch job tells timeline v1: each event of its history as an event of the job's entity or of its task's, with the names of
// Hadoop's JobHistoryEventHandler. Pure; the batch master puts the result where `mapreduce.job.emit-timeline-data` is on.
import type { HistoryEvent, HistoryEventType, JhCounters } from '../files/job-history-events.ts';
import type { JsonValue, TimelineEntity } from './entity.ts';

const jobType = 'MAPREDUCE_JOB';
const taskType = 'MAPREDUCE_TASK';

/** Names in the event's info → members of the history record. */
type Names = Readonly<Record<string, string>>;

const submitted: Names = {
  SUBMIT_TIME: 'submitTime',
  QUEUE_NAME: 'jobQueueName',
  JOB_NAME: 'jobName',
  USER_NAME: 'userName',
  JOB_CONF_PATH: 'jobConfPath',
  ACLS: 'acls',
  JOB_QUEUE_NAME: 'jobQueueName',
  WORKFLOW_ID: 'workflowId',
  WORKFLOW_NAME: 'workflowName',
  WORKFLOW_NAME_NAME: 'workflowNodeName',
  WORKFLOW_ADJACENCIES: 'workflowAdjacencies',
  WORKFLOW_TAGS: 'workflowTags',
};
const jobFinished: Names = {
  FINISH_TIME: 'finishTime',
  NUM_MAPS: 'finishedMaps',
  NUM_REDUCES: 'finishedReduces',
  FAILED_MAPS: 'failedMaps',
  FAILED_REDUCES: 'failedReduces',
  FINISHED_MAPS: 'finishedMaps',
  FINISHED_REDUCES: 'finishedReduces',
  MAP_COUNTERS_GROUPS: 'mapCounters',
  REDUCE_COUNTERS_GROUPS: 'reduceCounters',
  TOTAL_COUNTERS_GROUPS: 'totalCounters',
};
const jobEnded: Names = {
  FINISH_TIME: 'finishTime',
  NUM_MAPS: 'finishedMaps',
  NUM_REDUCES: 'finishedReduces',
  JOB_STATUS: 'jobStatus',
  DIAGNOSTICS: 'diagnostics',
  FINISHED_MAPS: 'finishedMaps',
  FINISHED_REDUCES: 'finishedReduces',
};
const attemptStarted: Names = {
  TASK_TYPE: 'taskType',
  TASK_ATTEMPT_ID: 'attemptId',
  START_TIME: 'startTime',
  HTTP_PORT: 'httpPort',
  TRACKER_NAME: 'trackerName',
  SHUFFLE_PORT: 'shufflePort',
  CONTAINER_ID: 'containerId',
};
const attemptEnded: Names = {
  TASK_TYPE: 'taskType',
  TASK_ATTEMPT_ID: 'attemptId',
  FINISH_TIME: 'finishTime',
  ERROR: 'error',
  STATUS: 'status',
  HOSTNAME: 'hostname',
  PORT: 'port',
  RACK_NAME: 'rackname',
  SHUFFLE_FINISH_TIME: 'finishTime',
  SORT_FINISH_TIME: 'finishTime',
  MAP_FINISH_TIME: 'finishTime',
  COUNTERS_GROUPS: 'counters',
};
const attemptFinished: Names = {
  TASK_TYPE: 'taskType',
  ATTEMPT_ID: 'attemptId',
  FINISH_TIME: 'finishTime',
  STATUS: 'taskStatus',
  STATE: 'state',
  COUNTERS_GROUPS: 'counters',
  HOSTNAME: 'hostname',
};
const placed: Names = { PORT: 'port', RACK_NAME: 'rackname' };

const ofAttempts = <const Kind extends string>(kind: Kind, finished: Names) =>
  ({
    [`${kind}_ATTEMPT_STARTED`]: attemptStarted,
    [`${kind}_ATTEMPT_FAILED`]: attemptEnded,
    [`${kind}_ATTEMPT_KILLED`]: attemptEnded,
    [`${kind}_ATTEMPT_FINISHED`]: finished,
  }) as Record<`${Kind}_ATTEMPT_${'STARTED' | 'FAILED' | 'KILLED' | 'FINISHED'}`, Names>;

const namesOf: Readonly<Record<HistoryEventType, Names>> = {
  JOB_SUBMITTED: submitted,
  JOB_STATUS_CHANGED: { STATUS: 'jobStatus' },
  JOB_INFO_CHANGED: { SUBMIT_TIME: 'submitTime', LAUNCH_TIME: 'launchTime' },
  JOB_INITED: {
    START_TIME: 'launchTime',
    STATUS: 'jobStatus',
    TOTAL_MAPS: 'totalMaps',
    TOTAL_REDUCES: 'totalReduces',
    UBERIZED: 'uberized',
  },
  JOB_PRIORITY_CHANGED: { PRIORITY: 'priority' },
  JOB_QUEUE_CHANGED: { QUEUE_NAMES: 'jobQueueName' },
  JOB_FAILED: jobEnded,
  JOB_KILLED: jobEnded,
  JOB_ERROR: jobEnded,
  JOB_FINISHED: jobFinished,
  AM_STARTED: {
    APPLICATION_ATTEMPT_ID: 'applicationAttemptId',
    CONTAINER_ID: 'containerId',
    NODE_MANAGER_HOST: 'nodeManagerHost',
    NODE_MANAGER_HTTP_PORT: 'nodeManagerHttpPort',
    NODE_MANAGER_PORT: 'nodeManagerPort',
    START_TIME: 'startTime',
  },
  TASK_STARTED: { TASK_TYPE: 'taskType', START_TIME: 'startTime', SPLIT_LOCATIONS: 'splitLocations' },
  TASK_FAILED: {
    TASK_TYPE: 'taskType',
    FINISH_TIME: 'finishTime',
    ERROR: 'error',
    FAILED_ATTEMPT_ID: 'failedDueToAttempt',
    COUNTERS_GROUPS: 'counters',
  },
  TASK_UPDATED: { FINISH_TIME: 'finishTime' },
  TASK_FINISHED: {
    TASK_TYPE: 'taskType',
    COUNTERS_GROUPS: 'counters',
    FINISH_TIME: 'finishTime',
    SUCCESSFUL_TASK_ATTEMPT_ID: 'successfulAttemptId',
  },
  ...ofAttempts('MAP', { ...attemptFinished, ...placed, MAP_FINISH_TIME: 'mapFinishTime' }),
  ...ofAttempts('REDUCE', { ...attemptFinished, ...placed, SHUFFLE_FINISH_TIME: 'shuffleFinishTime', SORT_FINISH_TIME: 'sortFinishTime' }),
  ...ofAttempts('SETUP', attemptFinished),
  ...ofAttempts('CLEANUP', attemptFinished),
};

/** What an event's type alone says. */
const fixed: Partial<Record<HistoryEventType, Record<string, JsonValue>>> = {
  JOB_FINISHED: { JOB_STATUS: 'SUCCEEDED' },
  TASK_FAILED: { STATUS: 'FAILED' },
  TASK_FINISHED: { STATUS: 'SUCCEEDED' },
};

const countersJson = (counters: JhCounters | null | undefined): JsonValue =>
  (counters?.groups ?? []).map((group) => ({
    NAME: group.name,
    DISPLAY_NAME: group.displayName,
    COUNTERS: group.counts.map(({ name, displayName, value }) => ({ NAME: name, DISPLAY_NAME: displayName, VALUE: value })),
  }));

/** The entity that tells one event of a job's history. `jobId` as in the history, `timestampMs` when it happened. */
export function jobEventEntity({ type, event }: HistoryEvent, jobId: string, timestampMs: number): TimelineEntity {
  const record = event as Readonly<Record<string, unknown>>;
  const eventinfo: Record<string, JsonValue> = { ...fixed[type] };
  for (const [name, member] of Object.entries(namesOf[type])) {
    const value = record[member];
    if (name.endsWith('COUNTERS_GROUPS')) eventinfo[name] = countersJson(value as JhCounters | null | undefined);
    else if (value !== undefined && value !== null) eventinfo[name] = value as JsonValue;
    else if (name.endsWith('ATTEMPT_ID')) eventinfo[name] = '';
  }
  const events = [{ timestamp: timestampMs, eventtype: type, eventinfo }];
  if ('taskid' in event) return { entity: event.taskid, entitytype: taskType, events, relatedentities: { [jobType]: [jobId] } };
  return { entity: jobId, entitytype: jobType, events, ...(type === 'JOB_INITED' ? { starttime: event.launchTime } : {}) };
}

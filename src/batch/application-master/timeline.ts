// A job in timeline v1: each event of its history as an event of the entity of the job or of the task (JobHistoryEventHandler.processEventForTimelineServer).
import type { TimelineClient } from '../../client/timeline-client.ts';
import type { HistoryEvent, JhCounters } from '../../wire/files/job-history.ts';
import type { TimelineEntity } from '../../wire/timeline/entity.ts';

const jobEntityType = 'MAPREDUCE_JOB';
const taskEntityType = 'MAPREDUCE_TASK';

const counterGroups = (counters: JhCounters | null | undefined) =>
  (counters?.groups ?? []).map((group) => ({
    NAME: group.name,
    DISPLAY_NAME: group.displayName,
    COUNTERS: group.counts.map((counter) => ({ NAME: counter.name, DISPLAY_NAME: counter.displayName, VALUE: Number(counter.value) })),
  }));

/** What an event says, under the names Hadoop gives it. */
function eventInfo(history: HistoryEvent, submitTimeMs: number): Record<string, unknown> {
  switch (history.type) {
    case 'AM_STARTED': {
      const { event } = history;
      return {
        APPLICATION_ATTEMPT_ID: event.applicationAttemptId,
        CONTAINER_ID: event.containerId,
        NODE_MANAGER_HOST: event.nodeManagerHost,
        NODE_MANAGER_PORT: event.nodeManagerPort,
        NODE_MANAGER_HTTP_PORT: event.nodeManagerHttpPort,
        START_TIME: event.startTime,
        SUBMIT_TIME: submitTimeMs,
      };
    }
    case 'JOB_SUBMITTED': {
      const { event } = history;
      return {
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
      };
    }
    case 'JOB_INITED': {
      const { event } = history;
      return {
        START_TIME: event.launchTime,
        STATUS: event.jobStatus,
        TOTAL_MAPS: event.totalMaps,
        TOTAL_REDUCES: event.totalReduces,
        UBERIZED: event.uberized,
      };
    }
    case 'JOB_INFO_CHANGED':
      return { SUBMIT_TIME: history.event.submitTime, LAUNCH_TIME: history.event.launchTime };
    case 'JOB_QUEUE_CHANGED':
      return { QUEUE_NAMES: history.event.jobQueueName };
    case 'JOB_FINISHED': {
      const { event } = history;
      return {
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
      };
    }
    case 'JOB_FAILED':
    case 'JOB_KILLED':
    case 'JOB_ERROR': {
      const { event } = history;
      return {
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
      };
    }
    case 'TASK_STARTED':
      return { TASK_TYPE: history.event.taskType, START_TIME: history.event.startTime, SPLIT_LOCATIONS: history.event.splitLocations };
    case 'TASK_FINISHED': {
      const { event } = history;
      return {
        TASK_TYPE: event.taskType,
        COUNTERS_GROUPS: counterGroups(event.counters),
        FINISH_TIME: event.finishTime,
        STATUS: 'SUCCEEDED',
        SUCCESSFUL_TASK_ATTEMPT_ID: event.successfulAttemptId ?? '',
      };
    }
    case 'TASK_FAILED': {
      const { event } = history;
      return {
        TASK_TYPE: event.taskType,
        STATUS: 'FAILED',
        FINISH_TIME: event.finishTime,
        ERROR: event.error,
        FAILED_ATTEMPT_ID: event.failedDueToAttempt ?? '',
        COUNTERS_GROUPS: counterGroups(event.counters),
      };
    }
    case 'MAP_ATTEMPT_STARTED':
    case 'REDUCE_ATTEMPT_STARTED': {
      const { event } = history;
      return {
        TASK_TYPE: event.taskType,
        TASK_ATTEMPT_ID: event.attemptId,
        START_TIME: event.startTime,
        HTTP_PORT: event.httpPort,
        TRACKER_NAME: event.trackerName,
        SHUFFLE_PORT: event.shufflePort,
        CONTAINER_ID: event.containerId,
      };
    }
    case 'MAP_ATTEMPT_FINISHED':
    case 'REDUCE_ATTEMPT_FINISHED': {
      const { event } = history;
      return {
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
      };
    }
    case 'MAP_ATTEMPT_FAILED':
    case 'MAP_ATTEMPT_KILLED':
    case 'REDUCE_ATTEMPT_FAILED':
    case 'REDUCE_ATTEMPT_KILLED': {
      const { event } = history;
      return {
        TASK_TYPE: event.taskType,
        TASK_ATTEMPT_ID: event.attemptId,
        FINISH_TIME: event.finishTime,
        ERROR: event.error,
        STATUS: event.status,
        HOSTNAME: event.hostname,
        PORT: event.port,
        RACK_NAME: event.rackname,
        COUNTERS_GROUPS: counterGroups(event.counters),
      };
    }
    default:
      return {};
  }
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
    events: [{ timestamp: nowMs, eventtype: history.type, eventinfo: eventInfo(history, job.submitTimeMs) }],
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

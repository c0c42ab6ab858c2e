// What a job, its tasks and attempts look like in the job history (JobHistoryEventHandler, TaskAttemptImpl, TaskImpl, JobImpl of Hadoop).
import type { HistoryEvent, JhCounters } from '../../wire/files/job-history.ts';
import type { Counters } from '../counters/counters.ts';
import type { Attempt } from './attempt.ts';
import type { JobRecord, TaskEnds } from './job-record.ts';
import type { MasterGenerationView } from './job-view.ts';
import type { Task } from './task.ts';

const unknownName = 'UNKNOWN';

/** Counters as the history holds them. */
export function historyCounters(counters: Counters, name = 'COUNTERS'): JhCounters {
  return {
    name,
    groups: counters.groups().map((group) => ({
      name: group.name,
      displayName: group.displayName,
      counts: group.counters.map((counter) => ({ name: counter.name, displayName: counter.displayName, value: counter.value })),
    })),
  };
}

const hostOf = (address: string | undefined) => (address === undefined ? unknownName : address.slice(0, address.lastIndexOf(':')));
const portOf = (address: string | undefined) => (address === undefined ? -1 : Number(address.slice(address.lastIndexOf(':') + 1)));

export function masterStarted(attemptId: string, generation: MasterGenerationView): HistoryEvent {
  return {
    type: 'AM_STARTED',
    event: {
      applicationAttemptId: attemptId,
      startTime: generation.startTimeMs,
      containerId: generation.containerId,
      nodeManagerHost: hostOf(generation.nodeId),
      nodeManagerPort: portOf(generation.nodeId),
      nodeManagerHttpPort: portOf(generation.nodeHttpAddress),
    },
  };
}

/** `"<node>"="<value>" ` for each `mapreduce.workflow.adjacency.<node>`. */
function workflowAdjacencies(job: JobRecord): string {
  const quote = (text: string) => text.replace(/["=.]/g, '\\$&');
  const prefix = 'mapreduce.workflow.adjacency.';
  let text = '';
  for (const [name] of job.settings.entries())
    if (name.startsWith(prefix)) text += `"${quote(name.slice(prefix.length))}"="${quote(job.settings.text(name, ''))}" `;
  return text;
}

export function jobSubmitted(job: JobRecord): HistoryEvent {
  const { settings, accessLists } = job;
  return {
    type: 'JOB_SUBMITTED',
    event: {
      jobid: job.id,
      jobName: job.name,
      userName: job.user,
      submitTime: job.submitTimeMs,
      jobConfPath: job.configurationPath,
      acls:
        accessLists === undefined
          ? {}
          : { 'mapreduce.job.acl-view-job': accessLists.view, 'mapreduce.job.acl-modify-job': accessLists.modify },
      jobQueueName: settings.text('mapreduce.job.queuename', 'default'),
      workflowId: settings.text('mapreduce.workflow.id', ''),
      workflowName: settings.text('mapreduce.workflow.name', ''),
      workflowNodeName: settings.text('mapreduce.workflow.node.name', ''),
      workflowAdjacencies: workflowAdjacencies(job),
      workflowTags: settings.text('mapreduce.workflow.tags', ''),
    },
  };
}

export function jobQueueChanged(job: JobRecord): HistoryEvent {
  return { type: 'JOB_QUEUE_CHANGED', event: { jobid: job.id, jobQueueName: job.queue } };
}

export function jobInited(job: JobRecord): HistoryEvent[] {
  const [maps, reduces] = (['MAP', 'REDUCE'] as const).map((kind) => job.tasks.filter((task) => task.kind === kind).length);
  return [
    {
      type: 'JOB_INITED',
      event: {
        jobid: job.id,
        launchTime: job.startTimeMs,
        totalMaps: maps!,
        totalReduces: reduces!,
        jobStatus: 'INITED',
        uberized: job.uberized,
      },
    },
    { type: 'JOB_INFO_CHANGED', event: { jobid: job.id, submitTime: job.submitTimeMs, launchTime: job.startTimeMs } },
  ];
}

export function taskStarted(task: Task): HistoryEvent {
  return {
    type: 'TASK_STARTED',
    event: { taskid: task.id, taskType: task.kind, startTime: task.startTimeMs, splitLocations: task.split?.hosts.join(',') ?? '' },
  };
}

export function taskFinished(task: Task): HistoryEvent {
  return {
    type: 'TASK_FINISHED',
    event: {
      taskid: task.id,
      taskType: task.kind,
      finishTime: task.finishTimeMs,
      status: 'SUCCEEDED',
      counters: historyCounters(task.counters),
      successfulAttemptId: task.successfulAttempt,
    },
  };
}

/** A task that failed because of `attempt`, or was killed. */
export function taskUnsuccessful(task: Task, status: 'FAILED' | 'KILLED', attempt?: Attempt): HistoryEvent {
  return {
    type: 'TASK_FAILED',
    event: {
      taskid: task.id,
      taskType: task.kind,
      finishTime: task.finishTimeMs,
      error: attempt?.diagnostics.map((text) => `, ${text}`).join('') ?? '',
      failedDueToAttempt: attempt?.id ?? null,
      status,
      counters: historyCounters(task.counters),
    } as Extract<HistoryEvent, { type: 'TASK_FAILED' }>['event'],
  };
}

export function attemptStarted(task: Task, attempt: Attempt, shufflePort: number): HistoryEvent {
  return {
    type: `${attempt.kind}_ATTEMPT_STARTED`,
    event: {
      taskid: task.id,
      taskType: attempt.kind,
      attemptId: attempt.id,
      startTime: attempt.startTimeMs,
      trackerName: hostOf(attempt.nodeHttpAddress),
      httpPort: portOf(attempt.nodeHttpAddress),
      shufflePort,
      containerId: attempt.containerId ?? '',
      locality: attempt.locality,
      avataar: attempt.avataar,
    },
  };
}

const noSplits = { clockSplits: [], cpuUsages: [], vMemKbytes: [], physMemKbytes: [] };

export function attemptFinished(task: Task, attempt: Attempt): HistoryEvent {
  const common = {
    taskid: task.id,
    attemptId: attempt.id,
    taskType: attempt.kind,
    taskStatus: 'SUCCEEDED',
    finishTime: attempt.finishTimeMs,
    hostname: hostOf(attempt.nodeId),
    port: portOf(attempt.nodeId),
    rackname: attempt.rack ?? unknownName,
    state: attempt.statusText,
    counters: historyCounters(attempt.counters),
    ...noSplits,
  };
  return attempt.kind === 'MAP'
    ? { type: 'MAP_ATTEMPT_FINISHED', event: { ...common, mapFinishTime: attempt.mapFinishTimeMs } }
    : {
        type: 'REDUCE_ATTEMPT_FINISHED',
        event: { ...common, shuffleFinishTime: attempt.shuffleFinishTimeMs, sortFinishTime: attempt.sortFinishTimeMs },
      };
}

export function attemptUnsuccessful(task: Task, attempt: Attempt, status: 'FAILED' | 'KILLED'): HistoryEvent {
  return {
    type: `${attempt.kind}_ATTEMPT_${status}`,
    event: {
      taskid: task.id,
      taskType: attempt.kind,
      attemptId: attempt.id,
      finishTime: attempt.finishTimeMs,
      hostname: hostOf(attempt.nodeId),
      port: portOf(attempt.nodeId),
      rackname: attempt.rack ?? unknownName,
      status,
      error: attempt.diagnosticsAtEnd ?? attempt.diagnostics.join('\n'),
      counters: historyCounters(attempt.counters),
      ...noSplits,
    },
  };
}

/** Counts the ends of tasks. */
export function taskEnds(tasks: JobRecord['tasks']): TaskEnds {
  const count = (kind: 'MAP' | 'REDUCE', state: 'SUCCEEDED' | 'FAILED' | 'KILLED') =>
    tasks.filter((task) => task.kind === kind && task.state === state).length;
  return {
    finishedMaps: count('MAP', 'SUCCEEDED'),
    finishedReduces: count('REDUCE', 'SUCCEEDED'),
    failedMaps: count('MAP', 'FAILED'),
    failedReduces: count('REDUCE', 'FAILED'),
    killedMaps: count('MAP', 'KILLED'),
    killedReduces: count('REDUCE', 'KILLED'),
  };
}

export function jobEndEvent(job: JobRecord): HistoryEvent {
  const counts = job.taskEnds;
  const status = job.finalState;
  if (status === 'SUCCEEDED') {
    return {
      type: 'JOB_FINISHED',
      event: {
        jobid: job.id,
        finishTime: job.finishTimeMs,
        ...counts,
        totalCounters: historyCounters(job.totalCounters(), 'TOTAL_COUNTERS'),
        mapCounters: historyCounters(job.mapCounters(), 'MAP_COUNTERS'),
        reduceCounters: historyCounters(job.reduceCounters(), 'REDUCE_COUNTERS'),
      },
    };
  }
  const type = status === 'FAILED' ? 'JOB_FAILED' : status === 'ERROR' ? 'JOB_ERROR' : 'JOB_KILLED';
  return {
    type,
    event: { jobid: job.id, finishTime: job.finishTimeMs, ...counts, jobStatus: status, diagnostics: job.diagnostics.join('\n') },
  };
}

/** The events of a task that an earlier master brought to its end. */
export const recovered = (task: Task, attempt: Attempt, shufflePort: number): HistoryEvent[] => [
  taskStarted(task),
  attemptStarted(task, attempt, shufflePort),
  attemptFinished(task, attempt),
  taskFinished(task),
];

// Finished jobs as clients of Hadoop RPC are told of them (CompletedJob, CompletedTask, CompletedTaskAttempt, PartialJob of 3.4.2).
import { fileUri } from '../../wire/batch/configuration.ts';
import type { CompletedAttempt, CompletedJob, CompletedTask } from '../../wire/files/completed-job.ts';
import type { JobCounters } from '../../wire/files/job-counters.ts';
import type { JobIndex } from '../../wire/files/job-history-names.ts';
import { attemptIdMessage, containerIdMessage } from '../../wire/rpc/ids.ts';
import { jobIdMessage, taskAttemptIdMessage, taskIdMessage } from '../../wire/rpc/job-ids.ts';
import type { Encodable } from '../../wire/rpc/message.ts';
import type {
  AMInfoProto,
  CountersProto,
  JobReportProto,
  TaskAttemptCompletionEventProto,
  TaskAttemptReportProto,
  TaskReportProto,
} from '../../wire/rpc/tables/jobs.ts';

/** Where a job's files lie, and its page. */
export interface JobPlaces {
  readonly historyPath: string;
  readonly configurationPath: string;
  readonly trackingUrl: string;
}

const jobStates = ['SUCCEEDED', 'FAILED', 'KILLED', 'ERROR'] as const;
const endStates = ['SUCCEEDED', 'FAILED', 'KILLED'] as const;

/** The state of an enumeration whose names have a prefix; anything that is none of them is `otherwise`. */
const stateOf = <Prefix extends string, State extends string>(
  prefix: Prefix,
  states: readonly State[],
  text: string,
  otherwise: State,
): `${Prefix}_${State}` => `${prefix}_${states.find((state) => state === text) ?? otherwise}`;

/** All of a job but its tasks. */
export function jobReport(job: CompletedJob, { historyPath, configurationPath, trackingUrl }: JobPlaces): Encodable<typeof JobReportProto> {
  const share = (completed: number, total: number) => (total === 0 ? 1 : completed / total);
  return {
    job_id: jobIdMessage(job.id),
    job_state: stateOf('J', jobStates, job.state, 'ERROR'),
    map_progress: share(job.mapsCompleted, job.mapsTotal),
    reduce_progress: share(job.reducesCompleted, job.reducesTotal),
    start_time: job.startTimeMs,
    finish_time: job.finishTimeMs,
    user: job.user,
    jobName: job.name,
    trackingUrl,
    diagnostics: job.diagnostics,
    jobFile: fileUri(configurationPath),
    am_infos: job.masters.map((master) => masterInfo(job.id, master)),
    submit_time: job.submitTimeMs,
    is_uber: job.uberized,
    historyFile: fileUri(historyPath),
  };
}

function masterInfo(jobId: string, master: CompletedJob['masters'][number]): Encodable<typeof AMInfoProto> {
  const { host, port } = hostAndPort(master.nodeId);
  return {
    application_attempt_id: attemptIdMessage(`${jobId.replace(/^job/, 'appattempt')}_${String(master.number).padStart(6, '0')}`),
    start_time: master.startTimeMs,
    container_id: containerIdMessage(master.containerId),
    node_manager_host: host,
    node_manager_port: port,
    node_manager_http_port: hostAndPort(master.nodeHttpAddress).port,
  };
}

/** Of a job that is too large to be loaded: what the name of its file says. */
export const unreadJobReport = (index: JobIndex, places: JobPlaces): Encodable<typeof JobReportProto> => ({
  job_id: jobIdMessage(index.jobId),
  job_state: stateOf('J', jobStates, index.status, 'ERROR'),
  map_progress: 1,
  reduce_progress: 1,
  start_time: index.startTime,
  finish_time: index.finishTime,
  user: index.user,
  jobName: index.jobName,
  trackingUrl: places.trackingUrl,
  diagnostics: '',
  jobFile: fileUri(places.configurationPath),
  submit_time: index.submitTime,
  is_uber: false,
  historyFile: fileUri(places.historyPath),
});

/** All counters, by group and name. */
export const countersMessage = (counters: JobCounters): Encodable<typeof CountersProto> => ({
  counter_groups: counters.groups().map(({ name, displayName, counters: of }) => ({
    key: name,
    value: {
      name,
      display_name: displayName,
      counters: of.map((counter) => ({
        key: counter.name,
        value: { name: counter.name, display_name: counter.displayName, value: BigInt(counter.value) },
      })),
    },
  })),
});

export const taskReport = (task: CompletedTask): Encodable<typeof TaskReportProto> => ({
  task_id: taskIdMessage(task.id),
  task_state: stateOf('TS', endStates, task.state, 'KILLED'),
  progress: 1,
  start_time: task.startTimeMs,
  finish_time: task.finishTimeMs,
  counters: countersMessage(task.counters),
  // All of them, as Hadoop's history server has it.
  running_attempts: task.attempts.map(({ id }) => taskAttemptIdMessage(id)),
  ...(task.successfulAttempt === '' ? {} : { successful_attempt: taskAttemptIdMessage(task.successfulAttempt) }),
  diagnostics: task.attempts.flatMap(({ diagnostics }) => diagnostics),
});

export const taskAttemptReport = (attempt: CompletedAttempt): Encodable<typeof TaskAttemptReportProto> => ({
  task_attempt_id: taskAttemptIdMessage(attempt.id),
  task_attempt_state: stateOf('TA', endStates, attempt.state, 'KILLED'),
  progress: 1,
  start_time: attempt.startTimeMs,
  finish_time: attempt.finishTimeMs,
  counters: countersMessage(attempt.counters),
  diagnostic_info: attempt.diagnostics.join('\n'),
  state_string: attempt.statusText,
  shuffle_finish_time: attempt.shuffleFinishTimeMs,
  sort_finish_time: attempt.sortFinishTimeMs,
  node_manager_host: attempt.nodeHost === '' ? 'UNKNOWN' : attempt.nodeHost,
  node_manager_port: attempt.nodePort,
  node_manager_http_port: hostAndPort(attempt.nodeHttpAddress ?? '').port,
  ...(attempt.containerId === undefined || attempt.containerId === '' ? {} : { container_id: containerIdMessage(attempt.containerId) }),
});

/** The ends of a job's attempts, numbered in their order. */
export function completionEvents(job: CompletedJob): Encodable<typeof TaskAttemptCompletionEventProto>[] {
  const attempts = job.tasks.flatMap((task) => task.attempts);
  return attempts
    .toSorted((one, other) => one.finishTimeMs - other.finishTimeMs)
    .map((attempt, index) => ({
      attempt_id: taskAttemptIdMessage(attempt.id),
      status: stateOf('TACE', endStates, attempt.state, 'KILLED'),
      map_output_server_address: `${attempt.nodeHost}:${attempt.nodePort}`,
      attempt_run_time: attempt.startTimeMs > 0 && attempt.finishTimeMs > 0 ? attempt.finishTimeMs - attempt.startTimeMs : -1,
      event_id: index,
    }));
}

/** `host:port`, as far as it is there. */
function hostAndPort(text: string): { readonly host: string; readonly port: number } {
  const at = text.lastIndexOf(':');
  const port = Number(text.slice(at + 1));
  return { host: at < 0 ? text : text.slice(0, at), port: at >= 0 && Number.isInteger(port) ? port : 0 };
}

// All that is told of one batch job: of its master while it runs, of the history server, or of a history file (`.jhist`).

import { basename } from 'node:path';
import type { Long } from '../lib/java-long.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { isFinalApplicationState } from '../model/application-states.ts';
import type { PlainTask } from '../wire/batch/own-answers.ts';
import type { CompletedJob } from '../wire/files/completed-job.ts';
import type { JobIndex } from '../wire/files/job-history-names.ts';
import { connect } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { JobPages, jobPart } from './job-pages.ts';
import type { ClusterFlags } from './options.ts';

/** A job as Hadoop's interfaces show it; a running one lacks some of it. Times in epoch milliseconds, 0 or -1 where unknown. */
export interface JobFacts {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly queue: string;
  readonly state: string;
  readonly submitTime?: number;
  readonly startTime: number;
  readonly finishTime: number;
  readonly mapsTotal: number;
  readonly reducesTotal: number;
  readonly diagnostics?: string;
}

/** A generation of the job's master. */
export interface MasterFacts {
  readonly id: number;
  readonly startTime: number;
  readonly containerId: string;
  readonly nodeHttpAddress: string;
}

/** A group of counters of the whole job. */
export interface CounterGroup {
  readonly counterGroupName: string;
  readonly counter: readonly {
    readonly name: string;
    readonly mapCounterValue: Long;
    readonly reduceCounterValue: Long;
    readonly totalCounterValue: Long;
  }[];
}

/** A job with its tasks and their attempts. */
export interface JobRecord {
  readonly job: JobFacts;
  readonly masters: readonly MasterFacts[];
  readonly tasks: readonly PlainTask[];
  /** Empty where they were not asked for. */
  readonly counters: readonly CounterGroup[];
}

/** What is asked for besides the job. */
export interface JobRecordRequest {
  readonly counters: boolean;
  /** Whether a job that still runs is told, too. */
  readonly running: boolean;
}

/**
 * A task with its own end: histories tell of tasks that were ended with their job, or by hand, as failed (Hadoop's TaskFailedEvent), and only
 * what is said of their attempts tells them apart.
 */
function withOwnEnd(task: PlainTask): PlainTask {
  const isKilled =
    task.state === 'FAILED' &&
    (task.attempts.every(({ state }) => state !== 'FAILED') ||
      task.attempts.some(({ state, diagnostics }) => state === 'KILLED' && diagnostics?.includes('Task KILL is received') === true));
  return isKilled ? { ...task, state: 'KILLED' } : task;
}

/** Reads the job that an id or a path of a history file names. @throws CommandFailure */
export async function jobRecord(target: string, flags: ClusterFlags, request: JobRecordRequest): Promise<JobRecord> {
  if (target.endsWith('.jhist')) return recordOfFile(target);
  const pages = new JobPages(connect(flags), jobPart(target).jobId);
  const app = await pages.application();
  const runs = app !== undefined && !isFinalApplicationState(app.state);
  if (runs && !request.running)
    throw new CommandFailure(
      `${pages.jobId} is not over`,
      'See how far it is with "heddle job show", what happened so far with "heddle job events".',
    );
  const { job } = await pages.get<{ job: JobFacts }>('');
  const { jobAttempts } = await pages.get<{ jobAttempts?: { jobAttempt?: readonly MasterFacts[] } }>('/jobattempts');
  const tasks = await pages.tasks();
  const answer = request.counters
    ? await pages.counters<{ jobCounters?: { counterGroup?: readonly CounterGroup[] } }>('/counters')
    : { jobCounters: undefined };
  return {
    // A master does not tell when its job was submitted.
    job: job.submitTime === undefined && app?.startedTime !== undefined ? { ...job, submitTime: Number(app.startedTime) } : job,
    masters: jobAttempts?.jobAttempt ?? [],
    tasks: tasks.map(withOwnEnd),
    counters: answer.jobCounters?.counterGroup ?? [],
  };
}

async function recordOfFile(path: string): Promise<JobRecord> {
  // Only this way needs the readers of such files.
  const { readHistory, UnreadableHistory } = await import('../wire/files/job-history.ts');
  const { ContradictoryHistory, jobReading, readCompletedJob } = await import('../wire/files/completed-job.ts');
  const { parseHistoryFileName } = await import('../wire/files/job-history-names.ts');
  const { jobCountersView } = await import('../wire/batch/counters.ts');
  const { tasksPageView } = await import('../wire/batch/own-answers.ts');
  const { completedJobView } = await import('../wire/history/completed-job-view.ts');
  let job: CompletedJob;
  try {
    const events = await readHistory(path, jobReading);
    const submitted = events.find((event) => event.type === 'JOB_SUBMITTED')?.event;
    const named = parseHistoryFileName(basename(path));
    const index = named !== undefined && (submitted === undefined || named.user === submitted.userName) ? named : undefined;
    if (index === undefined && submitted === undefined) throw new UnreadableHistory('it does not say which job it is of');
    job = readCompletedJob(events, index ?? unnamed(submitted!));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof UnreadableHistory || error instanceof ContradictoryHistory)
      throw new CommandFailure(`${path}: no readable history file: ${message}`);
    if (code !== undefined)
      throw new CommandFailure(systemErrorText(error, path), 'Name a file that ends with .jhist, or the id of a job.', 2);
    throw error;
  }
  const { total, map, reduce } = await job.counters();
  const { acls, ...facts } = completedJobView(job);
  return {
    // Lists that are empty are left out, as in answers.
    job: { ...facts, ...(acls?.length ? { acls } : {}) } as JobFacts,
    masters: job.masters.map(({ number, startTimeMs, containerId, nodeHttpAddress }) => ({
      id: number,
      startTime: startTimeMs,
      containerId,
      nodeHttpAddress,
    })),
    tasks: tasksPageView(job.tasks, 0, Number.POSITIVE_INFINITY).tasks.map(withOwnEnd),
    counters: (jobCountersView(job.id, total, map, reduce).counterGroup ?? []) as unknown as readonly CounterGroup[],
  };
}

/** What the name of a finished job's file would say, of one that was renamed or is still written: how such a job ended only its events tell. */
const unnamed = (submitted: {
  readonly jobid: string;
  readonly submitTime: number;
  readonly userName: string;
  readonly jobName: string;
  readonly jobQueueName: string;
}): JobIndex => ({
  jobId: submitted.jobid,
  submitTime: submitted.submitTime,
  user: submitted.userName,
  jobName: submitted.jobName,
  finishTime: 0,
  maps: 0,
  reduces: 0,
  status: 'RUNNING',
  queue: submitted.jobQueueName,
  startTime: 0,
});

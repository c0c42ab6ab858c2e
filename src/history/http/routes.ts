// The history server's REST interface about jobs: /ws/v1/history and /ws/v1/history/mapreduce (HsWebServices of Hadoop 3.4).
import type { RouteAccess } from '../../auth/route-access.ts';
import { type Answer, lasting, ok, sliced } from '../../http/answers.ts';
import type { Call, Service } from '../../http/service.ts';
import { Failure, failure } from '../../model/errors.ts';
import { configuration, configurationView, fileUri } from '../../wire/batch/configuration.ts';
import { counterGroupsView, jobCounters, jobCountersView, taskAttemptCounters, taskCounters } from '../../wire/batch/counters.ts';
import { jobAttempts, jobAttemptsView } from '../../wire/batch/jobs.ts';
import { findAttempt, findTask, jobIdOf, tasksOfType } from '../../wire/batch/lookup.ts';
import { taskAttempt, taskAttempts, taskAttemptView } from '../../wire/batch/task-attempts.ts';
import { finishedTaskView, task as taskRecord, tasks as tasksRecord } from '../../wire/batch/tasks.ts';
import { madeOnTheWay } from '../../wire/codec/pieces.ts';
import type { CompletedJob } from '../../wire/files/completed-job.ts';
import { completedJobView } from '../../wire/history/completed-job-view.ts';
import { historyInfo } from '../../wire/history/history-info.ts';
import { job as jobRecord, jobs as jobsRecord, listedJobView, unparsedJobView } from '../../wire/history/jobs.ts';
import { filterJobs, readJobFilter } from '../jobs/job-filter.ts';
import type { StoredJob } from '../jobs/job-folders.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { JobAccess } from './access.ts';

/** What the routes serve. */
export interface HistoryRouteOptions {
  readonly store: JobStore;
  readonly access: JobAccess;
  readonly startedMs: number;
  /** Version texts of the Hadoop release whose interface is served. */
  readonly version: { readonly hadoopVersion: string; readonly hadoopBuildVersion: string; readonly hadoopVersionBuiltOn: string };
}

/** Finds the job of a path. @throws Failure JOB_PART_ID_MALFORMED, JOB_NOT_FOUND */
export async function storedJob(store: JobStore, text: string): Promise<StoredJob> {
  const stored = await store.find(jobIdOf(text));
  if (!stored) throw failure('JOB_NOT_FOUND', { id: text });
  return stored;
}

const root = '/ws/v1/history';

/** Mounts the interface. */
export function mountHistoryRoutes(service: Service, { store, access, startedMs, version }: HistoryRouteOptions): void {
  const get = (path: string, about: string, access: RouteAccess, handle: (call: Call<never>) => Answer | Promise<Answer>) =>
    service.route({ method: 'GET', path: `${root}${path}`, about, access, handle });

  /** The job with its tasks, undefined where it is too large to be loaded; who may not see it is refused. */
  async function visible(call: Call<never>): Promise<{ stored: StoredJob; job: CompletedJob | undefined }> {
    const stored = await storedJob(store, call.params['jobid']!);
    if (store.isTooLarge(stored)) return { stored, job: undefined };
    const job = await store.load(stored);
    access.checkJob(job, call.user);
    return { stored, job };
  }
  /** The task of a path; a job that is not loaded has none. */
  async function visibleTask(call: Call<never>) {
    const { job } = await visible(call);
    return findTask(job ?? { task: () => undefined }, call.params['taskid']!);
  }
  const visibleAttempt = async (call: Call<never>) => findAttempt(await visibleTask(call), call.params['attemptid']!);

  for (const path of ['', '/info'])
    get(path, 'The history server.', 'facts', () => lasting(historyInfo, { startedOn: startedMs, ...version }));
  get('/mapreduce/jobs', 'Finished jobs, filtered.', 'overview', async (call) => {
    const filter = readJobFilter(call.query);
    return sliced(jobsRecord, { job: madeOnTheWay(filterJobs(await store.list(), filter), listedJobView) });
  });
  get('/mapreduce/jobs/:jobid', 'A finished job.', 'view', async (call) => {
    const { stored, job } = await visible(call);
    return ok(jobRecord, job ? completedJobView(job) : unparsedJobView(stored.index));
  });
  get('/mapreduce/jobs/:jobid/jobattempts', "Generations of the job's master.", 'view', async (call) => {
    const { job } = await visible(call);
    const base = `${call.scheme}://${call.host}/jobhistory/logs`;
    return ok(
      jobAttempts,
      jobAttemptsView(job?.masters ?? [], ({ nodeId, containerId }) => `${base}/${nodeId}/${containerId}/${job!.id}/${job!.user}`),
    );
  });
  get('/mapreduce/jobs/:jobid/counters', 'Counters of the job: totals, and what maps and reduces contribute.', 'view', async (call) => {
    const { stored, job } = await visible(call);
    if (!job) return ok(jobCounters, { id: stored.index.jobId });
    const { total, map, reduce } = await job.counters();
    return ok(jobCounters, jobCountersView(job.id, total, map, reduce));
  });
  get('/mapreduce/jobs/:jobid/conf', 'The configuration of the job.', 'view', async (call) => {
    const { stored } = await visible(call);
    const { path, properties } = await store.configuration(stored);
    return ok(configuration, configurationView(fileUri(path), properties));
  });
  get('/mapreduce/jobs/:jobid/tasks', 'The tasks of the job.', 'view', async (call) => {
    const { job } = await visible(call);
    return sliced(tasksRecord, { task: madeOnTheWay(tasksOfType(job?.tasks ?? [], call.query.first('type')), finishedTaskView) });
  });
  const taskPath = '/mapreduce/jobs/:jobid/tasks/:taskid';
  get(taskPath, 'A task.', 'view', async (call) => ok(taskRecord, finishedTaskView(await visibleTask(call))));
  get(`${taskPath}/counters`, 'Counters of a task.', 'view', async (call) => {
    try {
      const task = await visibleTask(call);
      return ok(taskCounters, { id: task.id, taskCounterGroup: counterGroupsView(task.counters) });
    } catch (error) {
      // Only here a malformed task id is a bad request (HsWebServices.getSingleTaskCounters parses outside of the usual guard).
      if (!(error instanceof Failure) || error.code !== 'JOB_PART_ID_MALFORMED') throw error;
      const number = /^For input string: "(.*)"$/.exec(error.message)?.[1];
      if (number !== undefined) throw failure('BAD_NUMBER', { value: number });
      const malformed = /^(TaskId|Unrecognized)/.test(error.message);
      throw malformed ? failure('HISTORY_TASK_ID_MALFORMED', { reason: error.message }) : error;
    }
  });
  get(`${taskPath}/attempts`, 'The attempts at a task.', 'view', async (call) => {
    const task = await visibleTask(call);
    return ok(taskAttempts, { taskAttempt: task.attempts.map((attempt) => taskAttemptView(attempt)) });
  });
  const attemptPath = `${taskPath}/attempts/:attemptid`;
  get(attemptPath, 'An attempt.', 'view', async (call) => ok(taskAttempt, taskAttemptView(await visibleAttempt(call))));
  get(`${attemptPath}/counters`, 'Counters of an attempt.', 'view', async (call) => {
    const attempt = await visibleAttempt(call);
    return ok(taskAttemptCounters, { id: attempt.id, taskAttemptCounterGroup: counterGroupsView(attempt.counters) });
  });
}

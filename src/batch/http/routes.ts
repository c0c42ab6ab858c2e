// The MapReduce master's REST interface below /ws/v1/mapreduce (AMWebServices of Hadoop 3.4), and its pages.
import { type GroupsOf, isAllowed } from '../../auth/access-lists.ts';
import { type Answer, ok } from '../../http/answers.ts';
import type { Call, Route, Service } from '../../http/service.ts';
import type { Clock } from '../../lib/clock.ts';
import { parseAccessList } from '../../model/access-list.ts';
import { failure } from '../../model/errors.ts';
import { configuration, configurationView, fileUri } from '../../wire/batch/configuration.ts';
import { counterGroupsView, jobCounters, jobCountersView, taskAttemptCounters, taskCounters } from '../../wire/batch/counters.ts';
import type { MasterGenerationFacts } from '../../wire/batch/facts.ts';
import { jobAttempts, jobAttemptsView, job as jobRecord, jobs, jobView, masterInfo } from '../../wire/batch/jobs.ts';
import { findAttempt, findTask, jobIdOf, tasksOfType } from '../../wire/batch/lookup.ts';
import { taskAttempt, taskAttemptState, taskAttempts, taskAttemptView } from '../../wire/batch/task-attempts.ts';
import { runningTaskView, task as taskRecord, tasks as tasksRecord } from '../../wire/batch/tasks.ts';
import type { RunningJob } from '../application-master/job-view.ts';
import { mountPages } from './pages.ts';

/** What the routes need besides the job. */
export interface MasterRouteOptions {
  readonly clock: Clock;
  /** `mapreduce.cluster.administrators`; default no user. */
  readonly administrators?: string;
  readonly groupsOf?: GroupsOf;
  /** `https` where the nodes' pages are; default `http`. */
  readonly nodeScheme?: 'http' | 'https';
}

const root = '/ws/v1/mapreduce';

/** Mounts the interface on a service; `currentJob` is asked at each request. */
export function mountMasterRoutes(service: Service, currentJob: () => RunningJob, options: MasterRouteOptions): void {
  const { clock, groupsOf = () => [], nodeScheme = 'http' } = options;
  const administrators = parseAccessList(options.administrators ?? ' ');

  /** Whether access lists let the caller pass; a caller without a name passes, as does every caller where lists are off. */
  function may(job: RunningJob, kind: 'view' | 'modify', user: string | undefined): boolean {
    const list = job.accessLists?.[kind];
    if (list === undefined || user === undefined || user === job.user) return true;
    return isAllowed(administrators, user, groupsOf) || isAllowed(parseAccessList(list), user, groupsOf);
  }

  function findJob(call: Call<never>): RunningJob {
    const text = call.params['jobid']!;
    const id = jobIdOf(text);
    const job = currentJob();
    if (job.id !== id) throw failure('JOB_NOT_FOUND', { id: text });
    return job;
  }
  function viewJob(call: Call<never>): RunningJob {
    const job = findJob(call);
    if (!may(job, 'view', call.user)) throw failure('JOB_VIEW_DENIED', { user: call.user ?? '', id: job.id });
    return job;
  }
  const viewTask = (call: Call<never>) => findTask(viewJob(call), call.params['taskid']!);
  const viewAttempt = (call: Call<never>) => findAttempt(viewTask(call), call.params['attemptid']!);

  const logsLink = (user: string) => (generation: MasterGenerationFacts) =>
    `${nodeScheme}://${generation.nodeHttpAddress}/node/containerlogs/${generation.containerId}/${user}`;

  const get = (path: string, about: string, handle: (call: Call<never>) => Answer) =>
    service.route({ method: 'GET', path: `${root}${path}`, about, handle } satisfies Route<never>);

  for (const path of ['', '/info']) {
    get(path, 'The master and its application.', () => {
      const job = currentJob();
      return ok(masterInfo, {
        appId: job.applicationId,
        name: job.name,
        user: job.user,
        startedOn: job.masterStartTimeMs,
        elapsedTime: Math.max(0, clock.now() - job.masterStartTimeMs),
      });
    });
  }
  get('/blacklistednodes', 'Nodes that the master avoids.', () => {
    throw failure('BLACKLIST_NOT_KEPT');
  });
  get('/jobs', 'The job of this master, as a list.', (call) => {
    const job = currentJob();
    return ok(jobs, { job: [jobView(job, clock.now(), may(job, 'view', call.user))] });
  });
  get('/jobs/:jobid', 'The job.', (call) => {
    const job = findJob(call);
    return ok(jobRecord, jobView(job, clock.now(), may(job, 'view', call.user)));
  });
  get('/jobs/:jobid/jobattempts', 'The generations of the master.', (call) => {
    const job = findJob(call);
    return ok(jobAttempts, jobAttemptsView(job.masters, logsLink(job.user)));
  });
  get('/jobs/:jobid/counters', 'Counters of the job: totals, and what maps and reduces contribute.', (call) => {
    const job = viewJob(call);
    return ok(jobCounters, jobCountersView(job.id, job.totalCounters(), job.mapCounters(), job.reduceCounters()));
  });
  get('/jobs/:jobid/conf', 'The configuration of the job.', (call) => {
    const job = viewJob(call);
    return ok(configuration, configurationView(fileUri(job.configurationPath), job.configuration));
  });
  get('/jobs/:jobid/tasks', 'The tasks of the job.', (call) => {
    const now = clock.now();
    const chosen = tasksOfType(viewJob(call).tasks, call.query.first('type'));
    return ok(tasksRecord, { task: chosen.map((task) => runningTaskView(task, now)) });
  });
  const taskPath = '/jobs/:jobid/tasks/:taskid';
  get(taskPath, 'A task.', (call) => ok(taskRecord, runningTaskView(viewTask(call), clock.now())));
  get(`${taskPath}/counters`, 'Counters of a task: those of its best attempt.', (call) => {
    const task = viewTask(call);
    return ok(taskCounters, { id: task.id, taskCounterGroup: counterGroupsView(task.counters) });
  });
  get(`${taskPath}/attempts`, 'The attempts at a task.', (call) => {
    const now = clock.now();
    return ok(taskAttempts, { taskAttempt: viewTask(call).attempts.map((attempt) => taskAttemptView(attempt, now)) });
  });
  const attemptPath = `${taskPath}/attempts/:attemptid`;
  get(attemptPath, 'An attempt.', (call) => ok(taskAttempt, taskAttemptView(viewAttempt(call), clock.now())));
  get(`${attemptPath}/counters`, 'Counters of an attempt.', (call) => {
    const attempt = viewAttempt(call);
    return ok(taskAttemptCounters, { id: attempt.id, taskAttemptCounterGroup: counterGroupsView(attempt.counters) });
  });
  get(`${attemptPath}/state`, 'The state of an attempt.', (call) => ok(taskAttemptState, { state: viewAttempt(call).state }));

  service.route<{ state?: string | undefined }>({
    method: 'PUT',
    path: `${root}${attemptPath}/state`,
    about: 'Kills an attempt.',
    body: taskAttemptState,
    handle: (call) => {
      const job = viewJob(call as unknown as Call<never>);
      const attempt = findAttempt(findTask(job, call.params['taskid']!), call.params['attemptid']!);
      const { state } = call.body;
      if (state === undefined || state === null) throw failure('TARGET_STATE_MISSING');
      if (state === attempt.state) return ok(taskAttemptState, { state });
      if (state !== 'KILLED') throw failure('TARGET_STATE_REFUSED');
      const user = call.user ?? 'dr.who';
      if (!may(job, 'modify', user)) throw failure('JOB_MODIFY_DENIED', { user, id: job.id });
      job.killAttempt(attempt.id, `Kill task attempt ${attempt.id} received from ${user} (auth:SIMPLE) at null`);
      return ok(taskAttemptState, { state });
    },
  });
  mountPages(service, { currentJob, clock, mayView: (job, user) => may(job, 'view', user) });
}

// The MapReduce master's REST interface below /ws/v1/mapreduce (AMWebServices of Hadoop 3.4), and its pages.
import { type GroupsOf, isAllowed } from '../../auth/access-lists.ts';
import type { Audit } from '../../auth/audit-log.ts';
import type { RouteAccess } from '../../auth/route-access.ts';
import { type Answer, json, ok, sliced } from '../../http/answers.ts';
import { awaitedAnswer } from '../../http/awaited-answer.ts';
import type { Call, Route, Service } from '../../http/service.ts';
import { Changes } from '../../lib/changes.ts';
import type { Clock } from '../../lib/clock.ts';
import { type AccessList, parseAccessList } from '../../model/access-list.ts';
import { failure } from '../../model/errors.ts';
import { configuration, configurationView, fileUri } from '../../wire/batch/configuration.ts';
import { counterGroupsView, jobCounters, jobCountersView, taskAttemptCounters, taskCounters } from '../../wire/batch/counters.ts';
import type { MasterGenerationFacts } from '../../wire/batch/facts.ts';
import { avoidedHosts, jobAttempts, jobAttemptsView, job as jobRecord, jobs, jobView, masterInfo } from '../../wire/batch/jobs.ts';
import { findAttempt, findTask, jobIdOf, tasksOfType } from '../../wire/batch/lookup.ts';
import { plainJobView, readTaskCursor, tasksPageView } from '../../wire/batch/own-answers.ts';
import { taskAttempt, taskAttemptState, taskAttempts, taskAttemptView } from '../../wire/batch/task-attempts.ts';
import { runningTaskView, task as taskRecord, tasks as tasksRecord } from '../../wire/batch/tasks.ts';
import { madeOnTheWay } from '../../wire/codec/pieces.ts';
import type { JobState, RunningJob } from '../application-master/job-view.ts';
import { mountPages } from './pages.ts';
import { mountStateRoutes } from './state-routes.ts';

/** What the routes need besides the job. */
export interface MasterRouteOptions {
  readonly clock: Clock;
  /** `mapreduce.cluster.administrators`; default no user. */
  readonly administrators?: string;
  readonly groupsOf?: GroupsOf;
  /** `https` where the nodes' pages are; default `http`. */
  readonly nodeScheme?: 'http' | 'https';
  /** Hosts that the master avoids; default none. */
  readonly avoidedHosts?: () => readonly string[];
  readonly audit: Audit;
  /** Tells of changes of the job, by its id; default none. */
  readonly changes?: Changes;
}

const root = '/ws/v1/mapreduce';

/** Finds what a call names, for callers who may see it. */
class JobLookup {
  readonly currentJob: () => RunningJob;
  readonly #administrators: AccessList;
  readonly #groupsOf: GroupsOf;
  readonly #nodeScheme: 'http' | 'https';

  constructor(currentJob: () => RunningJob, { administrators = ' ', groupsOf = () => [], nodeScheme = 'http' }: MasterRouteOptions) {
    this.currentJob = currentJob;
    this.#administrators = parseAccessList(administrators);
    this.#groupsOf = groupsOf;
    this.#nodeScheme = nodeScheme;
  }

  /** Whether access lists let the caller pass; every caller where lists are off, and where they are on none without a name. */
  may(job: RunningJob, kind: 'view' | 'modify', user: string | undefined): boolean {
    const list = job.accessLists?.[kind];
    if (list === undefined || user === job.user) return true;
    if (user === undefined) return false;
    return isAllowed(this.#administrators, user, this.#groupsOf) || isAllowed(parseAccessList(list), user, this.#groupsOf);
  }

  /** @throws Failure JOB_NOT_FOUND, or for a malformed id */
  findJob(call: Pick<Call, 'params'>): RunningJob {
    const text = call.params['jobid']!;
    const id = jobIdOf(text);
    const job = this.currentJob();
    if (job.id !== id) throw failure('JOB_NOT_FOUND', { id: text });
    return job;
  }

  /** @throws Failure JOB_VIEW_DENIED, and those of `findJob` */
  viewJob(call: Pick<Call, 'params' | 'user'>): RunningJob {
    const job = this.findJob(call);
    if (!this.may(job, 'view', call.user)) throw failure('JOB_VIEW_DENIED', { user: call.user ?? '', id: job.id });
    return job;
  }

  viewTask(call: Pick<Call, 'params' | 'user'>) {
    return findTask(this.viewJob(call), call.params['taskid']!);
  }

  viewAttempt(call: Pick<Call, 'params' | 'user'>) {
    return findAttempt(this.viewTask(call), call.params['attemptid']!);
  }

  /** The address of the logs of the master's generations. */
  logsLink(user: string): (generation: MasterGenerationFacts) => string {
    return ({ nodeHttpAddress, containerId }) => `${this.#nodeScheme}://${nodeHttpAddress}/node/containerlogs/${containerId}/${user}`;
  }
}

const finalStates: ReadonlySet<string> = new Set<JobState>(['SUCCEEDED', 'FAILED', 'KILLED', 'ERROR']);

type AddRoute = (path: string, about: string, access: RouteAccess, handle: (call: Call<never>) => Answer) => void;

/** Mounts the interface on a service; `currentJob` is asked at each request. */
export function mountMasterRoutes(service: Service, currentJob: () => RunningJob, options: MasterRouteOptions): void {
  const lookup = new JobLookup(currentJob, options);
  const { clock } = options;
  const get: AddRoute = (path, about, access, handle) =>
    service.route({ method: 'GET', path: `${root}${path}`, about, access, handle } satisfies Route<never>);
  get('/blacklistednodes', 'Hosts that the master avoids.', 'facts', () =>
    ok(avoidedHosts, { blacklistedNodes: options.avoidedHosts?.() ?? [] }),
  );
  addJobRoutes(get, lookup, clock);
  addTaskRoutes(get, lookup, clock);
  service.route<{ state?: string | undefined }>({
    method: 'PUT',
    path: `${root}${attemptPath}/state`,
    about: 'Kills an attempt.',
    access: 'modify',
    body: taskAttemptState,
    handle: (call) => changeState(lookup, options.audit, call),
  });
  const changes = options.changes ?? new Changes();
  service.route<never>({
    method: 'GET',
    path: '/api/v1/jobs/:jobid',
    about: 'The job; waits for a change, or for its end, where asked.',
    access: 'view',
    produces: ['json'],
    handle: (call) =>
      awaitedAnswer(call, {
        name: lookup.viewJob(call).id,
        changes,
        clock,
        read() {
          const job = lookup.viewJob(call);
          return { isOver: finalStates.has(job.state), value: () => plainJobView(job) };
        },
      }),
  });
  service.route<never>({
    method: 'GET',
    path: '/api/v1/jobs/:jobid/tasks',
    about: 'All tasks of the job with their attempts.',
    access: 'view',
    produces: ['json'],
    handle: (call) => {
      const { tasks } = lookup.viewJob(call);
      const from = readTaskCursor(call.query.first('cursor'));
      if (from === undefined) throw failure('BAD_REQUEST', { reason: 'cursor is none of this list' });
      return json(tasksPageView(tasks, from));
    },
  });
  mountStateRoutes(service, lookup, options.audit);
  mountPages(service, { currentJob, clock, mayView: (job, user) => lookup.may(job, 'view', user) });
}

function addJobRoutes(get: AddRoute, lookup: JobLookup, clock: Clock): void {
  for (const path of ['', '/info']) {
    get(path, 'The master and its application.', 'facts', () => {
      const job = lookup.currentJob();
      return ok(masterInfo, {
        appId: job.applicationId,
        name: job.name,
        user: job.user,
        startedOn: job.masterStartTimeMs,
        elapsedTime: Math.max(0, clock.now() - job.masterStartTimeMs),
      });
    });
  }
  get('/jobs', 'The job of this master, as a list.', 'overview', (call) => {
    const job = lookup.currentJob();
    return ok(jobs, { job: [jobView(job, clock.now(), lookup.may(job, 'view', call.user))] });
  });
  get('/jobs/:jobid', 'The job.', 'overview', (call) => {
    const job = lookup.findJob(call);
    return ok(jobRecord, jobView(job, clock.now(), lookup.may(job, 'view', call.user)));
  });
  get('/jobs/:jobid/jobattempts', 'The generations of the master.', 'view', (call) => {
    const job = lookup.viewJob(call);
    return ok(jobAttempts, jobAttemptsView(job.masters, lookup.logsLink(job.user)));
  });
  get('/jobs/:jobid/counters', 'Counters of the job: totals, and what maps and reduces contribute.', 'view', (call) => {
    const job = lookup.viewJob(call);
    return ok(jobCounters, jobCountersView(job.id, job.totalCounters(), job.mapCounters(), job.reduceCounters()));
  });
  get('/jobs/:jobid/conf', 'The configuration of the job.', 'view', (call) => {
    const job = lookup.viewJob(call);
    // It is read from this path here: Hadoop's master names it so, too, where its history names the file by its name.
    const properties = job.configuration.map(({ sources, ...one }) => ({
      ...one,
      sources: sources.at(-1) === 'job.xml' ? sources.slice(0, -1) : sources,
    }));
    return ok(configuration, configurationView(fileUri(job.configurationPath), properties));
  });
  get('/jobs/:jobid/tasks', 'The tasks of the job.', 'view', (call) => {
    const now = clock.now();
    const chosen = tasksOfType(lookup.viewJob(call).tasks, call.query.first('type'));
    return sliced(tasksRecord, { task: madeOnTheWay([...chosen], (task) => runningTaskView(task, now)) });
  });
}

const taskPath = '/jobs/:jobid/tasks/:taskid';
const attemptPath = `${taskPath}/attempts/:attemptid`;

function addTaskRoutes(get: AddRoute, lookup: JobLookup, clock: Clock): void {
  get(taskPath, 'A task.', 'view', (call) => ok(taskRecord, runningTaskView(lookup.viewTask(call), clock.now())));
  get(`${taskPath}/counters`, 'Counters of a task: those of its best attempt.', 'view', (call) => {
    const task = lookup.viewTask(call);
    return ok(taskCounters, { id: task.id, taskCounterGroup: counterGroupsView(task.counters) });
  });
  get(`${taskPath}/attempts`, 'The attempts at a task.', 'view', (call) => {
    const now = clock.now();
    return ok(taskAttempts, { taskAttempt: lookup.viewTask(call).attempts.map((attempt) => taskAttemptView(attempt, now)) });
  });
  get(attemptPath, 'An attempt.', 'view', (call) => ok(taskAttempt, taskAttemptView(lookup.viewAttempt(call), clock.now())));
  get(`${attemptPath}/counters`, 'Counters of an attempt.', 'view', (call) => {
    const attempt = lookup.viewAttempt(call);
    return ok(taskAttemptCounters, { id: attempt.id, taskAttemptCounterGroup: counterGroupsView(attempt.counters) });
  });
  get(`${attemptPath}/state`, 'The state of an attempt.', 'view', (call) =>
    ok(taskAttemptState, { state: lookup.viewAttempt(call).state }),
  );
}

/** Ends an attempt: KILLED is the one state that callers may ask for. @throws Failure TARGET_STATE_MISSING, TARGET_STATE_REFUSED, JOB_MODIFY_DENIED */
function changeState(lookup: JobLookup, audit: Audit, call: Call<{ state?: string | undefined }>): Answer {
  const job = lookup.viewJob(call);
  const attempt = findAttempt(findTask(job, call.params['taskid']!), call.params['attemptid']!);
  const { state } = call.body;
  if (state === undefined || state === null) throw failure('TARGET_STATE_MISSING');
  if (state === attempt.state) return ok(taskAttemptState, { state });
  if (state !== 'KILLED') throw failure('TARGET_STATE_REFUSED');
  const user = call.user ?? 'dr.who';
  const operation = { operation: 'kill task attempt', target: attempt.id };
  if (!lookup.may(job, 'modify', call.user))
    throw audit.refused(call.caller, operation, failure('JOB_MODIFY_DENIED', { user, id: job.id }));
  audit.changed(call.caller, operation);
  job.killAttempt(attempt.id, `Kill task attempt ${attempt.id} received from ${user} (auth:SIMPLE) at null`);
  return ok(taskAttemptState, { state });
}

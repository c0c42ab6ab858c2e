// Pages of finished jobs, for browsers: the list, a job, its tasks, attempts, counters and configuration.

import type { RouteAccess } from '../../auth/route-access.ts';
import type { Answer } from '../../http/answers.ts';
import { htmlAnswer, text } from '../../http/answers.ts';
import { rootRoutes } from '../../http/container-pages.ts';
import { type Html, type HtmlValue, html, joined } from '../../http/html.ts';
import { counterTables, link, linkedPage, singleCounterTable, table } from '../../http/pages.ts';
import type { Call, Service } from '../../http/service.ts';
import { Failure, failure } from '../../model/errors.ts';
import { knownMeanMs } from '../../model/job-means.ts';
import { elapsedMs } from '../../wire/batch/facts.ts';
import { findTask, jobIdOf } from '../../wire/batch/lookup.ts';
import type { CompletedJob } from '../../wire/files/completed-job.ts';
import { writeJobConfiguration } from '../../wire/files/job-configuration.ts';
import { completedJobView } from '../../wire/history/completed-job-view.ts';
import { filterJobs, readJobFilter } from '../jobs/job-filter.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { JobAccess } from './access.ts';
import { storedJob } from './routes.ts';

const shownJobs = 1000;
/** Rows of tasks or attempts on a page; the web page has all of them, some at a time. */
const shownRows = 2000;

/** The first of many, and what is said of the others. */
function firstOf<Item>(items: readonly Item[], what: string): { first: readonly Item[]; note: HtmlValue } {
  if (items.length <= shownRows) return { first: items, note: '' };
  return { first: items.slice(0, shownRows), note: html`<p>The first ${shownRows} of ${items.length} ${what} are shown.</p>\n` };
}

const time = (ms: number) => (ms > 0 ? new Date(ms).toUTCString() : 'N/A');
const duration = (from: number, to: number) => `${(elapsedMs(from, to) / 1000).toFixed(1)} s`;
const logsLink = (nodeId: string, containerId: string, entity: string, user: string) =>
  link(`/jobhistory/logs/${nodeId}/${containerId}/${entity}/${encodeURIComponent(user)}`, 'logs');

/** A page, and at which place of the web pages the same is shown. */
const whole = (title: string, place: string, body: Html): Answer => htmlAnswer(200, linkedPage(title, place, body));

/** What the pages are made of. */
export interface HistoryPageOptions {
  readonly store: JobStore;
  readonly access: JobAccess;
  readonly startedMs: number;
  /** Of Hadoop, as programs are told. */
  readonly version: string;
}

/** What Hadoop says where the address ends before the id. */
const missingIds = {
  'Bad Request: Missing job ID': ['job', 'conf', 'downloadconf', 'jobcounters', 'tasks', 'attempts', 'singlejobcounter'],
  'missing task ID': ['task', 'taskcounters', 'singletaskcounter'],
};

/** Mounts the pages. */
export function mountHistoryPages(service: Service, { store, access, startedMs, version }: HistoryPageOptions): void {
  const get = (path: string, about: string, access: RouteAccess, handle: (call: Call<never>) => Answer | Promise<Answer>) =>
    service.route({
      method: 'GET',
      path,
      produces: 'any',
      about,
      access,
      handle: async (call) => {
        try {
          return await handle(call as Call<never>);
        } catch (error) {
          return asLine(call as Call<never>, error);
        }
      },
    });
  async function load(call: Call<never>, id: string): Promise<CompletedJob> {
    const stored = await storedJob(store, id);
    if (store.isTooLarge(stored)) throw failure('JOB_NOT_FOUND', { id });
    const job = await store.load(stored);
    access.checkJob(job, call.user);
    return job;
  }
  const job = (call: Call<never>) => load(call, call.params['jobid']!);

  for (const route of rootRoutes('/jobhistory')) service.route(route);
  for (const path of ['/jobhistory', '/jobhistory/app'])
    get(path, 'The list of finished jobs, newest first.', 'overview', (call) => jobsPage(store, call));
  get('/jobhistory/job/:jobid', 'A job.', 'view', async (call) => jobPage(await job(call)));
  for (const [said, names] of Object.entries(missingIds))
    for (const name of names) get(`/jobhistory/${name}`, 'Asks for an id.', 'facts', () => text(400, said, 'text/plain;charset=utf-8'));
  get('/jobhistory/about', 'The history server.', 'facts', () => aboutPage(startedMs, version));
  get('/jobhistory/tasks/:jobid', 'Tasks of both kinds.', 'view', async (call) => tasksPage(await job(call)));
  get('/jobhistory/tasks/:jobid/:type', 'Tasks of one kind.', 'view', async (call) =>
    tasksPage(await job(call), call.params['type'] === 'r' ? 'REDUCE' : 'MAP'),
  );
  const ofTask = (call: Call<never>) => {
    const [, timestamp, number] = call.params['taskid']!.split('_');
    return load(call, jobIdOf(`job_${timestamp}_${number}`));
  };
  get('/jobhistory/task/:taskid', 'Attempts at a task.', 'view', async (call) => taskPage(await ofTask(call), call.params['taskid']!));
  get('/jobhistory/taskcounters/:taskid', 'Counters of a task.', 'view', async (call) =>
    taskCountersPage(await ofTask(call), call.params['taskid']!),
  );
  get('/jobhistory/attempts/:jobid/:type/:state', 'Attempts of one kind in one state.', 'view', async (call) => {
    const { type, state } = call.params;
    return attemptsPage(await job(call), type === 'r' ? 'REDUCE' : 'MAP', state!.toUpperCase());
  });
  get('/jobhistory/jobcounters/:jobid', 'Counters of a job.', 'view', async (call) => countersPage(await job(call)));
  get('/jobhistory/conf/:jobid', 'Configuration of a job.', 'view', async (call) => configurationPage(store, await job(call)));
  get('/jobhistory/downloadconf/:jobid', 'Configuration of a job, as a file.', 'view', async (call) =>
    configurationFile(store, await job(call)),
  );
  for (const parts of ['', '/:group/:counter']) {
    get(`/jobhistory/singlejobcounter/:jobid${parts}`, 'One counter of a job and its tasks.', 'view', async (call) =>
      jobCounterPage(await job(call), call.params),
    );
    get(`/jobhistory/singletaskcounter/:taskid${parts}`, 'One counter of the attempts at a task.', 'view', async (call) =>
      taskCounterPage(await ofTask(call), call.params),
    );
  }
}

/** Browsers get a line instead of the error document. @throws what is no refusal */
function asLine(call: Call<never>, error: unknown): Answer {
  if (!(error instanceof Failure) || error.entry.status >= 500) throw error;
  const id = call.params['jobid'] ?? call.params['taskid'] ?? '';
  const line = error.entry.status === 404 ? `Not Found: ${id}` : error.message;
  return { ...text(error.entry.status, line, 'text/plain;charset=utf-8'), failure: error };
}

async function jobsPage(store: JobStore, call: Call<never>): Promise<Answer> {
  const found = filterJobs(await store.list(), readJobFilter(call.query)).reverse();
  const rows = found
    .slice(0, shownJobs)
    .map((index) => [
      time(index.submitTime),
      time(index.startTime),
      time(index.finishTime),
      link(`/jobhistory/job/${index.jobId}`, index.jobId),
      index.jobName,
      index.user,
      index.queue,
      index.status,
      String(index.maps),
      String(index.reduces),
    ]);
  const head = ['Submit Time', 'Start Time', 'Finish Time', 'Job ID', 'Name', 'User', 'Queue', 'State', 'Maps', 'Reduces'];
  const note =
    found.length > shownJobs
      ? html`<p>The newest ${shownJobs} of ${found.length} jobs are shown; user, queue, state and times in the query narrow the list.</p>`
      : '';
  return whole('JobHistory', 'jobs', html`<h1>JobHistory</h1>\n${note}${table(head, rows)}`);
}

function jobPage(shown: CompletedJob): Answer {
  const view = completedJobView(shown);
  const base = '/jobhistory';
  const span = { startTime: shown.startTimeMs, finishTime: shown.finishTimeMs || shown.startTimeMs };
  const mean = (time: number | bigint | undefined) => {
    const ms = knownMeanMs(Number(time ?? 0), span);
    return ms === undefined ? 'N/A' : `${ms} ms`;
  };
  const rows: [string, HtmlValue][] = [
    ['Job Name', shown.name],
    ['User Name', shown.user],
    ['Queue', shown.queue],
    ['State', shown.state],
    ['Uberized', String(shown.uberized)],
    ['Submitted', time(shown.submitTimeMs)],
    ['Started', time(shown.startTimeMs)],
    ['Finished', time(shown.finishTimeMs)],
    ['Elapsed', duration(shown.startTimeMs, shown.finishTimeMs)],
    ['Diagnostics', shown.diagnostics],
    ['Average Map Time', mean(view.avgMapTime)],
    ['Average Shuffle Time', mean(view.avgShuffleTime)],
    ['Average Merge Time', mean(view.avgMergeTime)],
    ['Average Reduce Time', mean(view.avgReduceTime)],
  ];
  const masters = shown.masters.map((one) => [
    String(one.number),
    time(one.startTimeMs),
    one.nodeHttpAddress,
    logsLink(one.nodeId, one.containerId, shown.id, shown.user),
  ]);
  const tasks = [
    [
      link(`${base}/tasks/${shown.id}/m`, 'Map'),
      String(view.mapsTotal),
      String(view.mapsCompleted),
      `${view.failedMapAttempts} / ${view.killedMapAttempts} / ${view.successfulMapAttempts}`,
    ],
    [
      link(`${base}/tasks/${shown.id}/r`, 'Reduce'),
      String(view.reducesTotal),
      String(view.reducesCompleted),
      `${view.failedReduceAttempts} / ${view.killedReduceAttempts} / ${view.successfulReduceAttempts}`,
    ],
  ];
  const body = [
    html`<h1>MapReduce Job ${shown.id}</h1>`,
    table([], rows),
    table(['Attempt Number', 'Start Time', 'Node', 'Logs'], masters),
    table(['Task Type', 'Total', 'Complete', 'Attempts failed / killed / successful'], tasks),
    html`<p>${link(`${base}/jobcounters/${shown.id}`, 'Counters')} ${link(`${base}/conf/${shown.id}`, 'Configuration')}</p>`,
  ];
  return whole(`MapReduce Job ${shown.id}`, `jobs/${shown.id}`, joined(body, '\n'));
}

function tasksPage(shown: CompletedJob, kind?: 'MAP' | 'REDUCE'): Answer {
  const { first, note } = firstOf(
    shown.tasks.filter((task) => kind === undefined || task.kind === kind),
    'tasks',
  );
  const rows = first.map((task) => [
    link(`/jobhistory/task/${task.id}`, task.id),
    task.state,
    time(task.startTimeMs),
    time(task.finishTimeMs),
    duration(task.startTimeMs, task.finishTimeMs),
  ]);
  return whole(
    `${kind === undefined ? 'All' : kind === 'MAP' ? 'Map' : 'Reduce'} Tasks for ${shown.id}`,
    `jobs/${shown.id}${kind === undefined ? '' : `?kind=${kind}`}`,
    html`${note}${table(['Name', 'State', 'Start Time', 'Finish Time', 'Elapsed Time'], rows)}`,
  );
}

type ShownAttempt = CompletedJob['tasks'][number]['attempts'][number];

function attemptsTable(shown: CompletedJob, attempts: readonly ShownAttempt[]): Html {
  const { first, note } = firstOf(attempts, 'attempts');
  const rows = first.map((attempt) => [
    attempt.id,
    attempt.state,
    attempt.statusText,
    attempt.nodeHttpAddress ?? '',
    logsLink(`${attempt.nodeHost}:${attempt.nodePort}`, attempt.containerId ?? '', attempt.id, shown.user),
    time(attempt.startTimeMs),
    time(attempt.finishTimeMs),
    html`<pre>${attempt.diagnostics.join('\n')}</pre>`,
  ]);
  return html`${note}${table(['Attempt', 'State', 'Status', 'Node', 'Logs', 'Start Time', 'Finish Time', 'Note'], rows)}`;
}

function taskPage(shown: CompletedJob, id: string): Answer {
  const task = findTask(shown, id);
  return whole(`Attempts for ${task.id}`, `jobs/${shown.id}?task=${task.id}`, attemptsTable(shown, task.attempts));
}

/** `state`: SUCCESSFUL, FAILED or KILLED, as Hadoop's pages name them. */
function attemptsPage(shown: CompletedJob, kind: 'MAP' | 'REDUCE', state: string): Answer {
  const wanted = state === 'SUCCESSFUL' ? 'SUCCEEDED' : state;
  const attempts = shown.tasks.filter((task) => task.kind === kind).flatMap((task) => task.attempts);
  return whole(
    `${state} ${kind} attempts in ${shown.id}`,
    `jobs/${shown.id}?kind=${kind}`,
    attemptsTable(
      shown,
      attempts.filter((attempt) => attempt.state === wanted),
    ),
  );
}

function taskCountersPage(shown: CompletedJob, id: string): Answer {
  const task = findTask(shown, id);
  return whole(`Counters for ${task.id}`, `jobs/${shown.id}?task=${task.id}`, counterTables(task.counters.groups()));
}

async function countersPage(shown: CompletedJob): Promise<Answer> {
  const { total } = await shown.counters();
  return whole(`Counters for ${shown.id}`, `jobs/${shown.id}?tab=counters`, counterTables(total.groups()));
}

async function configurationPage(store: JobStore, shown: CompletedJob): Promise<Answer> {
  const { properties } = await store.configuration(await storedJob(store, shown.id));
  const rows = properties.map(({ name, value, sources = [] }) => [name, value, sources.join(' <- ')]);
  return whole(
    `Configuration for MapReduce Job ${shown.id}`,
    `jobs/${shown.id}?tab=settings`,
    table(['Name', 'Value', 'Source Chain'], rows),
  );
}

/** The configuration as its file has it, but for what is secret. */
async function configurationFile(store: JobStore, shown: CompletedJob): Promise<Answer> {
  const { properties } = await store.configuration(await storedJob(store, shown.id));
  return text(200, writeJobConfiguration(properties), 'text/xml;charset=utf-8', {
    'content-disposition': `attachment; filename=${shown.id}.xml`,
  });
}

type CounterName = Readonly<Record<string, string | undefined>>;

async function jobCounterPage(shown: CompletedJob, { group = '', counter = '' }: CounterName): Promise<Answer> {
  const { total } = await shown.counters();
  const tasks = shown.tasks.map((task) => ({ id: task.id, href: `/jobhistory/task/${task.id}`, counters: task.counters }));
  const { first, note } = firstOf(tasks, 'tasks');
  const ofAll = { id: shown.id, href: `/jobhistory/jobcounters/${shown.id}`, counters: total };
  return whole(
    `${counter} for ${shown.id}`,
    `jobs/${shown.id}?tab=counters`,
    html`${note}${singleCounterTable(group, counter, [ofAll, ...first])}`,
  );
}

function taskCounterPage(shown: CompletedJob, { taskid = '', group = '', counter = '' }: CounterName): Answer {
  const task = findTask(shown, taskid);
  const href = `/jobhistory/task/${task.id}`;
  const parts = [{ id: task.id, href, counters: task.counters }, ...task.attempts.map(({ id, counters }) => ({ id, href, counters }))];
  return whole(`${counter} for ${task.id}`, `jobs/${shown.id}?task=${task.id}`, singleCounterTable(group, counter, parts));
}

function aboutPage(startedMs: number, version: string): Answer {
  const facts = [
    ['Started', time(startedMs)],
    ['Speaks as', `Hadoop ${version}`],
  ];
  return whole('About History Server', 'jobs', html`<h1>About History Server</h1>\n${table([], facts)}`);
}

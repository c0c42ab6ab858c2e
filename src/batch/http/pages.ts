// The few pages of a running job, for a user who opens the tracking address in a browser.
import type { RouteAccess } from '../../auth/route-access.ts';
import { type Answer, htmlAnswer, redirect, text } from '../../http/answers.ts';
import { type Html, html, joined } from '../../http/html.ts';
import { counterTables, link, linkedPage, singleCounterTable, table } from '../../http/pages.ts';
import type { Call, Service } from '../../http/service.ts';
import type { Clock } from '../../lib/clock.ts';
import { failure } from '../../model/errors.ts';
import { elapsedMs, percent } from '../../wire/batch/facts.ts';
import { countTasks } from '../../wire/batch/jobs.ts';
import { findTask, jobIdOf } from '../../wire/batch/lookup.ts';
import type { RunningJob } from '../application-master/job-view.ts';

interface PageOptions {
  readonly currentJob: () => RunningJob;
  readonly clock: Clock;
  readonly mayView: (job: RunningJob, user: string | undefined) => boolean;
}

/** A page, and at which place of the web pages the same is shown. */
const whole = (title: string, place: string, body: Html): Answer => htmlAnswer(200, linkedPage(title, place, body));

/** Mounts the pages; links are relative to the application's base path, so that they work behind the proxy. */
export function mountPages(service: Service, { currentJob, clock, mayView }: PageOptions): void {
  const get = (path: string, about: string, access: RouteAccess, handle: (call: Call<never>) => Answer) =>
    service.route({ method: 'GET', path, produces: 'any', about, access, handle });
  function job(call: Call<never>): RunningJob {
    const shown = currentJob();
    const id = call.params['jobid'];
    if (id !== undefined && jobIdOf(id) !== shown.id) throw failure('JOB_NOT_FOUND', { id });
    if (!mayView(shown, call.user)) throw failure('JOB_VIEW_DENIED', { user: call.user ?? '', id: shown.id });
    return shown;
  }
  // The web proxy follows it: what is answered there is answered here.
  get('/', 'Leads to the page of the job.', 'view', (call) => {
    job(call);
    return redirect(302, '/mapreduce');
  });
  for (const path of ['/mapreduce', '/mapreduce/app', '/mapreduce/job/:jobid']) {
    get(path, 'The job: state, progress, links.', 'view', (call) => {
      const shown = job(call);
      const rows = (['MAP', 'REDUCE'] as const).map((kind) => {
        const count = countTasks(shown.tasks, kind);
        const progress = percent(kind === 'MAP' ? shown.mapProgress : shown.reduceProgress).toFixed(1);
        const tasks = link(`${base(shown)}/tasks/${shown.id}/${kind === 'MAP' ? 'm' : 'r'}`, kind === 'MAP' ? 'Map' : 'Reduce');
        return [tasks, `${progress} %`, ...[count.total, count.pending, count.running, count.completed].map(String)];
      });
      const facts = [
        ['Job', shown.id],
        ['Name', shown.name],
        ['User', shown.user],
        ['Queue', shown.queue],
        ['State', shown.state],
        ['Started', shown.startTimeMs > 0 ? new Date(shown.startTimeMs).toUTCString() : 'not yet'],
        ['Elapsed', `${(elapsedMs(shown.startTimeMs, shown.finishTimeMs, clock.now()) / 1000).toFixed(1)} s`],
        ['Diagnostics', shown.diagnostics.join('\n')],
      ];
      const links = joined(
        [['jobcounters', 'counters'] as const, ['conf', 'conf'] as const].map(([what, label]) =>
          link(`${base(shown)}/${what}/${shown.id}`, label),
        ),
        ' ',
      );
      const body = html`<h1>${shown.name}</h1>\n${table([], facts)}\n${table(['Tasks', 'Progress', 'Total', 'Pending', 'Running', 'Complete'], rows)}\n<p>${links}</p>`;
      return whole(`MapReduce Job ${shown.id}`, `jobs/${shown.id}`, body);
    });
  }
  mountTaskPages(get, job);
  mountCounterPages(get, job);
  for (const [said, names] of Object.entries(missingIds))
    for (const name of names) get(`/mapreduce/${name}`, 'Asks for an id.', 'facts', () => text(400, said, 'text/plain;charset=utf-8'));
  get('/mapreduce/conf/:jobid', 'Configuration of the job.', 'view', (call) => {
    const shown = job(call);
    const rows = shown.configuration.map(({ name, value }) => [name, value]);
    return whole(`Configuration for MapReduce Job ${shown.id}`, `jobs/${shown.id}?tab=settings`, table(['Name', 'Value'], rows));
  });
}

/** What Hadoop says where the address ends before the id. */
const missingIds = {
  'Bad Request: Missing job ID': ['job', 'conf', 'jobcounters', 'tasks', 'attempts', 'singlejobcounter'],
  'missing task ID': ['task', 'taskcounters', 'singletaskcounter'],
};

const base = (of: RunningJob) => `/proxy/${of.applicationId}/mapreduce`;

type AddPage = (path: string, about: string, access: RouteAccess, handle: (call: Call<never>) => Answer) => void;
/** The job, as the call may see it. @throws Failure JOB_NOT_FOUND, JOB_VIEW_DENIED */
type JobOfCall = (call: Call<never>) => RunningJob;

/** Whether a task is of the kind (`m`, `r`; absent: of any) and, as Hadoop's pages name them, in the state. */
function isWanted(task: RunningJob['tasks'][number], { type, state }: Readonly<Record<string, string | undefined>>): boolean {
  if (type !== undefined && task.kind !== (type === 'r' ? 'REDUCE' : 'MAP')) return false;
  if (state === undefined) return true;
  const isOver = task.state === 'SUCCEEDED' || task.state === 'FAILED' || task.state === 'KILLED';
  const wanted = state.toUpperCase();
  if (wanted === 'COMPLETED') return isOver;
  return wanted === 'RUNNING' ? task.state === 'RUNNING' : wanted === 'PENDING' ? !isOver && task.state !== 'RUNNING' : false;
}

/** Tasks of a job, their attempts, and the attempts in one state. */
function mountTaskPages(get: AddPage, job: JobOfCall): void {
  for (const parts of ['', '/:type', '/:type/:state'])
    get(`/mapreduce/tasks/:jobid${parts}`, 'Tasks, of one kind, in one state.', 'view', (call) => {
      const shown = job(call);
      const { type } = call.params;
      const rows = shown.tasks
        .filter((task) => isWanted(task, call.params))
        .map((task) => [
          link(`${base(shown)}/task/${task.id}`, task.id),
          `${percent(task.progress).toFixed(1)} %`,
          task.state,
          task.statusText,
        ]);
      const kind = type === undefined ? undefined : type === 'r' ? 'REDUCE' : 'MAP';
      return whole(
        `${kind === undefined ? 'All' : kind === 'MAP' ? 'Map' : 'Reduce'} Tasks for ${shown.id}`,
        `jobs/${shown.id}${kind === undefined ? '' : `?kind=${kind}`}`,
        table(['Task', 'Progress', 'State', 'Status'], rows),
      );
    });
  get('/mapreduce/attempts/:jobid/:type/:state', 'Attempts of one kind in one state.', 'view', (call) => {
    const shown = job(call);
    const kind = call.params['type'] === 'r' ? 'REDUCE' : 'MAP';
    const state = call.params['state']!.toUpperCase();
    const wanted = state === 'SUCCESSFUL' ? 'SUCCEEDED' : state;
    const attempts = shown.tasks.filter((task) => task.kind === kind).flatMap((task) => task.attempts);
    return whole(
      `${state} ${kind} attempts in ${shown.id}`,
      `jobs/${shown.id}?kind=${kind}`,
      attemptsTable(attempts.filter((attempt) => attempt.state === wanted)),
    );
  });
  get('/mapreduce/task/:taskid', 'Attempts at a task.', 'view', (call) => {
    const shown = job(call);
    const task = findTask(shown, call.params['taskid']!);
    return whole(`Attempts for ${task.id}`, `jobs/${shown.id}?task=${task.id}`, attemptsTable(task.attempts));
  });
}

const attemptsTable = (attempts: RunningJob['tasks'][number]['attempts']): Html =>
  table(
    ['Attempt', 'Progress', 'State', 'Node', 'Status', 'Diagnostics'],
    attempts.map((attempt) => [
      attempt.id,
      `${percent(attempt.progress).toFixed(1)} %`,
      attempt.state,
      attempt.nodeHttpAddress ?? '',
      attempt.statusText,
      attempt.diagnostics.join('\n'),
    ]),
  );

/** Counters of the job and of tasks, all or one. */
function mountCounterPages(get: AddPage, job: JobOfCall): void {
  for (const name of ['jobcounters', 'counters'])
    get(`/mapreduce/${name}/:jobid`, 'Counters of the job.', 'view', (call) => {
      const shown = job(call);
      return whole(`Counters for ${shown.id}`, `jobs/${shown.id}?tab=counters`, counterTables(shown.totalCounters().groups()));
    });
  get('/mapreduce/taskcounters/:taskid', 'Counters of a task.', 'view', (call) => {
    const shown = job(call);
    const task = findTask(shown, call.params['taskid']!);
    return whole(`Counters for ${task.id}`, `jobs/${shown.id}?task=${task.id}`, counterTables(task.counters.groups()));
  });
  for (const parts of ['', '/:group/:counter']) {
    get(`/mapreduce/singlejobcounter/:jobid${parts}`, 'One counter of the job and its tasks.', 'view', (call) => {
      const shown = job(call);
      const { group = '', counter = '' } = call.params;
      const counted = [
        { id: shown.id, href: `${base(shown)}/jobcounters/${shown.id}`, counters: shown.totalCounters() },
        ...shown.tasks.map((task) => ({ id: task.id, href: `${base(shown)}/task/${task.id}`, counters: task.counters })),
      ];
      return whole(`${counter} for ${shown.id}`, `jobs/${shown.id}?tab=counters`, singleCounterTable(group, counter, counted));
    });
    get(`/mapreduce/singletaskcounter/:taskid${parts}`, 'One counter of the attempts at a task.', 'view', (call) => {
      const shown = job(call);
      const { taskid = '', group = '', counter = '' } = call.params;
      const task = findTask(shown, taskid);
      const href = `${base(shown)}/task/${task.id}`;
      const counted = [
        { id: task.id, href, counters: task.counters },
        ...task.attempts.map(({ id, counters }) => ({ id, href, counters })),
      ];
      return whole(`${counter} for ${task.id}`, `jobs/${shown.id}?task=${task.id}`, singleCounterTable(group, counter, counted));
    });
  }
}

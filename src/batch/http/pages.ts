// The few pages of a running job, for a user who opens the tracking address in a browser.
import type { RouteAccess } from '../../auth/route-access.ts';
import { type Answer, htmlAnswer, redirect } from '../../http/answers.ts';
import { type Html, html, joined } from '../../http/html.ts';
import { counterTables, link, linkedPage, table } from '../../http/pages.ts';
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
    const text = call.params['jobid'];
    if (text !== undefined && jobIdOf(text) !== shown.id) throw failure('JOB_NOT_FOUND', { id: text });
    if (!mayView(shown, call.user)) throw failure('JOB_VIEW_DENIED', { user: call.user ?? '', id: shown.id });
    return shown;
  }
  const base = (of: RunningJob) => `/proxy/${of.applicationId}/mapreduce`;

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
        ['counters', 'conf'].map((what) => link(`${base(shown)}/${what}/${shown.id}`, what)),
        ' ',
      );
      const body = html`<h1>${shown.name}</h1>\n${table([], facts)}\n${table(['Tasks', 'Progress', 'Total', 'Pending', 'Running', 'Complete'], rows)}\n<p>${links}</p>`;
      return whole(`MapReduce Job ${shown.id}`, `jobs/${shown.id}`, body);
    });
  }
  get('/mapreduce/tasks/:jobid/:type', 'Tasks of one kind.', 'view', (call) => {
    const shown = job(call);
    const kind = call.params['type'] === 'r' ? 'REDUCE' : 'MAP';
    const rows = shown.tasks
      .filter((task) => task.kind === kind)
      .map((task) => [
        link(`${base(shown)}/task/${task.id}`, task.id),
        `${percent(task.progress).toFixed(1)} %`,
        task.state,
        task.statusText,
      ]);
    return whole(
      `${kind === 'MAP' ? 'Map' : 'Reduce'} Tasks for ${shown.id}`,
      `jobs/${shown.id}?kind=${kind}`,
      table(['Task', 'Progress', 'State', 'Status'], rows),
    );
  });
  get('/mapreduce/task/:taskid', 'Attempts at a task.', 'view', (call) => {
    const shown = job(call);
    const task = findTask(shown, call.params['taskid']!);
    const rows = task.attempts.map((attempt) => [
      attempt.id,
      `${percent(attempt.progress).toFixed(1)} %`,
      attempt.state,
      attempt.nodeHttpAddress ?? '',
      attempt.statusText,
      attempt.diagnostics.join('\n'),
    ]);
    return whole(
      `Attempts for ${task.id}`,
      `jobs/${shown.id}?task=${task.id}`,
      table(['Attempt', 'Progress', 'State', 'Node', 'Status', 'Diagnostics'], rows),
    );
  });
  get('/mapreduce/counters/:jobid', 'Counters of the job.', 'view', (call) => {
    const shown = job(call);
    return whole(`Counters for ${shown.id}`, `jobs/${shown.id}?tab=counters`, counterTables(shown.totalCounters().groups()));
  });
  get('/mapreduce/conf/:jobid', 'Configuration of the job.', 'view', (call) => {
    const shown = job(call);
    const rows = shown.configuration.map(({ name, value }) => [name, value]);
    return whole(`Configuration for MapReduce Job ${shown.id}`, `jobs/${shown.id}?tab=settings`, table(['Name', 'Value'], rows));
  });
}

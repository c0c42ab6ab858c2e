// The pages of the application history: a list, an application with its attempts and containers. Plain HTML, the same data as the REST interface.
import type { RouteAccess } from '../../auth/route-access.ts';
import { type Answer, htmlAnswer, redirect } from '../../http/answers.ts';
import { rootRoutes } from '../../http/container-pages.ts';
import { type Html, type HtmlValue, html } from '../../http/html.ts';
import { link, page, webPageLink } from '../../http/pages.ts';
import type { Call, Service } from '../../http/service.ts';
import type { Clock } from '../../lib/clock.ts';
import { isoTime } from '../../lib/iso-time.ts';
import { Failure, failure } from '../../model/errors.ts';
import { applicationIdOfAttempt, attemptIdOfContainer, InvalidId } from '../../model/ids.ts';
import type { ContainerLogPlaces } from '../application-history/container-logs.ts';
import type { ApplicationHistory } from '../application-history/history.ts';
import { applicationView, attemptView, containerView } from '../application-history/history-view.ts';
import { aboutOf } from './about.ts';

const root = '/applicationhistory';
const applicationOfContainer = (id: string): string => applicationIdOfAttempt(attemptIdOfContainer(id));
const listedApplications = 200;
/** Most containers of an attempt that its page lists. */
const listedContainers = 1000;
const style = html`<style>body{font:14px/1.45 system-ui,sans-serif;margin:2rem;max-width:80rem}table{border-collapse:collapse;margin:1rem 0}th,td{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}th{background:#f3f3f3}td pre{margin:0;white-space:pre-wrap}</style>`;

const pre = (text: string | undefined): Html => html`<pre>${text}</pre>`;
const time = (ms: number | bigint | undefined): string => (ms === undefined || ms <= 0 ? '' : isoTime(ms));
/** A tracking URL as a link where it is one. */
const tracking = (url: string | undefined): HtmlValue => (url?.match(/^https?:\/\//) ? link(url, url) : url);

const table = (head: readonly string[], rows: readonly (readonly HtmlValue[])[]): Html =>
  html`<table><tr>${head.map((name) => html`<th>${name}</th>`)}</tr>${rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</table>`;
const facts = (rows: readonly (readonly [string, HtmlValue])[]): Html =>
  html`<table>${rows.map(([name, cell]) => html`<tr><th>${name}</th><td>${cell}</td></tr>`)}</table>`;
/** A page; `webPage`: where `/ui/` shows the same. */
const whole = (title: string, webPage: string, body: Html): Answer =>
  htmlAnswer(
    200,
    page(title, html`${style}<p><a href="${root}">Application history</a> ${webPageLink(webPage)}</p><h1>${title}</h1>${body}`),
  );

/** Turns failures into pages: browsers ask here. */
const asPage =
  (render: (call: Call) => Answer | Promise<Answer>) =>
  async (call: Call): Promise<Answer> => {
    try {
      return await render(call);
    } catch (problem) {
      const known = problem instanceof InvalidId ? failure('HISTORY_ID_MALFORMED', { reason: problem.message }) : problem;
      if (!(known instanceof Failure)) throw problem;
      const text = page(`Error ${known.entry.status}`, html`${style}<h1>Error ${known.entry.status}</h1><p>${known.message}</p>`);
      return { ...htmlAnswer(known.entry.status, text), failure: known };
    }
  };

/** What the pages are made of. */
export interface HistoryPageOptions {
  readonly history: ApplicationHistory;
  readonly clock: Clock;
  /** Base URL of this server. */
  readonly webUrl: () => string;
  readonly places: ContainerLogPlaces;
}

/** Adds the pages below /applicationhistory. */
export function addHistoryPages(service: Service, options: HistoryPageOptions): void {
  const route = (path: string, about: string, access: RouteAccess, render: (call: Call) => Answer | Promise<Answer>) =>
    service.route({
      method: 'GET',
      path: `${root}${path}`,
      produces: 'any',
      about,
      access,
      handle: asPage(render) as (call: Call<never>) => Promise<Answer>,
    });
  for (const route of rootRoutes(root)) service.route(route);
  route('', 'Page: applications that were', 'overview', (call) => applicationsPage(options, call));
  route('/about', 'Page: the application history', 'facts', () => aboutPage());
  route('/errors-and-warnings', 'Page: where errors and warnings are', 'facts', () =>
    whole('Errors and warnings', 'history', html`<p>They are in the log: this server writes it to its standard error.</p>`),
  );
  for (const path of ['/app', '/appattempt', '/container', '/logs'])
    route(path, 'Page: asks for an id', 'facts', () => whole('Bad request', 'history', html`<p>The address needs an id at its end.</p>`));
  route('/apps', 'Page: applications that were', 'overview', (call) => applicationsPage(options, call));
  route('/apps/:states', 'Page: applications in some states', 'overview', (call) => applicationsPage(options, call));
  route('/app/:appid', 'Page: one application', 'overview', (call) => applicationPage(options, call));
  route('/appattempt/:appattemptid', 'Page: one attempt', 'view', (call) => attemptPage(options, call));
  route('/container/:containerid', 'Page: one container', 'view', (call) => containerPage(options, call));
  route('/logs/:node/:containerid/:entity/:user', 'Page: logs of a container', 'view', (call) => logsPage(options, call));
  // It tells nothing of the file, which asks who may read it.
  route('/logs/:node/:containerid/:entity/:user/:file', 'Leads to a log file', 'facts', ({ params }) =>
    redirect(302, logFile(params['containerid'] ?? '', params['file'] ?? '')),
  );
}

const logFile = (container: string, file: string): string =>
  `/ws/v1/applicationhistory/containerlogs/${encodeURIComponent(container)}/${encodeURIComponent(file)}`;

const aboutPage = (): Answer =>
  whole('Timeline Server - Generic History Service', 'history', facts([['Speaks as', `Hadoop ${aboutOf('')['hadoop-version']}`]]));

function applicationsPage({ history, clock }: HistoryPageOptions, call: Call): Answer {
  const states = call.params['states']?.toUpperCase().split(',');
  const seen = history.applications(call.user, {
    startedAfterMs: 0,
    startedUntilMs: Number.MAX_SAFE_INTEGER,
    ...(states ? {} : { limit: listedApplications }),
  });
  const rows = seen
    .map((one) => applicationView(one, clock.now()))
    .filter(({ appState }) => states === undefined || states.includes(appState ?? ''))
    .take(listedApplications)
    .toArray()
    .map((app): HtmlValue[] => [
      link(`${root}/app/${app.appId}`, app.appId ?? ''),
      app.user,
      app.name,
      app.type,
      app.queue,
      time(app.startedTime),
      time(app.finishedTime),
      app.appState,
      app.finalAppStatus,
      tracking(app.trackingUrl),
    ]);
  const head = ['ID', 'User', 'Name', 'Type', 'Queue', 'Started', 'Finished', 'State', 'Final status', 'Tracking'];
  return whole('Applications', 'history', rows.length === 0 ? html`<p>None yet.</p>` : table(head, rows));
}

function applicationPage({ history, clock }: HistoryPageOptions, call: Call): Answer {
  const id = call.params['appid'] ?? '';
  const app = applicationView(history.application(id, call.user), clock.now());
  let attempts = html`<p>You may not see its attempts.</p>`;
  try {
    const rows = history.attempts(id, call.user).map(attemptView);
    attempts = table(
      ['Attempt', 'State', 'Host', "Master's container", 'Tracking'],
      rows.map((one) => [
        link(`${root}/appattempt/${one.appAttemptId}`, one.appAttemptId ?? ''),
        one.appAttemptState,
        one.host,
        one.amContainerId && link(`${root}/container/${one.amContainerId}`, one.amContainerId),
        tracking(one.trackingUrl),
      ]),
    );
  } catch (problem) {
    if (!(problem instanceof Failure) || problem.code !== 'HISTORY_HIDDEN') throw problem;
  }
  return whole(
    `Application ${app.appId}`,
    `history/${app.appId}`,
    html`${facts([
      ['User', app.user],
      ['Name', app.name],
      ['Type', app.type],
      ['Tags', app.applicationTags],
      ['Queue', app.queue],
      ['Priority', app.priority],
      ['State', app.appState],
      ['Final status', app.finalAppStatus],
      ['Submitted', time(app.submittedTime)],
      ['Started', time(app.startedTime)],
      ['Launched', time(app.launchTime)],
      ['Finished', time(app.finishedTime)],
      ['Elapsed', `${Number(app.elapsedTime ?? 0) / 1000} s`],
      ['Tracking', tracking(app.trackingUrl)],
      ['Resources used', app.aggregateResourceAllocation],
      ['Diagnostics', pre(app.diagnosticsInfo)],
    ])}<h2>Attempts</h2>${attempts}`,
  );
}

function attemptPage({ history, clock, webUrl }: HistoryPageOptions, call: Call): Answer {
  const id = call.params['appattemptid'] ?? '';
  const one = attemptView(history.attempt(id, call.user));
  const { containers, owner } = history.containers(id, call.user);
  const views = Iterator.from(containers)
    .take(listedContainers)
    .map((report) => containerView(report, owner, webUrl(), clock.now()))
    .toArray();
  const applicationId = applicationIdOfAttempt(id);
  return whole(
    `Attempt ${id}`,
    `history/${applicationId}`,
    html`${facts([
      ['Application', link(`${root}/app/${applicationId}`, applicationId)],
      ['State', one.appAttemptState],
      ['Host', one.host],
      ['Tracking', tracking(one.trackingUrl)],
      ['Diagnostics', pre(one.diagnosticsInfo)],
    ])}<h2>Containers</h2>${views.length < listedContainers ? '' : html`<p>The last ${listedContainers} of them.</p>`}${table(
      ['Container', 'Node', 'State', 'Exit status', 'Started', 'Finished', 'Logs'],
      views.map((box) => [
        link(`${root}/container/${box.containerId}`, box.containerId ?? ''),
        box.nodeId,
        box.containerState,
        box.containerExitStatus,
        time(box.startedTime),
        time(box.finishedTime),
        box.logUrl && link(box.logUrl, 'logs'),
      ]),
    )}`,
  );
}

function containerPage({ history, clock, webUrl }: HistoryPageOptions, call: Call): Answer {
  const id = call.params['containerid'] ?? '';
  const { container, owner } = history.container(id, call.user);
  const box = containerView(container, owner, webUrl(), clock.now());
  return whole(
    `Container ${id}`,
    `history/${applicationOfContainer(id)}`,
    facts([
      ['Node', box.nodeId],
      ['Node page', tracking(box.nodeHttpAddress)],
      ['Priority', box.priority],
      ['State', box.containerState],
      ['Exit status', box.containerExitStatus],
      ['Started', time(box.startedTime)],
      ['Finished', time(box.finishedTime)],
      ['Resources', `${box.allocatedMB} MiB, ${box.allocatedVCores} vcores`],
      ['Logs', box.logUrl && link(box.logUrl, 'logs')],
      ['Diagnostics', pre(box.diagnosticsInfo)],
    ]),
  );
}

async function logsPage({ places }: HistoryPageOptions, call: Call): Promise<Answer> {
  const id = call.params['containerid'] ?? '';
  const place = await places.place(id, { nodeId: undefined, fromNode: false, user: call.user });
  if (place.kind === 'node')
    return redirect(302, `${place.url}/node/containerlogs/${encodeURIComponent(id)}/${encodeURIComponent(call.params['user'] ?? '')}`);
  const rows = (await places.list(id, place, call.user)).flatMap(({ containerLogInfo, nodeId }) =>
    (containerLogInfo ?? []).map((file): HtmlValue[] => {
      const name = file.fileName ?? '';
      return [link(logFile(id, name), name), file.fileSize, nodeId];
    }),
  );
  return whole(`Logs of ${id}`, `history/${applicationOfContainer(id)}`, table(['File', 'Bytes', 'Node'], rows));
}

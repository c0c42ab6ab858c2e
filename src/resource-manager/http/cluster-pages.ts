// Small pages for people: applications, one application, nodes, queues. Every text is escaped; nothing here changes anything.

import { type Answer, redirect } from '../../http/answers.ts';
import { type Html, type HtmlValue, html } from '../../http/html.ts';
import { link } from '../../http/pages.ts';
import type { Call, Route } from '../../http/service.ts';
import { InvalidId, usualApplicationId } from '../../model/ids.ts';
import { type Application, currentAttempt, finalStatus, publicState } from '../applications/application.ts';
import { mayHaveEnded } from '../views/application-filter.ts';
import { isVisible } from '../views/find-applications.ts';
import type { Parts } from '../views/parts.ts';
import { detailPages, historyPage, nodesPage, schedulerPage } from './cluster-detail-pages.ts';
import { metricsOf } from './cluster-facts.ts';
import { explain } from './explain.ts';
import { type AddPage, cell, facts, shell, table, time } from './page-parts.ts';

const mostRows = 500;

function summary(parts: Parts): Html {
  const metrics = metricsOf(parts);
  const facts = [
    `${metrics.appsRunning} running`,
    `${metrics.appsPending} waiting`,
    `${metrics.activeNodes} nodes`,
    `${metrics.allocatedMB} of ${metrics.totalMB} MB`,
    `${metrics.allocatedVirtualCores} of ${metrics.totalVirtualCores} vcores`,
  ];
  return html`<p>${facts.join(' · ')}</p>`;
}

const applicationRow = ({ id, user, name, queue, state, outcome, startedMs, finishedMs }: ApplicationFacts): Html =>
  html`<tr><td>${link(`/cluster/app/${id}`, id)}</td>${cell(user)}${cell(name)}${cell(queue)}${cell(state)}${cell(outcome)}${cell(time(startedMs))}${cell(time(finishedMs))}</tr>`;

interface ApplicationFacts {
  readonly id: string;
  readonly user: string;
  readonly name: string;
  readonly queue: string;
  readonly state: string;
  readonly outcome: string;
  readonly startedMs: number;
  readonly finishedMs: number;
}

/** Times are of those who may view the application, as in YARN's interface. */
const factsOf = (application: Application, visible: boolean): ApplicationFacts => ({
  id: application.id,
  user: application.user,
  name: application.submission.name,
  queue: application.queue,
  state: publicState(application),
  outcome: finalStatus(application),
  startedMs: visible ? application.startedMs : 0,
  finishedMs: visible ? application.finishedMs : 0,
});

/** `/cluster/apps[/STATE,…]`: newest first, up to a bound that is said. */
function applicationsPage(parts: Parts, call: Call): Answer {
  const { access, cluster, store } = parts;
  const wanted = (call.params['states'] ?? call.query.first('states') ?? '')
    .split(',')
    .map((state) => state.trim().toUpperCase())
    .filter((state) => state !== '');
  const states = wanted.length > 0 ? new Set(wanted) : undefined;
  const isHidden = (visible: boolean) => parts.listsOnlyVisible && !visible;
  const rows: ApplicationFacts[] = [];
  for (const application of cluster.view.applicationsBy.latest({ states }, mostRows)) {
    if (rows.length >= mostRows) break;
    const visible = access.mayView(application, call.user);
    if (states?.has(publicState(application)) !== false && !isHidden(visible)) rows.push(factsOf(application, visible));
  }
  const newest = mayHaveEnded({ states }) ? store.newestFinished(states && wanted, mostRows) : [];
  for (const row of newest) {
    if (rows.length >= mostRows) break;
    if (cluster.view.application(row.id) !== undefined) continue;
    const visible = isVisible(parts, row, call.user);
    const times = visible ? { startedMs: row.started_ms, finishedMs: row.finished_ms } : { startedMs: 0, finishedMs: 0 };
    if (!isHidden(visible)) rows.push({ ...row, outcome: row.final_status, ...times });
  }
  const heads = ['Application', 'User', 'Name', 'Queue', 'State', 'Final status', 'Started (UTC)', 'Finished (UTC)'];
  const bound = rows.length >= mostRows ? html`<p>The newest ${mostRows} are shown; ask <code>/ws/v1/cluster/apps</code> for all.</p>` : '';
  return shell(
    'Applications',
    html`${summary(parts)}\n${rows.length > 0 ? table(heads, rows.map(applicationRow)) : html`<p>No applications.</p>`}\n${bound}`,
    { webPage: `applications${states ? `?states=${encodeURIComponent([...states].join(','))}` : ''}` },
  );
}

/** `/cluster/app/{id}`; an unknown one is looked for in the application history, where there is one. */
function applicationPage(parts: Parts, call: Call): Answer {
  const given = call.params['appid'] ?? '';
  let text: string;
  try {
    text = usualApplicationId(given);
  } catch (error) {
    if (!(error instanceof InvalidId)) throw error;
    return shell('Application', html`<p>Invalid application id: ${given}</p>`);
  }
  const application = parts.cluster.findAny(text);
  if (!application) {
    const elsewhere = historyPage(parts, text);
    if (elsewhere !== undefined) return redirect(307, elsewhere, { text: '', contentType: 'text/plain;charset=utf-8' });
    return shell('Application', html`<p>Application ${text} is not known here.</p>`);
  }
  const visible = parts.access.mayView(application, call.user);
  const info = parts.views.info(application, visible, call.scheme, new Set());
  const known: [string, HtmlValue][] = [
    ['User', info.user],
    ['Name', info.name],
    ['Type', info.applicationType],
    ['Tags', info.applicationTags],
    ['Queue', info.queue],
    ['Priority', info.priority],
    ['State', info.state],
    ['Final status', info.finalStatus],
    ['Progress', `${info.progress} %`],
    ['Started (UTC)', time(Number(info.startedTime ?? 0))],
    ['Finished (UTC)', time(Number(info.finishedTime ?? 0))],
    ['Memory in use', `${info.allocatedMB} MB`],
    ['Vcores in use', info.allocatedVCores],
    ['Running containers', info.runningContainers],
    ['Resources used', `${info.memorySeconds} MB-seconds, ${info.vcoreSeconds} vcore-seconds`],
  ];
  const attempts = application.attempts.map(
    (attempt) =>
      html`<tr><td>${link(`/cluster/appattempt/${attempt.id}`, attempt.id)}</td>${cell(attempt.state)}${cell(time(attempt.startedMs))}${cell(time(attempt.finishedMs))}${cell(visible ? attempt.masterNodeId : '')}<td>${visible && attempt.masterContainerId ? link(`${call.scheme}://${attempt.masterNodeHttpAddress}/node/containerlogs/${attempt.masterContainerId}/${application.user}`, 'logs') : ''}</td></tr>`,
  );
  const tracking = currentAttempt(application) ? html`<p>${link(`/proxy/${application.id}/`, 'Open the tracking page')}</p>` : '';
  const { sentence, remedy, waiting } = explain(parts, application);
  const reason = visible && waiting ? html`<h2>Why it waits</h2>\n<p>${sentence ?? ''} ${remedy ?? ''}</p>\n` : '';
  return shell(
    application.id,
    html`${facts(known)}\n${tracking}\n${reason}<h2>Diagnostics</h2>\n<pre>${parts.views.diagnosticsOf(application) || 'none'}</pre>\n<h2>Attempts</h2>\n${table(['Attempt', 'State', 'Started (UTC)', 'Finished (UTC)', 'Node', 'Logs'], attempts)}`,
    { webPage: `applications/${application.id}` },
  );
}

/** The routes of the pages. */
export function pageRoutes(parts: Parts): Route<never>[] {
  const shared = { method: 'GET', produces: 'any', gzip: false } as const;
  const page: AddPage = (path, about, access, handle) => ({ ...shared, path, about, access, handle });
  return [
    page('/cluster', 'Applications, as a page.', 'overview', (call) => applicationsPage(parts, call)),
    page('/cluster/apps', 'Applications, as a page.', 'overview', (call) => applicationsPage(parts, call)),
    page('/cluster/apps/:states', 'Applications in some states, as a page.', 'overview', (call) => applicationsPage(parts, call)),
    page('/cluster/app/:appid', 'One application, as a page.', 'overview', (call) => applicationPage(parts, call)),
    page('/cluster/failure', 'Says what the proxy means by a loop.', 'facts', () =>
      shell(
        'Proxy loop',
        html`<p>The pages of an application were asked for by the proxy itself: its master sends visitors back here.</p>`,
      ),
    ),
    page('/cluster/failure/:appid', 'Says that a proxied page leads back to the proxy.', 'facts', (call) =>
      shell(
        'Proxy loop',
        html`<p>The pages of ${call.params['appid'] ?? ''} were asked for by the proxy itself: its master sends visitors back here.</p>`,
      ),
    ),
    page('/cluster/nodes', 'Nodes, as a page.', 'facts', () => nodesPage(parts)),
    page('/cluster/nodes/:state', 'Nodes in one state, as a page.', 'facts', (call) => nodesPage(parts, call.params['state'])),
    page('/cluster/scheduler', 'Queues, as a page.', 'facts', () => schedulerPage(parts, summary(parts))),
    ...detailPages(parts, page),
  ];
}

// Small pages for people: applications, one application, nodes, queues. Every text is escaped; nothing here changes anything.

import { commonSettings } from '../../config/settings/common.ts';
import { type Answer, html, redirect } from '../../http/answers.ts';
import { escapeHtml } from '../../http/pages.ts';
import type { Call, Route } from '../../http/service.ts';
import { InvalidId, parseApplicationId } from '../../model/ids.ts';
import { type Application, currentAttempt, diagnosticsOf, finalStatus, publicState } from '../applications/application.ts';
import type { ShownQueue } from '../scheduler/description.ts';
import { countNodes, metricsOf } from './cluster-facts.ts';
import type { Parts } from './parts.ts';

const mostRows = 500;
const style = `body{font:15px/1.45 system-ui,sans-serif;margin:0;color:#1c2733;background:#f7f8fa}
header{background:#1f3a5f;color:#fff;padding:.7rem 1.5rem}header a{color:#cfe0f5;margin-right:1.2rem;text-decoration:none}header strong{margin-right:2rem}
main{padding:1rem 1.5rem;max-width:90rem}table{border-collapse:collapse;background:#fff;width:100%}th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #e3e7ec;vertical-align:top}
th{background:#eef2f6;font-weight:600}td.n{text-align:right;font-variant-numeric:tabular-nums}pre{white-space:pre-wrap;background:#fff;padding:.8rem;border:1px solid #e3e7ec}
dl{display:grid;grid-template-columns:14rem 1fr;gap:.25rem 1rem;background:#fff;padding:1rem;border:1px solid #e3e7ec}dt{color:#5b6b7c}dd{margin:0}.bar{background:#e3e7ec;height:.55rem;width:12rem;display:inline-block}.bar i{background:#3b7dd8;height:100%;display:block}
@media(prefers-color-scheme:dark){body{background:#15191f;color:#dde4ec}table,pre,dl{background:#1d232b}th{background:#262e38}th,td,pre,dl{border-color:#303a46}a{color:#8ab8f5}dt{color:#93a3b5}}`;

function shell(title: string, body: string, status = 200): Answer {
  return html(
    status,
    `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<title>${escapeHtml(title)}</title>\n<style>${style}</style>\n</head>\n<body>\n<header><strong>Heddle</strong><nav style="display:inline"><a href="/cluster/apps">Applications</a><a href="/cluster/nodes">Nodes</a><a href="/cluster/scheduler">Queues</a><a href="/openapi.json">Interface</a></nav></header>\n<main>\n<h1>${escapeHtml(title)}</h1>\n${body}\n</main>\n</body>\n</html>\n`,
  );
}

const cell = (value: unknown, kind = ''): string => `<td${kind && ` class="${kind}"`}>${escapeHtml(String(value ?? ''))}</td>`;
const link = (href: string, text: string): string => `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
const time = (ms: number): string => (ms <= 0 ? '' : new Date(ms).toISOString().replace('T', ' ').slice(0, 19));
const table = (heads: readonly string[], rows: readonly string[]): string =>
  `<table>\n<thead><tr>${heads.map((head) => `<th>${escapeHtml(head)}</th>`).join('')}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`;

function summary(parts: Parts): string {
  const metrics = metricsOf(parts);
  const facts = [
    `${metrics.appsRunning} running`,
    `${metrics.appsPending} waiting`,
    `${metrics.activeNodes} nodes`,
    `${metrics.allocatedMB} of ${metrics.totalMB} MB`,
    `${metrics.allocatedVirtualCores} of ${metrics.totalVirtualCores} vcores`,
  ];
  return `<p>${facts.join(' · ')}</p>`;
}

const applicationRow = ({ id, user, name, queue, state, outcome, startedMs, finishedMs }: ApplicationFacts): string =>
  `<tr><td>${link(`/cluster/app/${id}`, id)}</td>${cell(user)}${cell(name)}${cell(queue)}${cell(state)}${cell(outcome)}${cell(time(startedMs))}${cell(time(finishedMs))}</tr>`;

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

const factsOf = (application: Application): ApplicationFacts => ({
  id: application.id,
  user: application.user,
  name: application.submission.name,
  queue: application.queue,
  state: publicState(application),
  outcome: finalStatus(application),
  startedMs: application.startedMs,
  finishedMs: application.finishedMs,
});

/** `/cluster/apps[/STATE,…]`: newest first, up to a bound that is said. */
function applicationsPage(parts: Parts, call: Call): Answer {
  const { cluster, store } = parts;
  const wanted = (call.params['states'] ?? call.query.first('states') ?? '')
    .split(',')
    .map((state) => state.trim().toUpperCase())
    .filter((state) => state !== '');
  const passes = (state: string) => wanted.length === 0 || wanted.includes(state);
  const live = [...cluster.applications.values()]
    .map(factsOf)
    .filter(({ state }) => passes(state))
    .reverse();
  const rows = live.slice(0, mostRows);
  const newest = store.newestFinished(wanted.length > 0 ? wanted : undefined, mostRows);
  for (const row of newest) {
    if (rows.length >= mostRows) break;
    if (cluster.applications.has(row.id)) continue;
    rows.push({ ...row, outcome: row.final_status, startedMs: row.started_ms, finishedMs: row.finished_ms });
  }
  const heads = ['Application', 'User', 'Name', 'Queue', 'State', 'Final status', 'Started (UTC)', 'Finished (UTC)'];
  const bound = rows.length >= mostRows ? `<p>The newest ${mostRows} are shown; ask <code>/ws/v1/cluster/apps</code> for all.</p>` : '';
  return shell(
    'Applications',
    `${summary(parts)}\n${rows.length > 0 ? table(heads, rows.map(applicationRow)) : '<p>No applications.</p>'}\n${bound}`,
  );
}

const historyKey = 'yarn.timeline-service.generic-application-history.enabled';

/** Where the application history shows an application: where it is kept here, or said by the settings to be kept somewhere. */
function historyPage({ configuration, cluster, webUrl, scheme }: Parts, id: string): string | undefined {
  const page = cluster.settings.applicationPage(id);
  if (!page.startsWith(webUrl())) return page;
  const { applicationHistoryEnabled, timelineWebAddress } = configuration.values(commonSettings);
  const isSaid = configuration.origin(historyKey) !== undefined;
  return isSaid && applicationHistoryEnabled ? `${scheme}://${timelineWebAddress}/applicationhistory/app/${id}` : undefined;
}

/** `/cluster/app/{id}`; an unknown one is looked for in the application history, where there is one. */
function applicationPage(parts: Parts, call: Call): Answer {
  const text = call.params['appid'] ?? '';
  try {
    parseApplicationId(text);
  } catch (error) {
    if (!(error instanceof InvalidId)) throw error;
    return shell('Application', `<p>Invalid application id: ${escapeHtml(text)}</p>`);
  }
  const application = parts.cluster.findAny(text);
  if (!application) {
    const elsewhere = historyPage(parts, text);
    if (elsewhere !== undefined) return redirect(307, elsewhere, { text: '', contentType: 'text/plain;charset=utf-8' });
    return shell('Application', `<p>Application ${escapeHtml(text)} is not known here.</p>`);
  }
  const visible = parts.access.mayView(application, call.user);
  const info = parts.views.info(application, visible, call.scheme, new Set());
  const facts: [string, unknown][] = [
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
      `<tr>${cell(attempt.id)}${cell(attempt.state)}${cell(time(attempt.startedMs))}${cell(time(attempt.finishedMs))}${cell(visible ? attempt.masterNodeId : '')}<td>${visible && attempt.masterContainerId ? link(`${call.scheme}://${attempt.masterNodeHttpAddress}/node/containerlogs/${attempt.masterContainerId}/${application.user}`, 'logs') : ''}</td></tr>`,
  );
  const tracking = currentAttempt(application) ? `<p>${link(`/proxy/${application.id}/`, 'Open the tracking page')}</p>` : '';
  return shell(
    application.id,
    `<dl>${facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(String(value ?? ''))}</dd>`).join('\n')}</dl>\n${tracking}\n<h2>Diagnostics</h2>\n<pre>${escapeHtml(diagnosticsOf(application)) || 'none'}</pre>\n<h2>Attempts</h2>\n${table(['Attempt', 'State', 'Started (UTC)', 'Finished (UTC)', 'Node', 'Logs'], attempts)}`,
  );
}

/** `/cluster/nodes`. */
function nodesPage(parts: Parts): Answer {
  const counts = Object.entries(countNodes(parts))
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state.toLowerCase()}`);
  const rows = [...parts.cluster.nodes.values()].map((node) => {
    const usage = parts.policy.nodeUsage(node.id);
    const address = node.httpAddress === '' ? escapeHtml(node.id) : link(`http://${node.httpAddress}/`, node.id);
    return `<tr><td>${address}</td>${cell(node.state)}${cell(node.rack)}${cell(parts.labels.labelOf(node.id))}${cell(usage?.containers ?? 0, 'n')}${cell(`${usage?.used[0] ?? 0} / ${node.resource[0] ?? 0}`, 'n')}${cell(`${usage?.used[1] ?? 0} / ${node.resource[1] ?? 0}`, 'n')}${cell(time(node.lastHealthUpdateMs))}${cell(node.healthReport)}</tr>`;
  });
  const heads = ['Node', 'State', 'Rack', 'Label', 'Containers', 'Memory MB', 'Vcores', 'Health checked (UTC)', 'Health'];
  return shell('Nodes', `<p>${counts.join(' · ') || 'No nodes.'}</p>\n${table(heads, rows)}`);
}

function queueRows(queue: ShownQueue, depth: number): string[] {
  const shares = queue.capacities.find(({ partition }) => partition === '') ?? queue.capacities[0];
  const used = Math.max(0, Math.min(100, shares?.absoluteUsedCapacity ?? 0));
  const row = `<tr><td style="padding-left:${0.6 + depth * 1.4}rem">${escapeHtml(queue.name)}</td>${cell(queue.state)}${cell(`${shares?.absoluteCapacity ?? 0} %`, 'n')}${cell(`${shares?.absoluteMaximumCapacity ?? 0} %`, 'n')}<td><span class="bar"><i style="width:${used}%"></i></span> ${used.toFixed(1)} %</td>${cell(queue.applications, 'n')}${cell(`${queue.used[0] ?? 0} MB, ${queue.used[1] ?? 0} vcores`)}</tr>`;
  return [row, ...queue.children.flatMap((child) => queueRows(child, depth + 1))];
}

/** `/cluster/scheduler`. */
function schedulerPage(parts: Parts): Answer {
  const description = parts.policy.describe();
  const heads = ['Queue', 'State', 'Share', 'Maximum', 'In use', 'Applications', 'Resources'];
  const body =
    description.kind === 'capacity'
      ? table(heads, queueRows(description.root, 0))
      : `<p>The ${description.kind} scheduler; ask <code>/ws/v1/cluster/scheduler</code> for its queues.</p>`;
  return shell('Queues', `${summary(parts)}\n${body}`);
}

/** The routes of the pages. */
export function pageRoutes(parts: Parts): Route<never>[] {
  const shared = { method: 'GET', produces: 'any', gzip: false } as const;
  const page = (path: string, about: string, handle: (call: Call) => Answer): Route<never> => ({ ...shared, path, about, handle });
  return [
    page('/', 'Leads to the pages.', (call) =>
      redirect(302, `${call.scheme}://${call.host}/cluster`, { text: '', contentType: 'text/plain;charset=utf-8' }),
    ),
    page('/cluster', 'Applications, as a page.', (call) => applicationsPage(parts, call)),
    page('/cluster/cluster', 'The cluster, as a page.', (call) => applicationsPage(parts, call)),
    page('/cluster/apps', 'Applications, as a page.', (call) => applicationsPage(parts, call)),
    page('/cluster/apps/:states', 'Applications in some states, as a page.', (call) => applicationsPage(parts, call)),
    page('/cluster/app/:appid', 'One application, as a page.', (call) => applicationPage(parts, call)),
    page('/cluster/failure/:appid', 'Says that a proxied page leads back to the proxy.', (call) =>
      shell(
        'Proxy loop',
        `<p>The pages of ${escapeHtml(call.params['appid'] ?? '')} were asked for by the proxy itself: its master sends visitors back here.</p>`,
      ),
    ),
    page('/cluster/nodes', 'Nodes, as a page.', () => nodesPage(parts)),
    page('/cluster/scheduler', 'Queues, as a page.', () => schedulerPage(parts)),
    page('/ws', 'Where the interfaces lie.', () =>
      shell(
        'Interfaces',
        '<p><code>/ws/v1/cluster</code> speaks YARN\'s REST interface; <a href="/openapi.json">/openapi.json</a> describes everything.</p>',
      ),
    ),
    page('/logs', 'Where the log is.', () => shell('Logs', '<p>This process logs JSON lines to its standard error.</p>')),
  ];
}

// Pages about nodes, queues, labels, single attempts and containers, and the cluster itself. Nothing here changes anything.
import { type Answer, redirect } from '../../http/answers.ts';
import { type Html, html } from '../../http/html.ts';
import { link } from '../../http/pages.ts';
import type { Call, Route } from '../../http/service.ts';
import { Failure } from '../../model/errors.ts';
import { applicationIdOfAttempt, attemptIdOfContainer, InvalidId } from '../../model/ids.ts';
import { resourceText } from '../../model/resource.ts';
import { type DescriptionViews, type FairQueueDescription, type ShownQueue, viewOf } from '../../scheduler/explain/description.ts';
import { logAggregationStatus } from '../applications/log-gathering.ts';
import { containerIdOf, findAttempt, findViewable } from '../views/application-lookup.ts';
import { attemptReport, containerInfo } from '../views/attempt-view.ts';
import type { Parts } from '../views/parts.ts';
import { infoOf } from './cluster-facts.ts';
import { partitions } from './labels.ts';
import { type AddPage, cell, facts, shell, table, time } from './page-parts.ts';

/** `/cluster/nodes[/STATE]`. */
export function nodesPage(parts: Parts, state?: string): Answer {
  const counts = Object.entries(parts.cluster.view.nodeTotals.counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state.toLowerCase()}`);
  const wanted = [...parts.cluster.view.nodes()].filter((node) => state === undefined || node.state === state.toUpperCase());
  const rows = wanted.map((node) => {
    const usage = parts.policy.nodeUsage(node.id);
    const address = node.httpAddress === '' ? node.id : link(`${parts.scheme}://${node.httpAddress}/`, node.id);
    return html`<tr><td>${address}</td>${cell(node.state)}${cell(node.rack)}${cell(parts.labels.labelOf(node.id))}${cell(usage?.containers ?? 0, 'n')}${cell(`${usage?.used[0] ?? 0} / ${node.resource[0] ?? 0}`, 'n')}${cell(`${usage?.used[1] ?? 0} / ${node.resource[1] ?? 0}`, 'n')}${cell(time(node.lastHealthUpdateMs))}${cell(node.healthReport)}</tr>`;
  });
  const heads = ['Node', 'State', 'Rack', 'Label', 'Containers', 'Memory MB', 'Vcores', 'Health checked (UTC)', 'Health'];
  return shell('Nodes', html`<p>${counts.join(' · ') || 'No nodes.'}</p>\n${table(heads, rows)}`, { webPage: 'nodes' });
}

function queueRows(queue: ShownQueue, depth: number): Html[] {
  const shares = queue.capacities.find(({ partition }) => partition === '') ?? queue.capacities[0];
  const used = Math.max(0, Math.min(100, shares?.absoluteUsedCapacity ?? 0));
  const row = html`<tr><td style="padding-left:${0.6 + depth * 1.4}rem">${queue.name}</td>${cell(queue.state)}${cell(`${shares?.absoluteCapacity ?? 0} %`, 'n')}${cell(`${shares?.absoluteMaximumCapacity ?? 0} %`, 'n')}<td><span class="bar"><i style="width:${used}%"></i></span> ${used.toFixed(1)} %</td>${cell(queue.applications, 'n')}${cell(`${queue.used[0] ?? 0} MB, ${queue.used[1] ?? 0} vcores`)}</tr>`;
  return [row, ...queue.children.flatMap((child) => queueRows(child, depth + 1))];
}

function fairRows(queue: FairQueueDescription, depth: number, text: (amount: readonly number[]) => string): Html[] {
  const row = html`<tr><td style="padding-left:${0.6 + depth * 1.4}rem">${queue.name}</td>${cell(queue.schedulingPolicy)}${cell(text(queue.minimum.amount))}${cell(text(queue.maximum.amount))}${cell(text(queue.fair))}${cell(text(queue.used))}${cell(text(queue.demand))}${cell(queue.activeApplications, 'n')}${cell(queue.pendingApplications, 'n')}</tr>`;
  return [row, ...queue.children.flatMap((child) => fairRows(child, depth + 1, text))];
}

/** `/cluster/scheduler`, under every scheduler. */
export function schedulerPage(parts: Parts, summary: Html): Answer {
  const text = (amount: readonly number[]) => resourceText(amount, parts.types);
  return shell('Queues', html`${summary}\n${viewOf(queueTables, parts.policy.describe(), text)}`, { webPage: 'queues' });
}

const queueTables: DescriptionViews<Html, [text: (amount: readonly number[]) => string]> = {
  capacity: ({ root }) => table(['Queue', 'State', 'Share', 'Maximum', 'In use', 'Applications', 'Resources'], queueRows(root, 0)),
  fair: ({ root }, text) =>
    table(['Queue', 'Policy', 'Minimum', 'Maximum', 'Fair share', 'In use', 'Demand', 'Active', 'Waiting'], fairRows(root, 0, text)),
  fifo: ({ nodes, containers, usedNodeMemoryMiB, totalNodeMemoryMiB }) =>
    html`<p>One queue, served in the order of submission.</p>\n${facts([
      ['Nodes', nodes],
      ['Containers', containers],
      ['Memory in use', `${usedNodeMemoryMiB} of ${totalNodeMemoryMiB} MB`],
    ])}`,
};

/** `/cluster/nodelabels`. */
function labelsPage(parts: Parts): Answer {
  const rows = partitions(parts).map(
    ({ name, exclusivity, activeNMs, partitionInfo }) =>
      html`<tr>${cell(name)}${cell(exclusivity ? 'exclusive' : 'shared')}${cell(activeNMs, 'n')}${cell(`${partitionInfo?.resourceAvailable?.memory ?? 0} MB, ${partitionInfo?.resourceAvailable?.vCores ?? 0} vcores`)}</tr>`,
  );
  return shell('Labels', table(['Label', 'Kind', 'Active nodes', 'Resources'], rows), { webPage: 'labels' });
}

/** What a page of one thing says where there is none, or none for this visitor; `elsewhere`: where what is not known here may be. */
function orProblem(title: string, page: () => Answer, elsewhere: () => string | undefined): Answer {
  try {
    return page();
  } catch (problem) {
    if (problem instanceof InvalidId) return shell(title, html`<p>${problem.message}</p>`);
    if (!(problem instanceof Failure)) throw problem;
    const further = problem.entry.status === 404 ? elsewhere() : undefined;
    if (further !== undefined) return redirect(307, further, { text: '', contentType: 'text/plain;charset=utf-8' });
    return { ...shell(title, html`<p>${problem.message}</p>`), failure: problem };
  }
}

/** Where the application history shows an application, or an attempt or container of it, if anywhere. */
export function historyPage(
  { cluster, webUrl }: Parts,
  applicationId: string,
  of?: { readonly kind: string; readonly id: string },
): string | undefined {
  const page = cluster.settings.applicationPage(applicationId);
  if (page.startsWith(webUrl())) return undefined;
  return of ? page.replace(/\/app\/[^/]*$/, `/${of.kind}/${of.id}`) : page;
}

/** `/cluster/appattempt/{appattemptid}`. */
function attemptPage(parts: Parts, call: Call): Answer {
  const id = call.params['appattemptid'] ?? '';
  const shown = () => {
    const { application, attempt } = findAttempt(parts, { application: applicationIdOfAttempt(id), attempt: id }, call.user, 'attempt');
    const report = attemptReport(parts.views, application, attempt);
    const rows = [...attempt.containers.values()].map((container) => {
      const { logUrl, nodeId, allocatedMB, allocatedVCores } = containerInfo(parts.views, container, application.user);
      return html`<tr><td>${link(`/cluster/container/${container.id}`, container.id)}</td>${cell(nodeId)}${cell(allocatedMB, 'n')}${cell(allocatedVCores, 'n')}${cell(time(container.createdMs))}<td>${link(logUrl ?? '', 'logs')}</td></tr>`;
    });
    return shell(
      attempt.id,
      html`<p>${link(`/cluster/app/${application.id}`, application.id)}</p>\n${facts([
        ['State', report.appAttemptState],
        ['Master on', report.host],
        ['Tracking URL', report.originalTrackingUrl],
        ['Container of the master', report.amContainerId],
        ['Started (UTC)', time(attempt.startedMs)],
        ['Finished (UTC)', time(attempt.finishedMs)],
      ])}\n<h2>Diagnostics</h2>\n<pre>${report.diagnosticsInfo || 'none'}</pre>\n<h2>Live containers</h2>\n${table(['Container', 'Node', 'Memory MB', 'Vcores', 'Started (UTC)', 'Logs'], rows)}`,
      { webPage: `applications/${application.id}` },
    );
  };
  return orProblem('Attempt', shown, () => historyPage(parts, applicationIdOfAttempt(id), { kind: 'appattempt', id }));
}

/** `/cluster/container/{containerid}`. */
function containerPage(parts: Parts, call: Call): Answer {
  const given = call.params['containerid'] ?? '';
  const shown = () => {
    const id = containerIdOf(given);
    const attemptId = attemptIdOfContainer(id);
    const { application, attempt } = findAttempt(
      parts,
      { application: applicationIdOfAttempt(attemptId), attempt: attemptId },
      call.user,
      'application',
    );
    const webPage = `applications/${application.id}?tab=containers`;
    const container = attempt.containers.get(id);
    if (!container)
      return shell(id, html`<p>It does not run (any more). ${link(`/api/v1/containers/${id}/logs`, 'Its logs')}</p>`, {
        webPage,
        status: 404,
      });
    const info = containerInfo(parts.views, container, application.user);
    return shell(
      id,
      html`<p>${link(`/cluster/appattempt/${attempt.id}`, attempt.id)} · ${link(info.logUrl ?? '', 'logs')}</p>\n${facts([
        ['State', info.containerState],
        ['Node', info.nodeId],
        ['Resources', resourceText(container.resource, parts.types)],
        ['Priority', info.priority],
        ['Started (UTC)', time(container.createdMs)],
      ])}`,
      { webPage },
    );
  };
  const application = () => applicationIdOfAttempt(attemptIdOfContainer(containerIdOf(given)));
  return orProblem('Container', shown, () => historyPage(parts, application(), { kind: 'container', id: given }));
}

/** `/cluster/logaggregationstatus/{appid}`. */
function logGatheringPage(parts: Parts, call: Call): Answer {
  const given = call.params['appid'] ?? '';
  const shown = () => {
    const application = findViewable(parts, given, call.user);
    const rows = [...application.logAggregation].map(
      ([nodeId, { status, diagnostics }]) => html`<tr>${cell(nodeId)}${cell(status)}${cell(diagnostics)}</tr>`,
    );
    return shell(
      application.id,
      html`<p>${link(`/cluster/app/${application.id}`, application.id)}</p>\n${facts([
        ['Log gathering', logAggregationStatus(application)],
      ])}\n${table(['Node', 'State', 'Diagnostics'], rows)}`,
      { webPage: `applications/${application.id}` },
    );
  };
  return orProblem('Application', shown, () => undefined);
}

/** `/cluster/cluster`. */
function aboutPage(parts: Parts, call: Call): Answer {
  const info = infoOf(parts);
  return shell(
    'About the cluster',
    facts([
      ['Cluster', info.id],
      ['State', info.state],
      ['High availability', info.haState],
      ['Started (UTC)', time(parts.startedMs)],
      ['Speaks as', `Hadoop ${info.hadoopVersion}`],
      ['Scheduler', parts.policy.names.short],
      ['You are', call.user ?? 'nobody'],
    ]),
  );
}

/** The routes of the pages that stand in this file alone. */
export function detailPages(parts: Parts, page: AddPage): Route<never>[] {
  return [
    page('/cluster/cluster', 'The cluster, as a page.', 'facts', (call) => aboutPage(parts, call)),
    ...['/cluster/app', '/cluster/appattempt', '/cluster/container', '/cluster/logaggregationstatus'].map((path) =>
      page(path, 'Asks for an id.', 'facts', () => shell('Bad request', html`<p>The address needs an id at its end.</p>`)),
    ),
    page('/cluster/queue/*', 'Queues, as a page.', 'facts', () => schedulerPage(parts, html``)),
    page('/cluster/errors-and-warnings', 'Where errors and warnings are.', 'facts', () =>
      shell('Errors and warnings', html`<p>They are in the log: this server writes it to its standard error.</p>`),
    ),
    page('/cluster/nodelabels', 'Labels of nodes, as a page.', 'facts', () => labelsPage(parts)),
    page('/cluster/logaggregationstatus/:appid', 'How far the logs of an application are gathered, as a page.', 'view', (call) =>
      logGatheringPage(parts, call),
    ),
    page('/cluster/appattempt/:appattemptid', 'One attempt, as a page.', 'view', (call) => attemptPage(parts, call)),
    page('/cluster/container/:containerid', 'One live container, as a page.', 'view', (call) => containerPage(parts, call)),
  ];
}

// The node's pages for browsers: the same parts and ids as Hadoop's, so that what reads them goes on reading them.

import { type Answer, htmlAnswer, redirect } from '../../http/answers.ts';
import { type Html, type HtmlValue, html, joined } from '../../http/html.ts';
import { link, pageIcon, webPageLink } from '../../http/pages.ts';
import type { Call } from '../../http/service.ts';
import { withoutTrailing } from '../../lib/trailing.ts';
import { Failure, failure } from '../../model/errors.ts';
import { byteText } from '../containers/diagnostics.ts';
import { checkLogState, listLogs, openLog } from '../logs/container-logs.ts';
import { applicationOf } from './container-ids.ts';
import { passedParameters } from './log-handlers.ts';
import { mayViewContainer, type NodeContents, type NodeFacts } from './node-handlers.ts';
import { hadoopBuild } from './version.ts';

const bytesOfMiB = 1024 * 1024;

/** What every page links to. */
export interface PageLinks {
  /** Base URL of the resource manager's web interface. */
  readonly resourceManagerUrl: string;
}

/** Where browsers are sent for logs that are not here; undefined: nowhere. */
export interface PageLogServer {
  /** Base URL for browsers (yarn.log.server.url). */
  readonly logServerUrl: string | undefined;
  /** Logs of ended applications are gathered (yarn.log-aggregation-enable). */
  readonly aggregationEnabled: boolean;
}

/** `Sat Nov 21 00:10:12 UTC 2026`, as Java prints dates. */
function javaDate(timeMs: number): string {
  const date = new Date(timeMs);
  const zone =
    new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ??
    '';
  const [day, month, number, year, time] = date.toString().split(' ');
  return `${day} ${month} ${number} ${time} ${zone} ${year}`;
}

/** A whole page: navigation left, content right; `webPage` leads to the web page about the same thing. */
function layout(links: PageLinks, title: string, content: Html, webPage = webPageLink()): Answer {
  const item = (href: string, label: string) => html`<li>${link(href, label)}</li>`;
  const body = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
${pageIcon}
<style>body{font-family:sans-serif}#layout{width:100%}td{vertical-align:top}#navcell{width:12em}table.info th{text-align:left;padding-right:1em}pre{white-space:pre-wrap}</style>
</head>
<body>
<table id="layout">
<thead><tr><td colspan="2"><div id="header"><h1>${title}</h1></div></td></tr></thead>
<tbody><tr>
<td id="navcell"><div id="nav">
<h3>ResourceManager</h3><ul>${item(links.resourceManagerUrl, 'RM Home')}</ul>
<h3>NodeManager</h3><ul>${item('/node/node', 'Node Information')}${item('/node/allApplications', 'List of Applications')}${item('/node/allContainers', 'List of Containers')}<li>${webPage}</li></ul>
</div></td>
<td class="content">
${content}
</td>
</tr></tbody>
</table>
</body>
</html>
`;
  return htmlAnswer(200, body);
}

/** A table of names and values. */
function infoTable(heading: string, rows: readonly (readonly [string, HtmlValue])[]): Html {
  const lines = rows.map(
    ([name, value], index) => html`<tr class="${index % 2 === 0 ? 'odd' : 'even'}"><th>${name}</th><td>${value}</td></tr>`,
  );
  return html`<div class="info-wrap"><table class="info">\n<tr><th colspan="2">${heading}</th></tr>\n${joined(lines, '\n')}\n</table></div>`;
}

/** `/node` and `/node/node`. */
export function nodePage(links: PageLinks, facts: NodeFacts): Answer {
  const { memoryMiB, vcores } = facts.capacity.current;
  const health = facts.health.current;
  const version = `${hadoopBuild.text} on ${hadoopBuild.date}`;
  return layout(
    links,
    'NodeManager information',
    infoTable('NodeManager information', [
      ['Total Vmem allocated for Containers', byteText(Math.floor(memoryMiB * facts.virtualRatio) * bytesOfMiB, 2)],
      ['Vmem enforcement enabled', String(facts.checkVirtual)],
      ['Total Pmem allocated for Container', byteText(memoryMiB * bytesOfMiB, 2)],
      ['Pmem enforcement enabled', String(facts.checkPhysical)],
      ['Total VCores allocated for Containers', String(vcores)],
      ['Resource types', facts.resourceTypes],
      ['NodeHealthyStatus', String(health.healthy)],
      ['LastNodeHealthTime', javaDate(health.time)],
      ['NodeHealthReport', health.report],
      ['NodeManager started on', javaDate(facts.startedMs)],
      ...(facts.membership.current.ready ? [] : [['Not ready', facts.membership.current.reason ?? ''] as const]),
      ['NodeManager Version:', version],
      ['Hadoop Version:', version],
    ]),
  );
}

/** A page that says one thing. */
export const notePage = (links: PageLinks, title: string, said: string): Answer => layout(links, title, html`<p>${said}</p>`);

/** `/node/allApplications`. */
export function applicationsPage(links: PageLinks, contents: NodeContents, call: Call): Answer {
  const rows = [...contents.manager.applications.values()]
    .filter((application) => !contents.filterLists || contents.access.mayView(call.caller, application))
    .map(({ id, state }) => html`<tr><td>${link(`/node/application/${id}`, id)}</td><td>${state}</td></tr>`);
  return layout(
    links,
    'Applications running on this node',
    html`<table id="applications"><thead><tr><td>ApplicationId</td><td>ApplicationState</td></tr></thead><tbody>${joined(rows, '\n')}</tbody></table>`,
  );
}

/** `/node/allContainers`. */
export function containersPage(links: PageLinks, contents: NodeContents, call: Call): Answer {
  const shown = [...contents.manager.containers.values()].filter(
    (container) => !contents.filterLists || mayViewContainer(contents, call, container),
  );
  const rows = shown.map(
    ({ id, state, order, executionType }) =>
      html`<tr><td>${link(`/node/container/${id}`, id)}</td><td>${executionType}</td><td>${state}</td><td>${link(`/node/containerlogs/${id}/${encodeURIComponent(order.user)}`, 'logs')}</td></tr>`,
  );
  return layout(
    links,
    'All containers running on this node',
    html`<table id="containers"><thead><tr><td>ContainerId</td><td>ExecutionType</td><td>ContainerState</td><td>logs</td></tr></thead><tbody>${joined(rows, '\n')}</tbody></table>`,
  );
}

/** `/node/application/{id}`. */
export function applicationPage(links: PageLinks, contents: NodeContents, call: Call): Answer {
  const id = call.params['id'] ?? '';
  const application = contents.manager.applications.get(id);
  if (!application) throw failure('NODE_APPLICATION_NOT_FOUND', { id });
  const rows = [...application.containers.keys()].map(
    (containerId) => html`<tr><td>${link(`/node/container/${containerId}`, containerId)}</td></tr>`,
  );
  const info = infoTable("Application's information", [
    ['ApplicationId', application.id],
    ['ApplicationState', application.state],
    ['User', application.user],
  ]);
  return layout(
    links,
    `Application ${id}`,
    html`${info}\n<table id="containers">${joined(rows, '\n')}</table>`,
    webPageLink(`applications/${id}`, links.resourceManagerUrl),
  );
}

/** `/node/container/{id}`. */
export function containerPage(links: PageLinks, contents: NodeContents, call: Call): Answer {
  const id = call.params['id'] ?? '';
  applicationOf(id);
  const container = contents.manager.containers.get(id);
  if (!container) throw failure('NODE_CONTAINER_NOT_FOUND', { id });
  const { order } = container;
  return layout(
    links,
    `Container ${id}`,
    infoTable('Container information', [
      ['ContainerID', id],
      ['ContainerState', container.state],
      ['ExitStatus', container.ended ? String(container.exitCode) : 'N/A'],
      ['Diagnostics', mayViewContainer(contents, call, container) ? container.diagnostics : ''],
      ['User', order.user],
      ['TotalMemoryNeeded', String(order.resource.memoryMiB)],
      ['TotalVCoresNeeded', String(order.resource.vcores)],
      ['ExecutionType', container.executionType],
      ['logs', link(`/node/containerlogs/${id}/${encodeURIComponent(order.user)}`, 'Link to logs')],
    ]),
    webPageLink(`containers/${id}`),
  );
}

/** `/node/containerlogs/{container}/{user}` and `…/{file}`. */
export async function logsPage(links: PageLinks, contents: NodeContents, logServer: PageLogServer, call: Call): Promise<Answer> {
  const containerId = call.params['container'] ?? '';
  const user = call.params['user'] ?? '';
  const file = call.params['file'];
  const applicationId = applicationOf(containerId);
  const application = contents.manager.applications.get(applicationId);
  if (!application) {
    if (!logServer.aggregationEnabled || !logServer.logServerUrl) throw failure('NODE_LOGS_UNKNOWN');
    // The parts stay as they were written, the query is written anew (NMWebAppFilter).
    const [, , , id, owner, name] = call.path.split('/');
    const path = [encodePart(contents.address.nodeId), id, id, owner, ...(name ? [name] : [])].join('/');
    const query = passedParameters(call.query.text).join('&');
    const url = `${withoutTrailing(logServer.logServerUrl, '/')}/${path}${query === '' ? '' : `?${query}`}`;
    return redirect(307, url, { text: `Redirecting to log server : ${url}\n`, contentType: 'text/plain;charset=utf-8' });
  }
  if (!contents.access.mayView(call.caller, application))
    throw failure('NODE_LOGS_FORBIDDEN', { user: call.user ?? '', application: applicationId });
  checkLogState(contents.manager.containers.get(containerId)?.state);
  const base = `/node/containerlogs/${containerId}/${encodeURIComponent(user)}`;
  const title = `Logs for ${containerId}`;
  if (file !== undefined) return logPage(links, contents, call, { applicationId, containerId, file, base, title });
  const files = (await listLogs(contents.folders, applicationId, containerId)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const lines = files.map(
    ({ name, bytes }) =>
      html`<p>${link(`${base}/${encodeURIComponent(name)}/?start=-4096`, `${name} : Total file length is ${bytes} bytes.`)}</p>`,
  );
  return layout(links, title, html`<h2>Local Logs:</h2>\n${joined(lines, '\n')}`, webPageLink(`containers/${containerId}`));
}

const encodePart = (part: string) => encodeURIComponent(part).replaceAll('%3A', ':');

async function logPage(
  links: PageLinks,
  contents: NodeContents,
  call: Call,
  facts: { applicationId: string; containerId: string; file: string; base: string; title: string },
): Promise<Answer> {
  const { applicationId, containerId, file, base, title } = facts;
  const log = await openLog(contents.folders, applicationId, containerId, file);
  try {
    const bound = (name: string, absent: number) => {
      const value = call.query.first(name) ?? '';
      if (value === '') return absent;
      if (!/^[+-]?\d{1,18}$/.test(value)) throw failure('BAD_NUMBER', { value });
      const number = Number(value);
      return Math.max(0, Math.min(log.bytes, number < 0 ? log.bytes + number : number));
    };
    const start = bound('start', 0);
    const end = bound('end', log.bytes);
    if (start > end) return layout(links, title, html`<p>Invalid start and end values. Start: [${start}], end[${end}]</p>`);
    const shown = Math.min(end - start, maximumPageBytes);
    const pieces: Buffer[] = [];
    for await (const piece of log.read(start, shown)) pieces.push(piece);
    const partial =
      shown < log.bytes
        ? html`<p>Showing ${shown} bytes. Click ${link(`${base}/${encodeURIComponent(file)}/?start=0`, 'here')} for full log</p>\n`
        : '';
    return layout(
      links,
      title,
      html`${partial}<pre>${Buffer.concat(pieces).toString('utf8')}</pre>`,
      webPageLink(`containers/${containerId}?file=${encodeURIComponent(file)}`),
    );
  } finally {
    await log.close();
  }
}

/** Longest piece of a log that a page shows. */
const maximumPageBytes = 4 * 1024 * 1024;

/** What is absent, malformed or not for the caller is said on a page of its own, with 200 as on Hadoop's nodes. */
export function pageFailure(links: PageLinks, error: unknown): Answer {
  if (error instanceof Failure && error.entry.status < 500)
    return { ...layout(links, 'NodeManager', html`<h1>${error.message}</h1>`), failure: error };
  throw error;
}

// Pages of aggregated logs, below one address that stays the same: /jobhistory/logs/<node>/<container>/<entity>/<owner>[/<file>]
// (HsLogsPage and AggregatedLogsBlock of Hadoop 3.4). They answer 200 also where they have nothing to show.

import { type Answer, htmlAnswer, stream } from '../../http/answers.ts';
import { type Html, html, joined } from '../../http/html.ts';
import { page, pageIcon } from '../../http/pages.ts';
import type { Call, Service } from '../../http/service.ts';
import { parseLong } from '../../lib/java-number.ts';
import { failure } from '../../model/errors.ts';
import { applicationIdOfContainer, InvalidId } from '../../model/ids.ts';
import { parseJobId } from '../../model/job-ids.ts';
import { type AggregatedRange, readAggregatedFiles } from '../../wire/files/aggregated-log.ts';
import {
  type AggregatedLogTree,
  type ContainerLogs,
  findApplicationLogs,
  listContainerLogs,
  nodeFileName,
} from '../../wire/files/aggregated-log-folder.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { JobAccess } from './access.ts';

/** What the pages serve. */
export interface LogPageOptions {
  readonly tree: AggregatedLogTree;
  readonly store: JobStore;
  readonly access: JobAccess;
}

/** The end of each file that a page shows without a range, in bytes. */
const shownBytes = 4096;
const title = (line: string) => html`<h1>${line}</h1>`;
const message = (line: string): Answer => htmlAnswer(200, page('Logs', title(line)));

/** A job's id that the history does not know yet. */
async function unknownJob(store: JobStore, entity: string): Promise<boolean> {
  let id: string;
  try {
    id = parseJobId(entity);
  } catch {
    return false;
  }
  return (await store.find(id)) === undefined;
}

function range(call: Call<never>, preview: boolean): AggregatedRange | string {
  const [start, end] = ['start', 'end'].map((name) => call.query.first(name));
  const from = start === undefined ? (preview ? -shownBytes : 0) : parseLong(start);
  if (from === undefined) return `Invalid log start value: ${start}`;
  const to = end === undefined || end === '' ? undefined : parseLong(end);
  if (end !== undefined && end !== '' && to === undefined) return `Invalid log end value: ${end}`;
  return { start: from, ...(to === undefined ? {} : { end: to }) };
}

/** Mounts the pages. */
export function mountLogPages(service: Service, { tree, store, access }: LogPageOptions): void {
  async function handle(call: Call<never>): Promise<Answer> {
    const { node, container, entity, owner, file } = call.params;
    if (!container) return message('Cannot get container logs without a ContainerId');
    if (!node) return message('Cannot get container logs without a NodeId');
    if (!owner) return message('Cannot get container logs without an app owner');
    let applicationId: string;
    try {
      applicationId = applicationIdOfContainer(container);
    } catch (error) {
      if (error instanceof InvalidId) return message(`Cannot get container logs for invalid containerId: ${container}`);
      throw error;
    }
    if (await unknownJob(store, entity!)) return htmlAnswer(404, page(`Not found: ${entity}`, title(`Not found: ${entity}`)));
    const wanted = range(call, file === undefined);
    if (typeof wanted === 'string') return message(wanted);
    const place = await findApplicationLogs(tree, applicationId, owner);
    if (!place)
      return message(
        `Logs not available for ${container}. Aggregation may not be complete, Check back later or try to find the container logs in the local directory of nodemanager ${node}`,
      );
    const name = nodeFileName(node);
    const all = await listContainerLogs(place.folder, {
      containerId: container,
      node: (candidate) => candidate === name || candidate.startsWith(`${name}_`),
    });
    const denied = all.filter((logs) => !access.maySeeLogPage(logs, call.user));
    const lines = denied.map((logs) =>
      title(`User [${call.user ?? ''}] is not authorized to view the logs for ${entity} in log file [${logs.nodeFile.name}]`),
    );
    const readable = all.filter((logs) => !denied.includes(logs));
    const shown = file === undefined ? readable : readable.filter((logs) => logs.files.some((one) => one.name === file));
    if (shown.length === 0) {
      const none =
        file === undefined ? `No logs available for container ${container}` : `Unable to locate '${file}' log for container ${container}`;
      const answer = htmlAnswer(200, page('Logs', joined([...lines, title(none)], '\n')));
      const refused = failure('LOGS_DENIED', { user: call.user ?? '', what: container });
      return denied.length > 0 ? { ...answer, failure: refused } : answer;
    }
    return stream(200, 'text/html;charset=utf-8', logsPage(shown, lines, container, file, wanted, call.path));
  }
  for (const path of logPagePaths)
    service.route({
      method: 'GET',
      path,
      produces: 'any',
      about: 'Aggregated logs of a container.',
      // Without the owner they say what is missing.
      access: path.includes(':owner') ? 'view' : 'facts',
      handle,
    });
}

/** Addresses of the pages, from where nothing is named to one file; Hadoop's node managers lead to `nmlogs`. */
export const logPagePaths = ['logs', 'nmlogs'].flatMap((root) =>
  [
    '',
    '/:node',
    '/:node/:container',
    '/:node/:container/:entity',
    '/:node/:container/:entity/:owner',
    '/:node/:container/:entity/:owner/:file',
  ].map((parts) => `/jobhistory/${root}${parts}`),
);

async function* logsPage(
  shown: readonly ContainerLogs[],
  lines: readonly Html[],
  container: string,
  file: string | undefined,
  wanted: AggregatedRange,
  path: string,
): AsyncGenerator<string> {
  yield html`<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Logs for ${container}</title>\n${pageIcon}\n</head>\n<body>\n${joined(lines, '\n')}\n`
    .text;
  for (const logs of shown) {
    const files = readAggregatedFiles(logs.nodeFile.path, container, ({ name }) => file === undefined || name === file, wanted);
    for await (const { file: one, bytes } of files) {
      yield html`<p>Log Type: ${one.name}</p>\n<p>Log Upload Time: ${new Date(logs.nodeFile.modifiedMs).toUTCString()}</p>\n<p>Log Length: ${one.sizeBytes}</p>\n`
        .text;
      if (file === undefined && one.sizeBytes > shownBytes) {
        const full = `${path.replace(/\/$/, '')}/${encodeURIComponent(one.name)}/?start=0`;
        yield html`<p>Showing ${shownBytes} bytes of ${one.sizeBytes} total. Click <a href="${full}">here</a> for the full log.</p>\n`.text;
      }
      yield '<pre>';
      const decoder = new TextDecoder();
      for await (const part of bytes) yield html`${decoder.decode(part, { stream: true })}`.text;
      yield html`${decoder.decode()}</pre>\n`.text;
    }
  }
  yield '</body>\n</html>\n';
}

// Gathered logs as they were written: the files of a container, and the bytes of one, by ranges or as events. The addresses are those
// under which nodes serve the same logs while containers run.
import { type Answer, json, stream, text } from '../../http/answers.ts';
import { lastEventByte, logEvents, requestedRange, wantsEvents } from '../../http/log-events.ts';
import { readFlag } from '../../http/query-flag.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { applicationIdOfContainer, parseContainerId } from '../../model/ids.ts';
import {
  type AggregatedLogTree,
  type ContainerLogs,
  findApplicationLogs,
  type LogPiece,
  listContainerLogs,
  piecesOf,
  readPieces,
} from '../../wire/files/aggregated-log-folder.ts';
import type { JobAccess } from './access.ts';

/** Mounts the endpoints. */
export function mountRawLogs(service: Service, { tree, access }: { tree: AggregatedLogTree; access: JobAccess }): void {
  const path = '/api/v1/containers/:containerid/logs';

  async function logsOf(call: Call<never>): Promise<{ containerId: string; logs: ContainerLogs[] }> {
    const containerId = call.params['containerid'] ?? '';
    try {
      parseContainerId(containerId);
    } catch {
      throw failure('LOGS_CONTAINER_ID_MALFORMED', { id: containerId });
    }
    const place = await findApplicationLogs(tree, applicationIdOfContainer(containerId));
    const logs = place ? await listContainerLogs(place.folder, { containerId }) : [];
    if (logs.length === 0) throw failure('LOGS_RAW_ABSENT', { what: `log of ${containerId}` });
    if (logs.some((one) => !access.mayReadLogs(one, call.user))) throw failure('LOGS_DENIED', { user: call.user ?? '', what: containerId });
    return { containerId, logs };
  }

  service.route<never>({
    method: 'GET',
    path,
    about: 'The gathered log files of a container.',
    access: 'view',
    produces: ['json'],
    handle: async (call) => {
      const { containerId, logs } = await logsOf(call);
      const files = new Map<string, { name: string; bytes: number; modifiedTime: number }>();
      for (const { files: found, nodeFile } of logs)
        for (const { name, sizeBytes } of found)
          files.set(name, { name, bytes: (files.get(name)?.bytes ?? 0) + sizeBytes, modifiedTime: Math.trunc(nodeFile.modifiedMs) });
      return json({ containerId, running: false, files: [...files.values()] });
    },
  });
  service.route<never>({
    method: 'GET',
    path: `${path}/:filename`,
    about: 'A gathered log file as it was written: whole, by a range, or as server-sent events.',
    access: 'view',
    produces: 'any',
    handle: async (call) => {
      const { containerId, logs } = await logsOf(call);
      const name = call.params['filename'] ?? '';
      const pieces = piecesOf(logs, name);
      if (pieces.length === 0) throw failure('LOGS_RAW_ABSENT', { what: `log ${name} of ${containerId}` });
      return answer(call, pieces, containerId, name);
    },
  });
}

function answer(call: Call<never>, pieces: readonly LogPiece[], containerId: string, name: string): Answer {
  const total = pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  const headers = { 'x-content-type-options': 'nosniff', 'accept-ranges': 'bytes' };
  if (wantsEvents(call.headers.accept)) {
    const from = Math.min(total, lastEventByte(call.headers['last-event-id']) ?? 0);
    return stream(200, 'text/event-stream', logEvents(readPieces(pieces, { containerId, name, from, to: total }), from), headers);
  }
  const follow = readFlag(call.query, 'follow');
  const range = requestedRange(call.headers.range, total);
  const { from, to } = range ?? { from: 0, to: total };
  // Whoever followed until the last byte has everything.
  if (range && from >= to && !follow) return text(416, '', 'text/plain;charset=utf-8', { ...headers, 'content-range': `bytes */${total}` });
  const body = readPieces(pieces, { containerId, name, from, to });
  const type = 'text/plain;charset=utf-8';
  if (!range || from >= to) return stream(200, type, body, headers);
  return stream(206, type, body, { ...headers, 'content-range': `bytes ${from}-${to - 1}/${total}` });
}

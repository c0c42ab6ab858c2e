// Container logs: the list, one file in YARN's layout, one file as it is (ranges, following), redirects to the log server.

import { type Answer, json, ok, redirect, stream, text } from '../../http/answers.ts';
import { lastEventByte, logEvents, requestedRange, wantsEvents } from '../../http/log-events.ts';
import { acceptsText } from '../../http/negotiate.ts';
import { throwAtServerEnd } from '../../http/open-calls.ts';
import { readFlag } from '../../http/query-flag.ts';
import type { Call } from '../../http/service.ts';
import type { Clock } from '../../lib/clock.ts';
import { withoutTrailing } from '../../lib/trailing.ts';
import { Failure, failure } from '../../model/errors.ts';
import {
  type ContainerLogs,
  containerLogText,
  javaDateText,
  listContainerLogs as listGatheredLogs,
  logTextHead,
  piecesOf,
  readPieces,
} from '../../wire/files/aggregated-log-folder.ts';
import { aggregatedLogsView } from '../../wire/history/container-logs.ts';
import { containerLogsInfoes } from '../../wire/node/container-logs.ts';
import type { NodeAddress } from '../address.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import type { NodeFolders } from '../folders.ts';
import { checkLogState, listLogs, type OpenLog, openLog, partOf } from '../logs/container-logs.ts';
import type { LeftApplication } from '../logs/left-logs.ts';
import type { NodeAccess } from './access.ts';
import { applicationOf, keptContainerId } from './container-ids.ts';

/** Where the node's logs are, and where those are that it does not have. */
export interface LogSources {
  readonly manager: ContainerManager;
  readonly access: NodeAccess;
  readonly folders: NodeFolders;
  readonly address: NodeAddress;
  readonly clock: Clock;
  /** Folder of the logs that an application rolls away while it runs; undefined for others. */
  readonly rolledLogs: (applicationId: string) => Promise<string | undefined>;
  /** An application that is gone while its logs still lie here. */
  readonly leftLogs: (applicationId: string) => LeftApplication | undefined;
  /** Base URL that YARN's log requests are sent to for logs that are not here (yarn.log.server.web-service.url). */
  readonly logServerWebServiceUrl: string | undefined;
  /** Base URL of the history server, which serves gathered logs. */
  readonly historyUrl: string;
  /** Logs of ended applications are gathered (yarn.log-aggregation-enable). */
  readonly aggregationEnabled: boolean;
}

/** How often a followed file is looked at. */
const followIntervalMs = 100;
/** How often one is that has been silent for some time. */
const quietIntervalMs = 500;
const quietFromMs = 5000;
/** How often a silent stream of events shows that it lives. */
const stillHereMs = 15_000;
const plainText = 'text/plain;charset=utf-8';
const noSniff = { 'x-content-type-options': 'nosniff' };
const allCodes = new Set(['NODE_LOGS_UNKNOWN', 'NODE_LOGS_NOT_YET', 'NODE_LOGS_NOT_LOCALIZED', 'NODE_LOG_NOT_FOUND']);
const isAbsence = (error: unknown): error is Failure => error instanceof Failure && allCodes.has(error.code);

/** Checks that logs of the container are here and that the caller may see them. `left`: also those of applications that are gone. @throws Failure */
function checkLogs(sources: LogSources, call: Call, applicationId: string, containerId: string, left = false): void {
  const application = sources.manager.applications.get(applicationId) ?? (left ? sources.leftLogs(applicationId) : undefined);
  if (!application) throw failure('NODE_LOGS_UNKNOWN');
  if (!sources.access.mayView(call.caller, application))
    throw failure('NODE_LOGS_FORBIDDEN', { user: call.user ?? '', application: applicationId });
  checkLogState(sources.manager.containers.get(containerId)?.state);
}

/**
 * A query as WebAppUtils.appendQueryParams writes it anew: `;` parts as `&` does, what has no name is left out. Delegation tokens are for this
 * server alone and stay behind, as do `others`.
 */
export const passedParameters = (query: string, others: readonly string[] = []): string[] =>
  query.split(/[&;]/).flatMap((part) => {
    const [name] = new URLSearchParams(part).keys();
    if (!name || name === 'delegation' || others.includes(name)) return [];
    const written = new URLSearchParams(part).toString();
    return [part.includes('=') ? written : written.slice(0, -1)];
  });

/** The log server's address for the same thing, by the id that was given, with the query. */
function logServer(sources: LogSources, call: Call, filename?: string): string | undefined {
  const base = withoutTrailing(sources.logServerWebServiceUrl ?? '', '/');
  if (base === '') return undefined;
  // The log server knows the node by itself.
  const query = passedParameters(call.query.text, ['nm.id']);
  const containerId = encodeURIComponent(call.params['containerid'] ?? '');
  const file = filename === undefined ? '' : `/${encodeURIComponent(filename)}`;
  return `${base}/containers/${containerId}/logs${file}?${[...query, 'redirected_from_node=true'].join('&')}`;
}

/** `GET /containers/{containerid}/logs`. */
export async function listContainerLogs(sources: LogSources, call: Call): Promise<Answer> {
  const containerId = keptContainerId(call.params['containerid'] ?? '');
  const applicationId = applicationOf(containerId);
  try {
    checkLogs(sources, call, applicationId, containerId);
  } catch (error) {
    const url = logServer(sources, call);
    if (url === undefined) throw error;
    return redirect(307, url, {
      text: '',
      contentType: call.format === 'xml' ? 'application/xml; charset=utf-8' : 'application/json;charset=utf-8',
    });
  }
  const files = (await listLogs(sources.folders, applicationId, containerId)).filter(({ folder }) => !folder);
  const entry = {
    containerLogInfo: files.map(({ name, bytes, modifiedMs }) => ({
      fileName: name,
      fileSize: String(bytes),
      lastModifiedTime: javaDateText(modifiedMs),
    })),
    logAggregationType: 'LOCAL',
    containerId,
    nodeId: sources.address.nodeId,
  };
  const gathered = await gatheredLogs(sources, applicationId, containerId);
  return ok(containerLogsInfoes, { containerLogsInfo: [entry, ...gathered.logs.map((logs) => aggregatedLogsView(logs))] }, noSniff);
}

/** What of a running container's logs was rolled away and gathered already. */
async function gatheredLogs(
  sources: LogSources,
  applicationId: string,
  containerId: string,
): Promise<{ folder: string; logs: ContainerLogs[] }> {
  const folder = await sources.rolledLogs(applicationId);
  return folder === undefined ? { folder: '', logs: [] } : { folder, logs: await listGatheredLogs(folder, { containerId }) };
}

/** The gathered pieces of one log file as text; undefined where there are none. */
async function gatheredText(
  sources: LogSources,
  containerId: string,
  name: string,
  size?: number,
): Promise<AsyncGenerator<string | Buffer> | undefined> {
  const { folder, logs } = await gatheredLogs(sources, applicationOf(containerId), containerId);
  if (!logs.some(({ files }) => files.some((file) => file.name === name))) return undefined;
  return containerLogText(folder, containerId, (file) => file.name === name, size === undefined ? {} : { size });
}

/** A file of a container's logs, or the reason why there is none; waits for it where it is followed and the container lives. */
async function findLog(
  sources: LogSources,
  call: Call,
  { containerId, name, follow, left = false }: { containerId: string; name: string; follow: boolean; left?: boolean },
): Promise<OpenLog> {
  const applicationId = applicationOf(containerId);
  for (;;) {
    try {
      checkLogs(sources, call, applicationId, containerId, left);
      return await openLog(sources.folders, applicationId, containerId, name);
    } catch (error) {
      const container = sources.manager.containers.get(containerId);
      if (isAbsence(error)) throwAtServerEnd(call.signal);
      if (!follow || !isAbsence(error) || !container || container.ended || call.signal.aborted) throw error;
    }
    await pause(sources.clock);
  }
}

const pause = (clock: Clock, forMs = followIntervalMs) => new Promise<void>((resolve) => clock.setTimer(forMs, resolve));

/** Bytes of an open log; followed, they go on until the container has ended. Closes the log. */
async function* contents(
  sources: LogSources,
  call: Call,
  log: OpenLog,
  containerId: string,
  part: { start: number; length: number },
  follow: boolean,
): AsyncGenerator<Buffer> {
  try {
    yield* log.read(part.start, part.length);
    let silentMs = 0;
    for (let position = part.start + part.length; follow && !call.signal.aborted; ) {
      // Asked before the length is, so that nothing written before the end is missed.
      const ended = sources.manager.containers.get(containerId)?.ended ?? true;
      const bytes = await log.currentBytes();
      if (bytes > position) {
        yield* log.read(position, bytes - position);
        position = bytes;
        silentMs = 0;
      }
      if (ended) return;
      const pauseMs = silentMs < quietFromMs ? followIntervalMs : quietIntervalMs;
      await pause(sources.clock, pauseMs);
      // Those in between give up on connections on which nothing moves.
      silentMs += pauseMs;
      if (silentMs % stillHereMs === 0) yield Buffer.alloc(0);
    }
    // Whole is what ends with its container: a reader of less has to learn that there is more.
    if (follow) throwAtServerEnd(call.signal);
  } finally {
    await log.close();
  }
}

/** A Java long, or undefined for text that is none. */
function javaLong(value: string): number | undefined {
  if (!/^[+-]?\d+$/.test(value)) return undefined;
  const number = BigInt(value);
  return number >= -(2n ** 63n) && number < 2n ** 63n ? Number(number) : undefined;
}

/** `GET /containers/{containerid}/logs/{filename}` and the older `/containerlogs/{containerid}/{filename}`. */
export async function readContainerLog(sources: LogSources, call: Call): Promise<Answer> {
  const name = call.params['filename'] ?? '';
  if (!acceptsText(call.headers.accept)) throw failure('NOT_ACCEPTABLE', { available: 'text/plain, application/octet-stream' });
  let containerId: string;
  try {
    containerId = keptContainerId(call.params['containerid'] ?? '');
  } catch {
    return text(400, '', plainText);
  }
  const follow = call.query.first('follow') === 'true';
  let log: OpenLog;
  try {
    log = await findLog(sources, call, { containerId, name, follow });
  } catch (error) {
    if (!isAbsence(error)) throw error;
    const pieces = error.code === 'NODE_LOG_NOT_FOUND' ? await gatheredText(sources, containerId, name) : undefined;
    if (pieces) return stream(200, plainText, pieces, noSniff);
    const url = logServer(sources, call, name);
    if (url !== undefined) return redirect(307, url, { text: '', contentType: plainText });
    return text(404, `${error.entry.prefix ?? ''}${error.message}`, plainText);
  }
  const answer = await logAnswer(sources, call, containerId, log, follow).catch(async (error: unknown) => {
    await log.close();
    throw error;
  });
  return answer;
}

async function logAnswer(sources: LogSources, call: Call, containerId: string, log: OpenLog, follow: boolean): Promise<Answer> {
  const sizeText = call.query.first('size') ?? '';
  const size = sizeText === '' ? Number.MAX_SAFE_INTEGER : javaLong(sizeText);
  if (size === undefined) throw failure('BAD_NUMBER', { value: sizeText });
  const format = (call.query.first('format') || 'text').toLowerCase();
  if (format !== 'text' && format !== 'octet-stream') {
    await log.close();
    return text(400, failure('NODE_LOG_FORMAT_UNKNOWN').message, plainText);
  }
  const part = partOf(log.bytes, size);
  const body = async function* (): AsyncGenerator<string | Buffer> {
    const facts = {
      containerId,
      node: sources.address.nodeId,
      type: 'LOCAL',
      file: log.name,
      modifiedMs: log.modifiedMs,
      sizeBytes: log.bytes,
    };
    yield logTextHead(facts);
    yield* contents(sources, call, log, containerId, part, follow);
    const running = sources.manager.containers.get(containerId)?.state === 'RUNNING';
    const note = running ? `This log file belongs to a running container (${containerId}) and so may not be complete.` : '';
    yield `End of LogType:${log.name}.${note}\n${'*'.repeat(`End of LogType:${log.name}`.length + 50)}\n\n`;
    const pieces = await gatheredText(sources, containerId, log.name, sizeText === '' ? undefined : size);
    if (pieces) yield* pieces;
  };
  return stream(200, format === 'text' ? plainText : 'application/octet-stream; charset=utf-8', body(), noSniff, log.close);
}

/** `GET /api/v1/containers/{containerid}/logs`: names and lengths. */
export async function listRawLogs(sources: LogSources, call: Call): Promise<Answer> {
  const containerId = keptContainerId(call.params['containerid'] ?? '');
  const applicationId = applicationOf(containerId);
  try {
    checkLogs(sources, call, applicationId, containerId, true);
  } catch (error) {
    return elsewhere(sources, call, error);
  }
  const files = new Map<string, { name: string; bytes: number; modifiedTime: number }>();
  for (const { files: pieces, nodeFile } of (await gatheredLogs(sources, applicationId, containerId)).logs)
    for (const { name, sizeBytes } of pieces)
      files.set(name, { name, bytes: (files.get(name)?.bytes ?? 0) + sizeBytes, modifiedTime: Math.trunc(nodeFile.modifiedMs) });
  for (const { name, bytes, modifiedMs, folder } of await listLogs(sources.folders, applicationId, containerId))
    if (!folder) files.set(name, { name, bytes, modifiedTime: modifiedMs });
  const container = sources.manager.containers.get(containerId);
  return json({ containerId, running: container !== undefined && !container.ended, files: [...files.values()] });
}

/** Logs that are not here (any more) are where they are gathered; the failure itself where they are not. */
function elsewhere(sources: LogSources, call: Call, error: unknown): Answer {
  if (!isAbsence(error) || !sources.aggregationEnabled) throw error;
  return redirect(307, `${sources.historyUrl}${call.path}${call.query.passedOn}`, { text: '', contentType: plainText });
}

/**
 * `GET /api/v1/containers/{containerid}/logs/{filename}`: the bytes alone; one range, `follow=true` until the container ends, or the
 * same as server-sent events.
 */
export async function readRawLog(sources: LogSources, call: Call): Promise<Answer> {
  const containerId = keptContainerId(call.params['containerid'] ?? '');
  const events = wantsEvents(call.headers.accept);
  const follow = readFlag(call.query, 'follow') || events;
  let log: OpenLog;
  try {
    log = await findLog(sources, call, { containerId, name: call.params['filename'] ?? '', follow, left: true });
  } catch (error) {
    return elsewhere(sources, call, error);
  }
  const headers: Record<string, string> = { ...noSniff, 'accept-ranges': 'bytes' };
  const whole = await wholeLog(sources, containerId, log).catch(async (error: unknown) => {
    await log.close();
    throw error;
  });
  const bytesFrom = (from: number, to = whole.bytes) =>
    whole.read(from, to, (part) => contents(sources, call, log, containerId, part, follow));
  if (events) {
    const from = Math.min(whole.bytes, lastEventByte(call.headers['last-event-id']) ?? 0);
    return stream(200, 'text/event-stream', logEvents(bytesFrom(from), from), { ...headers, 'cache-control': 'no-cache' }, log.close);
  }
  const range = requestedRange(call.headers.range, whole.bytes);
  if (!range) return stream(200, plainText, bytesFrom(0), headers, log.close);
  const { from, to } = range;
  // What is followed has no end yet that a range could name.
  if (follow) return stream(200, plainText, bytesFrom(from), headers, log.close);
  if (from >= to) {
    await log.close();
    return text(416, '', plainText, { ...headers, 'content-range': `bytes */${whole.bytes}` });
  }
  return stream(206, plainText, bytesFrom(from, to), { ...headers, 'content-range': `bytes ${from}-${to - 1}/${whole.bytes}` }, log.close);
}

/** A log with what of it was rolled away before: the gathered pieces, then what the file here has beyond them. */
async function wholeLog(sources: LogSources, containerId: string, log: OpenLog) {
  const pieces = piecesOf((await gatheredLogs(sources, applicationOf(containerId), containerId)).logs, log.name);
  const gatheredBytes = pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  const applicationId = applicationOf(containerId);
  const application = sources.manager.applications.get(applicationId) ?? sources.leftLogs(applicationId);
  const taken = pieces.length === 0 ? undefined : application?.rolledLogs?.get(log.path);
  const skipBytes = taken && taken.identity === log.identity && taken.bytes <= log.bytes ? taken.bytes : 0;
  return {
    bytes: gatheredBytes + log.bytes - skipBytes,
    async *read(
      from: number,
      to: number,
      here: (part: { start: number; length: number }) => AsyncGenerator<Buffer>,
    ): AsyncGenerator<Buffer> {
      if (from < gatheredBytes) yield* readPieces(pieces, { containerId, name: log.name, from, to: Math.min(to, gatheredBytes) });
      const start = Math.max(0, from - gatheredBytes);
      yield* here({ start: skipBytes + start, length: Math.max(0, to - gatheredBytes - start) });
    },
  };
}

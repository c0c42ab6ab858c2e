// Container logs over the history server: listings and contents of aggregated logs, redirects to the node while an application
// runs (LogServlet and LogWebServiceUtils of Hadoop 3.4). These endpoints label their answers without a charset.

import type { RouteAccess } from '../../auth/route-access.ts';
import { type Answer, stream, text } from '../../http/answers.ts';
import { acceptsText } from '../../http/negotiate.ts';
import { profiles } from '../../http/profiles.ts';
import { renderFailure } from '../../http/render-error.ts';
import type { Call, Service } from '../../http/service.ts';
import { parseLong } from '../../lib/java-number.ts';
import { isFinalApplicationState } from '../../model/application-states.ts';
import { Failure, failure } from '../../model/errors.ts';
import {
  applicationIdOfAttempt,
  applicationIdOfContainer,
  attemptIdOfContainer,
  InvalidId,
  usualApplicationId,
  usualAttemptId,
  usualContainerId,
} from '../../model/ids.ts';
import type { RecordDescription } from '../../wire/codec/describe.ts';
import { writeJson } from '../../wire/codec/json.ts';
import { writeXml } from '../../wire/codec/xml.ts';
import {
  type AggregatedLogTree,
  applicationLogFolder,
  type ContainerLogs,
  type ContainerLogsFilter,
  containerLogText,
  findApplicationLogs,
  listContainerLogs,
  logFileController,
  noLogsText,
  olderApplicationLogFolder,
  userLogFolder,
} from '../../wire/files/aggregated-log-folder.ts';
import {
  aggregatedLogsView,
  type ContainerLogsInfo,
  containerLogsList,
  localLogsPlaceholder,
  remoteLogPaths,
} from '../../wire/history/container-logs.ts';
import type { Applications } from '../jobs/applications.ts';
import type { JobAccess } from './access.ts';
import { searchLogs } from './log-query.ts';

/** What the routes serve. */
export interface LogRouteOptions {
  readonly tree: AggregatedLogTree;
  readonly applications: Applications;
  readonly access: JobAccess;
  /** The user the server runs as. */
  readonly serverUser: string;
}

const root = '/ws/v1/history';
const textType = 'text/plain;charset=utf-8';

/** An answer in the caller's format, labelled without a charset. */
function plain<T>(call: Call<never>, record: RecordDescription<T>, value: T): Answer {
  return call.format === 'xml'
    ? text(200, writeXml(record, value), 'application/xml')
    : text(200, writeJson(record, value), 'application/json');
}

function listing(call: Call<never>, logs: readonly ContainerLogsInfo[]): Answer {
  if (logs.length === 0 && call.format === 'json') return text(200, 'null', 'application/json');
  return plain(call, containerLogsList, { containerLogsInfo: logs });
}

/** A failure as these endpoints label it. */
function refused(call: Call<never>, error: unknown): Answer {
  if (!(error instanceof Failure) || error.entry.status >= 500) throw error;
  const answer = renderFailure(error, {
    profile: profiles.history,
    format: call.format,
    method: call.method,
    path: call.path,
    accept: call.headers.accept,
  });
  if (answer.kind !== 'rendered') return answer;
  return { ...answer, contentType: error.entry.form === 'text' ? textType : `application/${call.format}` };
}

const isSet = (call: Call<never>, name: string) => call.query.first(name)?.toLowerCase() === 'true';

/** Parses an id of a query. @throws Failure LOGS_ID_MALFORMED */
function checkedId(value: string | undefined, usual: (text: string) => string): string | undefined {
  if (value === undefined) return undefined;
  try {
    return usual(value);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('LOGS_ID_MALFORMED', { reason: error.message });
    throw error;
  }
}

/** An id as it is usually written; undefined for what is none. */
function containerIdOf(text: string): string | undefined {
  try {
    return usualContainerId(text);
  } catch {
    return undefined;
  }
}

/** What a listing is about: the application, and perhaps one of its attempts or containers. */
interface Subject extends ContainerLogsFilter {
  readonly applicationId: string;
}

/** @throws Failure LOGS_ID_MISSING, LOGS_ID_MALFORMED, LOGS_IDS_CONTRADICT */
function subjectOf(call: Call<never>): Subject {
  const applicationId = checkedId(call.query.first('appid'), usualApplicationId);
  const attemptId = checkedId(call.query.first('appattemptid'), usualAttemptId);
  const containerId = checkedId(call.query.first('containerid'), usualContainerId);
  const contradicts = (inner: string, outer: string) => failure('LOGS_IDS_CONTRADICT', { inner, outer });
  if (containerId !== undefined) {
    if (attemptId !== undefined && attemptIdOfContainer(containerId) !== attemptId)
      throw contradicts(`Container ${containerId}`, `application attempt ${attemptId}`);
    const own = applicationIdOfContainer(containerId);
    if (applicationId !== undefined && own !== applicationId) throw contradicts(`Container ${containerId}`, `application ${applicationId}`);
    return { applicationId: own, containerId };
  }
  if (attemptId !== undefined) {
    const own = applicationIdOfAttempt(attemptId);
    if (applicationId !== undefined && own !== applicationId)
      throw contradicts(`Application attempt ${attemptId}`, `application ${applicationId}`);
    return { applicationId: own, attemptId };
  }
  if (applicationId === undefined) throw failure('LOGS_ID_MISSING');
  return { applicationId };
}

/** Mounts the endpoints. */
export function mountLogRoutes(service: Service, options: LogRouteOptions): void {
  const get = (
    path: string,
    about: string,
    access: RouteAccess,
    handle: (call: Call<never>) => Answer | Promise<Answer>,
    produces?: 'any',
  ) =>
    service.route({
      method: 'GET',
      path: `${root}${path}`,
      about,
      access,
      ...(produces ? { produces } : {}),
      handle: async (call) => {
        try {
          return await handle(call as Call<never>);
        } catch (error) {
          return refused(call as Call<never>, error);
        }
      },
    });
  get('/remote-log-dir', 'Where aggregated logs lie.', 'facts', (call) => showFolder(options, call));
  get('/extended-log-query', 'Searches aggregated logs by name, size, time and node.', 'admin', (call) => search(options, call));
  get('/aggregatedlogs', 'Aggregated logs of an application, an attempt or a container.', 'view', (call) =>
    listLogs(options, call, subjectOf(call)),
  );
  get('/containers/:containerid/logs', 'Logs of a container.', 'view', (call) => {
    const containerId = containerIdOf(call.params['containerid']!);
    if (containerId === undefined) throw failure('LOGS_CONTAINER_ID_MALFORMED', { id: call.params['containerid']! });
    return listLogs(options, call, { applicationId: applicationIdOfContainer(containerId), containerId });
  });
  get('/containerlogs/:containerid/:filename', 'A log file of a container.', 'view', (call) => readLog(options, call), 'any');
}

function showFolder({ tree, serverUser }: LogRouteOptions, call: Call<never>): Answer {
  const user = call.query.first('user') ?? serverUser;
  if (user === '') throw failure('ILLEGAL_ARGUMENT', { reason: 'Can not create a Path from an empty string' });
  const id = call.query.first('appid');
  let path = userLogFolder(tree, user);
  if (id !== undefined) {
    try {
      path = applicationLogFolder(tree, user, usualApplicationId(id));
    } catch (error) {
      if (error instanceof InvalidId) throw failure('ILLEGAL_ARGUMENT', { reason: error.message });
      throw error;
    }
  }
  return plain(call, remoteLogPaths, { paths: [{ fileController: logFileController, path }] });
}

async function search({ tree, access, serverUser }: LogRouteOptions, call: Call<never>): Promise<Answer> {
  // The search goes through the server's own logs: with access lists on, only those who may see all logs may search.
  if (!access.mayReadLogs({ owner: serverUser, acls: {} }, call.user))
    throw failure('LOGS_DENIED', { user: call.user ?? '', what: serverUser });
  return listing(call, await searchLogs(tree, serverUser, call.query));
}

/** Where a caller who asks for a running container's logs is sent. */
function elsewhere(call: Call<never>, nodeUrl: string, path: string, body: { text: string; contentType: string }): Answer {
  const location = `${nodeUrl}/ws/v1/node/containers/${path}${call.query.passedOn}`;
  if (!isSet(call, 'manual_redirection')) return text(307, '', body.contentType, { location });
  return text(200, body.text, body.contentType, { location, 'access-control-expose-headers': 'Location' });
}

function checkReadable(
  access: LogRouteOptions['access'],
  logs: readonly ContainerLogs[],
  subject: Subject,
  user: string | undefined,
): void {
  const denied = logs.find((one) => !access.mayReadLogs(one, user));
  if (denied) throw failure('LOGS_DENIED', { user: user ?? '', what: subject.containerId ?? subject.applicationId });
}

async function listLogs({ tree, applications, access }: LogRouteOptions, call: Call<never>, subject: Subject): Promise<Answer> {
  const application = await applications.find(subject.applicationId);
  const running = application?.state === 'RUNNING';
  if (application && !running && !isFinalApplicationState(application.state)) throw failure('LOGS_NOT_YET');
  const { containerId } = subject;
  if (running && containerId !== undefined && !isSet(call, 'redirected_from_node')) {
    const nodeUrl = await applications.nodeUrl(containerId);
    if (nodeUrl !== undefined)
      return elsewhere(call, nodeUrl, `${containerId}/logs`, { text: '[]', contentType: `application/${call.format}` });
  }
  const place = await findApplicationLogs(tree, subject.applicationId, application?.user);
  if (!place) {
    if (running) throw failure('LOGS_FOLDER_ABSENT', { path: olderApplicationLogFolder(tree, application.user, subject.applicationId) });
    throw failure('LOGS_APPLICATION_ABSENT', { id: subject.applicationId });
  }
  const found = await listContainerLogs(place.folder, subject);
  if (found.length === 0) throw failure('LOGS_ABSENT');
  checkReadable(access, found, subject, call.user);
  return listing(
    call,
    found.flatMap((logs) => [aggregatedLogsView(logs), ...(running ? [localLogsPlaceholder(logs.containerId, logs.nodeFile.name)] : [])]),
  );
}

async function readLog({ tree, applications, access }: LogRouteOptions, call: Call<never>): Promise<Answer> {
  const containerId = containerIdOf(call.params['containerid']!);
  const file = call.params['filename']!;
  if (!acceptsText(call.headers.accept)) throw failure('NOT_ACCEPTABLE', { available: 'text/plain, application/octet-stream' });
  if (containerId === undefined) throw failure('LOGS_CONTAINER_TEXT', { id: call.params['containerid']! });
  const applicationId = applicationIdOfContainer(containerId);
  const application = await applications.find(applicationId);
  const running = application?.state === 'RUNNING';
  if (application && !running && !isFinalApplicationState(application.state)) throw failure('LOGS_NOT_YET_TEXT');
  if (running && !isSet(call, 'redirected_from_node')) {
    const nodeUrl = await applications.nodeUrl(containerId);
    if (nodeUrl !== undefined)
      return elsewhere(call, nodeUrl, `${containerId}/logs/${encodeURIComponent(file)}`, { text: '', contentType: textType });
  }
  const sizeText = call.query.first('size') || undefined;
  const size = sizeText === undefined ? undefined : parseLong(sizeText);
  if (sizeText !== undefined && size === undefined) throw failure('BAD_NUMBER', { value: sizeText });
  const contentType = logContentType(call.query.first('format'));
  const place = await findApplicationLogs(tree, applicationId, application?.user);
  if (!place) {
    if (running) throw failure('LOGS_FOLDER_ABSENT', { path: olderApplicationLogFolder(tree, application.user, applicationId) });
    throw failure('LOGS_APPLICATION_ABSENT', { id: applicationId });
  }
  checkReadable(access, await listContainerLogs(place.folder, { containerId }), { applicationId, containerId }, call.user);
  return stream(200, contentType, logPieces(place.folder, containerId, file, size, running));
}

/** @throws Failure LOGS_FORMAT_UNKNOWN */
function logContentType(format: string | undefined): string {
  if (format === undefined || format === '' || /^text$/i.test(format)) return 'text/plain';
  if (/^octet-stream$/i.test(format)) return 'application/octet-stream';
  throw failure('LOGS_FORMAT_UNKNOWN');
}

async function* logPieces(
  folder: string,
  containerId: string,
  file: string,
  size: number | undefined,
  running: boolean,
): AsyncGenerator<string | Buffer> {
  let any = false;
  for await (const piece of containerLogText(folder, containerId, ({ name }) => name === file, size === undefined ? {} : { size })) {
    any = true;
    yield piece;
  }
  if (running) {
    yield `${containerId}\nLogAggregationType: LOCAL\nLogContents:\nWe do not have NodeManager web address, so we can not re-direct the request to related NodeManager for local container logs.\n`;
  } else if (!any) yield noLogsText(containerId);
}

// Container logs of the application history and of the reader of version 2: lists and contents (getContainerLogsInfo, getContainerLogFile of
// AHSWebServices and of LogWebService).
import { type Answer, ok, stream, text } from '../../http/answers.ts';
import { acceptsText } from '../../http/negotiate.ts';
import type { Profile } from '../../http/profiles.ts';
import type { Call, Service } from '../../http/service.ts';
import { Failure, failure } from '../../model/errors.ts';
import { usualContainerId } from '../../model/ids.ts';
import { list } from '../../wire/codec/describe.ts';
import { writeJsonMember } from '../../wire/codec/json.ts';
import { containerLogs, containerLogsInfoes } from '../../wire/timeline/log-records.ts';
import type { ContainerLogPlaces } from '../application-history/container-logs.ts';
import { longParameter } from '../v1/query.ts';
import { bareType } from './labelled.ts';

const formats: Readonly<Record<string, string>> = { text: 'text/plain', 'octet-stream': 'application/octet-stream' };

/** An id as it is usually written; undefined for what is none. */
const containerIdOf = (text: string): string | undefined => {
  try {
    return usualContainerId(text);
  } catch {
    return undefined;
  }
};

/** The caller's node and whether a node sent the caller. */
function placeOf(places: ContainerLogPlaces, call: Call, containerId: string) {
  const { query } = call;
  const fromNode = query.first('redirected_from_node') === 'true';
  return places.place(containerId, { nodeId: query.first('nm.id') || undefined, fromNode, user: call.user });
}

/** Sends the caller to a node: by status, or, for pages that follow by themselves, by a header of an empty answer. */
function toNode(call: Call, nodeUrl: string, path: string, emptyAnswer: () => Answer): Answer {
  const location = `${nodeUrl}${path}${call.query.passedOn}`;
  if (call.query.first('manual_redirection') === 'true') {
    return { ...emptyAnswer(), headers: { location, 'access-control-expose-headers': 'Location' } };
  }
  return { kind: 'empty', status: 307, headers: { location } };
}

/** Where the routes stand, and where the logs are that a call asks for; it may refuse the caller. */
export interface LogRoutesOptions {
  readonly base: string;
  readonly profile: Profile;
  readonly placesOf: (call: Call) => ContainerLogPlaces;
}

/** Adds the routes of container logs. */
export function addLogRoutes(service: Service, { base, profile, placesOf }: LogRoutesOptions): void {
  service.route({
    method: 'GET',
    path: `${base}/containers/:containerid/logs`,
    about: 'Log files of a container',
    access: 'view',
    handle: (call: Call) =>
      bareType(profile, call, async () => {
        const places = placesOf(call);
        const id = call.params['containerid'] ?? '';
        const containerId = containerIdOf(id);
        if (containerId === undefined) throw failure('HISTORY_CONTAINER_ID_INVALID', { id });
        const place = await placeOf(places, call, containerId);
        const infos = place.kind === 'here' ? await places.list(containerId, place, call.user) : [];
        const answer = (): Answer =>
          call.format === 'xml'
            ? ok(containerLogsInfoes, { containerLogsInfo: infos })
            : text(200, writeJsonMember(list(containerLogs), 'plain', infos), 'application/json');
        if (place.kind === 'here') return answer();
        return toNode(call, place.url, `/ws/v1/node/containers/${containerId}/logs`, answer);
      }),
  });

  const contents = async (call: Call): Promise<Answer> => {
    const [id, file] = [call.params['containerid'] ?? '', call.params['filename'] ?? ''];
    const containerId = containerIdOf(id);
    if (!acceptsText(call.headers.accept)) throw failure('NOT_ACCEPTABLE', { available: 'text/plain, application/octet-stream' });
    const plain = call.path.includes('/containerlogs/') ? 'text/plain;charset=utf-8' : 'text/plain';
    if (containerId === undefined) return text(404, `Not Found. Invalid ContainerId: ${id}`, plain);
    const format = (call.query.first('format') || 'text').toLowerCase();
    const contentType = Object.hasOwn(formats, format) ? formats[format] : undefined;
    const size = longParameter(call.query.first('size') || undefined, (value) => failure('BAD_NUMBER', { value }));
    const places = placesOf(call);
    try {
      const place = await placeOf(places, call, containerId);
      if (place.kind === 'node') {
        return toNode(call, place.url, `/ws/v1/node/containers/${containerId}/logs/${encodeURIComponent(file)}`, () =>
          text(200, '', 'text/plain'),
        );
      }
      if (contentType === undefined) return text(400, 'The valid values for the parameter : format are [text, octet-stream]', plain);
      return stream(200, contentType, await places.text(containerId, file, size, place, call.user));
    } catch (problem) {
      if (problem instanceof Failure && problem.code === 'HISTORY_NOT_STARTED') return text(404, `Not Found. ${problem.message}`, plain);
      throw problem;
    }
  };
  const about = 'Contents of a log file';
  service.route({
    method: 'GET',
    path: `${base}/containers/:containerid/logs/:filename`,
    produces: 'any',
    about,
    access: 'view',
    handle: (call: Call) => contents(call),
  });
  service.route({
    method: 'GET',
    path: `${base}/containerlogs/:containerid/:filename`,
    produces: 'any',
    about,
    access: 'view',
    handle: (call: Call) => contents(call),
  });
}

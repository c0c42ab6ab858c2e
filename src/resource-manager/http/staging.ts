// The staging area over HTTP: users leave files for their applications and read their own; nodes read them for their user.
import type { IncomingMessage } from 'node:http';
import { type Answer, json, stream } from '../../http/answers.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { digestOf, nodeStagingPath, stagingPath, stagingUserHeader } from '../../wire/cluster/staging.ts';
import type { Commands } from '../commands/commands.ts';
import type { StagedPlace, StagingArea } from '../staging/staging-area.ts';
import type { KnownCaller } from './callers.ts';

/** What these routes work with. */
export interface StagingNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'stageFile' | 'readStagedFile' | 'readStagedFileForNode' | 'removeStagedFiles'>;
  /** Whether a request is one of a node of the cluster. */
  readonly isNode: (request: IncomingMessage) => boolean;
}

const placeOf = ({ params }: Call<never>): StagedPlace => ({
  user: params['user'] ?? '',
  applicationId: params['application'] ?? '',
  name: params['name'] ?? '',
});

/** Adds the routes. */
export function mountStaging(service: Service, { caller, commands, isNode }: StagingNeeds): void {
  const file = `${stagingPath}/:user/:application/:name`;
  service.route<never>({
    method: 'PUT',
    path: file,
    about:
      'Leaves a file for an application of one’s own; its answer names the local resource. A header `content-digest: sha-256=:…:` is checked.',
    access: 'modify',
    streamsBody: true,
    produces: ['json'],
    handle: async (call) => {
      const known = caller(call.caller);
      if ((call.headers['content-encoding'] ?? 'identity') !== 'identity')
        throw failure('BAD_ENCODING', { reason: 'a staged file is taken as it is; send it without a content encoding' });
      const length = call.headers['content-length'];
      const expected = { bytes: length === undefined ? undefined : Number(length), sha256: digestIn(call.headers['content-digest']) };
      return json(await commands.stageFile(known, placeOf(call), received(call.request), expected), 201);
    },
  });
  service.route<never>({
    method: 'GET',
    path: file,
    about: 'Reads a staged file of one’s own.',
    access: 'view',
    produces: 'any',
    gzip: false,
    handle: async (call) => content(await commands.readStagedFile(caller(call.caller), placeOf(call)), call),
  });
  service.route<never>({
    method: 'DELETE',
    path: `${stagingPath}/:user/:application`,
    about: 'Removes what was staged for an application of one’s own.',
    access: 'modify',
    produces: ['json'],
    handle: async (call) => {
      const { user, applicationId } = placeOf(call);
      await commands.removeStagedFiles(caller(call.caller), user, applicationId);
      return json({ removed: applicationId });
    },
  });
  service.route<never>({
    method: 'GET',
    path: `${nodeStagingPath}/:user/:application/:name`,
    about: 'Reads a staged file, for nodes: on a connection that they have proven; they name the user they read for.',
    access: 'own-credentials',
    authentication: 'none',
    produces: 'any',
    gzip: false,
    handle: async (call) => {
      if (!isNode(call.request)) throw failure('CONNECTION_UNPROVEN');
      const user = decoded(String(call.headers[stagingUserHeader] ?? ''));
      return content(await commands.readStagedFileForNode(user, placeOf(call)), call);
    },
  });
}

function content(found: Awaited<ReturnType<StagingArea['read']>>, { method }: Call<never>): Answer {
  const headers = {
    'content-length': String(found.bytes),
    'repr-digest': `sha-256=:${Buffer.from(found.sha256, 'hex').toString('base64')}:`,
    'x-content-type-options': 'nosniff',
  };
  return stream(200, 'application/octet-stream', method === 'HEAD' ? [] : found.open(), headers);
}

/** The text of a header that is percent-encoded; as it is where that makes no sense. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The bytes of a body; one that breaks off is an error and never a short file. */
async function* received(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* request as AsyncIterable<Uint8Array>;
  } catch {
    throw failure('BAD_REQUEST', { reason: 'the body broke off' });
  }
  if (!request.complete) throw failure('BAD_REQUEST', { reason: 'the body broke off' });
}

/** The SHA-256 of a `content-digest` header, hex. @throws Failure BAD_REQUEST */
function digestIn(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const found = digestOf(String(header));
  if (found === undefined) throw failure('BAD_REQUEST', { reason: 'content-digest is not sha-256=:BASE64:' });
  return found;
}

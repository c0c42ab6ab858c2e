// The staging area over HTTP: users leave files for their applications and read their own; nodes read them for their user.
import type { IncomingMessage } from 'node:http';
import { bearerToken, isSameSecret } from '../../auth/secrets.ts';
import { type Answer, json, stream } from '../../http/answers.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { digestOf, nodeStagingPath, stagingPath, stagingUserHeader } from '../../wire/cluster/staging.ts';
import type { ResourceManagerContext } from '../context.ts';
import type { StagedPlace, StagingArea } from '../staging/staging-area.ts';

/** Adds the routes. `secret` is what nodes prove themselves with. */
export function mountStaging(service: Service, context: ResourceManagerContext, area: StagingArea, secret: Buffer): void {
  const { audit, caller } = context;
  const placeOf = (call: Call<never>): StagedPlace => ({
    user: call.params['user'] ?? '',
    applicationId: call.params['application'] ?? '',
    name: call.params['name'] ?? '',
  });
  /** The place of a path that is the caller's own. */
  const ownPlace = (call: Call<never>): StagedPlace => {
    const { user } = caller(call.caller);
    const place = placeOf(call);
    if (user === place.user) return place;
    const refusal = failure('STAGING_REFUSED', { user, owner: place.user });
    throw audit.refused(call.caller, { operation: 'use the staging area', target: place.user }, refusal);
  };
  const file = `${stagingPath}/:user/:application/:name`;

  service.route<never>({
    method: 'PUT',
    path: file,
    about:
      'Leaves a file for an application of one’s own; its answer names the local resource. A header `content-digest: sha-256=:…:` is checked.',
    streamsBody: true,
    produces: ['json'],
    handle: async (call) => {
      const place = ownPlace(call);
      if ((call.headers['content-encoding'] ?? 'identity') !== 'identity')
        throw failure('BAD_ENCODING', { reason: 'a staged file is taken as it is; send it without a content encoding' });
      const length = call.headers['content-length'];
      const staged = await area.put(place, received(call.request), {
        bytes: length === undefined ? undefined : Number(length),
        sha256: digestIn(call.headers['content-digest']),
      });
      audit.changed(call.caller, { operation: 'stage a file', target: place.applicationId, name: place.name, bytes: staged.bytes });
      return json(staged, 201);
    },
  });
  service.route<never>({
    method: 'GET',
    path: file,
    about: 'Reads a staged file of one’s own.',
    produces: 'any',
    gzip: false,
    handle: (call) => content(area, ownPlace(call), call),
  });
  service.route<never>({
    method: 'DELETE',
    path: `${stagingPath}/:user/:application`,
    about: 'Removes what was staged for an application of one’s own.',
    produces: ['json'],
    handle: async (call) => {
      const { user, applicationId } = ownPlace(call);
      await area.remove(user, applicationId);
      return json({ removed: applicationId });
    },
  });
  service.route<never>({
    method: 'GET',
    path: `${nodeStagingPath}/:user/:application/:name`,
    about: 'Reads a staged file, for nodes: they send the cluster’s secret and name the user they read for.',
    authentication: 'none',
    produces: 'any',
    gzip: false,
    handle: (call) => {
      if (!isSameSecret(bearerToken(call.headers) ?? '', secret.toString('base64url'))) throw failure('BEARER_REFUSED');
      const place = placeOf(call);
      const user = String(call.headers[stagingUserHeader] ?? '');
      if (user !== encodeURIComponent(place.user)) throw failure('STAGING_REFUSED', { user, owner: place.user });
      return content(area, place, call);
    },
  });
}

async function content(area: StagingArea, place: StagedPlace, call: Call<never>): Promise<Answer> {
  const found = await area.read(place);
  const headers = {
    'content-length': String(found.bytes),
    'repr-digest': `sha-256=:${Buffer.from(found.sha256, 'hex').toString('base64')}:`,
    'x-content-type-options': 'nosniff',
  };
  return stream(200, 'application/octet-stream', call.method === 'HEAD' ? [] : found.open(), headers);
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

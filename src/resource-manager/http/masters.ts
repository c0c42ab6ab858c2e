// The master protocol over HTTP: `/api/v1/attempts/{attemptId}/register`, `allocate`, `finish`. Masters prove themselves by the connection or their
// attempt's bearer token.
import { attemptOfIdentity } from '../../auth/connection-key.ts';
import { bearerToken, digestOfSecret, isSameSecret } from '../../auth/secrets.ts';
import { json } from '../../http/answers.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { ProvenConnections } from '../../http/proven-connections.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import { completeLaunch } from '../../wire/cluster/launch-context.ts';
import {
  allocateRequest,
  type FinishResponse,
  finishRequest,
  type RegisterResponse,
  registerRequest,
} from '../../wire/cluster/master-protocol.ts';
import { nodeResource } from '../cluster/node-resource.ts';
import { type CallingMaster, findMaster, type MasterLookup } from '../commands/calling-master.ts';
import type { Commands } from '../commands/commands.ts';
import type { Registration } from '../commands/register.ts';
import type { MasterAddresses } from './master-addresses.ts';

/** What these routes work with. */
export interface MasterNeeds {
  readonly commands: Pick<Commands, 'register' | 'allocate' | 'finish'>;
  readonly masters: MasterLookup;
  readonly types: ResourceTypes;
  /** Knows on which connections masters have proven themselves. */
  readonly proven: Pick<ProvenConnections, 'identityOf'>;
  /** When this resource manager started, ms since the epoch. */
  readonly startedMs: number;
  readonly addresses: Pick<MasterAddresses, 'heard'>;
  /** The key by which the master of an application knows whom the proxy names. */
  readonly proxyKey: (applicationId: string) => string;
}

const bodyLimitBytes = 32 * 1024 * 1024;

/** Adds the routes of the master protocol. */
export function mountMasters(service: Service, needs: MasterNeeds): void {
  const { commands } = needs;
  const route = (path: string, about: string, handle: (call: Call<Buffer>, master: CallingMaster) => Promise<unknown>) =>
    service.route<Buffer>({
      method: 'POST',
      path: `/api/v1/attempts/:attemptId/${path}`,
      about,
      access: 'own-credentials',
      body: 'raw',
      bodyLimitBytes,
      authentication: 'none',
      admit: (call) => void authenticate(call, needs),
      produces: ['json'],
      handle: async (call) => {
        const master = authenticate(call, needs);
        needs.addresses.heard(master.attempt, call.remoteAddress);
        return json(await handle(call, master));
      },
    });

  route('register', 'A master says where it can be reached; again after the resource manager restarted.', async ({ body }, master) => {
    const { placementConstraints: constraints = [], heardEnds = [], ...said } = jsonBody(registerRequest, body, {});
    const { host, rpcPort, trackingUrl, registrationId } = said;
    const request = { host, rpcPort, trackingUrl, constraints, heardEnds, registrationId };
    return registered(needs, master, await commands.register(master, request));
  });
  route(
    'allocate',
    'A master asks for containers, names places that it avoids, and hears what happened to what it has.',
    ({ body, query, signal }, master) => {
      const { asks, ...call } = jsonBody(allocateRequest, body);
      const requests = asks?.map(({ launch, ...request }) => ({ ...request, ...(launch ? { launch: completeLaunch(launch) } : {}) }));
      return commands.allocate(master, { ...call, requests }, waitOf(query.first('wait')), signal);
    },
  );
  route('finish', 'A master says how its application ended.', async ({ body }, master): Promise<FinishResponse> => {
    const { finalStatus, diagnostics = '', trackingUrl } = jsonBody(finishRequest, body);
    await commands.finish(master, { finalStatus, diagnostics, trackingUrl });
    return { unregistered: true };
  });
}

/** The master of a live application, or of one that ended before: it may not have heard that. @throws Failure BEARER_REFUSED */
function authenticate(
  { params, headers, request }: Pick<Call, 'params' | 'headers' | 'request'>,
  { masters, proven }: MasterNeeds,
): CallingMaster {
  const attemptId = params['attemptId'] ?? '';
  const found = findMaster(masters, attemptId);
  if (found && attemptOfIdentity(proven.identityOf(request)) === attemptId) return found;
  const token = bearerToken(headers) ?? '';
  if (!found || token === '') throw failure('BEARER_REFUSED', { mechanism: 'attempt-token' });
  const { token: expected, tokenDigest } = found.attempt;
  if (!isSameSecret(token, expected) && !isSameSecret(digestOfSecret(token), tokenDigest))
    throw failure('BEARER_REFUSED', { mechanism: 'attempt-token' });
  return found;
}

/** The digest of the token of an attempt; undefined where there is none. */
export function digestOfAttempt(attemptId: string, masters: MasterLookup): string | undefined {
  const attempt = findMaster(masters, attemptId)?.attempt;
  if (!attempt) return undefined;
  return attempt.token === '' ? attempt.tokenDigest || undefined : digestOfSecret(attempt.token);
}

/** Milliseconds a call may wait for news. @throws Failure BAD_NUMBER */
function waitOf(text = '0'): number {
  const waitMs = Number(text);
  if (!Number.isFinite(waitMs) || waitMs < 0) throw failure('BAD_NUMBER', { value: text });
  return waitMs;
}

function registered(
  { types, startedMs, proxyKey }: MasterNeeds,
  { application }: CallingMaster,
  registration: Registration,
): RegisterResponse {
  const { viewAcl, modifyAcl } = application.submission;
  return {
    maximumResource: nodeResource(registration.maximumResource, types),
    minimumResource: nodeResource(registration.minimumResource, types),
    queue: application.queue,
    applicationAcls: {
      ...(viewAcl === undefined ? {} : { VIEW_APP: viewAcl }),
      ...(modifyAcl === undefined ? {} : { MODIFY_APP: modifyAcl }),
    },
    runningContainers: [
      ...registration.containers.map(({ container, token }) => ({
        containerId: container.id,
        askId: container.requestId,
        nodeId: container.nodeId,
        nodeHttpAddress: container.nodeHttpAddress,
        resource: nodeResource(container.resource, types),
        priority: container.priority,
        containerToken: token,
      })),
      ...registration.over.map(({ containerId, askId = '', nodeId, nodeHttpAddress, resource, priority }) => ({
        containerId,
        askId,
        nodeId,
        nodeHttpAddress,
        resource,
        priority,
        containerToken: '',
      })),
    ],
    clusterTimestamp: startedMs,
    notes: [...registration.notes],
    responseId: registration.responseId,
    ...(application.wantedInstances === undefined ? {} : { instances: application.wantedInstances }),
    proxyKey: proxyKey(application.id),
  };
}

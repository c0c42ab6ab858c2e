// The master protocol over HTTP: `/api/v1/attempts/{attemptId}/register`, `allocate`, `finish`. Masters prove themselves by their
// attempt's bearer token.
import { bearerToken, isSameSecret } from '../../../auth/secrets.ts';
import { json } from '../../../http/answers.ts';
import { jsonBody } from '../../../http/json-body.ts';
import type { Call, Service } from '../../../http/service.ts';
import { failure } from '../../../model/errors.ts';
import { resourceText } from '../../../model/resource.ts';
import { completeLaunch } from '../../../wire/cluster/launch-context.ts';
import {
  type AllocateRequest,
  allocateRequest,
  finishRequest,
  mostNotesCharacters,
  type RegisterResponse,
  registerRequest,
} from '../../../wire/cluster/master-protocol.ts';
import type { Application, Attempt } from '../../applications/application.ts';
import { nodeResource, resourceOf } from '../../cluster/node-resource.ts';
import type { Cluster } from '../../cluster.ts';
import { askedConstraint, registeredConstraints } from './placement.ts';

const longestWaitMs = 60_000;
const bodyLimitBytes = 32 * 1024 * 1024;

/** Adds the routes of the master protocol. */
export function mountMasterRoutes(service: Service, cluster: Cluster): void {
  const route = (
    path: string,
    about: string,
    handle: (call: Call<Buffer>, found: { application: Application; attempt: Attempt }) => Promise<unknown>,
  ) =>
    service.route<Buffer>({
      method: 'POST',
      path: `/api/v1/attempts/:attemptId/${path}`,
      about,
      body: 'raw',
      bodyLimitBytes,
      authentication: 'none',
      produces: ['json'],
      handle: async (call) => json(await handle(call, authenticate(call, cluster))),
    });

  route(
    'register',
    'A master says where it can be reached; again after the resource manager restarted.',
    async (call, { application, attempt }) => {
      const request = jsonBody(registerRequest, call.body, {});
      const constraints = registeredConstraints(request, attempt, cluster);
      const stored = cluster.registerMaster(application, attempt, {
        host: request.host ?? '',
        rpcPort: request.rpcPort ?? -1,
        trackingUrl: request.trackingUrl,
        constraints,
      });
      if (!stored) throw failure('MASTER_NOT_EXPECTED', { attemptId: attempt.id, state: attempt.state });
      await stored;
      return registered(cluster, application, attempt);
    },
  );
  route('allocate', 'A master asks for containers and hears what happened to those it has.', async (call, { application, attempt }) => {
    const request = jsonBody(allocateRequest, call.body);
    const waitMs = Number(call.query.first('wait') ?? 0);
    if (!Number.isFinite(waitMs) || waitMs < 0) throw failure('BAD_NUMBER', { value: call.query.first('wait') ?? '' });
    checkRequests(request.asks ?? [], application, cluster);
    if (!cluster.mayKeepNotes(application.id, request.notes ?? []))
      throw failure('BAD_REQUEST', { reason: `more than ${mostNotesCharacters} characters of notes` });
    const requests = request.asks?.map(({ launch, ...request }) => ({
      ...request,
      ...(launch ? { launch: completeLaunch(launch) } : {}),
      placementConstraint: askedConstraint(request, attempt, cluster),
    }));
    return cluster.allocate(application, attempt, { ...request, requests }, Math.min(waitMs, longestWaitMs), call.signal);
  });
  route('finish', 'A master says how its application ended.', async (call, { application, attempt }) => {
    const request = jsonBody(finishRequest, call.body);
    const stored = cluster.unregisterMaster(application, attempt, {
      finalStatus: request.finalStatus,
      diagnostics: request.diagnostics ?? '',
      trackingUrl: request.trackingUrl,
    });
    if (!stored && !attempt.registered) throw failure('MASTER_NOT_EXPECTED', { attemptId: attempt.id, state: attempt.state });
    await stored;
    return { unregistered: true };
  });
}

function authenticate(call: Call<Buffer>, cluster: Cluster): { application: Application; attempt: Attempt } {
  const found = cluster.view.attempt(call.params['attemptId'] ?? '');
  if (!found || !isSameSecret(bearerToken(call.headers) ?? '', found.attempt.token)) throw failure('BEARER_REFUSED');
  return found;
}

/** What can never be served is refused at once, before anything of the request is taken (RMServerUtils.normalizeAndValidateRequests). */
function checkRequests(requests: NonNullable<AllocateRequest['asks']>, application: Application, { policy, types }: Cluster): void {
  const maximum = policy.configuredMaximum(application.queue);
  for (const { askId: requestId, resource, labelExpression } of requests) {
    const unknown = Object.keys(resource).find((name) => name !== 'memoryMiB' && name !== 'vcores' && (types.indexOf(name) ?? 0) < 2);
    if (unknown !== undefined)
      throw failure('ASK_REFUSED', {
        askId: requestId,
        reason: `Unknown resource '${unknown}'. Known resources are [${types.types.map(({ name }) => name).join(', ')}]`,
      });
    const asked = resourceOf(resource, types);
    const large = asked.findIndex((amount, index) => amount > (maximum[index] ?? Number.POSITIVE_INFINITY));
    if (large >= 0) {
      const reason = `it is greater than the maximum allowed allocation, requested ${resourceText(asked, types)}, maximum ${resourceText(maximum, types)}`;
      throw failure('ASK_REFUSED', { askId: requestId, reason });
    }
    const reason = labelExpression === undefined ? undefined : policy.checkLabels(application.queue, labelExpression);
    if (reason !== undefined) throw failure('ASK_REFUSED', { askId: requestId, reason });
  }
}

function registered(cluster: Cluster, application: Application, attempt: Attempt): RegisterResponse {
  const { policy, types } = cluster;
  const { viewAcl, modifyAcl } = application.submission;
  return {
    maximumResource: nodeResource(policy.maximumAllocation(application.queue), types),
    minimumResource: nodeResource(policy.minimumAllocation(), types),
    queue: application.queue,
    applicationAcls: {
      ...(viewAcl === undefined ? {} : { VIEW_APP: viewAcl }),
      ...(modifyAcl === undefined ? {} : { MODIFY_APP: modifyAcl }),
    },
    runningContainers: [...attempt.containers.values()]
      .filter(({ isMaster }) => !isMaster)
      .map((container) => ({
        containerId: container.id,
        askId: container.requestId,
        nodeId: container.nodeId,
        nodeHttpAddress: container.nodeHttpAddress,
        resource: nodeResource(container.resource, types),
        priority: container.priority,
        containerToken: cluster.tokenOf(application, container),
      })),
    clusterTimestamp: cluster.settings.clusterTimestamp,
    notes: cluster.notesOf(application.id),
  };
}

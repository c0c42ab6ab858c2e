// Node, applications, containers, resources, auxiliary services: GET of the node's own state, PUT of the manifest.
import { type Answer, ok, text } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId, parseApplicationId } from '../../model/ids.ts';
import { type NodeApplication, nodeApplication, nodeApplications } from '../../wire/node/applications.ts';
import { auxiliaryServices } from '../../wire/node/auxiliary-services.ts';
import { type NodeContainer, nodeContainer, nodeContainers } from '../../wire/node/containers.ts';
import { nodeInfo } from '../../wire/node/node-info.ts';
import type { Application } from '../applications/application.ts';
import { applicationStates } from '../applications/application-states.ts';
import { readManifest } from '../auxiliary/manifest.ts';
import type { ManifestRequest } from '../auxiliary/services.ts';
import type { Container } from '../containers/container.ts';
import { waitingStates } from '../containers/container-states.ts';
import { listLogs } from '../logs/container-logs.ts';
import { applicationOf, type NodeView } from './context.ts';
import { hadoopBuild } from './version.ts';

/** `GET /` and `/info`. */
export function showNode(view: NodeView): Answer {
  const { memoryMiB, vcores } = view.resource();
  const health = view.health();
  const id = view.nodeId();
  return ok(nodeInfo, {
    healthReport: health.report,
    totalVmemAllocatedContainersMB: Math.floor(memoryMiB * view.virtualRatio),
    totalPmemAllocatedContainersMB: memoryMiB,
    totalVCoresAllocatedContainers: vcores,
    vmemCheckEnabled: view.checkVirtual,
    pmemCheckEnabled: view.checkPhysical,
    lastNodeUpdateTime: health.time,
    resourceTypes: view.resourceTypes,
    nodeHealthy: health.healthy,
    nodeManagerVersion: hadoopBuild.version,
    nodeManagerBuildVersion: hadoopBuild.text,
    nodeManagerVersionBuiltOn: hadoopBuild.date,
    hadoopVersion: hadoopBuild.version,
    hadoopBuildVersion: hadoopBuild.text,
    hadoopVersionBuiltOn: hadoopBuild.date,
    id,
    nodeHostName: id.slice(0, id.lastIndexOf(':')),
    nmStartupTime: view.startedMs,
  });
}

const applicationView = (application: Application): NodeApplication => ({
  id: application.id,
  state: application.state,
  user: application.user,
  containerids: [...application.containers.keys()],
});

/** `GET /apps`: the parameters are looked at with each application, so that a node without any accepts everything. */
export function listApplications(view: NodeView, call: Call): Answer {
  const state = call.query.first('state') ?? '';
  const user = call.query.first('user');
  const shown: NodeApplication[] = [];
  for (const application of view.manager.applications.values()) {
    if (state !== '') {
      if (!(applicationStates as readonly string[]).includes(state)) throw failure('NODE_APPLICATION_STATE_UNKNOWN', { state });
      if (application.state !== state) continue;
    }
    if (user !== undefined) {
      if (user === '') throw failure('NODE_USER_EMPTY');
      if (application.user !== user) continue;
    }
    if (view.filterLists && !view.access.mayView(call.caller, application)) continue;
    shown.push(applicationView(application));
  }
  return ok(nodeApplications, { app: shown });
}

/** `GET /apps/{appid}`. */
export function showApplication(view: NodeView, call: Call): Answer {
  const id = call.params['appid'] ?? '';
  try {
    parseApplicationId(id);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('NODE_APPLICATION_ID_INVALID', { reason: error.message });
    throw error;
  }
  const application = view.manager.applications.get(id);
  if (!application) throw failure('NODE_APPLICATION_NOT_FOUND', { id });
  return ok(nodeApplication, applicationView(application));
}

async function containerView(view: NodeView, call: Call, container: Container): Promise<NodeContainer> {
  const { order } = container;
  const application = view.manager.applications.get(order.applicationId);
  const readable =
    application &&
    view.access.mayView(call.caller, application) &&
    !waitingStates.has(container.state) &&
    container.state !== 'LOCALIZATION_FAILED';
  const files = readable ? await listLogs(view.folders, order.applicationId, container.id) : [];
  return {
    id: container.id,
    state: container.state,
    exitCode: container.exitCode,
    diagnostics: container.diagnostics,
    user: order.user,
    totalMemoryNeededMB: order.resource.memoryMiB,
    totalVCoresNeeded: order.resource.vcores,
    executionType: container.executionType,
    containerLogsLink: `${call.scheme}://${call.host}/node/containerlogs/${container.id}/${order.user}`,
    nodeId: view.nodeId(),
    containerLogFiles: files.filter(({ folder }) => !folder).map(({ name }) => name),
  };
}

/** `GET /containers`. */
export async function listContainers(view: NodeView, call: Call): Promise<Answer> {
  const shown = [...view.manager.containers.values()].filter((container) => {
    const application = view.manager.applications.get(container.order.applicationId);
    return !view.filterLists || !application || view.access.mayView(call.caller, application);
  });
  return ok(nodeContainers, { container: await Promise.all(shown.map((container) => containerView(view, call, container))) });
}

/** `GET /containers/{containerid}`. */
export async function showContainer(view: NodeView, call: Call): Promise<Answer> {
  const id = call.params['containerid'] ?? '';
  applicationOf(id);
  const container = view.manager.containers.get(id);
  if (!container) throw failure('NODE_CONTAINER_NOT_FOUND', { id });
  return ok(nodeContainer, await containerView(view, call, container));
}

/** `2025-10-13 09:14:05` in local time. */
function secondsText(timeMs: number): string {
  const date = new Date(timeMs);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `GET /auxiliaryservices`. */
export function listServices(view: NodeView): Answer {
  if (!view.manifestEnabled) throw failure('NODE_MANIFEST_DISABLED');
  return ok(auxiliaryServices, {
    service: view.auxiliary.manifest.map(({ name, version, startTimeMs }) => ({ name, version, startTime: secondsText(startTimeMs) })),
  });
}

/** `PUT /auxiliaryservices`: a manifest, for administrators. */
export function putServices(view: NodeView, call: Call<Buffer>): Answer {
  if (!view.manifestEnabled) throw failure('NODE_MANIFEST_DISABLED');
  if (call.user === undefined || call.caller.anonymous || !view.access.isAdministrator(call.user)) return text(403, '');
  view.auxiliary.loadManifest(manifestOf(call));
  return text(200, '');
}

function manifestOf(call: Call<Buffer>): ManifestRequest[] {
  const contentType = call.headers['content-type'];
  if (contentType !== undefined && !/^application\/json\b/i.test(contentType))
    throw failure('UNSUPPORTED_CONTENT_TYPE', { contentType, accepted: 'application/json' });
  if (!call.body || call.body.length === 0) throw failure('BODY_MISSING', { accepted: 'application/json' });
  const body = call.body.toString('utf8');
  let manifest: unknown;
  try {
    manifest = JSON.parse(body);
  } catch {
    throw jacksonFault(body);
  }
  return readManifest(manifest);
}

/** Jackson's words for text that ends too early, which Hadoop answers with 404; anything else is a plain 400. */
function jacksonFault(body: string): Error {
  const trimmed = body.trim();
  const opened = trimmed[0];
  if ((opened === '{' || opened === '[') && trimmed.length === 1) {
    const source = (column: number) => `[Source: (org.eclipse.jetty.server.HttpInputOverHTTP); line: 1, column: ${column}]`;
    return failure('NODE_MANIFEST_ENDS', {
      kind: opened === '{' ? 'Object' : 'Array',
      start: source(body.indexOf(opened) + 1),
      end: source(body.length + 1),
    });
  }
  return failure('BAD_REQUEST', { reason: 'The body is not JSON.' });
}

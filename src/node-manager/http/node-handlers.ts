// GET of the node's own state: node, applications, containers.
import { type Answer, ok } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import type { ReadinessSource } from '../../lib/role.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId, usualApplicationId } from '../../model/ids.ts';
import { type NodeApplication, nodeApplication, nodeApplications } from '../../wire/node/applications.ts';
import { type NodeContainer, nodeContainer, nodeContainers } from '../../wire/node/containers.ts';
import { nodeInfo } from '../../wire/node/node-info.ts';
import type { NodeAddress } from '../address.ts';
import type { Application } from '../applications/application.ts';
import { applicationStates } from '../applications/application-states.ts';
import type { NodeCapacity } from '../capacity.ts';
import type { Container } from '../containers/container.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import { waitingStates } from '../containers/container-states.ts';
import type { NodeFolders } from '../folders.ts';
import type { NodeHealth } from '../health/health.ts';
import { listLogs } from '../logs/container-logs.ts';
import type { NodeAccess } from './access.ts';
import { keptContainerId } from './container-ids.ts';
import { hadoopBuild } from './version.ts';

/** What is said of the node itself. */
export interface NodeFacts {
  readonly address: NodeAddress;
  /** ms since the epoch. */
  readonly startedMs: number;
  readonly health: NodeHealth;
  /** Whether the resource manager has the node. */
  readonly membership: ReadinessSource;
  readonly capacity: NodeCapacity;
  /** The resource types that the node offers, in Hadoop's text form. */
  readonly resourceTypes: string;
  /** Virtual memory that containers may use for each unit of physical (yarn.nodemanager.vmem-pmem-ratio). */
  readonly virtualRatio: number;
  /** Containers above their virtual memory are ended. */
  readonly checkVirtual: boolean;
  /** Containers above their physical memory are ended. */
  readonly checkPhysical: boolean;
}

/** The applications and containers of the node, for callers that may see them. */
export interface NodeContents {
  readonly manager: ContainerManager;
  readonly access: NodeAccess;
  readonly folders: NodeFolders;
  readonly address: NodeAddress;
  /** Lists leave out what the caller may not see (yarn.webapp.filter-entity-list-by-user). */
  readonly filterLists: boolean;
}

/** `GET /` and `/info`. */
export function showNode(facts: NodeFacts): Answer {
  const { memoryMiB, vcores } = facts.capacity.current;
  const health = facts.health.current;
  const { address } = facts;
  return ok(nodeInfo, {
    healthReport: health.report,
    totalVmemAllocatedContainersMB: Math.floor(memoryMiB * facts.virtualRatio),
    totalPmemAllocatedContainersMB: memoryMiB,
    totalVCoresAllocatedContainers: vcores,
    vmemCheckEnabled: facts.checkVirtual,
    pmemCheckEnabled: facts.checkPhysical,
    lastNodeUpdateTime: health.time,
    resourceTypes: facts.resourceTypes,
    nodeHealthy: health.healthy,
    nodeManagerVersion: hadoopBuild.version,
    nodeManagerBuildVersion: hadoopBuild.text,
    nodeManagerVersionBuiltOn: hadoopBuild.date,
    hadoopVersion: hadoopBuild.version,
    hadoopBuildVersion: hadoopBuild.text,
    hadoopVersionBuiltOn: hadoopBuild.date,
    id: address.nodeId,
    nodeHostName: address.host,
    nmStartupTime: facts.startedMs,
  });
}

const applicationView = (application: Application): NodeApplication => ({
  id: application.id,
  state: application.state,
  user: application.user,
  containerids: [...application.containers.keys()],
});

/** `GET /apps`: the parameters are looked at with each application, so that a node without any accepts everything. */
export function listApplications(contents: NodeContents, call: Call): Answer {
  const state = call.query.first('state') ?? '';
  const user = call.query.first('user');
  const shown: NodeApplication[] = [];
  for (const application of contents.manager.applications.values()) {
    if (state !== '') {
      if (!(applicationStates as readonly string[]).includes(state)) throw failure('NODE_APPLICATION_STATE_UNKNOWN', { state });
      if (application.state !== state) continue;
    }
    if (user !== undefined) {
      if (user === '') throw failure('NODE_USER_EMPTY');
      if (application.user !== user) continue;
    }
    if (contents.filterLists && !contents.access.mayView(call.caller, application)) continue;
    shown.push(applicationView(application));
  }
  return ok(nodeApplications, { app: shown });
}

/** `GET /apps/{appid}`. */
export function showApplication(contents: NodeContents, call: Call): Answer {
  const id = call.params['appid'] ?? '';
  let written: string;
  try {
    written = usualApplicationId(id);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('NODE_APPLICATION_ID_INVALID', { reason: error.message });
    throw error;
  }
  // However many zeros it was written with.
  const application = contents.manager.applications.get(written);
  if (!application) throw failure('NODE_APPLICATION_NOT_FOUND', { id });
  return ok(nodeApplication, applicationView(application));
}

/** Whether the caller may see what belongs to the owner of a container: its diagnostics, its logs. */
export function mayViewContainer({ manager, access }: NodeContents, call: Pick<Call, 'caller'>, { order }: Container): boolean {
  return access.mayView(call.caller, manager.applications.get(order.applicationId) ?? { user: order.user, acls: {} });
}

async function containerView(contents: NodeContents, call: Call, container: Container): Promise<NodeContainer> {
  const { order } = container;
  const visible = mayViewContainer(contents, call, container);
  const hasLogs =
    contents.manager.applications.has(order.applicationId) &&
    !waitingStates.has(container.state) &&
    container.state !== 'LOCALIZATION_FAILED';
  const readable = visible && hasLogs;
  const files = readable ? await listLogs(contents.folders, order.applicationId, container.id) : [];
  return {
    id: container.id,
    state: container.state,
    exitCode: container.exitCode,
    diagnostics: visible ? container.diagnostics : '',
    user: order.user,
    totalMemoryNeededMB: order.resource.memoryMiB,
    totalVCoresNeeded: order.resource.vcores,
    executionType: container.executionType,
    containerLogsLink: `${call.scheme}://${call.host}/node/containerlogs/${container.id}/${order.user}`,
    nodeId: contents.address.nodeId,
    containerLogFiles: files.filter(({ folder }) => !folder).map(({ name }) => name),
  };
}

/** `GET /containers`. */
export async function listContainers(contents: NodeContents, call: Call): Promise<Answer> {
  const shown = [...contents.manager.containers.values()].filter(
    (container) => !contents.filterLists || mayViewContainer(contents, call, container),
  );
  return ok(nodeContainers, { container: await Promise.all(shown.map((container) => containerView(contents, call, container))) });
}

/** `GET /containers/{containerid}`. */
export async function showContainer(contents: NodeContents, call: Call): Promise<Answer> {
  const id = call.params['containerid'] ?? '';
  const container = contents.manager.containers.get(keptContainerId(id));
  if (!container) throw failure('NODE_CONTAINER_NOT_FOUND', { id });
  return ok(nodeContainer, await containerView(contents, call, container));
}

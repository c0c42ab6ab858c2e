// What masters are answered, in Hadoop's messages (DefaultAMSProcessor.registerApplicationMaster, allocate).
import type { ApplicationTokens } from '../../auth/application-tokens/open-tokens.ts';
import type { TokenText } from '../../auth/delegation/token-text.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { Resource, ResourceTypes } from '../../model/resource.ts';
import type { CompletedContainer } from '../../wire/cluster/master-protocol.ts';
import { containerIdMessage, nodeIdMessage } from '../../wire/rpc/ids.ts';
import type { Encodable } from '../../wire/rpc/message.ts';
import type { ContainerProto, ContainerStatusProto } from '../../wire/rpc/tables/containers.ts';
import type {
  AllocateResponseProto,
  NMTokenProto,
  RegisterApplicationMasterResponseProto,
  UpdateContainerErrorProto,
} from '../../wire/rpc/tables/master-service.ts';
import { ContainerUpdateTypeProto } from '../../wire/rpc/tables/master-service.ts';
import type { PreemptionMessageProto } from '../../wire/rpc/tables/placement.ts';
import type { TokenProto } from '../../wire/rpc/tables/transport.ts';
import type { Application } from '../applications/application.ts';
import type { Container } from '../applications/container.ts';
import { lostNode, preempted, releasedByMaster, unused } from '../applications/diagnostics.ts';
import type { ContainerChange } from '../cluster/master-sessions.ts';
import { resourceOf } from '../cluster/node-resource.ts';
import type { AllocateAnswer } from '../commands/allocate.ts';
import type { CallingMaster } from '../commands/calling-master.ts';
import type { Registration } from '../commands/register.ts';
import { type MasterState, updateKey } from './master-states.ts';
import type { NodeNews } from './node-news.ts';
import { type NodeReportParts, nodeReport } from './node-reports.ts';
import { resourceMessage, responseNumber } from './values.ts';

/** What answers are made of. */
export interface AnswerParts {
  readonly parts: NodeReportParts;
  readonly tokens: ApplicationTokens;
  readonly news: NodeNews;
  /** Where masters tell version 2 of the timeline what they do (`host:port`); undefined: it is not served. */
  readonly collectorAddress?: string | undefined;
}

type ContainerMessage = Encodable<typeof ContainerProto>;

export const tokenMessage = ({ identifier, password, kind, service }: TokenText): Encodable<typeof TokenProto> => ({
  identifier,
  password,
  kind,
  service,
});

/** A container that the master has, with what it shows to the container's node. */
function containerMessage({ parts, tokens }: AnswerParts, application: Application, container: Container): ContainerMessage {
  const { cluster, labels, types } = parts;
  const { nodeId, createdMs, version, allocationRequestId, allocationTags } = container;
  const facts = {
    resourceManagerStartedMs: cluster.settings.clusterTimestamp,
    createdMs,
    labelExpression: labels.labelOf(nodeId),
    version,
    allocationRequestId,
  };
  return {
    id: containerIdMessage(container.id),
    nodeId: nodeIdMessage(nodeId),
    node_http_address: container.nodeHttpAddress,
    resource: resourceMessage(container.resource, types),
    priority: { priority: container.priority },
    container_token: tokenMessage(tokens.containers.issue(cluster.tokenContentOf(application, container), facts)),
    execution_type: container.executionType,
    allocation_request_id: allocationRequestId,
    version: version > 0 ? version : undefined,
    allocation_tags: allocationTags,
  };
}

/** Tokens for the nodes of these containers, for each node once while a key has its turn. */
function nodeTokens(
  { tokens }: AnswerParts,
  { application, attempt }: CallingMaster,
  state: MasterState,
  containers: readonly Container[],
): Encodable<typeof NMTokenProto>[] {
  const given: Encodable<typeof NMTokenProto>[] = [];
  const keyId = tokens.nodes.currentKeyId;
  for (const { nodeId } of containers) {
    if (state.nodeKeys.get(nodeId) === keyId) continue;
    state.nodeKeys.set(nodeId, keyId);
    const token = tokens.nodes.issue({ attemptId: attempt.id, nodeId, user: application.user });
    given.push({ nodeId: nodeIdMessage(nodeId), token: tokenMessage(token) });
  }
  return given;
}

/** The answer to a registration. Containers of earlier attempts are told where they are kept. */
export function registrationMessage(
  answers: AnswerParts,
  master: CallingMaster,
  state: MasterState,
  registration: Registration,
): Encodable<typeof RegisterApplicationMasterResponseProto> {
  const { types, policy } = answers.parts;
  const { application, attempt } = master;
  const { keepContainers, viewAcl, modifyAcl } = application.submission;
  const containers = keepContainers ? registration.containers.map(({ container }) => container) : [];
  const acl = (accessType: 'APPACCESS_VIEW_APP' | 'APPACCESS_MODIFY_APP', list: string | undefined) =>
    list === undefined ? [] : [{ accessType, acl: list }];
  return {
    maximumCapability: resourceMessage(registration.maximumResource, types),
    client_to_am_token_master_key: answers.tokens.clients?.keyOf(attempt.id),
    application_ACLs: [...acl('APPACCESS_MODIFY_APP', modifyAcl), ...acl('APPACCESS_VIEW_APP', viewAcl)],
    containers_from_previous_attempts: containers.map((container) => containerMessage(answers, application, container)),
    queue: application.queue,
    nm_tokens_from_previous_attempts: nodeTokens(answers, master, state, containers),
    scheduler_resource_types: policy.countsCores ? ['MEMORY', 'CPU'] : ['MEMORY'],
    resource_types: types.types.map(({ name, units }) => ({ name, units, type: 'COUNTABLE' as const })),
  };
}

/** The answer to a call; from now on everything in it counts as told. */
export function allocationMessage(
  answers: AnswerParts,
  master: CallingMaster,
  state: MasterState,
  answer: AllocateAnswer,
): Encodable<typeof AllocateResponseProto> {
  const { parts, news } = answers;
  const { cluster, policy, types } = parts;
  const { application } = master;
  const told = cluster.toldBy(answer);
  for (const { id, requestId } of told.allocations) {
    state.asks.told(id);
    if (!state.asks.has(requestId)) state.scheduling.delete(requestId);
  }
  for (const { askId } of answer.rejected ?? []) state.asks.withdrawn(askId);
  const updateErrors = (answer.updateErrors ?? []).map((error) => updateError(master, state, error));
  const updated = told.updated.filter((change) => hasChanged(state, change));
  const settled = [...told.updated.map(({ container }) => container), ...answer.completed.map(({ containerId }) => ({ id: containerId }))];
  for (const { id } of settled) for (const type of updateTypes) state.updates.delete(updateKey(id, type));
  const newsBefore = state.newsSeen;
  state.newsSeen = news.latest;
  return {
    response_id: responseNumber(answer.responseId),
    allocated_containers: told.allocations.map((container) => containerMessage(answers, application, container)),
    completed_container_statuses: answer.completed
      // Of a container that nobody knew there is nothing to say.
      .filter(({ nodeId }) => nodeId !== '')
      .map((end) => statusMessage(end, types)),
    limit: resourceMessage(resourceOf(answer.headroom, types), types),
    updated_nodes: news.since(newsBefore).map(({ node, update }) => ({ ...nodeReport(parts, node), node_update_type: update })),
    num_cluster_nodes: news.nodeCount,
    preempt: preemptionMessage(answers, master, state),
    nm_tokens: nodeTokens(answers, master, state, told.allocations),
    am_rm_token: masterToken(answers, master, state),
    application_priority: { priority: application.priority },
    collector_info: answers.collectorAddress === undefined ? undefined : { collector_addr: answers.collectorAddress },
    update_errors: updateErrors,
    updated_containers: updated.map(({ container, updateType }) => ({
      update_type: updateType,
      container: containerMessage(answers, application, container),
    })),
    rejected_scheduling_requests: (answer.rejected ?? []).flatMap(({ askId, count }) => {
      const request = state.scheduling.get(askId)?.message;
      state.scheduling.delete(askId);
      if (!request) return [];
      const sizing = { ...request.resourceSizing, numAllocations: count };
      return [{ reason: 'RRP_COULD_NOT_PLACE_ON_NODE' as const, request: { ...request, resourceSizing: sizing } }];
    }),
    enhanced_headroom: {
      total_pending_count: policy.pendingContainers > 0 ? policy.pendingContainers : undefined,
      total_active_cores: policy.clusterResource()[1] ?? 0,
    },
  };
}

/** Of an increase that changed nothing Hadoop's masters hear nothing: the container is of the version that the request named. */
const hasChanged = (state: MasterState, { container, updateType }: ContainerChange): boolean =>
  updateType !== 'INCREASE_RESOURCE' || state.updates.get(updateKey(container.id, updateType))?.container_version !== container.version;

/** Ends that the resource manager tells without the node. */
const endsWithoutNode: ReadonlySet<string> = new Set([releasedByMaster, preempted, unused, lostNode]);

/** The end of a container. Without the node's word there is no more than its exit, and one that its master gave back was aborted (SchedulerUtils.createContainerStatus). */
function statusMessage(end: CompletedContainer, types: ResourceTypes): Encodable<typeof ContainerStatusProto> {
  const isReleased = end.exitCode === exitStatus.killedByMaster && end.diagnostics === releasedByMaster;
  const told = {
    container_id: containerIdMessage(end.containerId),
    state: 'C_COMPLETE',
    diagnostics: end.diagnostics,
    exit_status: isReleased ? exitStatus.aborted : end.exitCode,
  } as const;
  if (endsWithoutNode.has(end.diagnostics)) return told;
  return {
    ...told,
    capability: resourceMessage(resourceOf(end.resource, types), types),
    executionType: end.executionType ?? 'GUARANTEED',
    container_sub_state: 'CSS_DONE',
  };
}

/** Another token, where the one that the master has was signed by a key whose turn is over. */
function masterToken({ tokens }: AnswerParts, { attempt }: CallingMaster, state: MasterState): Encodable<typeof TokenProto> | undefined {
  if (state.masterKeyId === tokens.masters.currentKeyId) return undefined;
  state.masterKeyId = tokens.masters.currentKeyId;
  return tokenMessage(tokens.masters.issue(attempt.id));
}

/** Containers that will be taken back unless the master gives back others; each is named once (FiCaSchedulerApp.getAllocation). */
function preemptionMessage(
  { parts: { cluster, policy, types } }: AnswerParts,
  { application }: CallingMaster,
  state: MasterState,
): Encodable<typeof PreemptionMessageProto> | undefined {
  const announced = policy.preempting?.(application.id) ?? [];
  const containers = announced.filter((id) => !state.preemptions.has(id)).flatMap((id) => cluster.view.container(id) ?? []);
  state.preemptions = new Set(announced);
  if (containers.length === 0) return undefined;
  const minimum = policy.minimumAllocation();
  const count = containers.reduce((sum, { resource }) => sum + sizesIn(resource, minimum), 0);
  return {
    contract: {
      resource: [{ resource: { resource_name: '*', capability: resourceMessage(minimum, types), num_containers: count } }],
      container: containers.map(({ id }) => ({ id: containerIdMessage(id) })),
    },
  };
}

const updateTypes = Object.keys(ContainerUpdateTypeProto.numbers);

/** How many of the smallest containers an amount is. */
const sizesIn = (resource: Resource, minimum: Resource): number =>
  Math.max(1, ...resource.map((amount, index) => Math.ceil(amount / Math.max(1, minimum[index] ?? 1))));

function updateError(
  { attempt }: CallingMaster,
  state: MasterState,
  { containerId, updateType = '', reason }: NonNullable<AllocateAnswer['updateErrors']>[number],
): Encodable<typeof UpdateContainerErrorProto> {
  const key = updateKey(containerId, updateType);
  const request = state.updates.get(key);
  state.updates.delete(key);
  return { reason, update_request: request, current_container_version: attempt.containers.get(containerId)?.version ?? -1 };
}

// What administrators do to nodes: their size (AdminService.updateNodeResource), their leaving and coming back (`yarn rmadmin -refreshNodes`).

import type { Audit } from '../../auth/audit-log.ts';
import { ConfigurationError } from '../../config/table.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId, parseNodeId } from '../../model/ids.ts';
import type { Resource, ResourceTypes } from '../../model/resource.ts';
import type { Node } from '../nodes/node.ts';
import { isInactiveNode, type NodeState } from '../nodes/node-states.ts';
import { amountOf, type NamedAmount } from './amounts.ts';
import type { Caller } from './caller.ts';

/** Lets administrators pass. */
export interface AdministratorsGate {
  /** @throws Failure ONLY_ADMINISTRATORS */
  administrator(caller: Caller, operation: string): void;
}

/** What all commands about nodes work with. */
interface NodePorts {
  readonly nodes: { find(nodeId: string): Node | undefined };
  readonly access: AdministratorsGate;
  readonly audit: Audit;
}

export interface ResizeNodePorts extends NodePorts {
  readonly types: ResourceTypes;
  /** Every known caller may change the sizes of nodes. */
  readonly isUnchecked: boolean;
  /** Resolves when it is durable. */
  readonly resize: (node: Node, resource: Resource, overcommitTimeoutMs: number) => Promise<void>;
}

/**
 * Changes what a node offers; resolves, when that is durable, to what it offers now. Types that are not named stay as they are. `overcommitTimeoutMs` 0: what no
 * longer fits is taken at once; negative: it stays.
 * @throws Failure ILLEGAL_ARGUMENT, NODE_NOT_FOUND, ONLY_ADMINISTRATORS, NODE_NOT_ACTIVE, in this order (RMWebServices.updateNodeResource)
 */
export async function resizeNode(
  ports: ResizeNodePorts,
  caller: Caller,
  id: string,
  amount: NamedAmount,
  overcommitTimeoutMs: number,
): Promise<Resource> {
  const operation = 'change the resource of a node';
  const node = findNode(ports.nodes, id);
  if (!ports.isUnchecked) ports.access.administrator(caller, operation);
  if (isInactiveNode[node.state]) throw failure('NODE_NOT_ACTIVE', { id: node.id });
  const wanted = amountOf(amount, ports.types, node.resource);
  await ports.resize(node, wanted, overcommitTimeoutMs);
  ports.audit.changed(caller, { operation, target: node.id, memoryMiB: wanted[0], vcores: wanted[1] });
  return wanted;
}

/** A node's new size; see `resizeNode`. */
export interface NodeResize {
  readonly nodeId: string;
  readonly amount: NamedAmount;
  readonly overcommitTimeoutMs: number;
}

/**
 * Changes what nodes offer, those of all or of none; resolves when that is durable (AdminService.updateNodeResource).
 * @throws Failure ONLY_ADMINISTRATORS, NODE_NOT_FOUND, also for a node that has left
 */
export async function resizeNodes(
  ports: Omit<ResizeNodePorts, 'isUnchecked'>,
  caller: Caller,
  changes: readonly NodeResize[],
): Promise<void> {
  const operation = 'change the resource of a node';
  ports.access.administrator(caller, operation);
  const wanted = changes.map(({ nodeId, amount, overcommitTimeoutMs }) => {
    const node = knownNode(ports.nodes, nodeId);
    if (isInactiveNode[node.state]) throw failure('NODE_NOT_FOUND', { id: nodeId });
    return { node, resource: amountOf(amount, ports.types, node.resource), overcommitTimeoutMs };
  });
  await Promise.all(wanted.map(({ node, resource, overcommitTimeoutMs }) => ports.resize(node, resource, overcommitTimeoutMs)));
  for (const { node, resource } of wanted)
    ports.audit.changed(caller, { operation, target: node.id, memoryMiB: resource[0], vcores: resource[1] });
}

/** The node of an id in its text form. @throws Failure ILLEGAL_ARGUMENT, NODE_NOT_FOUND */
export function findNode(nodes: NodePorts['nodes'], text: string): Node {
  let id: string;
  try {
    const { host, port } = parseNodeId(text);
    id = `${host}:${port}`;
  } catch (error) {
    if (error instanceof InvalidId) throw failure('ILLEGAL_ARGUMENT', { reason: error.message });
    throw error;
  }
  const node = nodes.find(id);
  if (!node) throw failure('NODE_NOT_FOUND', { id: text });
  return node;
}

/** How a node leaves: within `seconds` (negative: without end), within the time of the settings where `graceful`, else at once. */
export interface Leaving {
  readonly graceful: boolean;
  readonly seconds: number | undefined;
}

export interface RefreshNodesPorts extends Omit<NodePorts, 'nodes'> {
  /** `yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs`. */
  readonly leaveSeconds: number;
  /** Reads the include and exclude files again and acts on them; what changed, when it is durable. */
  readonly refresh: (leaveSeconds: number | undefined) => Promise<readonly { readonly nodeId: string; readonly state: NodeState }[]>;
}

/** Has the include and exclude files read again; nodes that are no longer listed leave. @throws Failure ONLY_ADMINISTRATORS */
export async function refreshNodes(
  ports: RefreshNodesPorts,
  caller: Caller,
  { graceful, seconds }: Leaving,
): Promise<Awaited<ReturnType<RefreshNodesPorts['refresh']>>> {
  ports.access.administrator(caller, 'refresh nodes');
  const leaveSeconds = seconds ?? (graceful ? ports.leaveSeconds : undefined);
  const changed = await ports.refresh(leaveSeconds);
  ports.audit.changed(caller, { operation: 'refresh nodes', target: changed.map(({ nodeId }) => nodeId).join(','), seconds: leaveSeconds });
  return changed;
}

export interface RefreshNodeSizesPorts extends Omit<NodePorts, 'nodes'> {
  /** Reads dynamic-resources.xml again; the ids of nodes with another size now. @throws ConfigurationError */
  readonly refresh: () => Promise<readonly string[]>;
}

/** Has dynamic-resources.xml read again; returns the ids of nodes with another size now. @throws Failure ONLY_ADMINISTRATORS, NODE_RESOURCES_REFUSED */
export async function refreshNodeSizes({ access, audit, refresh }: RefreshNodeSizesPorts, caller: Caller): Promise<readonly string[]> {
  access.administrator(caller, 'refresh sizes of nodes');
  try {
    const changed = await refresh();
    audit.changed(caller, { operation: 'refresh sizes of nodes', target: changed.join(',') });
    return changed;
  } catch (error) {
    if (error instanceof ConfigurationError) throw failure('NODE_RESOURCES_REFUSED', { reason: error.message });
    throw error;
  }
}

/** A node and its state after a command. */
export interface NodeStanding {
  readonly nodeId: string;
  readonly state: NodeState;
}

export interface DrainNodePorts extends NodePorts {
  readonly leaveSeconds: number;
  /** Resolves when it is durable. */
  readonly drain: (node: Node, leaveSeconds: number) => Promise<void>;
}

/** Lets a node finish its applications within a time and leave; it stays away until it is resumed. @throws Failure ONLY_ADMINISTRATORS, NODE_NOT_FOUND */
export async function drainNode(ports: DrainNodePorts, caller: Caller, id: string, seconds: number | undefined): Promise<NodeStanding> {
  ports.access.administrator(caller, 'drain a node');
  const node = knownNode(ports.nodes, id);
  const leaveSeconds = seconds ?? ports.leaveSeconds;
  await ports.drain(node, leaveSeconds);
  ports.audit.changed(caller, { operation: 'drain a node', target: node.id, seconds: leaveSeconds });
  return { nodeId: node.id, state: node.state };
}

export interface ResumeNodePorts extends NodePorts {
  /** Resolves when it is durable; to false where the lists of nodes keep it out. */
  readonly resume: (node: Node) => Promise<boolean>;
}

/** Undoes a drain: a node that is still there goes on, one that left may come back. @throws Failure ONLY_ADMINISTRATORS, NODE_NOT_FOUND, NODE_EXCLUDED */
export async function resumeNode(ports: ResumeNodePorts, caller: Caller, id: string): Promise<NodeStanding> {
  ports.access.administrator(caller, 'resume a node');
  const node = knownNode(ports.nodes, id);
  if (!(await ports.resume(node))) throw failure('NODE_EXCLUDED', { id: node.id });
  ports.audit.changed(caller, { operation: 'resume a node', target: node.id });
  return { nodeId: node.id, state: node.state };
}

function knownNode(nodes: NodePorts['nodes'], id: string): Node {
  const node = nodes.find(id);
  if (!node) throw failure('NODE_NOT_FOUND', { id });
  return node;
}

// What every node of a partition says to a request: the checks of node.ts, told node by node.

import type { Resource } from '../../model/resource.ts';
import { mostNodesNamed, type NodeRefusal, type NodesView, type WaitingReason } from '../explain/explanation.ts';
import type { OpenRequest, SchedulerApplication, SchedulerNode } from '../state/model.ts';
import type { NodeTable, Partition } from '../state/nodes.ts';
import { nodeRefusal, refusesReserved, refusesRoom, refusesService } from './node.ts';

/** All nodes of the partition, grouped by what they say, most first. */
export function viewNodes(table: NodeTable, partition: Partition, request: OpenRequest, blacklist: ReadonlySet<string>): NodesView {
  const groups = new Map<NodeRefusal, { why: NodeRefusal; count: number; nodeIds: string[] }>();
  let closest: SchedulerNode | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const node of partition.rooms.nodes) {
    if (!node) continue;
    const why = nodeRefusal(node, partition, request, blacklist, table) ?? 'FITS';
    let group = groups.get(why);
    if (!group) groups.set(why, (group = { why, count: 0, nodeIds: [] }));
    group.count++;
    if (group.nodeIds.length < mostNodesNamed) group.nodeIds.push(node.nodeId);
    if (why !== 'FULL') continue;
    const part = missingPart(node, request.resource, partition);
    if (part >= least) continue;
    least = part;
    closest = node;
  }
  return {
    count: partition.nodes,
    groups: [...groups.values()].sort((a, b) => b.count - a.count),
    ...(closest && {
      closest: {
        nodeId: closest.nodeId,
        available: [...closest.available],
        total: [...closest.resource],
        missing: missingOn(closest, request.resource, partition),
      },
    }),
  };
}

/** Why there is nothing to look at; undefined where the partition has nodes. */
export function emptyPartition(table: NodeTable, { name, nodes }: Partition): WaitingReason | undefined {
  if (nodes > 0) return undefined;
  if (name !== '') return { rule: 'NO_NODE_WITH_LABEL', partition: name };
  const labels = table.partitions.filter((other) => other.nodes > 0).map((other) => other.name);
  if (labels.length === 0) return { rule: 'NO_NODES', partition: name };
  return { rule: 'NO_NODE_WITHOUT_LABEL', partition: name, other: labels.sort().slice(0, mostNodesNamed).join(', ') };
}

/** Why no node takes the request of an application; undefined when one would. */
export function waitingReasonOfNodes(
  view: NodesView,
  partition: Partition,
  request: OpenRequest,
  table: NodeTable,
  application: SchedulerApplication,
): WaitingReason | undefined {
  const about = { partition: partition.name, asked: shown(request.resource) };
  const empty = emptyPartition(table, partition);
  if (empty) return { ...empty, ...about };
  const has = (why: NodeRefusal) => view.groups.some((group) => group.why === why);
  if (has('FITS')) return undefined;
  // Other nodes have room: the wish for places is what keeps it waiting.
  if (has('ELSEWHERE') && partition.rooms.nodes.some((node) => node && isOpen(node) && !refusesRoom(node, request, partition)))
    return {
      rule: request.relaxLocality ? 'LOCALITY_WAIT' : 'PREFERRED_PLACES',
      ...about,
      other: [...request.nodes, ...request.racks].slice(0, mostNodesNamed).join(', '),
    };
  const { closest } = view;
  const master = closest && masterInTheWay(view, partition, request, table.byId.get(closest.nodeId), application);
  if (master) return { rule: 'OWN_MASTER_IN_THE_WAY', ...about, ...master };
  if (closest) return { rule: 'NODES_FULL', ...about, nodeId: closest.nodeId, missing: closest.missing };
  if (has('RESERVED')) return { rule: 'NODES_RESERVED', ...about };
  if (has('CONSTRAINED')) return { rule: 'NODES_CONSTRAINED', ...about };
  if (has('ELSEWHERE'))
    return {
      rule: request.relaxLocality ? 'LOCALITY_WAIT' : 'PREFERRED_PLACES',
      ...about,
      other: [...request.nodes, ...request.racks].slice(0, mostNodesNamed).join(', '),
    };
  if (has('BLACKLISTED')) return { rule: 'NODES_BLACKLISTED', ...about };
  if (has('UNSCHEDULABLE')) return { rule: 'NODES_UNSCHEDULABLE', ...about };
  return { rule: 'NO_NODE_LARGE_ENOUGH', ...about, limit: largestOf(partition) };
}

/** The application's own master, where it alone keeps the request from the one node that is large enough. */
function masterInTheWay(
  { groups }: NodesView,
  { rooms }: Partition,
  request: OpenRequest,
  node: SchedulerNode | undefined,
  application: SchedulerApplication,
): Pick<WaitingReason, 'nodeId' | 'used' | 'limit'> | undefined {
  if (!node || groups.some(({ why, count }) => !(why === 'TOO_SMALL' || why === 'OTHER_PARTITION' || (why === 'FULL' && count === 1))))
    return undefined;
  for (const container of node.containers) {
    if (!container.isMaster || container.application !== application) continue;
    const left = node.resource.map((value, i) => Math.max(0, value - container.resource[i]!));
    const fits = request.resource.every((value, i) => i >= rooms.counted || value <= left[i]!);
    return fits ? undefined : { nodeId: node.nodeId, used: container.resource, limit: left };
  }
  return undefined;
}

/** What the application waits for on the node that is kept for it. */
export function reservedWaitingReason(request: OpenRequest, partition: Partition): WaitingReason | undefined {
  const node = request.reservations[0]?.node;
  if (!node) return undefined;
  const missing = missingOn(node, request.resource, partition);
  return { rule: 'RESERVED', partition: partition.name, asked: shown(request.resource), nodeId: node.nodeId, missing };
}

const isOpen = (node: SchedulerNode): boolean => !refusesService(node) && !refusesReserved(node);

/** The most of each type that one node of the partition has in total. */
function largestOf(partition: Partition): Resource {
  const most: number[] = [...partition.total].fill(0);
  for (const node of partition.rooms.nodes) {
    if (!node || refusesService(node)) continue;
    for (let i = 0; i < most.length; i++) most[i] = Math.max(most[i]!, node.resource[i]!);
  }
  return most;
}

const missingOn = (node: SchedulerNode, amount: Resource, { rooms }: Partition): number[] =>
  amount.map((value, i) => (i < rooms.counted ? Math.max(0, value - node.available[i]!) : 0));

/** The largest part of the node that has to be freed. */
function missingPart(node: SchedulerNode, amount: Resource, { rooms }: Partition): number {
  let most = 0;
  for (let i = 0; i < rooms.counted; i++) {
    const missing = amount[i]! - node.available[i]!;
    if (missing > 0) most = Math.max(most, missing / Math.max(node.resource[i]!, 1));
  }
  return most;
}

/** Types that a policy does not look at count as 0. */
const shown = (amount: Resource): number[] => amount.map((value) => Math.max(0, value));

// Which node a request gets: its own places first, then (when it allows) any node in turn.

import type { OpenRequest, SchedulerNode } from '../state/model.ts';
import type { NodeTable, Partition } from '../state/nodes.ts';
import { allows, candidates, noteHopeless } from './placement.ts';

/** A node of the partition with room, or undefined. */
export function pickNode(
  table: NodeTable,
  partition: Partition,
  request: OpenRequest,
  blacklist: ReadonlySet<string>,
): SchedulerNode | undefined {
  if (request.placement) return pickBoundNode(table, partition, request, blacklist);
  if (request.nodes.length > 0 || request.racks.length > 0) {
    for (const place of request.nodes) {
      const node = table.byId.get(place);
      if (node && suits(node, partition, request, blacklist)) return node;
      for (const other of table.byHost.get(place) ?? []) if (suits(other, partition, request, blacklist)) return other;
    }
    if (request.reach === 'node') return undefined;
    for (const rack of request.racks)
      for (const node of table.byRack.get(rack) ?? []) if (suits(node, partition, request, blacklist)) return node;
    if (!request.relaxLocality || request.reach === 'rack') return undefined;
  }
  return partition.rooms.find(request.resource, blacklist.size === 0 ? undefined : (node) => !isBlacklisted(node, blacklist));
}

/** As `pickNode`, for a request whose constraint some nodes satisfy and others do not. */
function pickBoundNode(
  table: NodeTable,
  partition: Partition,
  request: OpenRequest,
  blacklist: ReadonlySet<string>,
): SchedulerNode | undefined {
  const placement = request.placement!;
  if (placement.hopelessAt === table.placementVersion) return undefined;
  const fitting = (node: SchedulerNode): boolean => suits(node, partition, request, blacklist) && allows(placement, node, table);
  if (request.nodes.length > 0 || request.racks.length > 0) {
    for (const place of request.nodes) {
      const node = table.byId.get(place);
      if (node && fitting(node)) return node;
      for (const other of table.byHost.get(place) ?? []) if (fitting(other)) return other;
    }
    if (request.reach === 'node') return undefined;
    for (const rack of request.racks) for (const node of table.byRack.get(rack) ?? []) if (fitting(node)) return node;
    if (!request.relaxLocality || request.reach === 'rack') return undefined;
  }
  const few = candidates(placement, table);
  if (!few) {
    const found = partition.rooms.find(request.resource, (node) => !isBlacklisted(node, blacklist) && allows(placement, node, table));
    if (!found) noteHopeless(placement, table);
    return found;
  }
  for (const nodes of few) for (const node of nodes) if (node.place >= 0 && fitting(node)) return node;
  return undefined;
}

/** A node that could hold the request when it is empty; `taken`: reserved and full ones count too (to name one). */
export function pickNodeToReserve(
  partition: Partition,
  request: OpenRequest,
  blacklist: ReadonlySet<string>,
  taken: boolean,
): SchedulerNode | undefined {
  // A node kept for a constrained request could lose what made it fit; one that still waits for its places may get them.
  if (request.placement || (request.reach !== 'any' && !taken)) return undefined;
  const anywhere = request.relaxLocality || (request.nodes.length === 0 && request.racks.length === 0);
  const accept = (node: SchedulerNode): boolean => !isBlacklisted(node, blacklist) && (anywhere || isPreferred(node, request));
  if (!taken) return partition.rooms.findKeepable(request.resource, accept);
  return partition.rooms.nodes.find((node) => node?.schedulable && holds(node.resource, request, partition) && accept(node));
}

/** Not elsewhere than the request wants to be now. */
export function isWithinReach(node: SchedulerNode, request: OpenRequest): boolean {
  if (request.relaxLocality && request.reach === 'any') return true;
  if (request.reach === 'node') return request.nodes.includes(node.host) || request.nodes.includes(node.nodeId);
  return isPreferred(node, request);
}

/** The request names the node, its host or its rack; one that names none likes all. */
const isPreferred = (node: SchedulerNode, request: OpenRequest): boolean =>
  (request.nodes.length === 0 && request.racks.length === 0) ||
  request.nodes.includes(node.host) ||
  request.nodes.includes(node.nodeId) ||
  request.racks.includes(node.rack);

function suits(node: SchedulerNode, partition: Partition, request: OpenRequest, blacklist: ReadonlySet<string>): boolean {
  return node.partition === partition.index && node.open && holds(node.available, request, partition) && !isBlacklisted(node, blacklist);
}

/** The attempt does not want the node, its host or its rack. */
export const isBlacklisted = (node: SchedulerNode, blacklist: ReadonlySet<string>): boolean =>
  blacklist.size > 0 && (blacklist.has(node.host) || blacklist.has(node.rack) || blacklist.has(node.nodeId));

/** The room on a node of the partition holds one container of the request. */
export function holds(room: readonly number[], request: Pick<OpenRequest, 'resource'>, { rooms }: Partition): boolean {
  for (let i = 0; i < rooms.counted; i++) if ((request.resource[i] ?? 0) > (room[i] ?? 0)) return false;
  return true;
}

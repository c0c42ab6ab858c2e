// Which node a request gets: its own places first, then (when it allows) any node in turn. Each decision is a check of node.ts.

import type { OpenRequest, SchedulerNode } from '../state/model.ts';
import type { NodeTable, Partition } from '../state/nodes.ts';
import {
  refusesBlacklisted,
  refusesConstraint,
  refusesPartition,
  refusesPlace,
  refusesReserved,
  refusesRoom,
  refusesService,
  refusesSize,
} from './node.ts';
import { candidates, noteHopeless } from './placement.ts';

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
  return partition.rooms.find(request.resource, blacklist.size === 0 ? undefined : (node) => !refusesBlacklisted(node, blacklist));
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
  const fitting = (node: SchedulerNode): boolean => suits(node, partition, request, blacklist) && !refusesConstraint(node, request, table);
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
    const found = partition.rooms.find(
      request.resource,
      (node) => !refusesBlacklisted(node, blacklist) && !refusesConstraint(node, request, table),
    );
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
  const accept = (node: SchedulerNode): boolean => !refusesBlacklisted(node, blacklist) && (anywhere || !refusesPlace(node, request));
  if (!taken) return partition.rooms.findKeepable(request.resource, accept);
  return partition.rooms.nodes.find((node) => node && !refusesService(node) && !refusesSize(node, request, partition) && accept(node));
}

/** The checks of node.ts that are left once a way has led to the node, the cheapest first; its reach is that of the way. */
function suits(node: SchedulerNode, partition: Partition, request: OpenRequest, blacklist: ReadonlySet<string>): boolean {
  return (
    refusesPartition(node, partition) === undefined &&
    refusesService(node) === undefined &&
    refusesReserved(node) === undefined &&
    refusesRoom(node, request, partition) === undefined &&
    refusesBlacklisted(node, blacklist) === undefined
  );
}

// Which node a request gets: its own places first, then (when it allows) any node in turn.

import type { OpenAsk } from '../state/asks.ts';
import type { NodeTable, Partition, SchedulerNode } from '../state/nodes.ts';
import { allows, candidates, noteHopeless } from './placement.ts';

/** A node of the partition with room, or undefined. */
export function pickNode(table: NodeTable, partition: Partition, ask: OpenAsk, blacklist: ReadonlySet<string>): SchedulerNode | undefined {
  if (ask.placement) return pickBoundNode(table, partition, ask, blacklist);
  if (ask.nodes.length > 0 || ask.racks.length > 0) {
    for (const place of ask.nodes) {
      const node = table.byId.get(place);
      if (node && suits(node, partition, ask, blacklist)) return node;
      for (const other of table.byHost.get(place) ?? []) if (suits(other, partition, ask, blacklist)) return other;
    }
    if (ask.reach === 'node') return undefined;
    for (const rack of ask.racks) for (const node of table.byRack.get(rack) ?? []) if (suits(node, partition, ask, blacklist)) return node;
    if (!ask.relaxLocality || ask.reach === 'rack') return undefined;
  }
  return partition.rooms.find(ask.resource, blacklist.size === 0 ? undefined : (node) => !isBlacklisted(node, blacklist));
}

/** As `pickNode`, for a request whose constraint some nodes satisfy and others do not. */
function pickBoundNode(table: NodeTable, partition: Partition, ask: OpenAsk, blacklist: ReadonlySet<string>): SchedulerNode | undefined {
  const placement = ask.placement!;
  if (placement.hopelessAt === table.placementVersion) return undefined;
  const fitting = (node: SchedulerNode): boolean => suits(node, partition, ask, blacklist) && allows(placement, node, table);
  if (ask.nodes.length > 0 || ask.racks.length > 0) {
    for (const place of ask.nodes) {
      const node = table.byId.get(place);
      if (node && fitting(node)) return node;
      for (const other of table.byHost.get(place) ?? []) if (fitting(other)) return other;
    }
    if (ask.reach === 'node') return undefined;
    for (const rack of ask.racks) for (const node of table.byRack.get(rack) ?? []) if (fitting(node)) return node;
    if (!ask.relaxLocality || ask.reach === 'rack') return undefined;
  }
  const few = candidates(placement, table);
  if (!few) {
    const found = partition.rooms.find(ask.resource, (node) => !isBlacklisted(node, blacklist) && allows(placement, node, table));
    if (!found) noteHopeless(placement, table);
    return found;
  }
  for (const nodes of few) for (const node of nodes) if (node.place >= 0 && fitting(node)) return node;
  return undefined;
}

/** A node that could hold the request when it is empty; `taken`: reserved and full ones count too (to name one). */
export function pickNodeToReserve(
  partition: Partition,
  ask: OpenAsk,
  blacklist: ReadonlySet<string>,
  taken: boolean,
): SchedulerNode | undefined {
  // A node kept for a constrained request could lose what made it fit; one that still waits for its places may get them.
  if (ask.placement || (ask.reach !== 'any' && !taken)) return undefined;
  const anywhere = ask.relaxLocality || (ask.nodes.length === 0 && ask.racks.length === 0);
  const accept = (node: SchedulerNode): boolean => !isBlacklisted(node, blacklist) && (anywhere || isPreferred(node, ask));
  if (!taken) return partition.rooms.findKeepable(ask.resource, accept);
  return partition.rooms.nodes.find((node) => node?.schedulable && holds(node.resource, ask, partition) && accept(node));
}

/** Not elsewhere than the request wants to be now. */
export function isWithinReach(node: SchedulerNode, ask: OpenAsk): boolean {
  if (ask.relaxLocality && ask.reach === 'any') return true;
  if (ask.reach === 'node') return ask.nodes.includes(node.host) || ask.nodes.includes(node.nodeId);
  return isPreferred(node, ask);
}

/** The request names the node, its host or its rack; one that names none likes all. */
const isPreferred = (node: SchedulerNode, ask: OpenAsk): boolean =>
  (ask.nodes.length === 0 && ask.racks.length === 0) ||
  ask.nodes.includes(node.host) ||
  ask.nodes.includes(node.nodeId) ||
  ask.racks.includes(node.rack);

function suits(node: SchedulerNode, partition: Partition, ask: OpenAsk, blacklist: ReadonlySet<string>): boolean {
  return node.partition === partition.index && node.open && holds(node.available, ask, partition) && !isBlacklisted(node, blacklist);
}

/** The attempt does not want the node, its host or its rack. */
export const isBlacklisted = (node: SchedulerNode, blacklist: ReadonlySet<string>): boolean =>
  blacklist.size > 0 && (blacklist.has(node.host) || blacklist.has(node.rack) || blacklist.has(node.nodeId));

/** The room on a node of the partition holds one container of the request. */
export function holds(room: readonly number[], ask: Pick<OpenAsk, 'resource'>, { rooms }: Partition): boolean {
  for (let i = 0; i < rooms.counted; i++) if ((ask.resource[i] ?? 0) > (room[i] ?? 0)) return false;
  return true;
}

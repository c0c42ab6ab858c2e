// What one node says to one request: each check stands here once and answers undefined, or the refusal as a constant. `node-choice.ts`
// decides by these checks, `node-refusals.ts` tells them.

import type { NodeRefusal } from '../explain/explanation.ts';
import type { OpenRequest, SchedulerNode } from '../state/model.ts';
import type { NodeTable, Partition } from '../state/nodes.ts';
import { allows } from './placement.ts';

type Sized = Pick<OpenRequest, 'resource'>;

/** The node belongs to another partition than `partition`, whose nodes the request is served by. */
export const refusesPartition = (node: SchedulerNode, partition: Partition): NodeRefusal | undefined =>
  node.partition === partition.index ? undefined : 'OTHER_PARTITION';

/** The node is not in service: it takes no new containers. */
export const refusesService = (node: SchedulerNode): NodeRefusal | undefined => (node.schedulable ? undefined : 'UNSCHEDULABLE');

/** The node is kept for a request; the container of that one is placed by its reservation alone. */
export const refusesReserved = (node: SchedulerNode): NodeRefusal | undefined => (node.reservation ? 'RESERVED' : undefined);

/** The attempt excludes the node, its host or its rack. */
export const refusesBlacklisted = (node: SchedulerNode, blacklist: ReadonlySet<string>): NodeRefusal | undefined =>
  blacklist.size > 0 && (blacklist.has(node.host) || blacklist.has(node.rack) || blacklist.has(node.nodeId)) ? 'BLACKLISTED' : undefined;

/** The node does not hold one container of the request, also when it is empty. */
export const refusesSize = (node: SchedulerNode, request: Sized, partition: Partition): NodeRefusal | undefined =>
  holds(node.resource, request, partition) ? undefined : 'TOO_SMALL';

/** What the node has free does not hold one container of the request. */
export const refusesRoom = (node: SchedulerNode, request: Sized, partition: Partition): NodeRefusal | undefined =>
  holds(node.available, request, partition) ? undefined : 'FULL';

/** The node, its host and its rack are not among the places that the request names; one that names none may go anywhere. */
export const refusesPlace = (node: SchedulerNode, { nodes, racks }: OpenRequest): NodeRefusal | undefined =>
  (nodes.length === 0 && racks.length === 0) || nodes.includes(node.host) || nodes.includes(node.nodeId) || racks.includes(node.rack)
    ? undefined
    : 'ELSEWHERE';

/** The node is elsewhere than the request may go now: its named nodes alone, their racks too, or anywhere if it relaxes locality. */
export function refusesReach(node: SchedulerNode, request: OpenRequest): NodeRefusal | undefined {
  const { nodes, racks, relaxLocality, reach } = request;
  if ((nodes.length === 0 && racks.length === 0) || (relaxLocality && reach === 'any')) return undefined;
  if (reach === 'node') return nodes.includes(node.host) || nodes.includes(node.nodeId) ? undefined : 'ELSEWHERE';
  return refusesPlace(node, request);
}

/** The node does not satisfy the placement constraint of the request now. */
export const refusesConstraint = (node: SchedulerNode, { placement }: OpenRequest, table: NodeTable): NodeRefusal | undefined =>
  !placement || allows(placement, node, table) ? undefined : 'CONSTRAINED';

/**
 * The first of all checks that refuses the request, those that hold for longest before those that end soonest; undefined: the node takes
 * it. `pickNode` asks the same checks in another order: cheapest first, and without those that its index or its way have answered.
 */
export function nodeRefusal(
  node: SchedulerNode,
  partition: Partition,
  request: OpenRequest,
  blacklist: ReadonlySet<string>,
  table: NodeTable,
): NodeRefusal | undefined {
  return (
    refusesPartition(node, partition) ??
    refusesService(node) ??
    refusesBlacklisted(node, blacklist) ??
    refusesSize(node, request, partition) ??
    refusesReach(node, request) ??
    refusesConstraint(node, request, table) ??
    refusesReserved(node) ??
    refusesRoom(node, request, partition)
  );
}

/** `room` holds one container of the request, in the types that count in the partition. */
function holds(room: readonly number[], request: Sized, { rooms }: Partition): boolean {
  for (let i = 0; i < rooms.counted; i++) if ((request.resource[i] ?? 0) > (room[i] ?? 0)) return false;
  return true;
}

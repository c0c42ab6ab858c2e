// How far a queue may go in a cycle, and what a user's limit in a queue is computed from.

import type { Resource } from '../../../model/resource.ts';
import type { Partition } from '../../state/nodes.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import type { LimitInputs } from '../queues/users.ts';

/** The numbers of the moment; nothing is copied. */
export function limitInputs(queue: CapacityQueue, partition: Partition, tree: QueueTree, ignoreExclusivity: boolean): LimitInputs {
  const share = queue.share(partition.index);
  return {
    calculator: tree.calculator,
    partition: partition.index,
    total: partition.total,
    guaranteed: share.effectiveMinimum,
    maximum: share.effectiveMaximum,
    minimumAllocation: tree.sizing.minimumAllocation,
    settings: queue.settings,
    ignoreExclusivity,
  };
}

/**
 * How far the child may go below a parent that may go to `limit` and keeps `kept` for others: the parent's room and its own use, not above
 * its own maximum, in whole steps, written into `into`. True when its own maximum is what limits it.
 */
export function limitBelow(
  child: CapacityQueue,
  limit: Resource,
  kept: Resource,
  partition: Partition,
  tree: QueueTree,
  into: number[],
): boolean {
  const above = child.parent!.share(partition.index).used;
  const { used, effectiveMaximum } = child.share(partition.index);
  for (let i = 0; i < limit.length; i++) into[i] = limit[i]! - kept[i]! - above[i]! + used[i]!;
  // Type by type: the smaller of two whole amounts (as Hadoop takes it) may in one type be more than the parent has left.
  let own = tree.calculator.compare(partition.total, effectiveMaximum, into) < 0;
  for (let i = 0; i < into.length; i++) {
    if (effectiveMaximum[i]! <= into[i]!) into[i] = effectiveMaximum[i]!;
    else own = false;
  }
  const step = tree.sizing.minimumAllocation;
  for (let i = 0; i < into.length; i++) if (step[i]! > 1) into[i] = Math.floor(into[i]! / step[i]!) * step[i]!;
  return own;
}

// What limits of queues refuse: each check answers undefined or a refusal. A cycle decides by them, explanations run them again.

import type { Resource } from '../../../model/resource.ts';
import type { Calculator } from '../../state/calculator.ts';
import type { Partition } from '../../state/nodes.ts';
import type { CapacityApplication } from '../application.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import { headroomRefusal, type PlacementRefusal, queueLimitRefusal } from './refusal.ts';

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

/** The queue holds as much as `limit`, also without `reserved`: what could be given up again (Hadoop's canAssignToThisQueue). */
export function refusesMore(
  used: Resource,
  limit: Resource,
  reserved: Resource | undefined,
  total: Resource,
  calculator: Calculator,
): PlacementRefusal | undefined {
  if (calculator.compare(total, used, limit) < 0) return undefined;
  if (!reserved || calculator.empty(reserved)) return queueLimitRefusal;
  without.length = used.length;
  for (let i = 0; i < used.length; i++) without[i] = used[i]! - (reserved[i] ?? 0);
  return calculator.compare(total, without, limit) < 0 ? undefined : queueLimitRefusal;
}

/** What is left to the queue, and what the application could give up for it, do not hold the size. */
export function refusesSize(
  size: Resource,
  application: CapacityApplication,
  partition: number,
  used: Resource,
  limit: Resource,
  calculator: Calculator,
): PlacementRefusal | undefined {
  left.length = limit.length;
  for (let i = 0; i < limit.length; i++) left[i] = limit[i]! - used[i]!;
  if (application.reservedContainers > 0)
    for (let i = 0; i < limit.length; i++) left[i]! += application.counts.amount('reserved', partition, i);
  return calculator.fits(size, left) ? undefined : headroomRefusal;
}

/** What the application holds by reservations in the partition, until the next call; most hold nothing. */
export const reservedBy = (application: CapacityApplication, partition: number): Resource | undefined =>
  application.reservedContainers === 0 ? undefined : application.counts.of('reserved', partition, given);

/** Used again by each check. */
const without: number[] = [];
const left: number[] = [];
const given: number[] = [];

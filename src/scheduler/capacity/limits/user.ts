// What the limit of a user in a queue refuses (Hadoop's UsersManager, canAssignToUser).

import type { Resource } from '../../../model/resource.ts';
import type { Partition } from '../../state/nodes.ts';
import type { CapacityApplication } from '../application.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import type { LimitInputs, User } from '../queues/users.ts';
import { reservedBy } from './queue.ts';
import { type PlacementRefusal, userLimitRefusal } from './refusal.ts';

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

/** What the user may hold in the partition. Nothing is left behind but what makes the next answer cheap. */
export function userLimit(queue: CapacityQueue, user: User, partition: Partition, tree: QueueTree): Resource {
  const { users } = queue.leaf!;
  return users.cachedLimit(user, partition.index) ?? users.peekLimit(user, limitInputs(queue, partition, tree, false));
}

/** The user is above `limit` already, also without what the application could give up; the container that crosses it is the last. */
export function refusesUser(
  application: CapacityApplication,
  partition: Partition,
  limit: Resource,
  tree: QueueTree,
): PlacementRefusal | undefined {
  const used = application.owner.used[partition.index];
  if (!used) return undefined;
  const { calculator } = tree;
  if (calculator.compare(partition.total, used, limit) <= 0) return undefined;
  const reserved = reservedBy(application, partition.index);
  if (!reserved || calculator.empty(reserved)) return userLimitRefusal;
  without.length = used.length;
  for (let i = 0; i < used.length; i++) without[i] = used[i]! - reserved[i]!;
  return calculator.compare(partition.total, without, limit) <= 0 ? undefined : userLimitRefusal;
}

/** Used again by each check. */
const without: number[] = [];

// What a user's limit in a queue is computed from.

import type { Partition } from '../nodes.ts';
import type { CapacityQueue } from './queue.ts';
import type { QueueTree } from './tree.ts';
import type { LimitInputs } from './users.ts';

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

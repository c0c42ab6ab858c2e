// After nodes, labels or settings changed: promises, use ratios, limits and which applications may run are worked out anew.

import type { Resource } from '../../../model/resource.ts';
import type { Ledger } from '../../state/ledger.ts';
import type { CapacityApplication } from '../application.ts';
import type { Running } from '../limits/running.ts';
import { limitInputs } from '../limits/user.ts';
import { limitOfChild } from './capacities.ts';
import { type CapacityQueue, refreshUsedRatio } from './queue.ts';
import type { QueueTree } from './tree.ts';

/** Everything, from the root. */
export function settleSizes(tree: QueueTree, ledger: Ledger<CapacityApplication>, running: Running): void {
  tree.resize();
  const { sizing, root } = tree;
  for (const partition of ledger.nodes.partitions) {
    for (const queue of root.walk()) {
      const share = queue.share(partition.index);
      // Where something is asked for or limited is shown from now on, even without a promise there.
      if (share.touched) share.charged = true;
      refreshUsedRatio(share, sizing.calculator, partition.total, sizing.minimumAllocation);
      queue.leaf?.users.recount(partition.index, sizing.calculator, partition.total);
    }
    for (const queue of root.walk()) queue.share(partition.index).askingChildren?.reorder();
  }
  settleLimits(root, tree, ledger, running);
}

/** An automatic queue came: limits below its static ancestor are worked out as if that had the cluster, as in Hadoop. */
export function settleSizesAround(created: CapacityQueue, tree: QueueTree, ledger: Ledger<CapacityApplication>, running: Running): void {
  let top = created;
  while (top.parent && top.settings.creation !== 'static') top = top.parent;
  settleLimits(top, tree, ledger, running);
}

function settleLimits(top: CapacityQueue, tree: QueueTree, ledger: Ledger<CapacityApplication>, running: Running): void {
  const { total } = ledger.nodes.partitions[0]!;
  const limits = new Map<CapacityQueue, Resource>([[top, [...total]]]);
  for (const queue of top.walk()) {
    for (const child of queue.children) limits.set(child, limitOfChild(child, limits.get(queue)!, 0, total, tree.sizing));
    if (!queue.leaf) continue;
    queue.leaf.currentLimit = [...limits.get(queue)!];
    queue.leaf.reachable.splice(0, queue.leaf.reachable.length, ...queue.leaf.currentLimit);
    queue.leaf.users.changed();
    running.activate(queue, 'sizesChanged');
    for (const application of queue.leaf.active)
      queue.leaf.users.limitOf(application.owner, limitInputs(queue, ledger.nodes.partitions[0]!, tree, false));
    queue.leaf.users.countWaiting();
  }
}

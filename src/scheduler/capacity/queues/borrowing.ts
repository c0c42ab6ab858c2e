// Idle nodes of a partition that is not exclusive serve requests without a label, but no masters.

import { pickNode } from '../../placement/node-choice.ts';
import type { ContainerNumbering } from '../../policy.ts';
import { type Allocation, allocateTo } from '../../state/allocate.ts';
import type { Ledger } from '../../state/ledger.ts';
import type { Partition } from '../../state/nodes.ts';
import { byPriorityThenArrival, type CapacityApplication } from '../application.ts';
import { lastNode } from '../cycle/cycle.ts';
import { activatedReason } from '../description/explain.ts';
import { limitInputs } from '../limits/limits.ts';
import type { QueueTree } from './tree.ts';

/** Places what the default partition could not take. */
export function borrow(
  tree: QueueTree,
  ledger: Ledger<CapacityApplication>,
  budget: number,
  nextContainerId: ContainerNumbering,
  nowMs: number,
): Allocation[] {
  const decisions: Allocation[] = [];
  if (budget <= 0 || ledger.nodes.partitions.length < 2 || tree.root.share(0).pending.every((value) => value === 0)) return decisions;
  for (const partition of ledger.nodes.partitions) {
    if (partition.index === 0 || partition.exclusive || partition.nodes === 0) continue;
    if (tree.calculator.compare(partition.total, tree.root.share(partition.index).pending, []) > 0) continue;
    for (const queue of tree.leaves()) {
      if (queue.share(0).pending.every((value) => value === 0)) continue;
      const applications = [...queue.leaf!.active].sort((a, b) => (byPriorityThenArrival(a, b) ? -1 : 1));
      for (const application of applications)
        budget = borrowFor(application, partition, tree, ledger, budget, nextContainerId, nowMs, decisions);
      if (budget <= 0) return decisions;
    }
  }
  return decisions;
}

function borrowFor(
  application: CapacityApplication,
  partition: Partition,
  tree: QueueTree,
  ledger: Ledger<CapacityApplication>,
  budget: number,
  nextContainerId: ContainerNumbering,
  nowMs: number,
  decisions: Allocation[],
): number {
  const attempt = application.attempt;
  if (!attempt) return budget;
  const { users } = application.queue.leaf!;
  const limitOf = () => users.limitOf(application.owner, limitInputs(application.queue, partition, tree, true));
  // Worked out, and shown, whatever is asked for.
  limitOf();
  for (const request of [...attempt.requests.inOrder()]) {
    while (request.partition === 0 && request.count > 0 && budget > 0) {
      if (request.isMaster) {
        const node = [...partition.rooms.nodes].find((other) => other !== undefined);
        application.reason = activatedReason(
          application,
          lastNode(node, ledger, 'Skipping assigning to Node in Ignore Exclusivity mode. '),
          tree,
          nowMs,
        );
        break;
      }
      const used = application.owner.used[partition.index] ?? [];
      const limit = limitOf();
      if (tree.calculator.compare(partition.total, used, limit) > 0) break;
      const node = pickNode(ledger.nodes, partition, request, attempt.blacklist);
      if (!node) break;
      decisions.push(allocateTo(ledger, application, request, node, nextContainerId(attempt.attemptId), false));
      budget--;
    }
  }
  return budget;
}

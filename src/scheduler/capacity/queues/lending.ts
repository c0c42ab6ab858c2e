// Idle nodes of a partition that is not exclusive serve requests without a label, but no masters.

import type { Locality } from '../../placement/locality.ts';
import { pickNode } from '../../placement/node-choice.ts';
import type { ContainerNumbering } from '../../policy.ts';
import { type Allocation, allocateTo } from '../../state/allocate.ts';
import type { Ledger } from '../../state/ledger.ts';
import type { Partition } from '../../state/nodes.ts';
import { byPriorityThenArrival, type CapacityApplication } from '../application.ts';
import { lentNodeRefusal } from '../limits/refusal.ts';
import { limitInputs } from '../limits/user.ts';
import type { QueueTree } from './tree.ts';

/** Places what the default partition could not take. */
export function lend(
  tree: QueueTree,
  ledger: Ledger<CapacityApplication>,
  locality: Locality,
  budget: number,
  nextContainerId: ContainerNumbering,
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
        budget = lendTo(application, partition, tree, ledger, locality, budget, nextContainerId, decisions);
      if (budget <= 0) return decisions;
    }
  }
  return decisions;
}

function lendTo(
  application: CapacityApplication,
  partition: Partition,
  tree: QueueTree,
  ledger: Ledger<CapacityApplication>,
  locality: Locality,
  budget: number,
  nextContainerId: ContainerNumbering,
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
        application.refusal = lentNodeRefusal;
        break;
      }
      const used = application.owner.used[partition.index] ?? [];
      const limit = limitOf();
      if (tree.calculator.compare(partition.total, used, limit) > 0) break;
      locality.look(ledger.nodes, ledger.nodes.partitions[0]!, request);
      const node = pickNode(ledger.nodes, partition, request, attempt.blacklist);
      if (!node) break;
      decisions.push(allocateTo(ledger, application, request, node, nextContainerId(attempt.attemptId), false));
      budget--;
    }
  }
  return budget;
}

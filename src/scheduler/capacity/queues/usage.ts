// What one application holds and wants, in the numbers clients see.

import { type Resource, zeros } from '../../../model/resource.ts';
import type { ApplicationUsage, PartitionUsage } from '../../policy.ts';
import { float, larger } from '../../state/calculator.ts';
import type { Ledger } from '../../state/ledger.ts';
import { pendingRequestsOf } from '../../state/usage-views.ts';
import type { CapacityApplication } from '../application.ts';
import { limitInputs } from '../limits/user.ts';
import type { QueueTree } from './tree.ts';

/** The application's usage now. Percentages are float32, of the queue's guarantee and of the cluster. */
export function usageOf(application: CapacityApplication, tree: QueueTree, ledger: Ledger<CapacityApplication>): ApplicationUsage {
  const { counts, queue } = application;
  const types = ledger.nodes.total.length;
  const byPartition: PartitionUsage[] = [];
  ledger.nodes.partitions.forEach((partition, p) => {
    if (p > 0 && !counts.has(p)) return;
    byPartition.push({
      partition: partition.name,
      used: counts.of('used', p),
      reserved: counts.of('reserved', p),
      pending: counts.of('pending', p),
      // What is requested for the master counts from the start; an unmanaged one counts with the smallest allocation.
      amUsed: p === application.masterPartition ? [...application.masterResource] : zeros(types),
    });
  });
  const allocated = counts.total('used');
  const { calculator } = tree;
  const cluster = ledger.nodes.total;
  let queuePercentage = 0;
  let clusterPercentage = 0;
  if (!calculator.empty(cluster)) {
    clusterPercentage = float(calculator.divide(cluster, allocated, cluster) * 100);
    const { total } = ledger.nodes.partitions[application.masterPartition]!;
    const share = queue.share(application.masterPartition);
    const promised = share.effectiveMinimum.some((value) => value > 0)
      ? share.effectiveMinimum
      : total.map((value) => Math.trunc(value * share.absoluteCapacity));
    const part = calculator.empty(total) ? 0 : float(calculator.divide(total, allocated, promised) * 100);
    queuePercentage = Number.isFinite(part) ? part : 0;
  }
  return {
    allocated,
    reserved: counts.total('reserved'),
    pending: counts.total('pending'),
    pendingContainers: application.pendingContainers,
    runningContainers: application.heldContainers,
    reservedContainers: application.reservedContainers,
    queueUsagePercentage: queuePercentage,
    clusterUsagePercentage: clusterPercentage,
    byPartition,
    requests: () => pendingRequestsOf(application, ledger),
    askedPlaces: application.attempt?.requests.places ?? 0,
    headroom: headroomOf(application, tree, ledger),
    isActive: application.isActive,
  };
}

/** min(user's limit − user's use, queue's limit − queue's use) in the default partition. */
export function headroomOf(application: CapacityApplication, tree: QueueTree, ledger: Ledger<CapacityApplication>): Resource {
  const { queue, owner } = application;
  const partition = ledger.nodes.partitions[0]!;
  const used = queue.share(0).used;
  const userUsed = owner.used[0] ?? zeros(used.length);
  const limit = queue.leaf!.users.peekLimit(owner, limitInputs(queue, partition, tree, false));
  const queueLimit = larger(tree.calculator, partition.total, queue.leaf!.currentLimit, zeros(used.length));
  return used.map((value, i) => Math.max(0, Math.min(limit[i]! - userUsed[i]!, queueLimit[i]! - value, partition.total[i]!)));
}

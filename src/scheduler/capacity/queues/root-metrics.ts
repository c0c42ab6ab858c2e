// The numbers of the root queue for /metrics.

import { zeros } from '../../../model/resource.ts';
import type { SchedulerMetrics } from '../../policy.ts';
import type { Ledger } from '../../state/ledger.ts';
import type { CapacityApplication } from '../application.ts';
import type { QueueTree } from './tree.ts';

/** The default partition's, and sums over all partitions. Reserved amounts count as used in queues, not as allocated here. */
export function capacityMetrics({ root }: QueueTree, ledger: Ledger<CapacityApplication>): SchedulerMetrics {
  const types = ledger.nodes.total.length;
  const used = zeros(types);
  const reserved = zeros(types);
  const pending = zeros(types);
  for (const share of root.shares) {
    if (!share) continue;
    for (let i = 0; i < types; i++) {
      used[i]! += share.used[i]!;
      reserved[i]! += share.reserved[i]!;
      pending[i]! += share.pending[i]!;
    }
  }
  const own = root.share(0);
  const available = ledger.nodes.partitions[0]!.total.map((value, i) => value - own.used[i]!);
  return {
    appsPending: ledger.waitingApplications,
    appsRunning: ledger.runningApplications,
    allocated: own.used.map((value, i) => value - own.reserved[i]!),
    available,
    pending: own.pending,
    reserved: own.reserved,
    total: available.map((value, i) => Math.max(0, value) + own.used[i]!),
    containersAllocated: own.allocatedContainers,
    containersPending: own.pendingContainers,
    containersReserved: own.reservedContainers,
    acrossPartitions: {
      used,
      reserved,
      pending,
      total: [...ledger.nodes.total],
      available: ledger.nodes.total.map((value, i) => value - used[i]!),
      containers: root.containers,
    },
  };
}

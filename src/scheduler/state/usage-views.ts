// What clients see of applications, nodes and the root queue, in all policies or in those of one partition.

import { constraintText } from '../../model/placement-constraint.ts';
import type { Resource } from '../../model/resource.ts';
import type { ApplicationUsage, PendingRequest, SchedulerMetrics } from '../policy.ts';
import type { Ledger } from './ledger.ts';
import type { SchedulerApplication, SchedulerNode } from './model.ts';
import type { NodeTable } from './nodes.ts';

/** Outstanding requests, place by place, made as they are taken. */
export function* pendingRequestsOf<A extends SchedulerApplication>(application: A, ledger: Ledger<A>): Generator<PendingRequest, void> {
  for (const request of application.attempt?.requests.inOrder() ?? []) {
    const scheduling =
      request.placement || request.tags.length > 0
        ? {
            scheduling: {
              allocationTags: request.tags,
              placementConstraint: request.placement && constraintText(request.placement.constraint),
            },
          }
        : {};
    for (const places of [request.nodes, request.racks, ['*']])
      for (const resourceName of places)
        yield {
          requestId: request.requestId,
          purpose: request.purpose,
          priority: request.priority,
          allocationRequestId: request.allocationRequestId,
          resource: request.resource,
          count: request.placeCounts?.get(resourceName) ?? request.count,
          resourceName,
          relaxLocality: request.relaxLocality,
          labelExpression: ledger.nodes.partitions[request.partition]!.name,
          ...scheduling,
        };
  }
}

/** What a node has given away and which tags stand on it. */
export const nodeUsageOf = (node: SchedulerNode, table: NodeTable) => ({
  used: node.used,
  available: [...node.available],
  containers: node.containers.size,
  tags: table.tags.ofNode(node),
});

interface Judged {
  readonly queuePercentage: number;
  readonly clusterPercentage: number;
  readonly headroom: Resource;
  readonly isActive: boolean;
}

/** Usage of an application where only the default partition counts. */
export function usageOfApplication<A extends SchedulerApplication>(application: A, ledger: Ledger<A>, judged: Judged): ApplicationUsage {
  const { counts } = application;
  return {
    allocated: counts.total('used'),
    reserved: counts.total('reserved'),
    pending: counts.total('pending'),
    pendingContainers: application.pendingContainers,
    runningContainers: application.heldContainers,
    reservedContainers: application.reservedContainers,
    queueUsagePercentage: judged.queuePercentage,
    clusterUsagePercentage: judged.clusterPercentage,
    requests: () => pendingRequestsOf(application, ledger),
    askedPlaces: application.attempt?.requests.places ?? 0,
    headroom: judged.headroom,
    isActive: judged.isActive,
  };
}

interface Totals {
  readonly used: Resource;
  readonly pending: Resource;
  readonly reserved: Resource;
  readonly pendingContainers: number;
}

/** Root queue numbers where only the default partition counts. `used` is without reservations. */
export function metricsOf<A extends SchedulerApplication>(ledger: Ledger<A>, totals: Totals): SchedulerMetrics {
  const available = ledger.nodes.total.map((value, i) => value - totals.used[i]! - totals.reserved[i]!);
  return {
    appsPending: ledger.waitingApplications,
    appsRunning: ledger.runningApplications,
    allocated: [...totals.used],
    available,
    total: available.map((value, i) => Math.max(0, value) + totals.used[i]!),
    pending: [...totals.pending],
    reserved: [...totals.reserved],
    containersAllocated: ledger.containers.size,
    containersPending: totals.pendingContainers,
    containersReserved: ledger.reservedContainers,
  };
}

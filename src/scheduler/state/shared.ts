// What the policies have in common: opening asks, wording allocations, counting.

import { parseApplicationId } from '../../model/ids.ts';
import { constraintText } from '../../model/placement-constraint.ts';
import type { Resource } from '../../model/resource.ts';
import type { ApplicationUsage, Decision, PendingRequest, ResourceRequest, SchedulerMetrics } from '../policy.ts';
import type { SchedulerApplication } from './applications.ts';
import type { Ledger } from './ledger.ts';
import type { NodeTable, SchedulerNode } from './nodes.ts';
import type { OpenRequest } from './requests.ts';

/** Applications order by start time and number inside their id; ids of another form by arrival. */
export function arrivalOrder(applicationId: string, arrival: number): number {
  try {
    const { clusterTimestamp, sequence } = parseApplicationId(applicationId);
    return (clusterTimestamp % 1e9) * 1e6 + sequence;
  } catch {
    return arrival;
  }
}

/** Shared by the many requests that name no places and no tags. */
const none: readonly string[] = [];

/** An ask as the table keeps it; `resource` is normalised. */
export function openRequestOf(
  applicationId: string,
  request: ResourceRequest,
  resource: Resource,
  partition: number,
  labelExpression: string,
  isMaster: boolean,
  nowMs: number,
): OpenRequest {
  const tags = request.allocationTags ?? none;
  const constraint = request.placementConstraint;
  return {
    requestId: request.requestId,
    purpose: request.purpose,
    priority: request.priority,
    allocationRequestId: request.allocationRequestId ?? -1,
    resource,
    count: request.count,
    nodes: request.nodes ?? none,
    racks: request.racks ?? none,
    relaxLocality: request.relaxLocality ?? true,
    reach: 'any',
    labelExpression,
    partition,
    isMaster,
    reservations: [],
    tags,
    placement: constraint && { constraint, applicationId, ownTags: tags },
    sinceMs: nowMs,
  };
}

export type Allocation = Extract<Decision, { kind: 'allocate' }>;

/** Enters the container and words the decision. */
export function allocateTo<A extends SchedulerApplication>(
  ledger: Ledger<A>,
  application: A,
  request: OpenRequest,
  node: SchedulerNode,
  containerId: string,
  fromReservation: boolean,
): Allocation {
  const attempt = application.attempt!;
  const { requestId, purpose, resource, priority, allocationRequestId, isMaster, tags } = request;
  ledger.allocate(attempt, request, node, containerId);
  while (application.reservedContainers > 0 && request.count > 0 && request.reservations.length > request.count)
    ledger.unreserve(request.reservations.at(-1)!);
  return {
    kind: 'allocate',
    applicationId: application.applicationId,
    attemptId: attempt.attemptId,
    containerId,
    requestId,
    purpose,
    nodeId: node.nodeId,
    resource,
    priority,
    allocationRequestId,
    isMaster,
    allocationTags: tags,
    fromReservation,
  };
}

/** Outstanding asks, place by place. */
export function pendingRequestsOf<A extends SchedulerApplication>(application: A, ledger: Ledger<A>): PendingRequest[] {
  return (application.attempt?.requests.inOrder() ?? []).flatMap((request) =>
    [...request.nodes, ...request.racks, '*'].map((resourceName) => ({
      requestId: request.requestId,
      purpose: request.purpose,
      priority: request.priority,
      allocationRequestId: request.allocationRequestId,
      resource: request.resource,
      count: request.count,
      resourceName,
      relaxLocality: request.relaxLocality,
      labelExpression: ledger.nodes.partitions[request.partition]!.name,
      ...(request.placement || request.tags.length > 0
        ? {
            scheduling: {
              allocationTags: request.tags,
              placementConstraint: request.placement && constraintText(request.placement.constraint),
            },
          }
        : {}),
    })),
  );
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
    requests: pendingRequestsOf(application, ledger),
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
  let appsPending = 0;
  let appsRunning = 0;
  let containersReserved = 0;
  for (const application of ledger.applications.values()) {
    containersReserved += application.reservedContainers;
    if (!application.attempt) continue;
    if (application.heldContainers > 0) appsRunning++;
    else appsPending++;
  }
  const available = ledger.nodes.total.map((value, i) => value - totals.used[i]! - totals.reserved[i]!);
  return {
    appsPending,
    appsRunning,
    allocated: [...totals.used],
    available,
    total: available.map((value, i) => Math.max(0, value) + totals.used[i]!),
    pending: [...totals.pending],
    reserved: [...totals.reserved],
    containersAllocated: ledger.containers.size,
    containersPending: totals.pendingContainers,
    containersReserved,
  };
}

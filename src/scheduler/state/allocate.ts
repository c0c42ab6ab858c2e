// Giving a container to a request: entered in the ledger, worded as a decision.

import type { Closeness, Decision } from '../policy.ts';
import type { Ledger } from './ledger.ts';
import type { OpenRequest, SchedulerApplication, SchedulerNode } from './model.ts';

export type Allocation = Extract<Decision, { kind: 'allocate' }>;

const closenessOf = ({ nodes, racks }: OpenRequest, { host, nodeId, rack }: SchedulerNode): Closeness =>
  nodes.includes(host) || nodes.includes(nodeId) ? 'nodeLocal' : racks.includes(rack) ? 'rackLocal' : 'offSwitch';

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
    closeness: closenessOf(request, node),
    fromReservation,
  };
}

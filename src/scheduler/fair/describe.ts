// The fair policy's queues as clients see them.

import type { Resource } from '../../model/resource.ts';
import type { FairQueueDescription } from '../explain/description.ts';
import { componentwiseMin } from '../state/calculator.ts';
import type { FairQueue } from './queue.ts';

const policyNames = { fair: 'fair', drf: 'DRF', fifo: 'FIFO' } as const;

/** The queue and those below it, but for what serves the plan of a reservable queue. */
export function describeFair(queue: FairQueue, cluster: Resource, containerMaximum: (queue: FairQueue) => Resource): FairQueueDescription {
  const pendingApplications = queue.applications.filter(
    (application) => application.attempt && (!application.isRunnable || application.heldContainers === 0),
  ).length;
  return {
    name: queue.path,
    isLeaf: queue.isLeaf,
    maximumApplications: queue.settings.maximumRunning,
    minimum: { amount: queue.minimum(), bounded: queue.settings.minimum === undefined },
    maximum: { amount: componentwiseMin(queue.maximum(), cluster) },
    used: [...queue.used],
    amUsed: [...queue.amUsed],
    amMaximum: queue.amMaximum,
    demand: queue.demand(),
    steadyFair: [...queue.steady],
    fair: [...queue.fair],
    cluster: [...cluster],
    reserved: [...queue.reserved],
    maximumAllocation: containerMaximum(queue),
    pendingContainers: queue.pendingContainers,
    allocatedContainers: queue.allocatedContainers,
    reservedContainers: queue.reservedContainers,
    schedulingPolicy: policyNames[queue.settings.policy],
    preemptable: queue.settings.preemptable && (queue.parent === undefined || preemptable(queue.parent)),
    pendingApplications,
    activeApplications: queue.applications.filter((application) => application.isRunnable && application.heldContainers > 0).length,
    children: queue.settings.isReservable ? [] : queue.children.map((child) => describeFair(child, cluster, containerMaximum)),
  };
}

function preemptable(queue: FairQueue): boolean {
  return queue.settings.preemptable && (queue.parent === undefined || preemptable(queue.parent));
}

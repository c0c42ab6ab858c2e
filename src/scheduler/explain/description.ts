// What a policy tells about its queues: numbers and vectors in the policy's own shape. Views turn it into wire records.

import type { Resource } from '../../model/resource.ts';

/** An amount as clients see it; `bounded`: shown with the configured minimum and maximum per type instead of 0 and 2^63−1. */
export interface ShownResource {
  readonly amount: Resource;
  readonly bounded?: boolean;
}

export interface ShownVector {
  /** `[memory-mb=50.0%,vcores=50.0%]`. */
  readonly text: string;
  readonly entries: readonly { readonly name: string; readonly value: string }[];
}

/** Parts of one, as they are counted with. */
export interface CapacityFractions {
  readonly capacity: number;
  readonly used: number;
  readonly maximum: number;
  readonly absolute: number;
  readonly absoluteMaximum: number;
}

/** A queue's promises and use in one partition; shares in percent as float32. */
export interface ShownCapacities {
  readonly partition: string;
  /** What the percentages are made of. */
  readonly fractions: CapacityFractions;
  readonly vector: ShownVector;
  readonly capacity: number;
  readonly usedCapacity: number;
  readonly maximumCapacity: number;
  readonly absoluteCapacity: number;
  readonly absoluteUsedCapacity: number;
  readonly absoluteMaximumCapacity: number;
  readonly amLimitPercentage: number;
  readonly weight: number;
  readonly normalizedWeight: number;
  readonly configuredMinimum: ShownResource;
  readonly configuredMaximum: ShownResource;
  readonly effectiveMinimum: ShownResource;
  readonly effectiveMaximum: ShownResource;
}

/** What is counted in one partition. */
export interface ShownUsage {
  readonly partition: string;
  readonly used: Resource;
  readonly reserved: Resource;
  readonly pending: Resource;
  /** Leaves and users only. */
  readonly amUsed?: Resource;
  readonly amLimit?: Resource;
  readonly userAmLimit?: Resource;
}

/** A queue's use with its containers. */
export interface ShownQueueUsage extends ShownUsage {
  readonly allocatedContainers: number;
  readonly reservedContainers: number;
  readonly pendingContainers: number;
}

/** How many attempts have a container and how many have none, unmanaged ones among them; how many applications ask for containers. */
export interface ShownAttempts {
  readonly running: number;
  readonly waiting: number;
  readonly unmanagedRunning: number;
  readonly unmanagedWaiting: number;
  readonly asking: number;
}

export interface ShownUser {
  readonly name: string;
  readonly used: Resource;
  readonly pendingApplications: number;
  readonly activeApplications: number;
  readonly amUsed: Resource;
  readonly limit: Resource;
  readonly usage: readonly ShownUsage[];
  readonly weight: number;
  readonly isActive: boolean;
}

export type NamedText = readonly { readonly name: string; readonly value: string }[];

export interface ShownQueue {
  readonly path: string;
  readonly name: string;
  readonly isLeaf: boolean;
  readonly capacities: readonly ShownCapacities[];
  readonly usage: readonly ShownQueueUsage[];
  readonly applications: number;
  readonly maximumParallelApplications: number;
  readonly isAbsolute: boolean;
  readonly state: string;
  /** In the order of the parent: of the file, or of a HashMap once the queues were read again. */
  readonly children: readonly ShownQueue[];
  readonly used: Resource;
  readonly hideReservationQueues: boolean;
  readonly nodeLabels: readonly string[];
  readonly allocatedContainers: number;
  readonly reservedContainers: number;
  readonly pendingContainers: number;
  readonly maximumAllocation: Resource;
  readonly acls: readonly { readonly type: string; readonly list: string }[];
  readonly priority: number;
  readonly orderingPolicy: string;
  readonly legacyAutoCreation: boolean;
  readonly leafTemplate: NamedText;
  readonly mode: string;
  readonly creation: string;
  readonly autoCreation: string;
  readonly defaultLabel: string | undefined;
  readonly templates: { readonly common: NamedText; readonly parent: NamedText; readonly leaf: NamedText };
  readonly leaf?: {
    /** In all partitions. */
    readonly containers: number;
    readonly activeApplications: number;
    readonly pendingApplications: number;
    /** Counted when it is asked: that takes a look at each application of the queue. */
    readonly attempts: () => ShownAttempts;
    readonly maximumApplications: number;
    readonly maximumApplicationsPerUser: number;
    readonly userLimit: number;
    readonly users: readonly ShownUser[];
    readonly userLimitFactor: number;
    readonly configuredAmShare: number;
    readonly amLimit: Resource;
    readonly amUsed: Resource;
    readonly userAmLimit: Resource;
    readonly preemptionDisabled: boolean;
    readonly intraQueuePreemptionDisabled: boolean;
    readonly defaultPriority: number;
    readonly isLegacyAutoCreated: boolean;
    readonly maximumLifetimeSeconds: number;
    readonly defaultLifetimeSeconds: number;
  };
}

export interface ShownOperation {
  readonly operation: string;
  readonly nodeId: string;
  readonly containerId: string;
  readonly queue: string;
}

export interface CapacityDescription {
  readonly kind: 'capacity';
  readonly root: ShownQueue;
  readonly health: { readonly lastRunMs: number; readonly operations: readonly ShownOperation[] };
}

export interface FairQueueDescription {
  readonly name: string;
  readonly isLeaf: boolean;
  readonly maximumApplications: number;
  readonly minimum: ShownResource;
  readonly maximum: ShownResource;
  readonly used: Resource;
  readonly amUsed: Resource;
  readonly amMaximum: Resource;
  readonly demand: Resource;
  readonly steadyFair: Resource;
  readonly fair: Resource;
  readonly cluster: Resource;
  readonly reserved: Resource;
  readonly maximumAllocation: Resource;
  readonly pendingContainers: number;
  readonly allocatedContainers: number;
  readonly reservedContainers: number;
  readonly schedulingPolicy: string;
  readonly preemptable: boolean;
  readonly pendingApplications: number;
  readonly activeApplications: number;
  readonly children: readonly FairQueueDescription[];
}

export interface FairDescription {
  readonly kind: 'fair';
  readonly root: FairQueueDescription;
}

export interface FifoDescription {
  readonly kind: 'fifo';
  /** Fraction; NaN without nodes. */
  readonly usedCapacity: number;
  readonly minimumQueueMemoryMiB: number;
  readonly maximumQueueMemoryMiB: number;
  readonly nodes: number;
  readonly usedNodeMemoryMiB: number;
  readonly availableNodeMemoryMiB: number;
  readonly totalNodeMemoryMiB: number;
  readonly containers: number;
}

/** Discriminated by `kind`. */
export type SchedulerDescription = CapacityDescription | FairDescription | FifoDescription;

/** A view of every shape of description: a new one does not compile without its view. */
export type DescriptionViews<Result, More extends readonly unknown[] = []> = {
  readonly [Kind in SchedulerDescription['kind']]: (description: Extract<SchedulerDescription, { kind: Kind }>, ...more: More) => Result;
};

/** Shows a description by the view of its shape. */
export function viewOf<Result, More extends readonly unknown[]>(
  views: DescriptionViews<Result, More>,
  description: SchedulerDescription,
  ...more: More
): Result {
  const view = views[description.kind] as (description: SchedulerDescription, ...more: More) => Result;
  return view(description, ...more);
}

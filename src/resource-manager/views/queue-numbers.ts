// What each scheduler counts of its queues, in one shape: attempts, users, and amounts by partition.
import { difference, type Resource, zeros } from '../../model/resource.ts';
import type {
  DescriptionViews,
  FairQueueDescription,
  ShownAttempts,
  ShownCapacities,
  ShownQueue,
} from '../../scheduler/explain/description.ts';
import type { SchedulerMetrics } from '../../scheduler/policy.ts';

/** What a queue has in one partition. */
export interface PartitionNumbers {
  /** The label; '' of the default partition. */
  readonly partition: string;
  readonly allocated: Resource;
  readonly available: Resource;
  readonly pending: Resource;
  readonly reserved: Resource;
  readonly allocatedContainers: number;
  readonly pendingContainers: number;
  readonly reservedContainers: number;
}

/** What the scheduler tells of a queue. */
export interface QueueNumbers {
  readonly path: string;
  /** In the default partition; undefined where the policy promises none. */
  readonly capacities: ShownCapacities | undefined;
  readonly amLimit: Resource;
  readonly amUsed: Resource;
  /** Users that ask for something; a parent counts none. */
  readonly activeUsers: number;
  readonly attempts: ShownAttempts;
  /** The default partition first. */
  readonly partitions: readonly PartitionNumbers[];
}

const noAttempts: ShownAttempts = { running: 0, waiting: 0, unmanagedRunning: 0, unmanagedWaiting: 0, asking: 0 };
const addAttempts = (a: ShownAttempts, b: ShownAttempts): ShownAttempts => ({
  running: a.running + b.running,
  waiting: a.waiting + b.waiting,
  unmanagedRunning: a.unmanagedRunning + b.unmanagedRunning,
  unmanagedWaiting: a.unmanagedWaiting + b.unmanagedWaiting,
  asking: a.asking + b.asking,
});

/** Of the root queue the default partition is what the cluster has. */
const ofCluster = (metrics: SchedulerMetrics): PartitionNumbers => ({
  partition: '',
  allocated: metrics.allocated,
  available: metrics.available.map((amount) => Math.max(0, amount)),
  pending: metrics.pending,
  reserved: metrics.reserved,
  allocatedContainers: metrics.containersAllocated,
  pendingContainers: metrics.containersPending,
  reservedContainers: metrics.containersReserved,
});

const none: Resource = [0, 0];

/** Partitions of which a queue is promised something or in which something was counted. */
function capacityPartitions({ capacities, usage }: ShownQueue): PartitionNumbers[] {
  const labels = new Set(['', ...capacities.map(({ partition }) => partition), ...usage.map(({ partition }) => partition)]);
  return [...labels].map((label) => {
    const has = usage.find(({ partition }) => partition === label);
    const minimum = capacities.find(({ partition }) => partition === label)?.effectiveMinimum.amount ?? none;
    const used = has?.used ?? zeros(minimum.length);
    const reserved = has?.reserved ?? zeros(minimum.length);
    return {
      partition: label,
      allocated: difference(used, reserved),
      // What it may still have of what it was promised (CSQueueUtils.getMaxAvailableResourceToQueuePartition).
      available: difference(minimum, used).map((amount) => Math.max(0, amount)),
      pending: has?.pending ?? none,
      reserved,
      allocatedContainers: has?.allocatedContainers ?? 0,
      pendingContainers: has?.pendingContainers ?? 0,
      reservedContainers: has?.reservedContainers ?? 0,
    };
  });
}

/** Its own attempts, and those of the queues below it, of which each list begins with the queue itself. */
const withThoseBelow = (own: ShownAttempts, below: readonly (readonly QueueNumbers[])[]): ShownAttempts =>
  below.flatMap(([child]) => child?.attempts ?? []).reduce(addAttempts, own);

/** By kind of scheduler: all queues, each before those below it. */
export const queueNumbers: DescriptionViews<QueueNumbers[], [SchedulerMetrics]> = {
  capacity({ root }, metrics) {
    const withBelow = (queue: ShownQueue): QueueNumbers[] => {
      const { path, leaf } = queue;
      const below = queue.children.map(withBelow);
      const [inDefault, ...others] = capacityPartitions(queue);
      const own: QueueNumbers = {
        path,
        capacities: queue.capacities.find(({ partition }) => partition === '') ?? queue.capacities[0],
        amLimit: leaf?.amLimit ?? none,
        amUsed: leaf?.amUsed ?? none,
        activeUsers: leaf?.users.filter(({ isActive }) => isActive).length ?? 0,
        attempts: withThoseBelow(leaf?.attempts() ?? noAttempts, below),
        partitions: [queue === root ? ofCluster(metrics) : inDefault!, ...others],
      };
      // The default queue of a plan is counted under both of its names.
      const plan = /^(.+)\.root\.([^.]+)$/.exec(path);
      return [own, ...below.flat(), ...(plan ? [{ ...own, path: `${plan[1]}.${plan[2]}` }] : [])];
    };
    return withBelow(root);
  },
  fair({ root }, metrics) {
    const withBelow = (queue: FairQueueDescription): QueueNumbers[] => {
      const below = queue.children.map(withBelow);
      const { name, used, demand, amUsed, reserved, allocatedContainers, pendingContainers, reservedContainers } = queue;
      const amounts = { partition: '', allocated: used, available: none, pending: difference(demand, used), reserved };
      const attempts = { ...noAttempts, running: queue.activeApplications, waiting: queue.pendingApplications };
      const own: QueueNumbers = {
        path: name,
        capacities: undefined,
        amLimit: none,
        amUsed,
        activeUsers: 0,
        attempts: withThoseBelow(attempts, below),
        partitions: [queue === root ? ofCluster(metrics) : { ...amounts, allocatedContainers, pendingContainers, reservedContainers }],
      };
      return [own, ...below.flat()];
    };
    return withBelow(root);
  },
  fifo: (_description, metrics) => [
    {
      path: 'default',
      capacities: undefined,
      amLimit: none,
      amUsed: none,
      activeUsers: 0,
      attempts: { ...noAttempts, running: metrics.appsRunning, waiting: metrics.appsPending },
      partitions: [ofCluster(metrics)],
    },
  ],
};

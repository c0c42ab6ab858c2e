// What queues hold and wait for, in one shape whatever the scheduler.
import type { Resource } from '../../model/resource.ts';
import type { DescriptionViews, FairQueueDescription, ShownQueue } from '../../scheduler/explain/description.ts';
import type { UserHolding } from '../../scheduler/explain/user-holdings.ts';

/** A queue in numbers; `guaranteed` is the fair share where the scheduler has that. */
export interface QueueFigures {
  readonly path: string;
  readonly isLeaf: boolean;
  readonly state: string;
  /** Paths of the queues right below it. */
  readonly children: readonly string[];
  /** In all partitions. */
  readonly used: Resource;
  readonly pending: Resource;
  /** Of the nodes without label. */
  readonly guaranteed: Resource;
  readonly maximum: Resource;
  readonly containers: { readonly allocated: number; readonly pending: number; readonly reserved: number };
  /** With those of the queues below it. */
  readonly applications: { readonly running: number; readonly pending: number };
}

/** What a scheduler has; a user may come several times. */
interface Figures {
  /** Each queue before those below it. */
  readonly queues: readonly QueueFigures[];
  readonly users: readonly UserHolding[];
}

const plus = (a: readonly number[], b: readonly number[]): readonly number[] => a.map((amount, index) => amount + (b[index] ?? 0));

/** Those of the queues below it, of which each list begins with the queue itself. */
const applicationsOf = (below: readonly (readonly QueueFigures[])[]): QueueFigures['applications'] =>
  below.reduce(
    (sum, [child]) => ({
      running: sum.running + (child?.applications.running ?? 0),
      pending: sum.pending + (child?.applications.pending ?? 0),
    }),
    { running: 0, pending: 0 },
  );

function capacityQueues(queue: ShownQueue): QueueFigures[] {
  const { path, state, children, used, leaf } = queue;
  const below = children.map(capacityQueues);
  const own = queue.capacities.find(({ partition }) => partition === '');
  const figures: QueueFigures = {
    path,
    isLeaf: leaf !== undefined,
    state,
    children: children.map((child) => child.path),
    used,
    pending: queue.usage.map(({ pending }) => pending as readonly number[]).reduce(plus, [0, 0]) as Resource,
    guaranteed: own?.effectiveMinimum.amount ?? [0, 0],
    maximum: own?.effectiveMaximum.amount ?? [0, 0],
    containers: { allocated: queue.allocatedContainers, pending: queue.pendingContainers, reserved: queue.reservedContainers },
    applications: leaf ? { running: leaf.activeApplications, pending: leaf.pendingApplications } : applicationsOf(below),
  };
  return [figures, ...below.flat()];
}

function fairQueues(queue: FairQueueDescription): QueueFigures[] {
  const { name: path, isLeaf, used, children } = queue;
  const below = children.map(fairQueues);
  const figures: QueueFigures = {
    path,
    isLeaf,
    state: 'RUNNING',
    children: children.map(({ name }) => name),
    used,
    pending: queue.demand.map((amount, index) => Math.max(0, amount - (used[index] ?? 0))) as unknown as Resource,
    guaranteed: queue.fair,
    maximum: queue.maximum.amount,
    containers: { allocated: queue.allocatedContainers, pending: queue.pendingContainers, reserved: queue.reservedContainers },
    applications: isLeaf ? { running: queue.activeApplications, pending: queue.pendingApplications } : applicationsOf(below),
  };
  return [figures, ...below.flat()];
}

const usersOfLeaf = ({ leaf }: ShownQueue): UserHolding[] =>
  (leaf?.users ?? []).map(({ name, used, activeApplications, pendingApplications }) => ({
    ...{ name, used, runningApplications: activeApplications, pendingApplications },
  }));

/** Of a scheduler that keeps no account of users itself. */
export type CountedUsers = () => readonly UserHolding[];

/** By kind of scheduler. */
export const queueFigures: DescriptionViews<Figures, [CountedUsers]> = {
  capacity({ root }) {
    const all = (queue: ShownQueue): ShownQueue[] => [queue, ...queue.children.flatMap(all)];
    return { queues: capacityQueues(root), users: all(root).flatMap(usersOfLeaf) };
  },
  fair: ({ root }, countedUsers) => ({ queues: fairQueues(root), users: countedUsers() }),
  // One queue, which is the cluster.
  fifo: (_description, countedUsers) => ({ queues: [], users: countedUsers() }),
};

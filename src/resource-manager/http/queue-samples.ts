// What queues and users hold and wait for, for Prometheus. Users are those who have something in a queue at the moment.
import type { Sample } from '../../http/sample.ts';
import type { Resource } from '../../model/resource.ts';
import { type DescriptionViews, type SchedulerDescription, type ShownQueue, viewOf } from '../../scheduler/explain/description.ts';
import type { UserHolding } from '../../scheduler/explain/user-holdings.ts';

const bytesPerMiB = 1024 * 1024;

/** A queue in numbers; `guaranteed` is the fair share where the scheduler has that. */
interface QueueFigures {
  readonly path: string;
  /** In all partitions. */
  readonly used: Resource;
  readonly pending: Resource;
  /** Of the nodes without label. */
  readonly guaranteed: Resource;
  readonly maximum: Resource;
  readonly containers: { readonly allocated: number; readonly pending: number; readonly reserved: number };
  /** Of leaves. */
  readonly applications?: { readonly running: number; readonly pending: number };
}

/** What a scheduler has; a user may come several times. */
interface Figures {
  readonly queues: readonly QueueFigures[];
  readonly users: readonly UserHolding[];
}

const plus = (a: readonly number[], b: readonly number[]): readonly number[] => a.map((amount, index) => amount + (b[index] ?? 0));

function capacityQueue(queue: ShownQueue): QueueFigures {
  const { leaf } = queue;
  const own = queue.capacities.find(({ partition }) => partition === '');
  return {
    path: queue.path,
    used: queue.used,
    pending: queue.usage.map(({ pending }) => pending as readonly number[]).reduce(plus, [0, 0]) as Resource,
    guaranteed: own?.effectiveMinimum.amount ?? [0, 0],
    maximum: own?.effectiveMaximum.amount ?? [0, 0],
    containers: { allocated: queue.allocatedContainers, pending: queue.pendingContainers, reserved: queue.reservedContainers },
    ...(leaf ? { applications: { running: leaf.activeApplications, pending: leaf.pendingApplications } } : {}),
  };
}

const usersOfLeaf = ({ leaf }: ShownQueue): UserHolding[] =>
  (leaf?.users ?? []).map(({ name, used, activeApplications, pendingApplications }) => ({
    ...{ name, used, runningApplications: activeApplications, pendingApplications },
  }));

/** Of a scheduler that keeps no account of users itself. */
type CountedUsers = () => readonly UserHolding[];

const figures: DescriptionViews<Figures, [CountedUsers]> = {
  capacity({ root }) {
    const all = (queue: ShownQueue): ShownQueue[] => [queue, ...queue.children.flatMap(all)];
    const queues = all(root);
    return { queues: queues.map(capacityQueue), users: queues.flatMap(usersOfLeaf) };
  },
  fair({ root }, countedUsers) {
    const visit = (queue: typeof root): QueueFigures[] => [
      {
        path: queue.name,
        used: queue.used,
        pending: queue.demand.map((amount, index) => Math.max(0, amount - (queue.used[index] ?? 0))) as unknown as Resource,
        guaranteed: queue.fair,
        maximum: queue.maximum.amount,
        containers: { allocated: queue.allocatedContainers, pending: queue.pendingContainers, reserved: queue.reservedContainers },
        ...(queue.isLeaf ? { applications: { running: queue.activeApplications, pending: queue.pendingApplications } } : {}),
      },
      ...queue.children.flatMap(visit),
    ];
    return { queues: visit(root), users: countedUsers() };
  },
  // One queue, which is the cluster.
  fifo: (_description, countedUsers) => ({ queues: [], users: countedUsers() }),
};

const about = {
  applications: 'Applications of leaf queues.',
  containers: 'Containers of queues and of those below.',
  memory: 'Memory of queues and of those below: used and waited for with any label, guaranteed and at most without one.',
  vcores: 'Virtual cores of queues, as heddle_queue_memory_bytes.',
} as const;

/** Samples of all queues, and of users over all queues; `countedUsers` is asked where the description has no users. */
export function queueSamples(description: SchedulerDescription, countedUsers: CountedUsers): Sample[] {
  const { queues, users } = viewOf(figures, description, countedUsers);
  return [...queues.flatMap(samplesOfQueue), ...samplesOfUsers(users)];
}

function samplesOfQueue({ path: queue, applications, containers, ...amounts }: QueueFigures): Sample[] {
  const kinds = ['used', 'pending', 'guaranteed', 'maximum'] as const;
  const of = (name: string, help: string, label: string, values: Readonly<Record<string, number>>): Sample[] =>
    Object.entries(values).map(([word, value]) => ({ name, help, value, labels: { queue, [label]: word } }));
  const byKind = (index: number, factor: number) =>
    Object.fromEntries(kinds.map((kind) => [kind, ((amounts[kind] as readonly number[])[index] ?? 0) * factor]));
  return [
    ...(applications ? of('heddle_queue_applications', about.applications, 'state', applications) : []),
    ...of('heddle_queue_containers', about.containers, 'kind', containers),
    ...of('heddle_queue_memory_bytes', about.memory, 'kind', byKind(0, bytesPerMiB)),
    ...of('heddle_queue_vcores', about.vcores, 'kind', byKind(1, 1)),
  ];
}

function samplesOfUsers(users: readonly UserHolding[]): Sample[] {
  const sums = new Map<string, { memoryMiB: number; vcores: number; running: number; pending: number }>();
  for (const { name, used, runningApplications, pendingApplications } of users) {
    const sum = sums.get(name) ?? { memoryMiB: 0, vcores: 0, running: 0, pending: 0 };
    sum.memoryMiB += used[0] ?? 0;
    sum.vcores += used[1] ?? 0;
    sum.running += runningApplications;
    sum.pending += pendingApplications;
    sums.set(name, sum);
  }
  return [...sums].flatMap(([user, { memoryMiB, vcores, running, pending }]) => [
    ...Object.entries({ running, pending }).map(([state, value]) => ({
      ...{ name: 'heddle_user_applications', help: 'Applications of users who have some in a queue.', value, labels: { user, state } },
    })),
    { name: 'heddle_user_memory_bytes', help: 'Memory that users hold.', value: memoryMiB * bytesPerMiB, labels: { user } },
    { name: 'heddle_user_vcores', help: 'Virtual cores that users hold.', value: vcores, labels: { user } },
  ]);
}

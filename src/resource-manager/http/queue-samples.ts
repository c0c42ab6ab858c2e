// What queues and users hold and wait for, for Prometheus. Users are those who have something in a queue at the moment.
import type { Sample } from '../../http/sample.ts';
import { type SchedulerDescription, viewOf } from '../../scheduler/explain/description.ts';
import type { UserHolding } from '../../scheduler/explain/user-holdings.ts';
import { type CountedUsers, type QueueFigures, queueFigures } from '../views/queue-figures.ts';

const bytesPerMiB = 1024 * 1024;

const about = {
  applications: 'Applications of leaf queues.',
  containers: 'Containers of queues and of those below.',
  memory: 'Memory of queues and of those below: used and waited for with any label, guaranteed and at most without one.',
  vcores: 'Virtual cores of queues, as heddle_queue_memory_bytes.',
} as const;

/** Samples of all queues, and of users over all queues; `countedUsers` is asked where the description has no users. */
export function queueSamples(description: SchedulerDescription, countedUsers: CountedUsers): Sample[] {
  const { queues, users } = viewOf(queueFigures, description, countedUsers);
  return [...queues.flatMap(samplesOfQueue), ...samplesOfUsers(users)];
}

function samplesOfQueue({ path: queue, isLeaf, applications, containers, ...amounts }: QueueFigures): Sample[] {
  const kinds = ['used', 'pending', 'guaranteed', 'maximum'] as const;
  const of = (name: string, help: string, label: string, values: Readonly<Record<string, number>>): Sample[] =>
    Object.entries(values).map(([word, value]) => ({ name, help, value, labels: { queue, [label]: word } }));
  const byKind = (index: number, factor: number) =>
    Object.fromEntries(kinds.map((kind) => [kind, ((amounts[kind] as readonly number[])[index] ?? 0) * factor]));
  return [
    ...(isLeaf ? of('heddle_queue_applications', about.applications, 'state', applications) : []),
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

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { SchedulerDescription } from '../../scheduler/explain/description.ts';
import type { UserHolding } from '../../scheduler/explain/user-holdings.ts';
import { queueSamples } from './queue-samples.ts';

/** `name{labels} value`, as a scrape shows them. */
const linesOf = (description: object, users: readonly UserHolding[] = []): string[] =>
  queueSamples(description as SchedulerDescription, () => users).map(
    ({ name, value, labels = {} }) => `${name}{${Object.entries(labels).map((pair) => pair.join('='))}} ${value}`,
  );
const gib = 1024 ** 3;

it('queues of the capacity scheduler tell what they hold in all partitions, users what they hold in all queues', () => {
  const leaf = (path: string, memoryMiB: number) => ({
    ...{ path, children: [], used: [memoryMiB, 1], allocatedContainers: 1, pendingContainers: 2, reservedContainers: 0 },
    capacities: [
      { partition: 'gpu', effectiveMinimum: { amount: [1, 1] }, effectiveMaximum: { amount: [1, 1] } },
      { partition: '', effectiveMinimum: { amount: [4096, 4] }, effectiveMaximum: { amount: [8192, 8] } },
    ],
    usage: [
      { partition: '', pending: [1024, 1] },
      { partition: 'gpu', pending: [2048, 2] },
    ],
    leaf: {
      ...{ activeApplications: 3, pendingApplications: 1 },
      users: [{ name: 'ada', used: [memoryMiB, 1], activeApplications: 3, pendingApplications: 1 }],
    },
  });
  const { leaf: _, ...root } = leaf('root', 3072);
  const lines = linesOf({ kind: 'capacity', root: { ...root, children: [leaf('root.a', 1024), leaf('root.b', 2048)] } });
  for (const line of [
    `heddle_queue_memory_bytes{queue=root,kind=used} ${3 * gib}`,
    `heddle_queue_memory_bytes{queue=root.a,kind=pending} ${3 * gib}`,
    `heddle_queue_memory_bytes{queue=root.a,kind=guaranteed} ${4 * gib}`,
    'heddle_queue_vcores{queue=root.b,kind=maximum} 8',
    'heddle_queue_containers{queue=root.b,kind=pending} 2',
    'heddle_queue_applications{queue=root.a,state=running} 3',
    'heddle_user_applications{user=ada,state=pending} 2',
    `heddle_user_memory_bytes{user=ada} ${3 * gib}`,
    'heddle_user_vcores{user=ada} 2',
  ])
    assert.ok(lines.includes(line), `${line} of\n${lines.join('\n')}`);
  assert.ok(!lines.some((line) => line.startsWith('heddle_queue_applications{queue=root,')), 'inner queues run nothing themselves');
  assert.equal(new Set(lines.map((line) => line.split(' ')[0])).size, lines.length);
});

it('those of the fair scheduler tell their fair share, what they want beyond what they have, and what users hold; fifo has users alone', () => {
  const root = {
    ...{ name: 'root.a', isLeaf: true, children: [], used: [1024, 1], demand: [3072, 3], fair: [2048, 2], maximum: { amount: [4096, 4] } },
    ...{ allocatedContainers: 1, pendingContainers: 2, reservedContainers: 0, activeApplications: 1, pendingApplications: 0 },
  };
  const users = [{ name: 'ada', used: [1024, 1], runningApplications: 1, pendingApplications: 2 }];
  const lines = linesOf({ kind: 'fair', root }, users);
  assert.ok(lines.includes(`heddle_queue_memory_bytes{queue=root.a,kind=pending} ${2 * gib}`));
  assert.ok(lines.includes('heddle_queue_vcores{queue=root.a,kind=guaranteed} 2'));
  const ofUsers = [
    'heddle_user_applications{user=ada,state=running} 1',
    'heddle_user_applications{user=ada,state=pending} 2',
    `heddle_user_memory_bytes{user=ada} ${gib}`,
    'heddle_user_vcores{user=ada} 1',
  ];
  for (const line of ofUsers) assert.ok(lines.includes(line), line);
  assert.deepEqual(linesOf({ kind: 'fifo' }, users), ofUsers);
});

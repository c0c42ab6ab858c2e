import assert from 'node:assert/strict';
import { it } from 'node:test';
import { queueBean } from './beans.ts';

type Numbers = Parameters<typeof queueBean>[0];

/** Numbers that are 0 wherever nobody says otherwise. */
const zero = <T>() => new Proxy({}, { get: () => 0 }) as T;

/** `root.research` of the peer's queues on a node of 8 GiB and 8 cores: 30 % of it, 80 % at most; the values are Hadoop 3.4.2's. */
it('tells of a queue what it was promised in whole allocations, and what is left of that', () => {
  const attributes = queueBean({
    path: 'root.research',
    metrics: zero(),
    counts: zero(),
    containers: zero(),
    times: [],
    whole: [8192, 8],
    step: [128, 1],
    queue: {
      used: [512, 3],
      usage: [],
      capacities: [
        {
          partition: '',
          capacity: Math.fround(0.3) * 100,
          absoluteCapacity: Math.fround(0.3) * 100,
          absoluteMaximumCapacity: 80,
          effectiveMinimum: { amount: [2457, 2] },
          effectiveMaximum: { amount: [6553, 6] },
        },
      ],
    } as unknown as Numbers['queue'],
  }).attributes as Record<string, unknown>;
  const { GuaranteedMB, GuaranteedVCores, MaxCapacityMB, MaxCapacityVCores, AvailableMB, AvailableVCores } = attributes;
  assert.deepEqual([GuaranteedMB, GuaranteedVCores, MaxCapacityMB, MaxCapacityVCores], [2432, 2, 6528, 6]);
  assert.deepEqual([AvailableMB, AvailableVCores], [2457 - 512, 0]);
});

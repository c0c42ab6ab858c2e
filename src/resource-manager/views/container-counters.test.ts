import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exitStatus } from '../../model/exit-status.ts';
import { aContainer, anApplication } from '../test-support/builders.ts';
import { ContainerCounters } from './container-counters.ts';
import { runningTimes } from './running-times.ts';

const container = (more: Parameters<typeof aContainer>[0]) => aContainer({ resource: [1024, 2], createdMs: 1000, ...more });

it('containers count in their queue and those above it; preempted ones with what they had and did', () => {
  const counters = new ContainerCounters((nodeId) => (nodeId === 'other:1' ? 'gpu' : ''));
  const application = anApplication({ queue: 'root.a.b' });
  for (const closeness of ['nodeLocal', 'offSwitch', 'offSwitch'] as const)
    counters.containerCreated(application, container({}), closeness);
  counters.containerCreated(application, container({ nodeId: 'other:1' }), 'rackLocal');
  counters.containerFinished(application, container({ finishedMs: 9000, exitCode: 0 }));
  counters.containerFinished(application, container({ finishedMs: 6900, exitCode: exitStatus.preempted }));
  const expected = {
    flows: new Map([
      ['', { allocated: 3, released: 2 }],
      ['gpu', { allocated: 1, released: 0 }],
    ]),
    closeness: { nodeLocal: 1, rackLocal: 1, offSwitch: 2 },
    preempted: 1,
    preemptedMemoryMiB: 1024,
    preemptedVcores: 2,
    preemptedMemoryMiBSeconds: 5 * 1024,
    preemptedVcoreSeconds: 10,
  };
  for (const path of ['root.a.b', 'root.a', 'root']) assert.deepEqual({ ...counters.ofQueue(path) }, expected, path);
  assert.equal(counters.ofQueue('root.c').flows.size, 0);
});

it('running applications are grouped by how long they have run', () => {
  const minutesAgo = (minutes: number) => anApplication({ queue: 'root.a', startedMs: 100 * 3_600_000 - minutes * 60_000 });
  const times = runningTimes([0, 59, 60, 299, 300, 1439, 1440, 5000].map(minutesAgo), 100 * 3_600_000);
  assert.deepEqual(
    [...times],
    [
      ['root.a', [2, 2, 2, 2]],
      ['root', [2, 2, 2, 2]],
    ],
  );
});

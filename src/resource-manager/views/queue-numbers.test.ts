import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../scheduler/conformance/simulator.ts';
import { viewOf } from '../../scheduler/explain/description.ts';
import { type QueueNumbers, queueNumbers } from './queue-numbers.ts';

const capacityQueues = {
  'maximum-am-resource-percent': '1',
  'root.queues': 'default,research',
  'root.default.capacity': '40',
  'root.research.capacity': '60',
  'root.research.queues': 'models,papers',
  'root.research.models.capacity': '50',
  'root.research.papers.capacity': '50',
};
const fairQueues = '<allocations><queue name="default"/><queue name="research"><queue name="models"/></queue></allocations>';

/** What is told of all queues once a container runs in `queue` and another application waits there for a master larger than any node. */
function numbersWith(simulator: Simulator, queue: string): ReadonlyMap<string, QueueNumbers> {
  simulator.addNodes(1, 8192, 8);
  simulator.submit({ queue, masterMiB: 1024 });
  simulator.run();
  simulator.submit({ queue, masterMiB: 8192 });
  simulator.run();
  const { policy } = simulator;
  return new Map(viewOf(queueNumbers, policy.describe(), policy.metrics()).map((numbers) => [numbers.path, numbers]));
}

const attemptsOf = (numbers: ReadonlyMap<string, QueueNumbers>, ...paths: string[]) =>
  paths.map((path) => {
    const { running, waiting } = numbers.get(path)!.attempts;
    return [running, waiting];
  });

describe('what schedulers count of their queues', () => {
  it('is told of a queue before those below it, and counts their attempts in it (capacity)', () => {
    const numbers = numbersWith(new Simulator({ queues: capacityQueues }), 'models');
    assert.deepEqual([...numbers.keys()], ['root', 'root.default', 'root.research', 'root.research.models', 'root.research.papers']);
    assert.deepEqual(attemptsOf(numbers, 'root', 'root.research', 'root.research.models'), [
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    assert.deepEqual(attemptsOf(numbers, 'root.default', 'root.research.papers'), [
      [0, 0],
      [0, 0],
    ]);
    const [here] = numbers.get('root.research.models')!.partitions;
    // 30 % of 8 GiB, of which one is used.
    assert.deepEqual([here!.allocated, here!.available[0], here!.pending], [[1024, 1], 1433, [8192, 1]]);
  });

  it('is told of a queue before those below it, and counts their attempts in it (fair)', () => {
    const numbers = numbersWith(new Simulator({ kind: 'fair', allocations: fairQueues }), 'root.research.models');
    assert.deepEqual([...numbers.keys()], ['root', 'root.research', 'root.research.models', 'root.default']);
    assert.deepEqual(attemptsOf(numbers, 'root', 'root.research', 'root.research.models', 'root.default'), [
      [1, 1],
      [1, 1],
      [1, 1],
      [0, 0],
    ]);
  });

  it('is all of the cluster for the root queue, and for the one queue of fifo', () => {
    for (const [simulator, queue, whole] of [
      [new Simulator({ queues: capacityQueues }), 'models', 'root'],
      [new Simulator({ kind: 'fair', allocations: fairQueues }), 'root.research.models', 'root'],
      [new Simulator({ kind: 'fifo' }), 'default', 'default'],
    ] as const) {
      const numbers = numbersWith(simulator, queue);
      const [all] = numbers.get(whole)!.partitions;
      assert.deepEqual([all!.allocated, all!.available, all!.allocatedContainers], [[1024, 1], [7168, 7], 1], whole);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import type { ShownCapacities, ShownQueue } from '../../explain/description.ts';

const dominant = { 'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator' };
const mixed = { ...dominant, 'legacy-queue-mode.enabled': 'false' };

function simulatorOf(queues: Record<string, string>, nodes: readonly (readonly [number, number, string?])[] = [[8192, 8]]): Simulator {
  const simulator = new Simulator({ queues });
  simulator.policy.labels!.setPartitions(new Map([['gpu', { exclusive: true }]]));
  nodes.forEach(([memoryMiB, vcores, label = ''], i) =>
    simulator.policy.addNode({ nodeId: `n${i}:1`, host: `n${i}`, rack: '/r', resource: [memoryMiB, vcores], label }),
  );
  return simulator;
}

function queueOf(simulator: Simulator, path: string): ShownQueue {
  const description = simulator.policy.describe();
  assert.ok(description.kind === 'capacity');
  const find = (queue: ShownQueue): ShownQueue | undefined =>
    queue.path === path ? queue : queue.children.map(find).find((found) => found !== undefined);
  return find(description.root)!;
}
const capacitiesOf = (simulator: Simulator, path: string, partition = ''): ShownCapacities =>
  queueOf(simulator, path).capacities.find((capacities) => capacities.partition === partition)!;
const minimumOf = (simulator: Simulator, path: string, partition = '') => capacitiesOf(simulator, path, partition).effectiveMinimum.amount;
const maximumOf = (simulator: Simulator, path: string) => capacitiesOf(simulator, path).effectiveMaximum.amount;

describe('what queues are promised', () => {
  it('by percentages is a part of the parent’s part', () => {
    const simulator = simulatorOf({
      ...dominant,
      'root.queues': 'a,b',
      'root.a.capacity': '75',
      'root.b.capacity': '25',
      'root.a.queues': 'x,y',
      'root.a.x.capacity': '50',
      'root.a.y.capacity': '50',
      'root.a.maximum-capacity': '80',
      'root.a.x.maximum-capacity': '50',
    });
    assert.deepEqual(
      [minimumOf(simulator, 'root.a'), minimumOf(simulator, 'root.a.x')],
      [
        [6144, 6],
        [3072, 3],
      ],
    );
    const { capacity, absoluteCapacity, absoluteMaximumCapacity } = capacitiesOf(simulator, 'root.a.x');
    assert.deepEqual([capacity, absoluteCapacity, absoluteMaximumCapacity], [50, 37.5, 40]);
    assert.deepEqual(maximumOf(simulator, 'root.a'), [6553, 6]);
  });

  for (const mode of ['true', 'false'])
    for (const maximum of ['50', '[memory=4096,vcores=4]'])
      it(`is never more than the root’s maximum of ${maximum}, legacy mode ${mode}`, () => {
        const queues = {
          ...{ ...dominant, 'legacy-queue-mode.enabled': mode, 'root.maximum-capacity': maximum },
          ...{ 'root.queues': 'a,b', 'root.a.capacity': '50', 'root.b.capacity': '50' },
        };
        const simulator = simulatorOf(queues);
        for (const path of ['root.a', 'root.b']) assert.deepEqual(maximumOf(simulator, path), [4096, 4], path);
        assert.deepEqual(maximumOf(simulator, 'root'), [8192, 8], 'the root shows all there is');
        const { capacity, maximumCapacity } = capacitiesOf(simulator, 'root');
        assert.deepEqual([capacity, maximumCapacity], [100, 50]);
        for (const queue of ['a', 'b']) {
          const { attemptId } = simulator.submit({ queue, masterMiB: 1024 });
          simulator.policy.updateRequests(attemptId, [{ requestId: queue, priority: 1, resource: [1024, 1], count: 8 }], []);
        }
        simulator.run();
        assert.deepEqual(simulator.policy.nodeUsage('n0:1')!.used, [4096, 4]);
      });

  it('by weights is shared among siblings, and moves when one comes', () => {
    const weights = { ...dominant, 'root.queues': 'a,b', 'root.a.capacity': '3w', 'root.b.capacity': '1w' };
    const simulator = simulatorOf(weights);
    assert.deepEqual(
      [minimumOf(simulator, 'root.a'), minimumOf(simulator, 'root.b')],
      [
        [6144, 6],
        [2048, 2],
      ],
    );
    assert.deepEqual([capacitiesOf(simulator, 'root.a').normalizedWeight, capacitiesOf(simulator, 'root.a').weight], [0.75, 3]);
    const more = { ...weights, 'root.queues': 'a,b,c', 'root.c.capacity': '4w' };
    simulator.policy.queueEditing!.replace(new Map(Object.entries(more).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])));
    assert.deepEqual(minimumOf(simulator, 'root.a'), [3072, 3]);
  });

  it('by amounts shrinks alike where nodes are missing, resource by resource', () => {
    const amounts = {
      ...dominant,
      'root.queues': 'a,b',
      'root.a.capacity': '[memory=6144,vcores=2]',
      'root.b.capacity': '[memory=2048,vcores=2]',
      'root.b.maximum-capacity': '[memory=4096,vcores=4]',
    };
    const whole = simulatorOf(amounts);
    assert.deepEqual(
      [minimumOf(whole, 'root.a'), maximumOf(whole, 'root.b'), maximumOf(whole, 'root.a')],
      [
        [6144, 2],
        [4096, 4],
        [8192, 8],
      ],
    );
    const half = simulatorOf(amounts, [[4096, 8]]);
    assert.deepEqual(
      [minimumOf(half, 'root.a'), minimumOf(half, 'root.b')],
      [
        [3072, 2],
        [1024, 2],
      ],
    );
    assert.equal(queueOf(half, 'root.a').isAbsolute, true);
  });

  it('may have a unit for each resource: amounts first, then percentages of what they leave, then weights', () => {
    const simulator = simulatorOf(
      {
        ...mixed,
        'root.queues': 'a,b,c,d',
        'root.a.capacity': '[memory=2048,vcores=50%]',
        'root.b.capacity': '[memory=50%,vcores=1w]',
        'root.c.capacity': '1w',
        'root.d.capacity': '2w',
      },
      [[8192, 8]],
    );
    assert.deepEqual(minimumOf(simulator, 'root.a'), [2048, 4]);
    assert.deepEqual(minimumOf(simulator, 'root.b'), [3072, 1]);
    assert.deepEqual(
      [minimumOf(simulator, 'root.c'), minimumOf(simulator, 'root.d')],
      [
        [1024, 1],
        [2048, 2],
      ],
    );
    assert.equal(queueOf(simulator, 'root.a').mode, 'mixed');
  });

  it('gives no vcores to who got no memory', () => {
    const simulator = simulatorOf({
      ...mixed,
      'root.queues': 'a,b',
      'root.a.capacity': '[memory=8192,vcores=1]',
      'root.b.capacity': '[memory=1w,vcores=1w]',
    });
    assert.deepEqual(minimumOf(simulator, 'root.b'), [0, 0]);
  });

  it('is counted apart for nodes with a label', () => {
    const simulator = simulatorOf(
      {
        ...dominant,
        'root.queues': 'a,b',
        'root.a.capacity': '50',
        'root.b.capacity': '50',
        'root.accessible-node-labels.gpu.capacity': '100',
        'root.a.accessible-node-labels': 'gpu',
        'root.a.accessible-node-labels.gpu.capacity': '100',
        'root.a.queues': 'x,y',
        'root.a.x.capacity': '50',
        'root.a.x.accessible-node-labels.gpu.capacity': '100',
        'root.a.y.capacity': '50',
      },
      [
        [8192, 8],
        [4096, 16, 'gpu'],
      ],
    );
    assert.deepEqual(
      [minimumOf(simulator, 'root.a'), minimumOf(simulator, 'root.a', 'gpu')],
      [
        [4096, 4],
        [4096, 16],
      ],
    );
    assert.equal(capacitiesOf(simulator, 'root.b', 'gpu'), undefined);
    const nothing = { capacity: 0, used: 0, maximum: 0, absolute: 0, absoluteMaximum: 0 };
    assert.deepEqual(capacitiesOf(simulator, 'root.a.y', 'gpu').fractions, nothing, 'of a label that it says nothing of');
  });

  it('follows nodes that come, go and change', () => {
    const simulator = simulatorOf({ ...dominant, 'root.queues': 'a', 'root.a.capacity': '100' });
    const { policy } = simulator;
    policy.updateNode('n0:1', { resource: [4096, 4] });
    assert.deepEqual(minimumOf(simulator, 'root.a'), [4096, 4]);
    policy.addNode({ nodeId: 'n1:1', host: 'n1', rack: '/r', resource: [1024, 1], label: '' });
    assert.deepEqual(minimumOf(simulator, 'root.a'), [5120, 5]);
    policy.removeNode('n0:1');
    assert.deepEqual(minimumOf(simulator, 'root.a'), [1024, 1]);
  });
});

describe('how many applications a queue takes', () => {
  const counts = (keys: Record<string, string>) => {
    const { leaf } = queueOf(simulatorOf({ 'root.queues': 'a,b', 'root.a.capacity': '25', 'root.b.capacity': '75', ...keys }), 'root.a');
    return [leaf!.maximumApplications, leaf!.maximumApplicationsPerUser];
  };

  it('is its part of the cluster’s number, unless it names its own or the cluster one for each', () => {
    assert.deepEqual(counts({}), [2500, 2500]);
    assert.deepEqual(counts({ 'maximum-applications': '100' }), [25, 25]);
    assert.deepEqual(counts({ 'root.a.maximum-applications': '40' }), [40, 40]);
    assert.deepEqual(counts({ 'global-queue-max-application': '60' }), [60, 60]);
    assert.deepEqual(counts({ 'global-queue-max-application': '60', 'maximum-applications': '50' }), [50, 50]);
  });

  it('of one user is what limits of users make of it', () => {
    const limits = { 'root.a.maximum-applications': '40', 'root.a.minimum-user-limit-percent': '25' };
    assert.deepEqual(counts({ ...limits, 'root.a.user-limit-factor': '2' }), [40, 20]);
    assert.deepEqual(counts({ ...limits, 'root.a.user-limit-factor': '-1' }), [40, 40]);
    assert.deepEqual(counts({ ...limits, 'root.a.user-limit-factor': '10' }), [40, 40]);
  });
});

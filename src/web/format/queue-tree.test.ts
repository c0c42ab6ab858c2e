import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findQueue, queuesOf, queueText, queueTree, type ReadCapacityQueue, type ReadResource, shareIn, wayTo } from './queue-tree.ts';

const amount = (memory: number, vcores: number): ReadResource => ({
  resourceInformations: {
    resourceInformation: [
      { name: 'memory-mb', value: memory },
      { name: 'vcores', value: vcores },
    ],
  },
});

function capacities(partitionName: string, minimum: ReadResource, maximum = minimum) {
  return { partitionName, capacity: 50, maxCapacity: 100, weight: -1, effectiveMinResource: minimum, effectiveMaxResource: maximum };
}

const leaf = (queuePath: string, used: ReadResource, more: Partial<ReadCapacityQueue> = {}): ReadCapacityQueue => ({
  queuePath,
  queueName: queuePath.split('.').at(-1)!,
  capacities: { queueCapacitiesByPartition: [capacities('', amount(1024, 2), amount(4096, 8))] },
  resources: { resourceUsagesByPartition: [{ partitionName: '', used, pending: amount(512, 1) }] },
  users: {},
  numActiveApplications: 2,
  numPendingApplications: 1,
  allocatedContainers: 3,
  ...more,
});

it('says in words whose child a queue is that has its path twice', () => {
  assert.equal(queueText('root.night.root.night-default'), 'root.night (without a reservation)');
  for (const path of ['root', 'root.default', 'root.night-default', 'root.a.root.b-default']) assert.equal(queueText(path), path);
});

describe('the tree of queues', () => {
  it('adds up below the root of the capacity scheduler, which tells nothing of its own use', () => {
    const tree = queueTree({
      type: 'capacityScheduler',
      queuePath: 'root',
      queueName: 'root',
      capacities: { queueCapacitiesByPartition: [capacities('', amount(8192, 16)), capacities('gpu', amount(100, 1))] },
      queues: { queue: [leaf('root.b', amount(700, 1)), leaf('root.a', amount(300, 1), { state: 'STOPPED' })] },
    });
    assert.equal(tree.scheduler, 'capacity scheduler');
    assert.deepEqual(tree.partitions, ['', 'gpu']);
    assert.deepEqual(tree.types, ['memory-mb', 'vcores']);
    assert.deepEqual(
      queuesOf(tree.root).map(({ path, depth, isLeaf }) => [path, depth, isLeaf]),
      [
        ['root', 0, false],
        ['root.a', 1, true],
        ['root.b', 1, true],
      ],
    );
    assert.deepEqual(shareIn(tree.root, '')?.used, { 'memory-mb': 1000, vcores: 2 });
    assert.deepEqual(shareIn(tree.root, '')?.pending, { 'memory-mb': 1024, vcores: 2 });
    assert.deepEqual([tree.root.active, tree.root.pending, tree.root.containers], [4, 2, 6]);
    assert.equal(findQueue(tree, 'root.a')?.state, 'STOPPED');
    assert.deepEqual(
      wayTo(tree, 'root.b').map(({ name }) => name),
      ['root', 'b'],
    );
  });

  it('says in words what has no limit, and never a number that stands for it', () => {
    const { root } = queueTree({
      ...leaf('root', amount(0, 0)),
      maxParallelApps: 2_147_483_647,
      maxApplicationLifetime: -1,
      userLimitFactor: -1,
      queueAcls: { queueAcl: [{ accessType: 'SUBMIT_APP', accessControlList: ' ' }] },
    });
    const facts = Object.fromEntries(root.facts);
    assert.equal(facts['Applications at once'], 'no limit');
    assert.equal(facts['Longest lifetime'], 'no limit');
    assert.equal(facts['One user may use'], 'all that the queue may have');
    assert.equal(facts['May submit'], 'nobody');
    assert.doesNotMatch(JSON.stringify(root.facts), /-1/);
  });

  it('has the fair scheduler: a demand beyond use is asked for, no maximum is above the cluster', () => {
    const tree = queueTree({
      rootQueue: {
        queueName: 'root',
        usedResources: amount(1000, 1),
        demandResources: amount(3000, 1),
        clusterResources: amount(8192, 8),
        maxResources: amount(2 ** 40, 2 ** 30),
        childQueues: {
          queue: [
            {
              queueName: 'root.a',
              numActiveApps: 1,
              numPendingApps: 4,
              usedResources: amount(1000, 1),
              steadyFairResources: amount(4096, 4),
              clusterResources: amount(8192, 8),
              maxResources: amount(2 ** 40, 2 ** 30),
            },
          ],
        },
      },
    });
    assert.equal(tree.promise, 'Fair share');
    const share = shareIn(tree.root, '')!;
    assert.deepEqual(share.pending, { 'memory-mb': 2000, vcores: 0 });
    assert.deepEqual(share.maximum, { 'memory-mb': 8192, vcores: 8 });
    assert.deepEqual([tree.root.active, tree.root.pending], [1, 4]);
    assert.equal(findQueue(tree, 'root.a')?.state, undefined);
  });

  it('has the one queue of the FIFO scheduler', () => {
    const { root } = queueTree({
      ...{ qstate: 'RUNNING', numContainers: 2, totalNodeCapacity: 8192, availNodeCapacity: 8000, usedNodeCapacity: 192 },
      maxQueueMemoryCapacity: 8192,
    });
    assert.deepEqual([root.path, root.isLeaf, shareIn(root, '')?.used], ['default', true, { 'memory-mb': 192 }]);
  });
});

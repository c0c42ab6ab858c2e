import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PartitionNumbers, QueueNumbers } from '../views/queue-numbers.ts';
import { partitionBean, type QueueCounts, queueBean } from './queue-beans.ts';

const noApplications = { submitted: 0, completed: 0, failed: 0, killed: 0 };
const none: PartitionNumbers = {
  ...{ partition: '', allocated: [0, 0], available: [0, 0], pending: [0, 0], reserved: [0, 0] },
  ...{ allocatedContainers: 0, pendingContainers: 0, reservedContainers: 0 },
};
const counts: QueueCounts = {
  applications: noApplications,
  unmanaged: noApplications,
  containers: {
    flows: new Map(),
    closeness: { nodeLocal: 0, rackLocal: 0, offSwitch: 0 },
    ...{ preempted: 0, preemptedMemoryMiB: 0, preemptedVcores: 0, preemptedMemoryMiBSeconds: 0, preemptedVcoreSeconds: 0 },
  },
  times: [],
  whole: [8192, 8],
  step: [128, 1],
};
const queue: QueueNumbers = {
  path: 'root.research',
  capacities: undefined,
  amLimit: [0, 0],
  amUsed: [0, 0],
  activeUsers: 0,
  attempts: { running: 0, waiting: 0, unmanagedRunning: 0, unmanagedWaiting: 0, asking: 0 },
  partitions: [none],
};
const pick = (attributes: Readonly<Record<string, unknown>>, ...names: string[]) => names.map((name) => attributes[name]);

describe('the bean of a queue', () => {
  /** `root.research` of the peer's queues on a node of 8 GiB and 8 cores: 30 % of it, 80 % at most; the values are Hadoop 3.4.2's. */
  it('tells what the queue was promised in whole allocations', () => {
    const capacities = { fractions: { absolute: Math.fround(0.3), absoluteMaximum: Math.fround(0.8) } } as QueueNumbers['capacities'];
    const { attributes } = queueBean({ ...queue, capacities }, counts);
    assert.deepEqual(pick(attributes, 'GuaranteedMB', 'GuaranteedVCores', 'MaxCapacityMB', 'MaxCapacityVCores'), [2432, 2, 6528, 6]);
  });

  it('counts attempts by whether they have a container, unmanaged ones among all', () => {
    const attempts = { running: 3, waiting: 2, unmanagedRunning: 0, unmanagedWaiting: 1, asking: 4 };
    const { attributes } = queueBean(
      { ...queue, attempts },
      { ...counts, applications: { ...noApplications, submitted: 7 }, unmanaged: { ...noApplications, submitted: 1 } },
    );
    assert.deepEqual(pick(attributes, 'AppsRunning', 'AppsPending', 'AppsSubmitted', 'ActiveApplications'), [3, 2, 7, 4]);
    assert.deepEqual(pick(attributes, 'UnmanagedAppsRunning', 'UnmanagedAppsPending', 'UnmanagedAppsSubmitted'), [0, 1, 1]);
  });

  it('counts containers of nodes without a label, and how near all were to what was asked for', () => {
    const flows = new Map([
      ['', { allocated: 5, released: 4 }],
      ['gpu', { allocated: 1, released: 0 }],
    ]);
    const closeness = { nodeLocal: 1, rackLocal: 2, offSwitch: 3 };
    const { attributes } = queueBean(queue, { ...counts, containers: { ...counts.containers, flows, closeness } });
    assert.deepEqual(pick(attributes, 'AggregateContainersAllocated', 'AggregateContainersReleased'), [5, 4]);
    const near = ['Node', 'Rack'].map((place) => `Aggregate${place}LocalContainersAllocated`);
    assert.deepEqual(pick(attributes, ...near, 'AggregateOffSwitchContainersAllocated'), [1, 2, 3]);
  });
});

describe('the bean of a partition', () => {
  const gpu = { ...none, partition: 'gpu', allocated: [512, 1], available: [7680, 7], allocatedContainers: 1 };

  it('is named by the partition and the queue, and tells what the queue has there', () => {
    const { name, attributes } = partitionBean('root.research.models', gpu, { allocated: 2, released: 1 });
    assert.equal(name, 'Hadoop:service=ResourceManager,name=PartitionQueueMetrics,partition=gpu,q0=root,q1=research,q2=models');
    assert.deepEqual(pick(attributes, 'tag.Queue', 'tag.Partition'), ['root.research.models', 'gpu']);
    assert.deepEqual(pick(attributes, 'AllocatedMB', 'AllocatedVCores', 'AvailableMB', 'AvailableVCores'), [512, 1, 7680, 7]);
    assert.deepEqual(pick(attributes, 'AggregateContainersAllocated', 'AggregateContainersReleased', 'AllocatedContainers'), [2, 1, 1]);
  });

  it('has no queue where it tells of all queues', () => {
    const { name, attributes } = partitionBean(undefined, gpu, undefined);
    assert.equal(name, 'Hadoop:service=ResourceManager,name=PartitionQueueMetrics,partition=gpu');
    assert.equal(Object.hasOwn(attributes, 'tag.Queue'), false);
  });
});

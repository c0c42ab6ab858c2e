// What limits of queues refuse, in numbers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceTypes, zeros } from '../../../model/resource.ts';
import { presetSettings } from '../../conformance/presets.ts';
import { dominantCalculator } from '../../state/calculator.ts';
import { Counts } from '../../state/counts.ts';
import { NodeTable } from '../../state/nodes.ts';
import type { CapacityApplication } from '../application.ts';
import { QueueTree } from '../queues/tree.ts';
import { limitBelow, refusesMore, refusesSize, reservedBy } from './queue.ts';
import { headroomRefusal, queueLimitRefusal } from './refusal.ts';

const total = [100, 100];

function holding(reserved: readonly number[]): CapacityApplication {
  const counts = new Counts(2);
  counts.add('reserved', 0, reserved, 1);
  const reservedContainers = reserved.some((value) => value > 0) ? 1 : 0;
  return { counts, reservedContainers } satisfies Pick<CapacityApplication, 'counts' | 'reservedContainers'> as CapacityApplication;
}

describe('a queue', () => {
  it('takes more while its dominant share is below its limit', () => {
    assert.equal(refusesMore([40, 10], [50, 50], undefined, total, dominantCalculator), undefined);
    assert.equal(refusesMore([50, 10], [50, 50], undefined, total, dominantCalculator), undefined);
    assert.equal(refusesMore([50, 50], [50, 50], undefined, total, dominantCalculator), queueLimitRefusal);
  });

  it('takes more at its limit where reservations could be given up', () => {
    assert.equal(refusesMore([50, 50], [50, 50], [10, 10], total, dominantCalculator), undefined);
    assert.equal(refusesMore([50, 50], [50, 50], [0, 0], total, dominantCalculator), queueLimitRefusal);
    assert.equal(refusesMore([60, 60], [50, 50], [10, 10], total, dominantCalculator), queueLimitRefusal);
  });

  it('refuses a size of which one type is more than what is left', () => {
    const size = (resource: number[]) => refusesSize(resource, holding([0, 0]), 0, [40, 40], [50, 60], dominantCalculator);
    assert.equal(size([10, 20]), undefined);
    assert.equal(size([11, 1]), headroomRefusal);
    assert.equal(size([1, 21]), headroomRefusal);
  });

  it('counts what the application reserved as left to it', () => {
    const size = (reserved: number[]) => refusesSize([10, 1], holding(reserved), 0, [50, 40], [50, 60], dominantCalculator);
    assert.equal(size([0, 0]), headroomRefusal);
    assert.equal(size([10, 1]), undefined);
    assert.equal(size([9, 1]), headroomRefusal);
  });
});

describe('what an application reserved', () => {
  it('is undefined where it is nothing', () => {
    assert.equal(reservedBy(holding([0, 0]), 0), undefined);
    assert.deepEqual(reservedBy(holding([3, 1]), 0), [3, 1]);
  });
});

describe('how far a queue may go below its parent', () => {
  const halves = {
    'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
    'root.queues': 'a,b',
    'root.a.capacity': '50',
    'root.a.maximum-capacity': '50',
    'root.b.capacity': '50',
  };
  const limits = (parentUsed: number[], ownUsed: number[], kept: number[] = zeros(2)) => {
    const nodes = new NodeTable(2);
    nodes.add({ nodeId: 'n0:1', host: 'n0', rack: '/a', resource: [10_240, 10], label: '' });
    const properties = new Map(Object.entries(halves).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value]));
    const tree = new QueueTree(properties, new ResourceTypes(), presetSettings, nodes);
    const partition = nodes.partitions[0]!;
    const a = tree.get('root.a')!;
    tree.root.share(0).used.splice(0, 2, ...parentUsed);
    a.share(0).used.splice(0, 2, ...ownUsed);
    const into: number[] = [];
    const isOwn = limitBelow(a, partition.total, kept, partition, tree, into);
    return { into, isOwn };
  };

  it('is its own maximum where the parent has more left', () => {
    assert.deepEqual(limits([0, 0], [0, 0]), { into: [5120, 5], isOwn: true });
  });

  it('is what the parent has left, type by type, where that is less', () => {
    assert.deepEqual(limits([8192, 2], [0, 0]), { into: [2048, 5], isOwn: false });
  });

  it('counts what the queue holds itself as left to it', () => {
    assert.deepEqual(limits([8192, 8], [4096, 4]), { into: [5120, 5], isOwn: true });
    assert.deepEqual(limits([10_240, 10], [3072, 3]), { into: [3072, 3], isOwn: false });
  });

  it('leaves out what the parent keeps for others, and goes in whole steps', () => {
    assert.deepEqual(limits([8192, 8], [0, 0], [1000, 1]), { into: [1024, 1], isOwn: false });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import { ResourceTypes } from '../../model/resource.ts';
import { floatText, parseCapacity } from '../capacity/settings/capacity-value.ts';
import { applyChange, ChangeRefused } from '../capacity/settings/mutation.ts';
import { parsePriorityGrants } from '../capacity/settings/priority-grants.ts';
import { computeShares, type Sharer } from '../fair/shares.ts';
import { ConfigurationRefused } from '../policy.ts';
import { defaultCalculator, dominantCalculator, multiplyRoundedUp, normalizeRequest } from './calculator.ts';
import { inConcurrentOrder, inHashOrder, javaHash } from './java-order.ts';
import { SchedulerNode } from './model.ts';
import { NodeIndex } from './node-index.ts';
import { type Member, OrderedHeap } from './ordered-heap.ts';

const types = new ResourceTypes();

describe('calculators', () => {
  it('compare by memory alone or by the dominant share', () => {
    assert.ok(defaultCalculator.compare([100, 10], [10, 9], [20, 1]) < 0);
    assert.ok(dominantCalculator.compare([100, 10], [10, 9], [20, 1]) > 0);
    assert.equal(dominantCalculator.compare([0, 0], [1, 2], [2, 1]), 0);
  });

  it('divide as float32', () => {
    assert.equal(dominantCalculator.divide([20_480, 64], [768, 3], [2048, 6]) * 100, Math.fround(0.46875) * 100);
  });

  it('round requests to the minimum and the step, not beyond the maximum, and never cut them', () => {
    const sizes = [0, 1, 100, 128, 129, 1000, 8190, 9000].map(
      (memory) => normalizeRequest([memory, 0], [128, 1], [8191, 4], [128, 1], 2)[0],
    );
    assert.deepEqual(sizes, [128, 128, 128, 128, 256, 1024, 8191, 9000]);
    assert.deepEqual(multiplyRoundedUp(dominantCalculator, [8192, 25], 0.25, [128, 1]), [2048, 7]);
  });
});

describe('ordered heap', () => {
  it('keeps its order through changed keys and removals', () => {
    const random = seededRandom(7);
    const heap = new OrderedHeap<Member & { key: number }>(1, (a, b) => a.key < b.key);
    const items = Array.from({ length: 200 }, () => ({ places: [], key: random.int(1000) }));
    for (const item of items) heap.put(item);
    for (let i = 0; i < 500; i++) {
      const item = items[random.int(items.length)]!;
      if (random.int(4) === 0) heap.remove(item);
      else {
        item.key = random.int(1000);
        heap.put(item);
      }
    }
    const expected = items
      .filter((item) => heap.has(item))
      .map(({ key }) => key)
      .sort((a, b) => a - b);
    const seen: number[] = [];
    for (let first = heap.first(); first; first = heap.first()) {
      seen.push(first.key);
      heap.remove(first);
    }
    assert.deepEqual(seen, expected);
  });
});

describe('node index', () => {
  it('finds a node with room exactly when there is one, going round', () => {
    const random = seededRandom(3);
    const index = new NodeIndex(2);
    const nodes = Array.from(
      { length: 70 },
      (_, i) =>
        new SchedulerNode({ nodeId: `n${i}:1`, host: `n${i}`, rack: '/r', resource: [random.int(100), random.int(10)], label: '' }, 2),
    );
    for (const node of nodes) index.add(node);
    for (let i = 0; i < 500; i++) {
      const node = nodes[random.int(nodes.length)]!;
      node.schedulable = random.int(5) > 0;
      index.refresh(node);
      const wanted = [random.int(110), random.int(11)];
      const found = index.find(wanted);
      const exists = nodes.some(({ available, open }) => open && available[0]! >= wanted[0]! && available[1]! >= wanted[1]!);
      assert.equal(found !== undefined, exists);
      if (found) assert.ok(found.open && found.available[0]! >= wanted[0]! && found.available[1]! >= wanted[1]!);
    }
    assert.notEqual(index.find([0, 0]), index.find([0, 0]));
  });
});

describe('java order', () => {
  it('hashes texts as Java does', () => {
    assert.equal(javaHash('bob'), 97_717);
    assert.equal(javaHash('root.research.models'), javaHash('root.research.models') | 0);
    assert.deepEqual(
      inHashOrder(['ada', 'bob', 'eve'], (name) => name),
      ['bob', 'eve', 'ada'],
    );
    assert.deepEqual(
      [11, 12].map((most) => inConcurrentOrder(['p', 'd', '5'], (name) => name, most).join('')),
      ['pd5', 'dp5'],
    );
  });

  it('writes floats as Java does', () => {
    assert.deepEqual(
      [0.3, 0.5, 100, 1.55, 30.000002].map((value) => floatText(Math.fround(value))),
      ['0.3', '0.5', '100.0', '1.55', '30.000002'],
    );
  });
});

describe('capacity values', () => {
  it('are percentages, weights or vectors', () => {
    assert.equal(parseCapacity('50', types).kind, 'percentage');
    assert.equal(parseCapacity('2.5w', types).value, 2.5);
    assert.equal(parseCapacity('[memory=2048, vcores=2]', types).kind, 'absolute');
    assert.equal(parseCapacity('[memory=25%,vcores=2w]', types).kind, 'vector');
    assert.deepEqual(
      parseCapacity('[memory=4Gi,vcores=2]', types).byType.map(({ value }) => value),
      [4096, 2],
    );
    assert.throws(() => parseCapacity('[memory=', types), new ConfigurationRefused('For input string: "[memory="'));
  });
});

describe('priority lists of queues', () => {
  it('grant priorities from the lowest on', () => {
    const grants = parsePriorityGrants('[user=ada max_priority=8 default_priority=3] [group=staff max_priority=4]');
    assert.deepEqual(
      grants.map(({ maximum }) => maximum),
      [4, 8],
    );
  });
});

describe('changes of the configuration', () => {
  const before = new Map([
    ['yarn.scheduler.capacity.root.queues', 'a,b'],
    ['yarn.scheduler.capacity.root.a.capacity', '50'],
    ['yarn.scheduler.capacity.root.b.capacity', '50'],
  ]);
  const change = { remove: [], add: [], update: [], global: [] };

  it('remove, add, update and set globally, in this order', () => {
    const after = applyChange(before, {
      remove: ['root.a'],
      add: [
        {
          queue: 'root.c',
          parameters: [
            ['capacity', '50'],
            ['state', ''],
          ],
        },
      ],
      update: [{ queue: 'root.b', parameters: [['capacity', '']] }],
      global: [['x', 'y']],
    });
    assert.deepEqual(Object.fromEntries(after), {
      'yarn.scheduler.capacity.root.queues': 'b,c',
      'yarn.scheduler.capacity.root.c.capacity': '50',
      x: 'y',
    });
    assert.equal(before.size, 3);
  });

  it('are refused in words', () => {
    const refused = (part: Partial<typeof change>, message: string) =>
      assert.throws(() => applyChange(before, { ...change, ...part } as never), new ChangeRefused(message));
    refused({ remove: ['root'] as never }, "Can't remove queue root");
    refused({ remove: ['root.x'] as never }, 'Queue root.x not found');
    refused({ add: [{ queue: 'root.a', parameters: [] }] as never }, "Can't add existing queue root.a");
    refused({ add: [{ queue: 'x', parameters: [] }] as never }, "Can't add invalid queue x");
  });
});

describe('fair shares', () => {
  it('go by weight between minimum and maximum and use up the total', () => {
    const sharer = (weight: number, minimum: number, maximum: number): Sharer & { share: number } => ({
      weight,
      share: 0,
      takesPart: true,
      minimumOf: () => minimum,
      maximumOf: () => maximum,
      setShare(_type, value) {
        this.share = value;
      },
    });
    const sharers = [sharer(1, 0, 1e9), sharer(3, 0, 1e9), sharer(1, 2000, 1e9), sharer(5, 0, 100)];
    computeShares(sharers, 8192, 0, false);
    assert.deepEqual(
      sharers.map(({ share }) => share),
      [1523, 4569, 2000, 100],
    );
  });
});

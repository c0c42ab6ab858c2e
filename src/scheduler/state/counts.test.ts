import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import { Counts } from './counts.ts';

describe('sums by partition', () => {
  it('are nothing where nothing was counted', () => {
    const counts = new Counts(2);
    assert.deepEqual(counts.of('used', 3), [0, 0]);
    assert.equal(counts.amount('pending', 9, 1), 0);
    assert.equal(counts.has(0), false);
    assert.deepEqual(counts.total('used'), [0, 0]);
  });

  it('are kept apart by kind and partition', () => {
    const counts = new Counts(2);
    counts.add('used', 0, [1024, 1], 1);
    counts.add('used', 4, [512, 2], 3);
    counts.add('pending', 4, [100, 1], 1);
    assert.deepEqual(counts.of('used', 0), [1024, 1]);
    assert.deepEqual(counts.of('used', 4), [1536, 6]);
    assert.deepEqual(counts.of('reserved', 4), [0, 0]);
    assert.deepEqual(counts.total('used'), [2560, 7]);
    assert.deepEqual([counts.has(0), counts.has(4), counts.has(2)], [true, true, false]);
  });

  it('stay right through random changes, with partitions in any order', () => {
    const random = seededRandom(11);
    const counts = new Counts(3);
    const kinds = ['used', 'reserved', 'pending'] as const;
    const expected = new Map<string, number[]>();
    for (let i = 0; i < 500; i++) {
      const kind = kinds[random.int(3)]!;
      const partition = random.int(6);
      const amount = [random.int(9), random.int(9), random.int(9)];
      const times = random.int(5) - 2;
      counts.add(kind, partition, amount, times);
      const key = `${kind} ${partition}`;
      expected.set(
        key,
        (expected.get(key) ?? [0, 0, 0]).map((value, type) => value + amount[type]! * times),
      );
    }
    for (const kind of kinds) {
      for (let partition = 0; partition < 6; partition++)
        assert.deepEqual(counts.of(kind, partition), expected.get(`${kind} ${partition}`) ?? [0, 0, 0]);
      const sums = [0, 1, 2].map((type) => [...expected].reduce((sum, [key, of]) => (key.startsWith(kind) ? sum + of[type]! : sum), 0));
      assert.deepEqual(counts.total(kind), sums);
    }
  });
});

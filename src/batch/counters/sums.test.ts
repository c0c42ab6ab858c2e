// What adding counters together may and may not change.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { longOf } from '../../lib/java-long.ts';
import { type CounterData, CounterLimitExceeded, Counters, sumCounters } from './counters.ts';
import {
  counterDisplayName,
  fileSystemCounterGroup,
  fileSystemCounterParts,
  groupDisplayName,
  jobCounterGroup,
  legacyGroups,
  shuffleErrorGroup,
  taskCounterGroup,
} from './names.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const group = fc.constantFrom(taskCounterGroup, jobCounterGroup, fileSystemCounterGroup, 'mine', 'yours');
const name = fc.constantFrom('MAP_INPUT_RECORDS', 'SPILLED_RECORDS', 'FILE_BYTES_READ', 'MAP_PHYSICAL_MEMORY_BYTES_MAX', 'a', 'b_MAX');
const entries = fc.array(fc.tuple(group, name, fc.integer({ min: -1000, max: 1000 })), { maxLength: 30 });
const of = (list: readonly (readonly [string, string, number])[]) => {
  const counters = new Counters();
  for (const [one, counter, value] of list) counters.set(one, counter, value);
  return counters;
};

describe('a sum', () => {
  test('has each of its 64 bits, and begins again at the other end as Java’s, through reports, tasks and jobs', () => {
    const amount = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(fc.array(fc.array(amount, { maxLength: 5 }), { minLength: 1, maxLength: 5 }), (tasks) => {
        const sets = tasks.map((amounts) => {
          const counters = new Counters();
          for (const one of amounts) counters.increment('mine', 'a', longOf(one));
          return new Counters(JSON.parse(JSON.stringify(counters.data())) as CounterData);
        });
        const expected = BigInt.asIntN(
          64,
          tasks.flat().reduce((total, one) => total + one, 0n),
        );
        assert.deepEqual(
          sumCounters(sets)
            .groups()
            .flatMap(({ counters }) => counters.map(({ value }) => BigInt(value))),
          tasks.flat().length === 0 ? [] : [expected],
        );
      }),
    );
  });

  test('is the addition of each counter, and the largest of each peak', () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 6 }), (sets) => {
        const sum = sumCounters(sets.map(of));
        const all = sets.map((list) => of(list).data());
        const names = new Set(
          all.flatMap((data) =>
            Object.entries(data).flatMap(([one, counters]) => Object.keys(counters).map((counter) => `${one}|${counter}`)),
          ),
        );
        for (const key of names) {
          const [one, counter] = key.split('|') as [string, string];
          const values = all.flatMap((data) => data[one]?.[counter] ?? []).map(Number);
          const expected = counter.endsWith('_MAX') ? Math.max(...values) : values.reduce((total, value) => total + value, 0);
          assert.equal(sum.get(one, counter), expected, key);
        }
        assert.equal(
          sum.groups().reduce((count, one) => count + one.counters.length, 0),
          names.size,
        );
      }),
    );
  });

  test('does not depend on the order of its parts, nor on how they are put together', () => {
    fc.assert(
      fc.property(entries, entries, entries, (a, b, c) => {
        const direct = sumCounters([of(a), of(b), of(c)]).groups();
        assert.deepEqual(sumCounters([of(c), of(a), of(b)]).groups(), direct);
        assert.deepEqual(sumCounters([sumCounters([of(a), of(b)]), of(c)]).groups(), direct);
      }),
    );
  });

  test('leaves its parts as they were', () => {
    fc.assert(
      fc.property(entries, entries, (a, b) => {
        const part = of(a);
        const before = structuredClone(part.data());
        const sum = sumCounters([part]);
        sum.add(of(b));
        sum.increment('mine', 'more');
        assert.deepEqual(part.data(), before);
      }),
    );
  });

  test('is what is read again from its plain data', () => {
    fc.assert(
      fc.property(entries, (list) => {
        const counters = of(list);
        assert.deepEqual(new Counters(JSON.parse(JSON.stringify(counters.data()))).groups(), counters.groups());
      }),
    );
  });
});

describe('a counter', () => {
  test('exists from its first use on, also with 0', () => {
    const counters = new Counters();
    assert.equal(counters.empty, true);
    counters.increment('mine', 'seen', 0);
    assert.equal(counters.has('mine', 'seen'), true);
    assert.equal(counters.get('mine', 'seen'), 0);
    assert.equal(counters.has('mine', 'other'), false);
    assert.equal(counters.has('yours', 'seen'), false);
    assert.equal(counters.empty, false);
  });

  test('of an old group is found under the group’s new name', () => {
    for (const [old, today] of Object.entries(legacyGroups)) {
      const counters = new Counters();
      counters.increment(old, 'x', 2);
      assert.equal(counters.get(today, 'x'), 2, old);
    }
  });

  test('of a framework’s group is not limited; the others are, together', () => {
    const counters = new Counters(undefined, { counters: 3, groups: 50, counterNameLength: 64, groupNameLength: 128 });
    for (let i = 0; i < 500; i++) counters.increment(taskCounterGroup, `COUNTER_${i}`);
    for (const [one, counter] of [
      ['a', 'x'],
      ['a', 'y'],
      ['b', 'x'],
    ] as const)
      counters.increment(one, counter);
    assert.throws(() => counters.increment('b', 'y'), CounterLimitExceeded);
    counters.increment('b', 'x', 5);
    assert.equal(counters.get('b', 'x'), 6, 'one that exists is counted on');
    assert.throws(
      () => new Counters(undefined, { counters: 0, groups: 1, counterNameLength: 9, groupNameLength: 9 }).add({ a: { b: 1 } }),
      CounterLimitExceeded,
    );
  });
});

describe('names', () => {
  test('of file systems’ counters are a scheme and a key', () => {
    assert.deepEqual(fileSystemCounterParts('FILE_BYTES_READ'), { scheme: 'FILE', key: 'BYTES_READ' });
    assert.deepEqual(fileSystemCounterParts('S3A_EU_LARGE_READ_OPS'), { scheme: 'S3A_EU', key: 'LARGE_READ_OPS' });
    assert.deepEqual(fileSystemCounterParts('HDFS_BYTES_READ_EC'), { scheme: 'HDFS', key: 'BYTES_READ_EC' });
    assert.equal(fileSystemCounterParts('BYTES_READ'), undefined);
    assert.equal(fileSystemCounterParts('FILE_BYTES'), undefined);
  });

  test('are shown as Hadoop shows them', () => {
    assert.equal(groupDisplayName(taskCounterGroup), 'Map-Reduce Framework');
    assert.equal(groupDisplayName('mine'), 'mine');
    assert.equal(counterDisplayName(taskCounterGroup, 'MAP_INPUT_RECORDS'), 'Map input records');
    assert.equal(counterDisplayName(fileSystemCounterGroup, 'HDFS_BYTES_READ'), 'HDFS: Number of bytes read');
    assert.equal(counterDisplayName(fileSystemCounterGroup, 'ODD'), 'ODD');
    assert.equal(counterDisplayName(shuffleErrorGroup, 'IO_ERROR'), 'IO_ERROR');
    assert.equal(counterDisplayName('mine', 'seen'), 'seen');
  });
});

// Sorting, merging and grouping of records: what comes out is what went in, in the order of the key bytes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '../../lib/random.ts';
import { type Pair, recordsOf, sortedPairs } from '../test-support/map-outputs.ts';
import { FoldTable } from './fold-table.ts';
import { Groups, MergedCursor, merge } from './merge.ts';
import { compareKeys, finish, sortByComparator, sortByKey } from './record-sort.ts';
import type { RecordTable } from './record-table.ts';
import type { RecordCursor } from './segment.ts';
import { SortBuffer, type SortBufferOptions } from './sort-buffer.ts';
import { hashBytes, intBytes, partitionOf } from './writables.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

/** Keys that meet: few letters, common beginnings, zeros at the end, bytes above 127. */
const key = fc.oneof(
  fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', '\0') }),
  fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', '\0', '\xff', '\x80') }),
  fc.string({ maxLength: 6, unit: 'binary-ascii' }),
);
const pairs = fc.array(fc.tuple(key, fc.string({ maxLength: 3, unit: 'binary-ascii' })), { maxLength: 60, size: 'max' });
const raw = (text: string) => Buffer.from(text, 'latin1');

/** A cursor over records that lie somewhere in one buffer each. */
class ListCursor implements RecordCursor {
  readonly recordStart = -1;
  buffer: Buffer = Buffer.alloc(0);
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  closed = false;
  readonly #records: Iterator<Pair>;

  constructor(records: Iterable<Pair>) {
    this.#records = records[Symbol.iterator]();
  }
  next(): boolean {
    const { done, value } = this.#records.next();
    if (done) return false;
    const [keyBytes, valueBytes] = [raw(value[0]), raw(value[1])];
    this.buffer = Buffer.concat([Buffer.from('#'), keyBytes, Buffer.from('='), valueBytes]);
    this.keyStart = 1;
    this.keyEnd = 1 + keyBytes.length;
    this.valueStart = this.keyEnd + 1;
    this.valueEnd = this.valueStart + valueBytes.length;
    return true;
  }
  close(): void {
    this.closed = true;
  }
}

test('sorting of record numbers is that of their key bytes, equal keys in the order in which they came', () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 120, size: 'max' }), (keys) => {
      const bytes = Buffer.concat(keys.map(raw));
      const lengths = Int32Array.from(keys, (one) => one.length);
      const starts = new Int32Array(keys.length);
      for (let i = 1; i < keys.length; i++) starts[i] = starts[i - 1]! + lengths[i - 1]!;
      const expected = [...keys.keys()].sort((a, b) => Buffer.compare(raw(keys[a]!), raw(keys[b]!)) || a - b);
      for (const step of [undefined, 5, 17]) {
        for (const compare of [undefined, compareKeys]) {
          const records = Uint32Array.from(keys.keys());
          const table = { bytes, starts, lengths };
          finish(compare === undefined ? sortByKey(records, table, step) : sortByComparator(records, table, compare, step));
          assert.deepEqual([...records], expected, `${step} at a time`);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('sorting of many records skips what their keys have in common, and looks at no more of them than it has to', () => {
  const random = seededRandom(20_261_124);
  const heads = ['', 'https://www.example.org/pages/', 'a', '\0\0\0\0'];
  const tails = [() => '', () => String(random.int(50)), () => '\0'.repeat(random.int(7)), () => String(random.int(1e6)), () => '\xff'];
  for (const head of heads)
    for (const tail of tails)
      for (const shared of [head, '']) {
        const keys = Array.from({ length: 500 }, () => raw((random.int(9) === 0 ? shared : head) + tail()));
        const lengths = Int32Array.from(keys, (one) => one.length);
        const starts = new Int32Array(keys.length);
        for (let i = 1; i < keys.length; i++) starts[i] = starts[i - 1]! + lengths[i - 1]!;
        const expected = [...keys.keys()].sort((a, b) => Buffer.compare(keys[a]!, keys[b]!) || a - b);
        for (const step of [undefined, 40]) {
          const records = Uint32Array.from(keys.keys());
          finish(sortByKey(records, { bytes: Buffer.concat(keys), starts, lengths }, step));
          assert.deepEqual([...records], expected, JSON.stringify([head, String(tail), shared, step]));
        }
      }
});

test('sorting of many records has steps in which few of them are sorted, whatever their keys are', () => {
  const random = seededRandom(20_261_129);
  const count = 20_000;
  const step = 1000;
  for (const keyOf of [() => `${random.int(1e9)}`, () => `https://example.org/${random.int(1e9)}`, () => `k${random.int(300)}`]) {
    const keys = Array.from({ length: count }, () => raw(keyOf()));
    const lengths = Int32Array.from(keys, (one) => one.length);
    const starts = new Int32Array(count);
    for (let i = 1; i < count; i++) starts[i] = starts[i - 1]! + lengths[i - 1]!;
    for (const compare of [undefined, compareKeys]) {
      const records = Uint32Array.from(keys.keys());
      const table = { bytes: Buffer.concat(keys), starts, lengths };
      const sorting = compare === undefined ? sortByKey(records, table, step) : sortByComparator(records, table, compare, step);
      let steps = 0;
      while (sorting.next().done !== true) steps++;
      assert.ok(steps >= count / step, `${steps} steps for ${keyOf}`);
    }
  }
});

describe('a merge', () => {
  test('of sorted runs is the sort of all records; equal keys come in the order of the runs', () => {
    fc.assert(
      fc.property(fc.array(pairs, { maxLength: 6 }), (runs) => {
        const sources = runs.map((run) => new ListCursor(sortedPairs(run)));
        const merged = merge(sources);
        assert.deepEqual(recordsOf(merged), sortedPairs(runs.flatMap((run) => sortedPairs(run))));
        assert.equal(merged.next(), false, 'the end stays the end');
        merged.close();
        assert.ok(sources.every(({ closed }) => closed));
      }),
      { numRuns: 150 },
    );
  });

  test('of nothing is empty, of one run that run itself', () => {
    assert.equal(new MergedCursor([]).next(), false);
    const one = new ListCursor([['a', '1']]);
    assert.equal(merge([one]), one);
  });
});

describe('groups', () => {
  /** Walks all groups; of each as many values are read as `wanted` says. */
  function walk(records: readonly Pair[], wanted: (group: number) => number) {
    const groups = new Groups(new ListCursor(sortedPairs(records)));
    const seen: [string, string[]][] = [];
    while (groups.nextGroup()) {
      const values: string[] = [];
      const own = groups.key.toString('latin1');
      for (let i = 0; i < wanted(seen.length) && groups.nextValue(); i++) {
        const { buffer, keyStart, keyEnd, valueStart, valueEnd } = groups.cursor;
        assert.equal(buffer.toString('latin1', keyStart, keyEnd), own);
        values.push(buffer.toString('latin1', valueStart, valueEnd));
      }
      seen.push([own, values]);
    }
    assert.equal(groups.nextGroup(), false);
    assert.equal(groups.nextValue(), false);
    return { seen, groups };
  }

  test('have each key once with all of its values', () => {
    fc.assert(
      fc.property(pairs, (records) => {
        const { seen, groups } = walk(records, () => Number.POSITIVE_INFINITY);
        const expected = new Map<string, string[]>();
        for (const [own, value] of sortedPairs(records)) expected.set(own, [...(expected.get(own) ?? []), value]);
        assert.deepEqual(seen, [...expected]);
        assert.equal(groups.groups, expected.size);
        assert.equal(groups.records, records.length);
      }),
      { numRuns: 150 },
    );
  });

  test('skip the values that are not asked for, and count them all the same', () => {
    fc.assert(
      fc.property(pairs, fc.array(fc.nat(3), { minLength: 1, maxLength: 10 }), (records, wanted) => {
        const { seen, groups } = walk(records, (group) => wanted[group % wanted.length]!);
        assert.deepEqual(
          seen.map(([own]) => own),
          [...new Set(sortedPairs(records).map(([own]) => own))],
        );
        assert.equal(groups.records, records.length);
      }),
      { numRuns: 150 },
    );
  });

  test('take keys of any length', () => {
    const long = 'k'.repeat(5000);
    const { seen } = walk(
      [
        ['a', '1'],
        [long, '2'],
        ['z', '3'],
      ],
      () => 9,
    );
    assert.deepEqual(
      seen.map(([own]) => own.length),
      [1, 5000, 1],
    );
  });
});

describe('tables of records', () => {
  const inBuffer: SortBufferOptions = { keyKind: 'text', valueKind: 'int', bytes: 64 };
  const hashPartitioner = (bytes: Buffer, start: number, end: number, partitions: number) =>
    partitionOf(hashBytes(bytes, start, end), partitions);
  const integers = fc.array(fc.tuple(key, fc.integer({ min: -1000, max: 1000 })), { maxLength: 80, size: 'max' });
  const asInteger = (value: string) => raw(value).readInt32BE();
  const fill = (table: RecordTable, records: readonly (readonly [string, number])[]) => {
    for (const [i, [own, value]] of records.entries()) {
      const bytes = raw(`<${own}>`);
      if (i % 2 === 0) table.addInteger(bytes, 1, bytes.length - 1, value);
      else table.add(bytes, 1, bytes.length - 1, Buffer.concat([Buffer.from([9]), intBytes(value)]), 1, 5);
    }
  };

  test('give back what they took, each partition by itself and sorted', () => {
    fc.assert(
      fc.property(integers, fc.integer({ min: 1, max: 4 }), (records, partitions) => {
        const table = new SortBuffer(partitions, hashPartitioner, inBuffer);
        for (let round = 0; round < 2; round++) {
          fill(table, records);
          assert.deepEqual([table.records, table.added], [records.length, records.length]);
          for (let partition = 0; partition < partitions; partition++) {
            const own = records.filter(([text]) => partitionOf(hashBytes(raw(text)), partitions) === partition);
            assert.deepEqual(
              recordsOf(table.sorted(partition)),
              sortedPairs(own.map(([text, value]): Pair => [text, intBytes(value).toString('latin1')])),
            );
          }
          table.clear();
          assert.deepEqual([table.records, table.usedBytes], [0, 0]);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('that fold hold one record a key, with what folding all of its values gives', () => {
    fc.assert(
      fc.property(integers, fc.integer({ min: 1, max: 4 }), fc.boolean(), (records, partitions, sum) => {
        const fold = sum ? (a: number, b: number) => (a + b) | 0 : Math.max;
        const table = new FoldTable(partitions, hashPartitioner, fold);
        for (let round = 0; round < 2; round++) {
          fill(table, records);
          const expected = new Map<string, number>();
          for (const [own, value] of records) expected.set(own, expected.has(own) ? fold(expected.get(own)!, value) : value);
          assert.deepEqual([table.records, table.added], [expected.size, records.length]);
          const all = Array.from({ length: partitions }, (_, partition) => recordsOf(table.sorted(partition)));
          for (const [partition, own] of all.entries()) {
            assert.deepEqual(own, sortedPairs(own));
            for (const [text] of own) assert.equal(partitionOf(hashBytes(raw(text)), partitions), partition);
          }
          assert.deepEqual(new Map(all.flat().map(([own, value]) => [own, asInteger(value)])), expected);
          table.clear();
          assert.deepEqual([table.records, table.added, table.usedBytes], [0, 0, 0]);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('grow with what they hold', () => {
    for (const table of [new SortBuffer(3, hashPartitioner, inBuffer), new FoldTable(3, hashPartitioner, (a, b) => a + b)]) {
      const words = Array.from({ length: 10_000 }, (_, i): [string, number] => [
        `word ${i % 6000} ${'x'.repeat(i % 6000 === 7 ? 100_000 : 3)}`,
        1,
      ]);
      fill(table, words);
      const all = [0, 1, 2].flatMap((partition) => recordsOf(table.sorted(partition)));
      assert.equal(all.length, table.records);
      assert.equal(
        all.reduce((sum, [, value]) => sum + asInteger(value), 0),
        10_000,
      );
      assert.ok(table.usedBytes > 6000 * 10);
    }
  });

  test('refuse a partition that does not exist, in Hadoop’s words', () => {
    for (const partition of [-1, 2, 0.5 + 2, Number.NaN])
      for (const table of [new SortBuffer(2, () => partition, inBuffer), new FoldTable(2, () => partition, Math.max)]) {
        assert.throws(() => table.addInteger(raw('key'), 0, 3, 1), {
          name: 'RangeError',
          message: `Illegal partition for key (${partition})`,
        });
        assert.equal(table.records, 0, 'the record is not taken');
      }
  });

  test('do not ask for the partition where there is but one', () => {
    const refuse = () => assert.fail('there is one partition');
    for (const table of [new SortBuffer(1, refuse, inBuffer), new FoldTable(1, refuse, Math.max)]) {
      table.addInteger(raw('key'), 0, 3, 7);
      assert.equal(recordsOf(table.sorted(0)).length, 1);
    }
  });

  test('have no more partitions than they can number', () => {
    for (const make of [() => new SortBuffer(65_536, hashPartitioner, inBuffer), () => new FoldTable(65_536, hashPartitioner, Math.max)])
      assert.throws(make, { message: '65536 partitions are too many: at most 65535' });
  });

  test('that fold take integers alone', () => {
    const table = new FoldTable(1, hashPartitioner, Math.max);
    for (const length of [0, 3, 5])
      assert.throws(() => table.add(raw('k'), 0, 1, Buffer.alloc(9), 0, length), {
        message: `a value of ${length} bytes is no integer of 32 bits`,
      });
    assert.equal(table.added, 0);
  });
});

// The way of a map's records to the reduces: however often they are spilled, combined and merged, the reduces find the same.
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { Counters } from '../counters/counters.ts';
import { taskCounterGroup } from '../counters/names.ts';
import { type Pair, recordsOf, sortedPairs } from '../test-support/map-outputs.ts';
import { type Combiner, groupCombinerOf, MapOutput, type MapOutputOptions } from './map-output.ts';
import { SegmentReader } from './segment.ts';
import { decodeIndex } from './segment-index.ts';
import { hashBytes, intBytes, partitionOf } from './writables.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const scratch = mkdtempSync(join(tmpdir(), 'heddle-map-output-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

const sum = (left: number, right: number) => (left + right) | 0;
const combiners: Readonly<Record<string, Combiner | undefined>> = {
  none: undefined,
  fold: { fold: sum },
  group: { group: groupCombinerOf({ fold: sum }) },
  process: {
    process: async (groups, emitRecord) => {
      await Promise.resolve();
      groupCombinerOf({ fold: sum })(groups, emitRecord);
    },
  },
};

function anOutput(options: Partial<MapOutputOptions> = {}) {
  const counters = new Counters();
  const folder = join(scratch, String(++serial));
  const output = new MapOutput({
    folder,
    partitions: 2,
    partitioner: (key, start, end, partitions) => partitionOf(hashBytes(key, start, end), partitions),
    keyKind: 'text',
    valueKind: 'int',
    combiner: undefined,
    spillBytes: 1 << 20,
    factor: 3,
    minimumSpillsToCombine: 3,
    counters,
    ...options,
  });
  /** The records of each partition, as a reduce would read them. */
  const read = (): Pair[][] => {
    const places = decodeIndex(readFileSync(join(folder, 'file.out.index')));
    const file = openSync(join(folder, 'file.out'), 'r');
    const all = places.map((place) => recordsOf(SegmentReader.inFile(file, place, 'text', options.valueKind ?? 'int')));
    closeSync(file);
    return all;
  };
  const count = (name: string) => counters.get(taskCounterGroup, name);
  return { output, folder, read, count, counters };
}

/** Emits words with the number 1 each, drained where it is due. */
async function emit(output: MapOutput, words: readonly string[]): Promise<void> {
  for (const word of words) {
    const bytes = Buffer.from(word, 'latin1');
    output.collectInteger(bytes, 0, bytes.length, 1);
    if (output.full) await output.drain();
  }
}

const integerOf = (value: string) => Buffer.from(value, 'latin1').readInt32BE();
const words = fc.array(fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', '\xe9') }), { maxLength: 80, size: 'max' });

for (const [name, combiner] of Object.entries(combiners))
  test(`with combiner ${name}: each reduce finds its words with the same sums, however often they were spilled`, async () => {
    await fc.assert(
      fc.asyncProperty(words, fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 3 }), async (all, spillBytes, partitions) => {
        const { output, folder, read, count } = anOutput({ combiner, spillBytes, partitions });
        await emit(output, all);
        const places = await output.finish();
        const found = read();
        assert.equal(found.length, partitions);
        const sums = new Map<string, number>();
        for (const [partition, pairs] of found.entries()) {
          assert.deepEqual(
            pairs.map(([key]) => key),
            sortedPairs(pairs).map(([key]) => key),
          );
          for (const [key, value] of pairs) {
            assert.equal(partitionOf(hashBytes(Buffer.from(key, 'latin1')), partitions), partition);
            sums.set(key, (sums.get(key) ?? 0) + integerOf(value));
          }
        }
        const expected = new Map<string, number>();
        for (const word of all) expected.set(word, (expected.get(word) ?? 0) + 1);
        assert.deepEqual(sums, expected);
        assert.equal(count('MAP_OUTPUT_RECORDS'), all.length);
        assert.equal(
          count('MAP_OUTPUT_MATERIALIZED_BYTES'),
          places.reduce((total, place) => total + place.partLength, 0),
        );
        assert.deepEqual(readdirSync(folder).sort(), ['file.out', 'file.out.index'], 'no spill is left');
      }),
      { numRuns: 40 },
    );
  });

describe('spills', () => {
  test('happen at once where a map emits on and on without a pause, unless a process combines them', async () => {
    for (const [name, combiner] of Object.entries(combiners)) {
      const { output, folder, read } = anOutput({ combiner, spillBytes: 1000, partitions: 1 });
      for (let i = 0; i < 1000; i++) output.collectInteger(Buffer.from(`word ${i % 500}`), 0, `word ${i % 500}`.length, 1);
      assert.equal(readdirSync(folder).length > 10, name !== 'process', name);
      await output.finish();
      const sums = new Map<string, number>();
      for (const [key, value] of read()[0]!) sums.set(key, (sums.get(key) ?? 0) + integerOf(value));
      assert.deepEqual([sums.size, ...new Set(sums.values())], [500, 2], name);
    }
  });

  test('are due when the buffer is as full as the settings allow', async () => {
    const { output } = anOutput({ spillBytes: 110 });
    assert.equal(output.full, false);
    await emit(output, ['four', 'four', 'four', 'four']); // 4 + 4 bytes, 3 of lengths and 16 of bookkeeping each
    assert.equal(output.full, false);
    output.collectInteger(Buffer.from('four'), 0, 4, 1);
    assert.equal(output.full, true);
    await output.drain();
    assert.equal(output.full, false);
  });

  test('count each record as often as it is written', async () => {
    const { output, count } = anOutput();
    for (let spill = 0; spill < 2; spill++) {
      await emit(output, ['a', 'b', 'c']);
      await output.drain();
    }
    await output.finish();
    assert.equal(count('SPILLED_RECORDS'), 12, 'twice in spills and again in the merged file');
  });

  test('are merged with what is in memory at the end, which is written once; equal keys keep their order', async () => {
    const { output, count, read } = anOutput({ valueKind: 'text', partitions: 1 });
    const collect = (key: string, value: string) => output.collect(Buffer.from(key), 0, key.length, Buffer.from(value), 0, value.length);
    for (const spill of ['1', '2']) {
      for (const key of ['b', 'a']) collect(key, spill);
      await output.drain();
    }
    for (const key of ['c', 'a']) collect(key, '3');
    await output.finish();
    assert.deepEqual(
      read()[0]!.map(([key, value]) => key + value),
      ['a1', 'a2', 'a3', 'b1', 'b2', 'c3'],
    );
    assert.equal(count('SPILLED_RECORDS'), 4 + 6);
  });

  test('a single one becomes the output as it is', async () => {
    const { output, count, folder } = anOutput();
    await emit(output, ['a', 'b']);
    await output.finish();
    assert.equal(count('SPILLED_RECORDS'), 2);
    assert.deepEqual(readdirSync(folder).sort(), ['file.out', 'file.out.index']);
  });

  test('of a map that emits nothing leave empty segments', async () => {
    const { output, read, count } = anOutput();
    const places = await output.finish();
    assert.deepEqual(read(), [[], []]);
    assert.deepEqual(
      places.map(({ rawLength }) => rawLength),
      [2, 2],
    );
    assert.equal(count('MAP_OUTPUT_MATERIALIZED_BYTES'), 12);
  });
});

describe('what goes to disk', () => {
  /** Writes records of about a mebibyte as a spill; answers it with the breaths it took. */
  const spilled = async (options: Partial<MapOutputOptions>, megabytes: number) => {
    const breaths: number[] = [];
    const written: number[] = [];
    const made = anOutput({
      valueKind: 'text',
      partitions: 1,
      spillBytes: 1 << 30,
      breathe: async () => {
        breaths.push(made.output.mergeProgress);
        written.push(made.output.writtenBytes);
      },
      ...options,
    });
    const { output } = made;
    const value = Buffer.alloc(1 << 10, 'v');
    const collect = (count: number) => {
      for (let i = 0; i < count; i++) output.collect(Buffer.from(`key ${i % 500}`), 0, `key ${i % 500}`.length, value, 0, value.length);
    };
    for (let i = 0; i < megabytes; i++) collect(1 << 10);
    return { ...made, breaths, written, collect };
  };

  test('lets others have their turn time and again, and tells how far the last merging is', async () => {
    const { output, breaths, written, collect, count } = await spilled({}, 4);
    await output.drain();
    assert.ok(breaths.length >= 4, `${breaths.length} breaths in a spill of 4 MB`);
    assert.ok(written[0]! > 0 && written.every((bytes, i) => i === 0 || bytes > written[i - 1]!), `bytes written: ${written}`);
    collect(4 << 10);
    breaths.length = 0;
    await output.finish();
    assert.ok(breaths.length >= 8, `${breaths.length} breaths in a merge of 8 MB`);
    assert.deepEqual(
      breaths,
      [...breaths].sort((a, b) => a - b),
    );
    assert.ok(breaths[0]! > 0 && breaths.at(-1)! > 0.8, String(breaths));
    assert.equal(count('SPILLED_RECORDS'), 12 << 10);
  });

  test('does so while many records are sorted, before the first goes to disk', async () => {
    const records = 600_000;
    let turns = 0;
    const { output } = anOutput({
      partitions: 1,
      spillBytes: 1 << 30,
      breathe: async () => {
        if (output.writtenBytes === 0) turns++;
      },
    });
    const key = Buffer.alloc(8);
    for (let i = 0; i < records; i++) {
      key.writeUInt32BE((i * 2_654_435_761) >>> 0, 4);
      output.collectInteger(key, 0, 8, i);
    }
    await output.drain();
    assert.ok(turns >= 10, `${turns} turns while ${records} records were sorted`);
  });

  test('does so between passes over many spills, and while a function combines many groups', async () => {
    const { output, breaths, collect, read } = await spilled({ factor: 2 }, 0);
    for (let spill = 0; spill < 4; spill++) {
      collect(2 << 10);
      await output.drain();
    }
    breaths.length = 0;
    await output.finish();
    assert.ok(breaths.length >= 16, `${breaths.length} breaths in passes of 8 MB and a merge of 8 MB`);
    assert.equal(read()[0]!.length, 8 << 10);

    const words = Array.from({ length: 40_000 }, (_, i) => `word ${i}`);
    let turns = 0;
    const combined = anOutput({ combiner: combiners['group'], partitions: 1, spillBytes: 1 << 30, breathe: async () => void turns++ });
    await emit(combined.output, [...words, ...words]);
    await combined.output.finish();
    assert.ok(turns >= 4, `${turns} turns in 80,000 records`);
    assert.equal(combined.read()[0]!.length, 40_000);
    assert.deepEqual([combined.count('COMBINE_INPUT_RECORDS'), combined.count('COMBINE_OUTPUT_RECORDS')], [80_000, 40_000]);
  });

  test('is one spill for all who ask for it meanwhile, and takes no record of its own time', async () => {
    const key = Buffer.from('k');
    let refused: unknown;
    const { output, count, read } = anOutput({
      partitions: 1,
      breathe: async () => {
        assert.equal(output.full, true, 'whoever writes waits');
        try {
          output.collectInteger(key, 0, 1, 1);
        } catch (error) {
          refused = error;
        }
      },
      combiner: combiners['process'],
    });
    await emit(output, ['a', 'b', 'b']);
    const spills = [output.drain(), output.drain()];
    await Promise.all(spills);
    assert.ok(refused instanceof Error, 'a record that came too early is an error, and not lost');
    assert.equal(output.full, false);
    await output.finish();
    assert.equal(count('SPILLED_RECORDS'), 2);
    assert.deepEqual(
      read()[0]!.map(([word, value]) => [word, integerOf(value)]),
      [
        ['a', 1],
        ['b', 2],
      ],
    );
  });

  test('is closed where the task is to end', async () => {
    const { output, folder } = await spilled(
      {
        breathe: async () => {
          throw new Error('the task is to end');
        },
      },
      4,
    );
    const open = readdirSync('/proc/self/fd').length;
    await assert.rejects(output.drain(), { message: 'the task is to end' });
    assert.equal(readdirSync('/proc/self/fd').length, open, folder);
  });
});

describe('the combiner', () => {
  test('runs again over the merged spills where there are enough of them', async () => {
    for (const [spills, expected] of [
      [2, 2],
      [3, 1],
    ] as const) {
      const { output, read } = anOutput({ combiner: combiners['group'], partitions: 1 });
      for (let spill = 0; spill < spills; spill++) {
        await emit(output, ['same', 'same']);
        await output.drain();
      }
      await output.finish();
      assert.equal(read()[0]!.length, expected, `${spills} spills`);
    }
  });

  test('a fold counts what went in and what came out, as a combiner of groups does', async () => {
    for (const name of ['fold', 'group'] as const) {
      const { output, count } = anOutput({ combiner: combiners[name] });
      await emit(output, ['a', 'b', 'a', 'a']);
      await output.finish();
      assert.deepEqual([count('COMBINE_INPUT_RECORDS'), count('COMBINE_OUTPUT_RECORDS')], [4, 2], name);
    }
  });

  test('of a job without one is not counted, beyond Hadoop’s empty counter', async () => {
    const { output, counters } = anOutput();
    await output.finish();
    assert.ok(counters.has(taskCounterGroup, 'COMBINE_INPUT_RECORDS'));
    assert.ok(!counters.has(taskCounterGroup, 'COMBINE_OUTPUT_RECORDS'));
  });

  test('that folds takes integers also as raw values', async () => {
    const { output, read } = anOutput({ combiner: combiners['fold'], partitions: 1 });
    const key = Buffer.from('k');
    output.collect(key, 0, 1, intBytes(40), 0, 4);
    output.collectInteger(key, 0, 1, 2);
    await output.finish();
    assert.deepEqual(
      read()[0]!.map(([own, value]) => [own, integerOf(value)]),
      [['k', 42]],
    );
  });

  test('that changes the number of records is taken at its word', async () => {
    const twice: Combiner = {
      process: async (groups, emitRecord) => {
        while (groups.nextGroup())
          while (groups.nextValue()) {
            await Promise.resolve();
            const { cursor } = groups;
            for (let i = 0; i < 2; i++) emitRecord(groups.key, 0, groups.key.length, cursor.buffer, cursor.valueStart, cursor.valueEnd);
          }
      },
    };
    const { output, count, read } = anOutput({ combiner: twice, partitions: 1 });
    await emit(output, ['a', 'b', 'b']);
    await output.finish();
    assert.equal(read()[0]!.length, 6);
    assert.deepEqual([count('COMBINE_INPUT_RECORDS'), count('COMBINE_OUTPUT_RECORDS'), count('SPILLED_RECORDS')], [3, 6, 6]);
  });
});

test('bytes are counted as Hadoop serializes them: lengths of texts included', async () => {
  const { output, count } = anOutput({ valueKind: 'text' });
  const collect = (key: string, value: string) => output.collect(Buffer.from(key), 0, key.length, Buffer.from(value), 0, value.length);
  collect('ab', 'c'); // 1 + 2 and 1 + 1
  collect('k'.repeat(200), 'v'.repeat(300)); // 2 + 200 and 3 + 300
  output.report();
  assert.equal(count('MAP_OUTPUT_BYTES'), 5 + 202 + 303);
  await output.finish();
});

// Where copies of map outputs lie while a reduce copies, and what becomes of them.
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { BlockCodec } from '../tasks/block-codec.ts';
import { mapOutputCodecOf } from '../tasks/input/compression.ts';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { SegmentWriter } from '../tasks/segment.ts';
import { CorruptSegment } from '../tasks/segment-bytes.ts';
import { append, type Pair, recordsOf, sortedPairs } from '../test-support/map-outputs.ts';
import { CopiedOutputs, type CopiedOutputsOptions } from './copied-outputs.ts';
import type { LocalOutput } from './local-outputs.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-copies-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

/** An output as a node sends it. */
function packedSegment(pairs: readonly Pair[], codec?: BlockCodec): { bytes: Buffer; rawLength: number } {
  const path = join(scratch, `segment${++serial}`);
  const file = openSync(path, 'w');
  const writer = new SegmentWriter(file, 'text', 'text', codec);
  for (const pair of sortedPairs(pairs)) append(writer, pair);
  const { rawLength } = writer.endSegment();
  closeSync(file);
  return { bytes: readFileSync(path), rawLength };
}
const segment = (pairs: readonly Pair[]): Buffer => packedSegment(pairs).bytes;

function copies(options: Partial<CopiedOutputsOptions> = {}) {
  const folder = join(scratch, `copies${++serial}`);
  const failures: Error[] = [];
  const outputs = new CopiedOutputs({
    folder,
    keyKind: 'text',
    valueKind: 'text',
    memoryBytes: 1000,
    mergeBytes: 500,
    largestInMemory: 300,
    factor: 3,
    maps: 100,
    onFailed: (error) => failures.push(error),
    ...options,
  });
  const files = () => readdirSync(folder);
  const copy = async (bytes: Buffer, pieceBytes = 7) => {
    const one = await outputs.begin(bytes.length, bytes.length - 4);
    for (let at = 0; at < bytes.length; at += pieceBytes) one.write(bytes.subarray(at, at + pieceBytes));
    one.check();
    one.keep();
  };
  return { outputs, folder, failures, files, copy };
}

const pairsOf = (output: number, count: number): Pair[] =>
  Array.from({ length: count }, (_, i) => [`key ${String(i).padStart(4, '0')} of ${output}`, 'x'.repeat(20)]);

test('a small output stays in memory, a larger one goes to disk as it comes, in whatever pieces', async () => {
  const { outputs, copy, files } = copies();
  await copy(segment(pairsOf(0, 2)));
  assert.deepEqual(files(), []);
  for (const pieceBytes of [1, 3, 4, 5, 1000]) await copy(segment(pairsOf(pieceBytes, 20)), pieceBytes);
  assert.ok(files().length > 0);
  const cursor = await outputs.merged();
  assert.deepEqual(recordsOf(cursor), sortedPairs([...pairsOf(0, 2), ...[1, 3, 4, 5, 1000].flatMap((output) => pairsOf(output, 20))]));
  cursor.close();
  assert.deepEqual(files(), []);
});

test('damage is found before an output is kept, in memory and on disk; what was dropped leaves nothing', async () => {
  for (const count of [2, 20]) {
    const bytes = segment(pairsOf(0, count));
    for (const at of [0, 10, bytes.length - 1]) {
      const { outputs, files } = copies();
      const damaged = Buffer.from(bytes);
      damaged[at] = damaged[at]! ^ 0x55;
      const one = await outputs.begin(damaged.length, damaged.length - 4);
      one.write(damaged);
      assert.throws(() => one.check(), CorruptSegment);
      one.drop();
      one.drop();
      assert.deepEqual(files(), []);
    }
  }
});

test('an output that says to be shorter than its own end marks is damaged', async () => {
  for (const largestInMemory of [300, 0])
    for (const length of [0, 3, 5]) {
      const { outputs } = copies({ largestInMemory });
      const one = await outputs.begin(length, length);
      if (length > 0) one.write(Buffer.alloc(length));
      assert.throws(() => one.check(), CorruptSegment);
      one.drop();
    }
});

test('memory is bounded: what does not fit waits for merging, and goes to disk where nothing is merged', async () => {
  const bytes = segment(pairsOf(0, 6));
  const { outputs, files } = copies({ memoryBytes: bytes.length * 2, mergeBytes: bytes.length, largestInMemory: bytes.length });
  const first = await outputs.begin(bytes.length, bytes.length - 4);
  const second = await outputs.begin(bytes.length, bytes.length - 4);
  const third = await outputs.begin(bytes.length, bytes.length - 4);
  assert.equal(files().length, 1, 'two under way take all memory, and nothing is complete that could be merged');
  for (const one of [first, second]) {
    one.write(bytes);
    one.check();
    one.keep();
  }
  third.drop();
  let begun = false;
  const fourth = outputs.begin(bytes.length, bytes.length - 4).then((copy) => {
    begun = true;
    return copy;
  });
  await Promise.resolve();
  assert.equal(begun, false, 'merging is under way');
  (await fourth).drop();
  assert.equal(files().length, 1, 'the merged ones; the fourth was in memory again');
  assert.equal(recordsOf(await outputs.merged()).length, 12);
});

test('many runs are merged on disk while copying goes on, so that few are left', async () => {
  const { outputs, copy, files } = copies({ largestInMemory: 0, factor: 2 });
  for (let output = 0; output < 20; output++) {
    await copy(segment(pairsOf(output, 3)));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(files().length <= 4, `${files().length} files after ${output + 1} outputs`);
  }
  assert.equal(recordsOf(await outputs.merged()).length, 60);
});

test('merging that fails beside the copying is told, and nobody waits for it for ever', async () => {
  const { outputs, folder, failures, copy } = copies({ mergeBytes: 100 });
  rmSync(folder, { recursive: true });
  for (let output = 0; output < 4; output++) await copy(segment(pairsOf(output, 3)));
  await assert.rejects(async () => {
    for (let output = 4; output < 40; output++) await copy(segment(pairsOf(output, 3)));
    await outputs.merged();
    throw failures[0];
  }, /ENOENT|cannot be written to this node’s disk/);
  assert.equal((failures[0] as NodeJS.ErrnoException).code, 'ENOENT');
});

test('a copying that failed leaves no files', async () => {
  const { outputs, folder, copy } = copies({ largestInMemory: 0 });
  await copy(segment(pairsOf(0, 3)));
  outputs.discard();
  assert.throws(() => readdirSync(folder), { code: 'ENOENT' });
});

test('compressed outputs are kept compressed, in memory, on disk and merged, and read in order', async () => {
  const codec = mapOutputCodecOf(new JobConfiguration([['mapreduce.map.output.compress', 'true']]))!;
  const all: Pair[] = [];
  for (const largestInMemory of [0, 1000]) {
    const { outputs, files } = copies({ codec, largestInMemory, memoryBytes: 200_000, mergeBytes: 5000, factor: 2 });
    all.length = 0;
    for (let output = 0; output < 12; output++) {
      const pairs = pairsOf(output, 20);
      all.push(...pairs);
      const { bytes, rawLength } = packedSegment(pairs, codec);
      assert.ok(bytes.length < rawLength / 2);
      const one = await outputs.begin(bytes.length, rawLength);
      one.write(bytes);
      one.check();
      one.keep();
    }
    const cursor = await outputs.merged();
    assert.deepEqual(recordsOf(cursor), sortedPairs(all));
    cursor.close();
    assert.deepEqual(files(), []);
    assert.ok(outputs.writtenBytes > 0 && outputs.writtenBytes < 20_000, `${outputs.writtenBytes} bytes were written`);
  }
});

describe('an output of this node', () => {
  /** The output of a map for two reduces, of which the second is asked for. */
  function left(pairs: readonly Pair[], codec?: BlockCodec): LocalOutput {
    const path = join(scratch, `left${++serial}`);
    const file = openSync(path, 'w');
    const writer = new SegmentWriter(file, 'text', 'text', codec);
    append(writer, ['of another', 'reduce']);
    writer.endSegment();
    for (const pair of sortedPairs(pairs)) append(writer, pair);
    const place = writer.endSegment();
    closeSync(file);
    return { file: path, place, open: () => openSync(path, 'r') };
  }
  const codec = mapOutputCodecOf(new JobConfiguration([['mapreduce.map.output.compress', 'true']]))!;

  test('is read where it lies, compressed or not, and stays for others; of many the small ones are kept in memory', async () => {
    for (const [maps, inMemory] of [
      [3, 0],
      [100, 2],
    ] as const)
      for (const packed of [undefined, codec]) {
        const { outputs, files } = copies({ maps, codec: packed, memoryBytes: 2000, mergeBytes: 2000, largestInMemory: 400 });
        const all = [pairsOf(0, 2), pairsOf(1, 2), pairsOf(2, 100)];
        const lefts = all.map((pairs) => left(pairs, packed));
        for (const one of lefts) await outputs.takeLocal(one);
        assert.equal(outputs.readBytes > 0, inMemory > 0, 'what is kept is read at once');
        const cursor = await outputs.merged();
        assert.deepEqual(recordsOf(cursor), sortedPairs(all.flat()));
        cursor.close();
        assert.deepEqual(files(), []);
        assert.equal(outputs.writtenBytes, 0);
        assert.equal(
          outputs.readBytes,
          lefts.reduce((sum, { place }) => sum + place.partLength, 0),
        );
        for (const { file } of lefts) assert.ok(readFileSync(file).length > 0);
      }
  });

  test('that is more than can be merged at once is merged to disk, and not removed', async () => {
    const { outputs } = copies({ maps: 100, factor: 2, largestInMemory: 0 });
    const lefts = Array.from({ length: 9 }, (_, output) => left(pairsOf(output, 5)));
    for (const one of lefts) await outputs.takeLocal(one);
    assert.equal(recordsOf(await outputs.merged()).length, 45);
    assert.ok(outputs.writtenBytes > 0);
    for (const { file } of lefts) assert.ok(readFileSync(file).length > 0);
  });

  test('that is damaged or cut is not taken', async () => {
    for (const maps of [1, 100])
      for (const harm of ['first byte', 'checksum', 'cut', 'shorter than its end marks'])
        await test(harm, async () => {
          const { outputs, files } = copies({ maps });
          const output = left(pairsOf(0, 3));
          const { offset, partLength } = output.place;
          const bytes = readFileSync(output.file);
          const at = harm === 'first byte' ? offset : offset + partLength - 1;
          bytes[at] = bytes[at]! ^ 1;
          writeFileSync(output.file, harm === 'cut' ? bytes.subarray(0, at) : bytes);
          const place = harm === 'shorter than its end marks' ? { offset, rawLength: 1, partLength: 5 } : output.place;
          await assert.rejects(outputs.takeLocal({ ...output, place }), CorruptSegment);
          assert.deepEqual(files(), []);
          const cursor = await outputs.merged();
          assert.deepEqual(recordsOf(cursor), []);
        });
  });
});

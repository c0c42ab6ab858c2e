// Records of many megabytes: they go the way of all others, in their order, and do not lie about more often than they have to.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Counters } from '../counters/counters.ts';
import { taskCounterGroup } from '../counters/names.ts';
import { BytePieces } from './byte-pieces.ts';
import { JobConfiguration } from './job-configuration.ts';
import { MapOutput } from './map-output.ts';
import { Groups, merge } from './merge.ts';
import { longestLineBytes } from './programs/longest-line.ts';
import { compareKeys, type KeyComparator } from './record-sort.ts';
import { type RecordCursor, SegmentReader, SegmentWriter } from './segment.ts';
import { decodeIndex } from './segment-index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-long-records-'));
after(() => rmSync(scratch, { recursive: true }));
const mebibyte = 1 << 20;

/** A key of so many bytes that is told from others by its last ones only, or, with `name`, by its first ones. */
const keyOf = (bytes: number, last: string, name = 'common') => Buffer.from(name + '-'.repeat(bytes - name.length - last.length) + last);

/** A segment of records as a file has it, read with the buffers that files are read with. */
function segment(name: string, records: readonly (readonly [Buffer, string])[]): RecordCursor {
  const path = join(scratch, name);
  const file = openSync(path, 'w+');
  const writer = new SegmentWriter(file, 'text', 'text');
  for (const [key, value] of records) writer.append(key, 0, key.length, Buffer.from(value), 0, value.length);
  return SegmentReader.inFile(file, writer.endSegment(), 'text', 'text', () => closeSync(file));
}

/** The groups of a cursor: the key's length and last bytes, and the values. */
function groupsOf(cursor: RecordCursor): string[] {
  const groups = new Groups(cursor);
  const found: string[] = [];
  while (groups.nextGroup()) {
    const values: string[] = [];
    while (groups.nextValue()) values.push(cursor.buffer.toString('latin1', cursor.valueStart, cursor.valueEnd));
    const { key } = groups;
    found.push(`${key.length}${key.toString('latin1', key.length - 2)}:${values.join()}`);
  }
  cursor.close();
  return found;
}

test('long keys are told apart by all their bytes, from one run and from several, with short ones between them', () => {
  const [a, b, c] = [keyOf(2 * mebibyte, '.a'), keyOf(3 * mebibyte, '.b'), keyOf(2 * mebibyte, '.c')];
  const [early, late] = [keyOf(20, '.s', 'a'), keyOf(20, '.s', 'z')];
  const twin = keyOf(3 * mebibyte, '.t', 'commoo');
  const runs: (readonly [Buffer, string])[][] = [
    [
      [early, '1'],
      [b, '2'],
      [b, '3'],
      [a, '4'],
      [late, '5'],
    ],
    [
      [a, '6'],
      [c, '7'],
      [twin, '8'],
    ],
    [
      [early, '9'],
      [c, '10'],
      [twin, '11'],
      [late, '12'],
    ],
  ];
  // The longer one is before the others: its next byte is one more dash.
  const expected = ['20.s:1,9', '3145728.b:2,3', '2097152.a:4,6', '2097152.c:7,10', '3145728.t:8,11', '20.s:5,12'];
  assert.deepEqual(groupsOf(merge(runs.map((records, i) => segment(`run${i}`, records)))), expected);
  const cursor = merge(runs.map((records, i) => segment(`again${i}`, records)));
  const one = openSync(join(scratch, 'one'), 'w+');
  const writer = new SegmentWriter(one, 'text', 'text');
  while (cursor.next()) writer.appendFrom(cursor);
  assert.deepEqual(groupsOf(SegmentReader.inFile(one, writer.endSegment(), 'text', 'text', () => closeSync(one))), expected);
});

test('a record that is long for what is collected goes to disk by itself, between those that were collected before and after', async () => {
  const counters = new Counters();
  const folder = join(scratch, 'map');
  const output = new MapOutput({
    folder,
    partitions: 2,
    partitioner: (key) => (key[0] === 0x61 ? 0 : 1),
    keyKind: 'text',
    valueKind: 'text',
    combiner: undefined,
    spillBytes: mebibyte,
    factor: 2,
    minimumSpillsToCombine: 3,
    counters,
  });
  const records = Array.from({ length: 40 }, (_, i): [string, string] => [
    `${i % 2 === 0 ? 'a' : 'b'}${i % 3}`,
    i % 5 === 0 ? String(i).repeat(mebibyte) : String(i),
  ]);
  for (const [key, value] of records) {
    output.collect(Buffer.from(key), 0, key.length, Buffer.from(value), 0, value.length);
    if (output.full) await output.drain();
  }
  await output.finish();
  const file = openSync(join(folder, 'file.out'), 'r');
  for (const [partition, place] of decodeIndex(readFileSync(join(folder, 'file.out.index'))).entries()) {
    const cursor = SegmentReader.inFile(file, place, 'text', 'text');
    const found: [string, string][] = [];
    while (cursor.next())
      found.push([
        cursor.buffer.toString('latin1', cursor.keyStart, cursor.keyEnd),
        cursor.buffer.toString('latin1', cursor.valueStart, cursor.valueEnd),
      ]);
    const own = records.filter(([key]) => key.startsWith(partition === 0 ? 'a' : 'b'));
    const inOrder = [0, 1, 2].flatMap((digit) => own.filter(([key]) => key.endsWith(String(digit))));
    assert.ok(found.length === inOrder.length && found.every(([key, value], i) => key === inOrder[i]![0] && value === inOrder[i]![1]));
  }
  closeSync(file);
  assert.equal(counters.get(taskCounterGroup, 'MAP_OUTPUT_RECORDS'), 40);
});

const longMiB = 160;
/** What a process takes that has nothing to do, and beside the line a piece of it that is being copied. */
const othersMiB = 150;

test('runs with long keys that a function compares are merged a few at a time', async () => {
  const readBytesOf = async (name: string, compare: KeyComparator | undefined, keyBytes: number): Promise<number> => {
    const output = new MapOutput({
      folder: join(scratch, name),
      partitions: 1,
      partitioner: () => 0,
      keyKind: 'text',
      valueKind: 'text',
      combiner: undefined,
      compare,
      spillBytes: mebibyte,
      factor: 10,
      minimumSpillsToCombine: 3,
      counters: new Counters(),
    });
    const value = Buffer.alloc(mebibyte - keyBytes, 'v');
    for (let i = 0; i < 6; i++) {
      const key = Buffer.from(String(i).padStart(keyBytes, '.'));
      output.collect(key, 0, key.length, value, 0, value.length);
      if (output.full) await output.drain();
    }
    await output.finish();
    return output.readBytes;
  };
  const all = await readBytesOf('by-bytes', undefined, mebibyte / 2);
  assert.ok(all < 6.1 * mebibyte, `${all}: each spill is read once`);
  assert.equal(await readBytesOf('short', compareKeys, mebibyte / 16), await readBytesOf('short-by-bytes', undefined, mebibyte / 16));
  const some = await readBytesOf('compared', compareKeys, mebibyte / 2);
  assert.ok(some > 9.9 * mebibyte, `${some}: two at a time`);
});

/** What a script prints with the most memory that it had, MiB, before and behind it. */
function peakOf(script: string): { readonly printed: string; readonly peakMiB: number; readonly stderr: string } {
  const end = 'console.log(printed, process.resourceUsage().maxRSS / 1024);';
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', `${script}\n${end}`], { encoding: 'utf8' });
  const [printed = '', peak] = stdout.trim().split(' ');
  return { printed, peakMiB: Number(peak), stderr };
}

test('a long line that comes in pieces lies about once, and a little, until it is whole', () => {
  const { printed, peakMiB, stderr } = peakOf(`
    import { LineSplitter } from '${new URL('programs/line-splitter.ts', import.meta.url)}';
    let printed = 0;
    const splitter = new LineSplitter((_buffer, start, end) => { printed = (end - start) / ${mebibyte}; });
    for (let at = 0; at < ${longMiB * 16}; at++) splitter.push(Buffer.alloc(${mebibyte / 16}, 120));
    splitter.push(Buffer.from('\\n'));`);
  assert.equal(Number(printed), longMiB, stderr);
  assert.ok(peakMiB < longMiB + othersMiB, `${peakMiB} MiB`);
});

test('a long line that a reader hands on lies once, also while it is read, and stays where it is until more is read', () => {
  const path = join(scratch, 'lines');
  const file = openSync(path, 'w');
  for (let at = 0; at < longMiB * 2; at++) writeSync(file, at === longMiB ? Buffer.from('\n') : Buffer.alloc(mebibyte, 120));
  closeSync(file);
  const { printed, peakMiB, stderr } = peakOf(`
    import { LineReader } from '${new URL('input/line-reader.ts', import.meta.url)}';
    const split = { path: ${JSON.stringify(path)}, start: 0, length: ${longMiB * 2 * mebibyte}, hosts: [] };
    const reader = new LineReader(split, { longestLineBytes: ${longMiB * mebibyte} });
    let printed = '';
    let line;
    for (;;) {
      const isMore = await reader.readChunk((buffer, start, end) => { line = buffer.subarray(start, end); });
      if (line !== undefined) printed += line.length / ${mebibyte} + String.fromCharCode(line[0], line.at(-1)) + ',';
      line = undefined;
      if (!isMore) break;
    }`);
  assert.equal(printed, `${longMiB}xx,${longMiB - 1}xx,`, stderr);
  assert.ok(peakMiB < longMiB + othersMiB, `${peakMiB} MiB`);
});

for (const [name, codec] of [
  ['as they are', 'undefined'],
  ['compressed', 'mapOutputCodecOf(new JobConfiguration({ "mapreduce.map.output.compress": "true" }))'],
] as const)
  test(`of many runs with long records of one beginning, ${name}, few lie in memory at a time`, () => {
    const { printed, peakMiB, stderr } = peakOf(`
      import { closeSync, openSync } from 'node:fs';
      import { SegmentReader, SegmentWriter } from '${new URL('segment.ts', import.meta.url)}';
      import { Groups, merge } from '${new URL('merge.ts', import.meta.url)}';
      import { mapOutputCodecOf } from '${new URL('input/compression.ts', import.meta.url)}';
      import { JobConfiguration } from '${new URL('job-configuration.ts', import.meta.url)}';
      const codec = ${codec};
      const long = Buffer.alloc(${(longMiB / 8) * mebibyte}, 'same');
      const runs = Array.from({ length: 10 }, (_, run) => {
        const file = openSync(${JSON.stringify(join(scratch, 'run-'))} + run, 'w+');
        const writer = new SegmentWriter(file, 'text', 'text', codec);
        const value = Buffer.from(String(run));
        writer.append(Buffer.from('key'), 0, 3, long, 0, long.length);
        long[long.length - 1] = 48 + ((run * 7) % 5);
        writer.append(long, 0, long.length, value, 0, value.length);
        return SegmentReader.inFile(file, writer.endSegment(), 'text', 'text', () => closeSync(file), codec);
      });
      let printed = '';
      const groups = new Groups(merge(runs));
      while (groups.nextGroup()) {
        const { key, cursor } = groups;
        printed += '/' + String.fromCharCode(key.at(-1));
        while (groups.nextValue()) {
          const length = cursor.valueEnd - cursor.valueStart;
          printed += length === long.length ? '-' : cursor.buffer.toString('latin1', cursor.valueStart, cursor.valueEnd);
        }
      }
      groups.cursor.close();`);
    assert.equal(printed, '/y----------/005/138/216/349/427', stderr);
    assert.ok(peakMiB < 6 * (longMiB / 8) + othersMiB, `${peakMiB} MiB`);
  });

test('long bytes that are lent are not copied, and come in their order between others', () => {
  const pieces = new BytePieces();
  const long = Buffer.alloc(70 * mebibyte, 'abc');
  pieces.append(Buffer.from('before '), 0, 7);
  pieces.lend(long, 1, long.length);
  pieces.append(Buffer.from(' behind'), 0, 7);
  assert.equal(pieces.length, 14 + long.length - 1);
  const taken = pieces.take();
  assert.equal(pieces.length, 0);
  assert.ok(
    Buffer.concat(taken.map(({ bytes }) => bytes)).equals(
      Buffer.concat([Buffer.from('before '), long.subarray(1), Buffer.from(' behind')]),
    ),
  );
  for (const { bytes, isLent } of taken) assert.equal(isLent, bytes.buffer === long.buffer);
});

test('a line that goes through a job as it is may take a third of its container beside the runtime, another an eighth of all', () => {
  const longest = (settings: Record<string, string>) => longestLineBytes(new JobConfiguration(settings), 'MAP') / mebibyte;
  assert.equal(Math.floor(longest({})), 298);
  assert.equal(longest({ 'mapreduce.map.memory.mb': '128' }), 16);
  assert.equal(longest({ 'heddle.batch.program': 'module' }), 128);
  assert.equal(longest({ 'mapred.reducer.class': 'org.apache.hadoop.mapred.lib.aggregate.ValueAggregatorReducer' }), 128);
});

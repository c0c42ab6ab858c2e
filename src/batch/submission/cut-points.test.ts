// Ranges of keys: the outputs of all reduces, one after the other, are sorted, and none of them is much larger than the others.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { seededRandom } from '../../lib/random.ts';
import { withLength } from '../../wire/files/writables.ts';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { compareKeys } from '../tasks/record-sort.ts';
import { cutPointsOf, rangePartitioner, totalOrderPartitioners, writeCutPoints } from '../tasks/total-order.ts';
import { runLocalJob } from '../test-support/local-job.ts';
import { findCutPoints } from './cut-points.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-ranges-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

/** A partition file as Hadoop's InputSampler writes it. */
function partitionFile(keys: readonly string[], { version = 6, keyClass = 'org.apache.hadoop.io.Text', block = false } = {}): string {
  const integer = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  const sync = Buffer.alloc(16, 7);
  const path = join(scratch, `partitions${++serial}`);
  const records = keys.flatMap((key, i) => {
    const bytes = withLength(key);
    return [...(i === 1 ? [integer(-1), sync] : []), integer(bytes.length + 8), integer(bytes.length), bytes, Buffer.alloc(8, 1)];
  });
  const codec = withLength('org.apache.hadoop.io.compress.DefaultCodec');
  writeFileSync(
    path,
    Buffer.concat([
      ...[Buffer.from('SEQ'), Buffer.from([version]), withLength(keyClass), withLength('org.apache.hadoop.io.NullWritable')],
      ...[Buffer.from([1, block ? 1 : 0]), codec, integer(1), withLength('a'), withLength('b'), sync, ...records],
    ]),
  );
  return path;
}

function input(...texts: (string | Buffer)[]) {
  const folder = join(scratch, String(++serial));
  mkdirSync(folder);
  const splits = texts.map((text, i) => {
    const path = join(folder, typeof text === 'string' ? `in${i}` : `in${i}.gz`);
    writeFileSync(path, text);
    return { path, start: 0, length: Buffer.byteLength(text), hosts: [] };
  });
  return { folder, splits };
}

async function run({ folder, splits }: ReturnType<typeof input>, reduces: number, own: Record<string, string>) {
  const base = { 'mapred.partitioner.class': totalOrderPartitioners[0]!, 'mapreduce.job.reduces': String(reduces), ...own };
  const settings = new JobConfiguration(base);
  const points = await findCutPoints({ jobId: 'job_1_0001', settings, splits, reduces, workingFolder: folder });
  const output = join(folder, 'out');
  const result = await runLocalJob({
    folder,
    splits,
    reduces,
    configuration: { ...base, 'heddle.batch.cut-points': writeCutPoints(points), 'mapreduce.output.fileoutputformat.outputdir': output },
  });
  assert.deepEqual(result.failures, []);
  const sizes = readdirSync(output)
    .filter((name) => name.startsWith('part-'))
    .map((name) => readFileSync(join(output, name), 'utf8').split('\n').length - 1);
  return { output: result.output, sizes };
}

const seed = 20_261_123;
const random = seededRandom(seed);
const numbers = Array.from({ length: 20_000 }, () => Math.floor(random.next() ** 3 * 1_000_000));
const lines = `${numbers.join('\n')}\n`;
const balanced = (sizes: readonly number[]) =>
  assert.ok(Math.max(...sizes) < 1.6 * (sizes.reduce((sum, size) => sum + size) / sizes.length), `${sizes}, seed ${seed}`);

describe('ranges', () => {
  it('hold the keys from one cut point to the next', () => {
    const points = ['b', 'd', 'd\0'].map((text) => Buffer.from(text));
    const partition = rangePartitioner(points, compareKeys);
    const of = (text: string, partitions = 4) => partition(Buffer.from(text), 0, Buffer.byteLength(text), partitions);
    assert.deepEqual(
      ['', 'a', 'b', 'c', 'd', 'd\0', 'z'].map((text) => of(text)),
      [0, 0, 1, 1, 2, 3, 3],
    );
    assert.equal(of('z', 2), 1, 'more cut points than reduces');
    assert.deepEqual(cutPointsOf([], 3, compareKeys), []);
    const same = ['x', 'x', 'x', 'y'].map((text) => Buffer.from(text));
    assert.deepEqual(cutPointsOf(same, 4, compareKeys).map(String), ['x', 'y'], 'each once');
  });

  it('of a streaming job follow a sample of its input', async () => {
    const { output, sizes } = await run(input(lines, gzipSync(lines)), 4, {
      'heddle.batch.program': 'streaming',
      'stream.map.streamprocessor': 'cat',
    });
    assert.deepEqual(
      output,
      numbers
        .concat(numbers)
        .map(String)
        .sort()
        .map((text) => `${text}\t`),
    );
    balanced(sizes);
  });

  it('follow the comparator of a streaming job', async () => {
    const { output, sizes } = await run(input(lines), 3, {
      'heddle.batch.program': 'streaming',
      'stream.map.streamprocessor': 'cat',
      'mapreduce.job.output.key.comparator.class': 'org.apache.hadoop.mapred.lib.KeyFieldBasedComparator',
      'mapreduce.partition.keycomparator.options': '-nr',
    });
    assert.deepEqual(
      output.map(Number.parseFloat),
      [...numbers].sort((a, b) => b - a),
    );
    balanced(sizes);
  });

  it('follow what the map of a module emits, and its order', async () => {
    const job = input(lines);
    const module = join(job.folder, 'job.mjs');
    writeFileSync(module, 'export default { map: (line, emit) => emit(-line, line), compare: (a, b) => a - b };');
    const { output, sizes } = await run(job, 3, { 'heddle.batch.program': 'module', 'heddle.batch.module': module });
    assert.deepEqual(
      output.map((line) => Number(line.split('\t')[1])),
      [...numbers].sort((a, b) => b - a),
    );
    balanced(sizes);
  });

  it('of word count follow its words, and an empty input has none', async () => {
    const { output } = await run(input('b a c\na d\n'), 2, { 'heddle.batch.program': 'wordcount' });
    assert.deepEqual(output, ['a\t2', 'b\t1', 'c\t1', 'd\t1']);
    assert.deepEqual((await run(input(''), 2, { 'heddle.batch.program': 'wordcount' })).output, []);
  });

  it('are those of a partition file of Hadoop where there is one', async () => {
    const { sizes } = await run(input('a\nb\nc\nd\n'), 3, {
      'heddle.batch.program': 'streaming',
      'stream.map.streamprocessor': 'cat',
      'mapreduce.totalorderpartitioner.path': partitionFile(['b', 'c']),
    });
    assert.deepEqual(sizes, [1, 1, 2]);
  });

  it('cannot be had from a file that does not fit', async () => {
    const refused = async (path: string, message: RegExp) =>
      assert.rejects(
        run(input('a\n'), 3, { 'heddle.batch.program': 'streaming', 'mapreduce.totalorderpartitioner.path': path }),
        (error: Error) => error.name === 'NoCutPoints' && message.test(error.message),
      );
    await refused(join(scratch, 'none'), /none: there is no such file; leave the setting out/);
    await refused(partitionFile(['b']), /Wrong number of partitions in keyset: 3 reduces need 2 keys, it has 1$/);
    await refused(partitionFile(['c', 'b']), /Split points are out of order$/);
    await refused(partitionFile(['b', 'c'], { version: 4 }), /no sequence file of version 6/);
    await refused(
      partitionFile(['b', 'c'], { keyClass: 'org.apache.hadoop.io.LongWritable' }),
      /its keys are org\.apache\.hadoop\.io\.LongWritable/,
    );
    await refused(partitionFile(['b', 'c'], { block: true }), /compressed by blocks/);
    const cut = partitionFile(['b', 'c']);
    writeFileSync(cut, readFileSync(cut).subarray(0, -3));
    await refused(cut, /ends too early/);
    await refused(scratch, /EISDIR|illegal operation/);
  });

  it('cannot be had of sequence files, which are not sampled', async () => {
    await assert.rejects(run(input('a\n'), 2, { 'mapred.input.format.class': 'org.apache.hadoop.mapred.SequenceFileInputFormat' }), {
      message:
        'the input could not be sampled for TotalOrderPartitioner: sequence files are not sampled; name a partition file by mapreduce.totalorderpartitioner.path',
    });
  });

  it('cannot be had where the module fails, and says so', async () => {
    const job = input('a\n');
    const module = join(job.folder, 'job.mjs');
    writeFileSync(module, "export function map() { throw new TypeError('no such word'); }");
    await assert.rejects(run(job, 2, { 'heddle.batch.program': 'module', 'heddle.batch.module': module }), {
      message:
        'the input could not be sampled for TotalOrderPartitioner: no such word; name a partition file by mapreduce.totalorderpartitioner.path',
    });
  });
});

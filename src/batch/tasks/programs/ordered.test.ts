// Orders and partitions by parts of keys, and the reducer `aggregate`: what Hadoop's classes answer to the same keys.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { taskCounterGroup } from '../../counters/names.ts';
import { runLocalJob } from '../../test-support/local-job.ts';
import { LineReader } from '../input/line-reader.ts';
import { cutByLines } from '../input/line-splits.ts';
import { aggregateReducer, aggregatorOf } from './aggregate.ts';
import { keyFieldPartition, readKeyParts, sortBytes } from './key-fields.ts';
import { keyFieldComparators, keyFieldPartitioners } from './ordered.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-ordered-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;
const tab = Buffer.from('\t');

describe('keys ordered by their parts', () => {
  const compare = (options: string, a: string, b: string) => {
    const parts = readKeyParts(options, 'x');
    return Math.sign(Buffer.compare(sortBytes(parts, tab, Buffer.from(a)), sortBytes(parts, tab, Buffer.from(b))));
  };

  it('compare as Hadoop’s KeyFieldBasedComparator says', () => {
    for (const [options, a, b, order] of [
      ['-k1,1', 'a\tz', 'b\ta', -1],
      ['-k1,1', 'ab\tz', 'a\tz', 1],
      ['-k2,2', 'z\ta', 'a\tb', -1],
      ['-k2,2n', 'x\t9', 'x\t10', -1],
      ['-k2,2nr', 'x\t9', 'x\t10', 1],
      ['-n', '-10', '-9', -1],
      ['-n', '-0', '0', 0],
      ['-n', '1.5', '1.50', 0],
      ['-n', '-1.5', '-1.25', -1],
      ['-n', '12345678901234567890', '12345678901234567891', -1],
      ['-nr', '007', '7', 0],
      ['-k1.2,1.3', 'xabz', 'yaca', -1],
      ['-k1.2,1.3', 'xabz', 'yaba', 0],
      ['-k1,1 -k2,2nr', 'a\t1', 'a\t2', 1],
      ['-k 2,2 -r', 'a\t1', 'a\t2', 1],
      ['-k2,2', 'a', 'a\tx', -1],
      ['-k2,2r', 'a', 'a\tx', 1],
    ] as const)
      assert.equal(compare(options, a, b), order, `${options} ${JSON.stringify([a, b])}`);
  });

  it('are hashed by them', () => {
    const partition = (options: string, key: string, partitions: number, separator = '\t') =>
      keyFieldPartition(readKeyParts(options, 'x'), Buffer.from(separator), Buffer.from(key), partitions);
    assert.equal(partition('-k1,1', 'a\tz', 7), partition('-k1,1', 'a\tother', 7));
    assert.equal(partition('-k1,1', 'a\tz', 7), 97 % 7);
    assert.equal(partition('', 'ab', 1000), (97 * 31 + 98) % 1000);
    assert.equal(partition('-k2,2nr', '7::1.5::-10', 4, '::'), 2, 'as Hadoop counts behind a separator of two bytes');
    assert.equal(partition('-k3,3', 'a', 5), 0);
    const bytes = (...all: number[]) => keyFieldPartition(readKeyParts('-k1,1', 'x'), tab, Buffer.from(all), 1000);
    assert.equal(bytes(97, 255), bytes(...Buffer.from('a\ufffd')), 'bytes that are no UTF-8 count as what replaces them');
  });

  it('are refused parts that cannot be', () => {
    for (const options of ['-k', '-kx', '-k0', '-k1.0', '-z', '-k1,2,3'])
      assert.throws(() => readKeyParts(options, 'mapreduce.partition.keycomparator.options'), { name: 'BadSetting' }, options);
  });
});

/** Runs a streaming job of so many maps, each over the lines of one text. */
async function run(texts: readonly string[], reduces: number, configuration: Record<string, string>) {
  const folder = join(scratch, String(++serial));
  mkdirSync(folder);
  const splits = texts.map((text, index) => {
    const path = join(folder, `in${index}`);
    writeFileSync(path, text);
    return { path, start: 0, length: text.length, hosts: [] };
  });
  return runLocalJob({
    folder,
    splits,
    reduces,
    configuration: {
      'heddle.batch.program': 'streaming',
      'mapreduce.output.fileoutputformat.outputdir': join(folder, 'out'),
      ...configuration,
    },
  });
}

describe('a streaming job', () => {
  it('sorts by one part of its keys and sends them by another, through combiner and merges', async () => {
    const lines = Array.from({ length: 60 }, (_, i) => `k${i % 3}\t${(i * 37) % 60}`);
    const { output, failures } = await run([lines.slice(0, 30).join('\n'), lines.slice(30).join('\n')], 2, {
      'stream.map.streamprocessor': 'cat',
      'stream.combine.streamprocessor': 'cat',
      'stream.num.map.output.key.fields': '2',
      'stream.num.reduce.output.key.fields': '2',
      'mapred.partitioner.class': keyFieldPartitioners[0]!,
      'mapreduce.partition.keypartitioner.options': '-k1,1',
      'mapreduce.job.output.key.comparator.class': keyFieldComparators[0]!,
      'mapreduce.partition.keycomparator.options': '-k1,1 -k2,2nr',
      'mapreduce.task.io.sort.mb': '0.0001',
    });
    assert.deepEqual(failures, []);
    const of = (key: string) => output.map((line) => line.split('\t')).flatMap(([word, number]) => (word === key ? [Number(number)] : []));
    for (const key of ['k0', 'k1', 'k2']) {
      const expected = lines.filter((line) => line.startsWith(key)).map((line) => Number(line.split('\t')[1]));
      assert.deepEqual(
        of(key),
        expected.sort((a, b) => b - a),
        key,
      );
    }
    assert.equal(output.length, 60);
  });

  it('keeps each record once where its combiner is at work while its mapper writes on', async () => {
    const text = Array.from({ length: 30_000 }, (_, i) => `key ${i}\t${'v'.repeat(60)}\n`).join('');
    const { output, failures, counters } = await run([text], 1, {
      'stream.map.streamprocessor': 'cat',
      'stream.combine.streamprocessor': 'cat',
      'mapreduce.task.io.sort.mb': '0.5',
      'mapreduce.task.io.sort.factor': '100',
    });
    assert.deepEqual(failures, []);
    assert.ok(counters.get(taskCounterGroup, 'SPILLED_RECORDS') > 60_000, 'there were spills');
    assert.equal(output.join('\n'), text.trimEnd().split('\n').sort().join('\n'));
  });

  it('counts the bytes of its keys, not those by which they are sorted', async () => {
    const bytes = async (configuration: Record<string, string>) =>
      (await run(['a\t1\nbb\t\n'], 1, { 'stream.map.streamprocessor': 'cat', ...configuration })).counters.get(
        taskCounterGroup,
        'MAP_OUTPUT_BYTES',
      );
    assert.equal(await bytes({}), 8);
    const comparator = {
      'mapreduce.job.output.key.comparator.class': keyFieldComparators[0]!,
      'mapreduce.partition.keycomparator.options': '-k1,1r',
    };
    assert.equal(await bytes(comparator), 8);
  });

  it('takes a number of key fields below one for one', async () => {
    for (const fields of ['0', '-3'])
      assert.deepEqual(
        (await run(['a\tb\tc\n'], 1, { 'stream.map.streamprocessor': 'cat', 'stream.num.map.output.key.fields': fields })).output,
        ['a\tb\tc'],
        fields,
      );
  });

  it('without any program sorts lines by their positions as numbers, and hashes them as such', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => `line ${i}`);
    const text = lines.map((line) => `${line}\n`).join('');
    const positions = lines.map((line) => text.indexOf(`${line}\n`));
    const { output, counters } = await run([text], 2, {});
    const expected = [0, 1].flatMap((reduce) =>
      lines.flatMap((line, i) => (positions[i]! % 2 === reduce ? [`${positions[i]}\t${line}`] : [])),
    );
    assert.deepEqual(output, expected);
    assert.equal(counters.get(taskCounterGroup, 'MAP_OUTPUT_BYTES'), 12 * 8 + text.length);
    assert.deepEqual((await run(['a\nb\n'], 0, {})).output, ['0\ta', '2\tb']);
    const parted = await run([text], 2, {
      'mapred.partitioner.class': keyFieldPartitioners[0]!,
      'mapreduce.partition.keypartitioner.options': '-k1.1,1.1',
    });
    const byFirstDigit = [0, 1].flatMap((reduce) =>
      lines.flatMap((line, i) => (String(positions[i]).charCodeAt(0) % 2 === reduce ? [`${positions[i]}\t${line}`] : [])),
    );
    assert.deepEqual(parted.output, byFirstDigit);
  });

  it('reads keys and values from its lines', async () => {
    const { output } = await run(['a=1\nb\n=c\n'], 0, {
      'mapred.input.format.class': 'org.apache.hadoop.mapred.KeyValueTextInputFormat',
      'mapreduce.input.keyvaluelinerecordreader.key.value.separator': '=',
      'stream.map.streamprocessor': 'cat',
    });
    assert.deepEqual(output, ['a\t1', 'b\t', '\tc']);
  });

  it('aggregates by the function that each key names, also where the combiner did so before', async () => {
    const text = [
      'LongValueSum:n\t2',
      'LongValueSum:n\t-5',
      'LongValueMax:m\t9223372036854775807',
      'LongValueMin:m\t-3',
      'DoubleValueSum:d\t1.5',
      'DoubleValueSum:d\t1e7',
      'StringValueMax:s\tb',
      'StringValueMin:s\ta',
      'UniqValueCount:u\tx',
      'UniqValueCount:u\tx',
      'UniqValueCount:u\ty',
      'ValueHistogram:h\tx',
      'ValueHistogram:h\tx',
      'ValueHistogram:h\ty\t4',
    ].join('\n');
    const { output, failures } = await run([text, text], 1, {
      'stream.map.streamprocessor': 'cat',
      'mapred.reducer.class': aggregateReducer,
    });
    assert.deepEqual(failures, []);
    assert.deepEqual(output, [
      'd\t2.0000003E7',
      'm\t9223372036854775807',
      'm\t-3',
      'n\t-6',
      's\tb',
      's\ta',
      'u\t2',
      'h\t2\t4\t8\t8\t6.0\t2.0',
    ]);
    const sum = (kind: string, ...values: string[]) => {
      const { aggregator } = aggregatorOf(`${kind}:x`);
      for (const value of values) aggregator.add(value);
      return aggregator.report();
    };
    assert.equal(sum('LongValueSum', '9223372036854775807', '1'), '-9223372036854775808', 'as a long of Java');
    assert.equal(sum('DoubleValueSum', '1.5d', '5.', '.5'), '7.0');
    assert.deepEqual(
      ['-Infinity', 'NaN', '1e400'].map((value) => sum('DoubleValueSum', value)),
      ['-Infinity', 'NaN', 'Infinity'],
    );
    for (const value of ['9223372036854775808', '1.0', '', '0x10'])
      assert.throws(() => sum('LongValueSum', value), /no whole number of 64 bits/, value);
    for (const value of ['0x10', '0b1', '', '1e', 'infinity']) assert.throws(() => sum('DoubleValueSum', value), /is no number/, value);
    assert.throws(() => aggregatorOf('Sum:x'), /the key 'Sum:x' does not begin with one of LongValueSum/);
  });
});

describe('splits of so many lines', () => {
  it('give every line once, so many to each', async () => {
    const path = join(scratch, 'lines');
    for (const text of ['a\nb\nc\nd\ne\n', 'a\r\nb\r\nc', 'a\rb\rc\n\n\nx', 'one', '\n']) {
      writeFileSync(path, text);
      const read: string[][] = [];
      for (const split of cutByLines([{ path, length: text.length }], 2)) {
        const lines: string[] = [];
        const reader = new LineReader(split);
        while (await reader.readChunk((buffer, start, end) => lines.push(buffer.toString('utf8', start, end))));
        reader.close();
        read.push(lines);
      }
      const expected = text.split(/\r\n|\r|\n/);
      if (expected.at(-1) === '') expected.pop();
      assert.deepEqual(read.flat(), expected, JSON.stringify(text));
      assert.ok(
        read.slice(0, -1).every((lines) => lines.length === 2),
        JSON.stringify(read),
      );
    }
  });
});

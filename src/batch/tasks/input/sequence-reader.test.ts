// Sequence files as input: those that Hadoop 3.4.2 wrote, and any others, each record once however they are cut and read.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { variableInteger, withLength } from '../../../wire/files/writables.ts';
import { startFileServers } from '../../test-support/file-servers.ts';
import { runLocalJob } from '../../test-support/local-job.ts';
import { hadoopFiles } from '../../test-support/sequence-files.ts';
import { listRemote, readRemote } from '../remote/listing.ts';
import { codecClasses, compressorOf } from './compression.ts';
import { sequenceInputs, sequenceTextInputs } from './formats.ts';
import type { InputSplit } from './input-split.ts';
import { type SequenceOptions, SequenceReader } from './sequence-reader.ts';
import { cutIntoSplits, listInput, type SplitRules } from './splits.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_128) });

const scratch = mkdtempSync(join(tmpdir(), 'heddle-sequences-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

function fileOf(bytes: Buffer, name = `file-${++serial}`): string {
  const path = join(scratch, name);
  writeFileSync(path, bytes);
  return path;
}

/** Records as `key=value`, in Latin-1. */
async function recordsOf(split: InputSplit, options: Partial<SequenceOptions> = {}): Promise<string[]> {
  const found: string[] = [];
  const reader = new SequenceReader(split, { bytes: 'shown', longestBytes: 1 << 20, ...options });
  try {
    const add = (piece: Buffer, start: number, end: number) => {
      const keyEnd = start + 4 + piece.readUInt32BE(start);
      found.push(`${piece.toString('latin1', start + 4, keyEnd)}=${piece.toString('latin1', keyEnd, end)}`);
    };
    while (await reader.readChunk(add));
    assert.equal(reader.progress, 1);
  } finally {
    reader.close();
  }
  return found;
}
const whole = (bytes: Buffer, name?: string): InputSplit => ({ path: fileOf(bytes, name), start: 0, length: bytes.length, hosts: [] });
const latin1 = (text: string) => Buffer.from(text).toString('latin1');

const io = 'org.apache.hadoop.io';
const integer = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

interface Written {
  readonly records: readonly (readonly [key: string, value: string])[];
  readonly compression?: 'none' | 'record' | 'block';
  readonly codec?: string;
  /** Records between two marks, or in a block. */
  readonly together?: number;
  readonly classes?: readonly [key: string, value: string];
}

/** A sequence file of texts. */
function sequenceFile({ records, compression = 'none', codec = codecClasses[0]!, together = 2, classes }: Written): Buffer {
  const mark = Buffer.from('0123456789abcdef');
  const pack = (plain: Buffer) => {
    const compressor = compressorOf(codec).compress();
    return Buffer.concat([compressor.update(plain), compressor.end()]);
  };
  const [keyClass, valueClass] = classes ?? [`${io}.Text`, `${io}.Text`];
  const parts = [Buffer.from('SEQ\u0006'), withLength(keyClass), withLength(valueClass)];
  parts.push(Buffer.from([compression === 'none' ? 0 : 1, compression === 'block' ? 1 : 0]));
  if (compression !== 'none') parts.push(withLength(codec));
  parts.push(integer(1), withLength('note'), withLength('nothing'), mark);
  for (let first = 0; first < records.length; first += together) {
    const group = records.slice(first, first + together).map(([key, value]) => [withLength(key), withLength(value)] as const);
    if (first > 0 || compression === 'block') parts.push(integer(-1), mark);
    if (compression !== 'block')
      for (const [key, value] of group) {
        const written = compression === 'record' ? pack(value) : value;
        parts.push(integer(key.length + written.length), integer(key.length), key, written);
      }
    else {
      parts.push(variableInteger(group.length));
      for (const side of [0, 1])
        for (const plain of [group.map((one) => variableInteger(one[side]!.length)), group.map((one) => one[side]!)])
          parts.push(withLength(pack(Buffer.concat(plain))));
    }
  }
  return Buffer.concat(parts);
}

describe('sequence files of Hadoop', () => {
  const texts = ['t0', 't1ä', 't2ää', 't3äää', 't4ääää', 't5'];
  const longs = texts.map((_, i) => String(BigInt(i) * 10_000_000_000n - 5n));
  const expected: Readonly<Record<string, readonly string[]>> = {
    'none-text-text': texts.map((text) => `${text}=${text}`),
    'none-long-bytes': longs.map((long, i) => `${long}=0${i} 00 ff`),
    'none-int-null': texts.map((_, i) => `${i - 3}=(null)`),
    'none-null-text': texts.map((text) => `(null)=${text}`),
  };

  test('are read, whatever compresses them', async () => {
    for (const [name, bytes] of Object.entries(hadoopFiles)) {
      const records = expected[name] ?? longs.map((long, i) => `${long}=${texts[i]}`);
      assert.deepEqual(await recordsOf(whole(bytes)), records.map(latin1), name);
    }
  });

  test('have bytes as they are where a command reads them', async () => {
    const found = await recordsOf(whole(hadoopFiles['none-long-bytes']!), { bytes: 'as they are' });
    assert.deepEqual(
      found,
      longs.map((long, i) => `${long}=${String.fromCharCode(i)}\0\xff`),
    );
  });
});

describe('records of sequence files', () => {
  test('are found once each, however the file is cut and read', async () => {
    const text = fc.string({ maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, text), { maxLength: 12 }),
        fc.constantFrom('none', 'record', 'block'),
        fc.constantFrom(...codecClasses),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(1500), { maxLength: 5 }),
        fc.constantFrom(1, 7, 64, 4096),
        async (records, compression, codec, together, cuts, chunkBytes) => {
          const bytes = sequenceFile({ records, compression: compression as 'none', codec, together });
          const path = fileOf(bytes, 'cut');
          const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b);
          const found: string[] = [];
          for (const [i, end] of ends.entries()) {
            const start = i === 0 ? 0 : ends[i - 1]!;
            found.push(...(await recordsOf({ path, start, length: end - start, hosts: [] }, { chunkBytes })));
          }
          assert.deepEqual(
            found,
            records.map(([key, value]) => latin1(`${key}=${value}`)),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  test('come from files of other machines, from MapFiles, and from files with any name, cut where they are long', async () => {
    const records = Array.from({ length: 300 }, (_, i) => [`k${i}`, `v${i}`] as const);
    const expected = records.map((record) => record.join('='));
    const bytes = sequenceFile({ records });
    await using servers = await startFileServers();
    const reader = { property: () => undefined, user: 'ann' };
    const rules: SplitRules = {
      ...{ api: 'mapred', blockSizeBytes: 1000, minimumBytes: 1, maximumBytes: 1 << 20, mapsHint: 1, sequences: true },
      ...{ recursive: false, ignoreSubfolders: false, hosts: [] },
    };
    const folder = join(scratch, 'in');
    mkdirSync(join(folder, 'b'), { recursive: true });
    for (const name of ['a.gz', 'b/data', 'b/index']) {
      writeFileSync(join(folder, name), bytes);
      servers.files.set(`/in/${name}`, bytes);
    }
    const elsewhere = (address: string, start: number) => readRemote(address, start, reader);
    for (const files of [listInput([folder], rules), await listRemote(`${servers.nameNode}/in`, rules, reader)]) {
      assert.deepEqual(
        files.map(({ path }) => path.slice(path.indexOf('/in/'))),
        ['/in/a.gz', '/in/b/data'],
      );
      const splits = cutIntoSplits(files, rules);
      assert.ok(splits.length > 6);
      const found: string[] = [];
      for (const split of splits) found.push(...(await recordsOf(split, { elsewhere })));
      assert.deepEqual(found, [...expected, ...expected]);
    }
    rmSync(join(folder, 'b/data'));
    assert.throws(() => listInput([folder], rules), { message: `File file:${folder}/b/data does not exist` });
  });

  test('that cannot be read fail the reading, and name the file', async () => {
    const records = [
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ] as const;
    const fails = async (bytes: Buffer, message: RegExp, options: Partial<SequenceOptions> = {}) => {
      const split = whole(bytes);
      await assert.rejects(recordsOf(split, options), (error: Error) => error.message.includes(split.path) && message.test(error.message));
    };
    const plain = sequenceFile({ records });
    await fails(Buffer.alloc(0), /ends too early/);
    await fails(Buffer.from('a line of text\n'), /no sequence file of version 6/);
    for (const cut of [20, plain.length - 1, plain.length - 13]) await fails(plain.subarray(0, cut), /ends too early/);
    const otherMark = Buffer.from(plain);
    otherMark[otherMark.lastIndexOf('0123456789abcdef')] = 0;
    await fails(otherMark, /File is corrupt/);
    const wrongLength = Buffer.from(plain);
    wrongLength.writeInt32BE(-2, plain.indexOf('0123456789abcdef') + 16);
    await fails(wrongLength, /a length at position \d+ is wrong/);
    await fails(sequenceFile({ records, classes: ['x.Y', `${io}.Text`] }), /keys or values of x\.Y; those of Text, BytesWritable/);
    await fails(sequenceFile({ records, classes: [`${io}.LongWritable`, `${io}.Text`] }), /is no LongWritable/);
    const block = sequenceFile({ records, compression: 'block' });
    await fails(block.subarray(0, block.length - 1), /ends too early/);
    const damaged = Buffer.from(block);
    damaged[damaged.length - 3]! ^= 255;
    await fails(damaged, /what is compressed at position \d+ cannot be read/);
    const unknown = Buffer.from(block.toString('latin1').replace('DefaultCodec', 'UnknownCodec'), 'latin1');
    await fails(unknown, /UnknownCodec was not found/);
    const long = [['a', 'x'.repeat(100_000)]] as const;
    for (const compression of ['none', 'record', 'block'] as const)
      for (const codec of compression === 'none' ? codecClasses.slice(0, 1) : codecClasses)
        await fails(sequenceFile({ records: long, compression, codec }), /longer than 5000 bytes|has more than 5000 bytes/, {
          longestBytes: 5000,
        });
  });
});

describe('a streaming job over a sequence file', () => {
  const run = async (name: string, format: string, mapper: string | undefined, settings: Record<string, string> = {}) => {
    const folder = join(scratch, `job-${++serial}`);
    mkdirSync(folder);
    const { output, failures } = await runLocalJob({
      folder,
      reduces: 0,
      splits: [whole(hadoopFiles[name]!)],
      configuration: {
        'heddle.batch.program': 'streaming',
        'mapreduce.output.fileoutputformat.outputdir': join(folder, 'out'),
        'mapred.input.format.class': format,
        ...(mapper === undefined ? {} : { 'stream.map.streamprocessor': encodeURIComponent(mapper) }),
        ...settings,
      },
    });
    assert.deepEqual(failures, []);
    return output;
  };

  test('gives its mapper keys and values', async () => {
    const [asIs, asText] = [sequenceInputs[0]!, sequenceTextInputs[0]!];
    const shown = ['-5\t00 00 ff', '9999999995\t01 00 ff'];
    assert.deepEqual((await run('none-long-bytes', asText, 'cat')).slice(0, 2), shown);
    assert.deepEqual((await run('none-long-bytes', asIs, undefined)).slice(0, 2), shown);
    const hex = `bash -c "od -An -v -tx1 | tr -d ' \\n'"`;
    const [bytes] = await run('none-long-bytes', asIs, hex);
    assert.match(bytes!, /^2d35090000ff0a/);
    assert.match((await run('none-null-text', asIs, 'cat'))[0]!, /^\(null\)\tt0$/);
    assert.deepEqual((await run('block-GzipCodec', asIs, 'cat', { 'stream.map.input.ignoreKey': 'true' })).slice(0, 2), ['t0\t', 't1ä\t']);
  });
});

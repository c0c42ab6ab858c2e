// Which files are compressed, and what is done about it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { deflateSync, gunzipSync, gzipSync, inflateSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { JobConfiguration } from '../job-configuration.ts';
import { decompressBzip2 } from './bzip2.ts';
import { compressorOf, decompressorOf, isCompressed, mapOutputCodecOf, splitsWhole } from './compression.ts';
import { LineReader } from './line-reader.ts';
import type { ReadElsewhere } from './split-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-compression-'));
after(() => rmSync(folder, { recursive: true }));

const whole = { start: 0, length: 1 };
const codec = (name: string) => `org.apache.hadoop.io.compress.${name}`;

test('a file is compressed by the end of its name', () => {
  for (const name of ['a.gz', 'a.deflate', 'a.zst', 'a.lz4', 'a.snappy']) assert.equal(splitsWhole(`/x/${name}`), true, name);
  for (const name of ['a', 'a.txt', 'a.gz.txt', 'gz', 'a.GZ']) assert.ok(!splitsWhole(`/x/${name}`) && !isCompressed(`/x/${name}`), name);
  assert.ok(isCompressed('/x/a.bz2') && !splitsWhole('/x/a.bz2'), 'parts of it can be read');
  assert.equal(decompressorOf('/x/a.txt', whole), undefined);
});

test('what a compressor writes its decompressor reads', async () => {
  const bytes = Buffer.from('the quick brown fox '.repeat(1000));
  for (const [name, suffix, decompress] of [
    ['GzipCodec', '.gz', gunzipSync],
    ['DefaultCodec', '.deflate', inflateSync],
    ['DeflateCodec', '.deflate', inflateSync],
    ['ZStandardCodec', '.zst', zstdDecompressSync],
    ['BZip2Codec', '.bz2', decompressBzip2],
  ] as const) {
    const compressor = compressorOf(codec(name));
    assert.equal(compressor.suffix, suffix);
    const file = compressor.compress();
    const compressed = Buffer.concat([file.update(bytes.subarray(0, 7000)), file.update(bytes.subarray(7000)), file.end()]);
    assert.ok(compressed.length < bytes.length / 10);
    assert.deepEqual(decompress(compressed), bytes);
    const stream = decompressorOf(`/x/part${suffix}`, whole)!;
    stream.end(compressed);
    assert.deepEqual(Buffer.concat(await stream.toArray()), bytes);
  }
});

test('members of a gzip file that follow one another are read as one', async () => {
  const stream = decompressorOf('/x/a.gz', whole)!;
  stream.end(Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]));
  assert.equal(Buffer.concat(await stream.toArray()).toString(), 'one\ntwo\n');
});

test('several streams one behind the other are read as one; bytes behind them that are none fail the reading', async () => {
  const lines = async (name: string, bytes: Buffer, elsewhere?: ReadElsewhere) => {
    const path = elsewhere === undefined ? join(folder, name) : `http://127.0.0.1/${name}`;
    if (elsewhere === undefined) writeFileSync(path, bytes);
    const read: string[] = [];
    const options = { chunkBytes: 16, ...(elsewhere === undefined ? {} : { elsewhere }) };
    const reader = new LineReader({ path, start: 0, length: bytes.length, hosts: [] }, options);
    try {
      while (await reader.readChunk((buffer, start, end) => read.push(buffer.toString('utf8', start, end))));
    } catch (error) {
      read.push((error as Error).message);
    }
    return [read, reader.bytesRead] as const;
  };
  const texts = ['one\ntw', 'o\n', 'three\n'];
  for (const [suffix, compress, complaint] of [
    ['gz', gzipSync, /incorrect header check/],
    ['deflate', deflateSync, /incorrect header check|unknown compression method/],
    ['zst', zstdCompressSync, /Unknown frame descriptor/],
  ] as const) {
    const whole = Buffer.concat(texts.map((text) => compress(Buffer.from(text))));
    assert.deepEqual(await lines(`several.${suffix}`, whole), [['one', 'two', 'three'], whole.length], suffix);
    const remote: ReadElsewhere = async function* (_address, start) {
      for (let at = start; at < whole.length; at += 5) yield whole.subarray(at, Math.min(whole.length, at + 5));
    };
    assert.deepEqual((await lines(`several.${suffix}`, whole, remote))[0], ['one', 'two', 'three'], suffix);
    for (const behind of ['garbage', '\0\0\0\0']) {
      const [read] = await lines(`garbage.${suffix}`, Buffer.concat([whole, Buffer.from(behind)]));
      assert.match(read.at(-1)!, complaint, `${suffix} ${JSON.stringify(behind)}`);
    }
  }
});

test('a file that is damaged, cut or no compressed one fails the reading, and is named', async () => {
  const plain = Buffer.from('line after line\n'.repeat(3000));
  const packed = {
    gz: gzipSync(plain),
    deflate: deflateSync(plain),
    zst: zstdCompressSync(plain),
    bz2: compressorOf(codec('BZip2Codec')).compress(),
    snappy: compressorOf(codec('SnappyCodec')).compress(),
    lz4: compressorOf(codec('Lz4Codec')).compress(),
  };
  for (const [suffix, file] of Object.entries(packed)) {
    const bytes = Buffer.isBuffer(file) ? file : Buffer.concat([file.update(plain), file.end()]);
    for (const [what, wrong] of [
      ['cut', bytes.subarray(0, bytes.length >> 1)],
      ['plain', plain],
    ] as const) {
      const path = join(folder, `${what}.${suffix}`);
      writeFileSync(path, wrong);
      const reader = new LineReader({ path, start: 0, length: wrong.length, hosts: [] });
      const reading = async () => {
        while (await reader.readChunk(() => {}));
      };
      await assert.rejects(reading, (error: Error) => error.message.startsWith(`${path} cannot be decompressed: `), path);
      reader.close();
    }
  }
});

test('what is between maps and reduces is compressed where the settings say so, by deflate unless they name a codec', () => {
  const codecOf = (settings: Record<string, string>) => mapOutputCodecOf(new JobConfiguration(Object.entries(settings)));
  const name = 'mapreduce.map.output.compress';
  const plain = Buffer.from('the quick brown fox '.repeat(100));
  assert.equal(codecOf({}), undefined);
  assert.equal(codecOf({ [`${name}.codec`]: codec('GzipCodec') }), undefined);
  assert.deepEqual(inflateSync(codecOf({ [name]: 'true' })!.compress(plain)), plain);
  assert.deepEqual(gunzipSync(codecOf({ [name]: 'true', [`${name}.codec`]: codec('GzipCodec') })!.compress(plain)), plain);
  assert.throws(() => codecOf({ [name]: 'true', [`${name}.codec`]: 'com.example.Squeeze' }), {
    message: 'Compression codec com.example.Squeeze was not found.',
  });
});

test('a codec that is not known is refused in Hadoop’s words', () => {
  assert.throws(() => compressorOf('com.example.Squeeze'), { message: 'Compression codec com.example.Squeeze was not found.' });
});

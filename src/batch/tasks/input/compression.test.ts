// Which files are compressed, and what is done about it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { compressorOf, decompressorOf, splitsWhole } from './compression.ts';

const codec = (name: string) => `org.apache.hadoop.io.compress.${name}`;

test('a file is compressed by the end of its name', () => {
  for (const name of ['a.gz', 'a.deflate', 'a.zst', 'a.bz2', 'a.lz4', 'a.snappy']) assert.equal(splitsWhole(`/x/${name}`), true, name);
  for (const name of ['a', 'a.txt', 'a.gz.txt', 'gz', 'a.GZ']) assert.equal(splitsWhole(`/x/${name}`), false, name);
  assert.equal(decompressorOf('/x/a.txt'), undefined);
});

test('what a compressor writes its decompressor reads', async () => {
  const bytes = Buffer.from('the quick brown fox '.repeat(1000));
  for (const [name, suffix, decompress] of [
    ['GzipCodec', '.gz', gunzipSync],
    ['DefaultCodec', '.deflate', inflateSync],
    ['DeflateCodec', '.deflate', inflateSync],
    ['ZStandardCodec', '.zst', zstdDecompressSync],
  ] as const) {
    const compressor = compressorOf(codec(name));
    assert.equal(compressor.suffix, suffix);
    const file = compressor.compress();
    const compressed = Buffer.concat([file.update(bytes.subarray(0, 7000)), file.update(bytes.subarray(7000)), file.end()]);
    assert.ok(compressed.length < bytes.length / 10);
    assert.deepEqual(decompress(compressed), bytes);
    const stream = decompressorOf(`/x/part${suffix}`)!;
    stream.end(compressed);
    assert.deepEqual(Buffer.concat(await stream.toArray()), bytes);
  }
});

test('members of a gzip file that follow one another are read as one', async () => {
  const stream = decompressorOf('/x/a.gz')!;
  stream.end(Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]));
  assert.equal(Buffer.concat(await stream.toArray()).toString(), 'one\ntwo\n');
});

test('a codec that is known but not there is refused with what to do instead', () => {
  assert.throws(() => decompressorOf('/x/a.bz2'), {
    message: `${codec('BZip2Codec')} is not supported: decompress /x/a.bz2 before the job, or use gzip, deflate or zstd`,
  });
  assert.throws(() => compressorOf(codec('SnappyCodec')), {
    message: `${codec('SnappyCodec')} is not supported for output: use GzipCodec, DefaultCodec or ZStandardCodec`,
  });
});

test('a codec that is not known is refused in Hadoop’s words', () => {
  assert.throws(() => compressorOf('com.example.Squeeze'), { message: 'Compression codec com.example.Squeeze was not found.' });
});

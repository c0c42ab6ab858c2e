// Files that are compressed block by block are what ordinary readers of their formats expect, however the blocks are cut.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { adler32, type BlockCompressor, gzipCompressor, zlibCompressor, zstdCompressor } from './block-compressors.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_123) });

const formats: readonly [string, () => BlockCompressor, (bytes: Buffer) => Buffer][] = [
  ['gzip', gzipCompressor, (bytes) => gunzipSync(bytes)],
  ['zlib', zlibCompressor, (bytes) => inflateSync(bytes)],
  ['zstd', zstdCompressor, (bytes) => zstdDecompressSync(bytes)],
];

for (const [name, make, decompress] of formats)
  test(`${name}: whatever the blocks are, none and empty ones too, the file holds them in order`, () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 5000, size: 'max' }), { maxLength: 6 }), (blocks) => {
        const compressor = make();
        const file = Buffer.concat([...blocks.map((block) => compressor.update(Buffer.from(block))), compressor.end()]);
        assert.deepEqual(decompress(file), Buffer.concat(blocks));
      }),
      { numRuns: 60 },
    );
  });

test('the sum of a zlib stream stays exact over runs of the largest bytes', () => {
  const bytes = Buffer.alloc(1_000_003, 0xff);
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  assert.equal(adler32(bytes, 1), high * 65536 + low);
  assert.equal(adler32(bytes.subarray(7), adler32(bytes.subarray(0, 7), 1)), high * 65536 + low);
});

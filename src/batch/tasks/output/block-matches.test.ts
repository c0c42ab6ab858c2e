// LZ4 and Snappy: what other programs wrote is read, what is written is read back, damage is told.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BlockReader, decodeLz4, decodeSnappy } from '../input/block-framing.ts';
import { encodeLz4, encodeSnappy, lz4Compressor, snappyCompressor } from './block-matches.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_123) });

const sentence = Buffer.from(`${'one line after another, '.repeat(9)}and the end of them all.`);
const formats = [
  {
    ...{ name: 'LZ4', encode: encodeLz4, decode: decodeLz4, compressor: lz4Compressor },
    theirs: '/wlvbmUgbGluZSBhZnRlciBhbm90aGVyLCAYAK3gYW5kIHRoZSBlbmQgb2YLAGBtIGFsbC4=',
  },
  {
    ...{ name: 'Snappy', encode: encodeSnappy, decode: decodeSnappy, compressor: snappyCompressor },
    theirs: '8AFcb25lIGxpbmUgYWZ0ZXIgYW5vdGhlciwg/hgA/hgA/hgAXGFuZCB0aGUgZW5kIG9mIHRoZW0gYWxsLg==',
  },
];
/** Bytes that repeat and bytes that do not. */
const bytes = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 300, size: 'max' }), fc.integer({ min: 1, max: 40 })), { maxLength: 12, size: 'max' })
  .map((parts) => Buffer.concat(parts.flatMap(([part, times]) => Array.from({ length: times }, () => Buffer.from(part)))));

for (const { name, encode, decode, compressor, theirs } of formats)
  describe(name, () => {
    it('reads what other programs wrote', () => {
      const plain = Buffer.alloc(sentence.length);
      assert.equal(decode(Buffer.from(theirs, 'base64'), plain, 0), plain.length);
      assert.deepEqual(plain, sentence);
    });

    it('reads back what it wrote, and what repeats is small', () => {
      fc.assert(
        fc.property(bytes, (source) => {
          const plain = Buffer.alloc(source.length);
          assert.equal(decode(encode(source), plain, 0), source.length);
          assert.deepEqual(plain, source);
        }),
        { numRuns: 200 },
      );
      assert.ok(encode(Buffer.from('abcdefgh'.repeat(10_000))).length < 4500);
    });

    it('has files of blocks, read however they arrive', async () => {
      const source = Buffer.concat([sentence, Buffer.alloc(300_000, 'xyz'), sentence]);
      const file = compressor();
      const packed = Buffer.concat([file.update(source), file.update(sentence), file.end()]);
      for (const size of [1000, packed.length]) {
        const reader = new BlockReader(decode);
        for (let at = 0; at < packed.length; at += size) reader.write(packed.subarray(at, at + size));
        reader.end();
        assert.deepEqual(Buffer.concat(await reader.toArray()), Buffer.concat([source, sentence]));
      }
      const cut = new BlockReader(decode);
      cut.end(packed.subarray(0, -1));
      await assert.rejects(cut.toArray(), /ends in the middle of a block/);
    });

    it('refuses bytes that make no sense, and never writes beyond the block', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 40 }), (source) => {
          const guarded = Buffer.alloc(150, 7);
          try {
            decode(Buffer.from(source), guarded.subarray(0, 100), 0);
          } catch (error) {
            assert.match((error as Error).message, /^a block of .* makes no sense$/);
          }
          assert.ok(guarded.subarray(100).every((byte) => byte === 7));
        }),
        { numRuns: 1000 },
      );
    });
  });

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fromModifiedUtf8, longestTfileNumber, readTfileNumber, tfileNumberTail, writeTfileNumber, writeUtf } from './java-data.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

describe('texts of DataOutput.writeUTF', () => {
  it('have their length in front, NUL in two bytes and characters beyond the basic plane in six', () => {
    assert.equal(writeUtf('').toString('hex'), '0000');
    assert.equal(writeUtf('aé€').toString('hex'), '000661c3a9e282ac');
    assert.equal(writeUtf('\0').toString('hex'), '0002c080');
    assert.equal(writeUtf('😀').toString('hex'), '0006eda0bdedb880');
  });

  it('survive, lone surrogates too', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (codes) => {
        const text = String.fromCharCode(...codes);
        assert.equal(fromModifiedUtf8(writeUtf(text).subarray(2)), text);
      }),
    );
    const long = 'é'.repeat(30_000);
    assert.equal(fromModifiedUtf8(writeUtf(long).subarray(2)), long);
  });

  it('of more than 65,535 bytes are refused', () => {
    assert.equal(writeUtf('x'.repeat(65_535)).length, 65_537);
    assert.throws(() => writeUtf('x'.repeat(65_536)), new RangeError('encoded string too long: 65536 bytes'));
    assert.throws(() => writeUtf('€'.repeat(21_846)), RangeError);
  });

  it('that make no sense have U+FFFD where they do', () => {
    assert.equal(fromModifiedUtf8(Buffer.from([0x61, 0xff, 0x62])), 'a\ufffdb');
    assert.equal(fromModifiedUtf8(Buffer.from([0xe2, 0x82])), '\ufffd\ufffd');
    assert.equal(fromModifiedUtf8(Buffer.from([0xc3])), '\ufffd');
    fc.assert(fc.property(fc.uint8Array(), (bytes) => assert.equal(typeof fromModifiedUtf8(Buffer.from(bytes)), 'string')));
  });
});

describe('numbers of TFile', () => {
  it('take one byte up to 127, and more as they grow', () => {
    const widths: [number, number][] = [
      [0, 1],
      [-32, 1],
      [127, 1],
      [128, 2],
      [-33, 2],
      [20 * 256 - 1, 2],
      [20 * 256, 3],
      [16 * 65_536 - 1, 3],
      [16 * 65_536, 4],
      [8 * 2 ** 24 - 1, 4],
      [8 * 2 ** 24, 5],
      [2 ** 31, 6],
      [2 ** 52, longestTfileNumber - 1],
    ];
    for (const [value, width] of widths) assert.equal(writeTfileNumber(value).length, width, String(value));
  });

  it('survive, and tell by their first byte how many follow', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        const bytes = writeTfileNumber(value);
        assert.ok(bytes.length <= longestTfileNumber);
        assert.equal(tfileNumberTail(bytes[0]!), bytes.length - 1);
        assert.equal(readTfileNumber(bytes[0]!, bytes.subarray(1)), value);
      }),
      { numRuns: 500 },
    );
  });

  it('of any first byte have at most eight bytes behind it', () => {
    for (let first = 0; first < 256; first++) {
      const tail = tfileNumberTail(first);
      assert.ok(tail >= 0 && tail <= 8, `${first}: ${tail}`);
      assert.ok(Number.isFinite(readTfileNumber(first, Buffer.alloc(tail, 0x80))));
    }
  });
});

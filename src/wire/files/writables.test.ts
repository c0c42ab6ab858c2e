import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  readVariableInteger,
  variableInteger,
  variableIntegerSize,
  variableIntegerSizeAt,
  WritableReader,
  withLength,
  writeVariableInteger,
} from './writables.ts';

const seeded = { seed: 20_260_114, numRuns: 2000 };

/** Values around each change of length, besides any safe integer. */
const values = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -300, max: 300 }),
  fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: -2, max: 2 }), fc.boolean()).map(([bytes, near, negative]) => {
    const value = 256 ** bytes + near;
    return negative ? -value : value;
  }),
);

describe('variable-length integers', () => {
  it('have the bytes of WritableUtils', () => {
    for (const [value, bytes] of [
      [0, '00'],
      [127, '7f'],
      [-1, 'ff'],
      [-112, '90'],
      [128, '8f80'],
      [255, '8fff'],
      [256, '8e0100'],
      [65_536, '8d010000'],
      [0x7fffffff, '8c7fffffff'],
      [-113, '8770'],
      [-256, '87ff'],
      [-257, '860100'],
      [2 ** 40, '8a010000000000'],
    ] as const) {
      assert.equal(variableInteger(value).toString('hex'), bytes, String(value));
      assert.equal(readVariableInteger(Buffer.from(bytes, 'hex'), 0), value);
    }
  });

  it('are read as they were written, at any place', () => {
    fc.assert(
      fc.property(values, fc.nat(9), (value, at) => {
        const bytes = Buffer.alloc(at + 10, 0xa5);
        const end = writeVariableInteger(bytes, at, value);
        assert.equal(end - at, variableIntegerSize(value));
        assert.equal(variableIntegerSizeAt(bytes, at), end - at);
        assert.equal(readVariableInteger(bytes, at), value);
        assert.ok(bytes.subarray(0, at).every((byte) => byte === 0xa5) && bytes.subarray(end).every((byte) => byte === 0xa5));
      }),
      seeded,
    );
  });
});

describe('contents behind their length', () => {
  it('are read as they were written, one after the other', () => {
    const contents = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 });
    fc.assert(
      fc.property(contents, (parts) => {
        const reader = new WritableReader(Buffer.concat(parts.map((part) => withLength(Buffer.from(part)))));
        for (const part of parts) assert.deepEqual([...reader.content()], [...part]);
        assert.throws(() => reader.content(), RangeError);
      }),
      { ...seeded, numRuns: 300 },
    );
    assert.equal(withLength('é').toString('hex'), '02c3a9');
  });

  it('are refused where they are cut off or their length is none', () => {
    const whole = withLength(Buffer.alloc(200, 7));
    for (let length = 0; length < whole.length; length++)
      assert.throws(() => new WritableReader(whole.subarray(0, length)).content(), RangeError, String(length));
    // -1, -113 and 2^40 are no lengths.
    for (const bytes of ['ff00', '877000', '8a01000000000000'])
      assert.throws(() => new WritableReader(Buffer.from(bytes, 'hex')).content(), RangeError, bytes);
  });

  it('never leave their source, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const reader = new WritableReader(Buffer.from(bytes));
        try {
          for (;;) {
            const content = reader.content();
            assert.ok(reader.position <= bytes.length && content.length < bytes.length);
          }
        } catch (error) {
          assert.ok(error instanceof RangeError);
        }
      }),
      seeded,
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { BadTypedBytes, TypedBytesScanner, typedBytesText } from './typed-bytes.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_123) });

const number = (type: number, size: number, write: (bytes: Buffer) => void) => {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return Buffer.concat([Buffer.from([type]), bytes]);
};
const counted = (type: number, content: Buffer) => Buffer.concat([number(type, 4, (bytes) => bytes.writeInt32BE(content.length)), content]);
const text = (value: string) => counted(7, Buffer.from(value));
const int = (value: number) => number(3, 4, (bytes) => bytes.writeInt32BE(value));
const long = (value: bigint) => number(4, 8, (bytes) => bytes.writeBigInt64BE(value));
const float = (value: number) => number(5, 4, (bytes) => bytes.writeFloatBE(value));
const double = (value: number) => number(6, 8, (bytes) => bytes.writeDoubleBE(value));
const vector = (...values: Buffer[]) => Buffer.concat([number(8, 4, (bytes) => bytes.writeInt32BE(values.length)), ...values]);
const list = (...values: Buffer[]) => Buffer.concat([Buffer.from([9]), ...values, Buffer.from([255])]);
const map = (...pairs: [Buffer, Buffer][]) => Buffer.concat([number(10, 4, (bytes) => bytes.writeInt32BE(pairs.length)), ...pairs.flat()]);

describe('typed bytes', () => {
  test('are shown as Hadoop 3.4 shows them', () => {
    for (const [value, shown] of [
      [int(-5), '-5'],
      [long(2n ** 53n + 1n), '9007199254740993'],
      [Buffer.from([1, 255]), '-1'],
      [Buffer.from([2, 1]), 'true'],
      [double(1e10), '1.0E10'],
      [double(0.1), '0.1'],
      [double(-0), '-0.0'],
      [double(1e-5), '1.0E-5'],
      [double(100), '100.0'],
      [double(Number.MIN_VALUE), '4.9E-324'],
      [double(Number.NaN), 'NaN'],
      [float(0.1), '0.1'],
      [float(1e10), '1.0E10'],
      [float(16777216), '1.6777216E7'],
      [float(3.4028235e38), '3.4028235E38'],
      [float(1.4e-45), '1.4E-45'],
      [float(9999999), '9999999.0'],
      [text('hé'), 'hé'],
      [counted(0, Buffer.from([255, 1])), 'ff01'],
      [counted(100, Buffer.from([10])), '0a'],
      [vector(int(1), text('x')), '[1, x]'],
      [list(int(1), list(), text('y')), '[1, [], y]'],
      [map([text('b'), int(1)], [text('a'), double(2.5)], [text('b'), int(3)]), '{a=2.5, b=3}'],
      [vector(), '[]'],
    ] as const)
      assert.equal(typedBytesText(value, 0), shown);
  });

  test('end where they end, however they come', () => {
    const value = fc.letrec<{ value: Buffer }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.integer().map(int),
        fc.string().map(text),
        fc.uint8Array({ maxLength: 20 }).map((bytes) => counted(60, Buffer.from(bytes))),
        fc.double().map(double),
        fc.array(tie('value'), { maxLength: 4 }).map((values) => vector(...values)),
        fc.array(tie('value'), { maxLength: 4 }).map((values) => list(...values)),
        fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 }).map((pairs) => map(...pairs)),
      ),
    })).value;
    fc.assert(
      fc.property(fc.array(value, { maxLength: 6 }), fc.array(fc.nat(9), { minLength: 1, maxLength: 5 }), (values, steps) => {
        const bytes = Buffer.concat(values);
        const scanner = new TypedBytesScanner();
        const found: Buffer[] = [];
        let start = 0;
        for (let end = 0, i = 0; start < bytes.length; i++) {
          const length = scanner.lengthOf(bytes, start, end);
          if (length === undefined) end = Math.min(bytes.length, end + 1 + steps[i % steps.length]!);
          else found.push(bytes.subarray(start, (start += length)));
        }
        assert.deepEqual(found, values);
      }),
      { numRuns: 200 },
    );
  });

  test('of no known type, with negative lengths or too deep are refused', () => {
    const scan = (bytes: Buffer) => new TypedBytesScanner().lengthOf(bytes, 0, bytes.length);
    assert.throws(() => scan(Buffer.from([11])), BadTypedBytes);
    assert.throws(() => scan(Buffer.from([255])), /the end of a list where there is none/);
    assert.throws(() => scan(vector(Buffer.from([255]))), BadTypedBytes);
    assert.throws(() => scan(Buffer.from([7, 255, 255, 255, 255])), /a length of -1/);
    assert.throws(() => scan(Buffer.alloc(1000, 9)), /one inside the other/);
    assert.throws(() => typedBytesText(map([text('a'), int(1)], [int(1), int(1)]), 0), /cannot be compared/);
    assert.throws(() => typedBytesText(map([vector(), int(1)]), 0), /cannot be compared/);
  });
});

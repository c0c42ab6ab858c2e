import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { doubleText, floatText, longText } from './numbers.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const single = fc.float({ noNaN: true, noDefaultInfinity: true });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
/** What Java prints: a sign, digits, a point and digits, perhaps an exponent. */
const javaForm = /^-?(?:0|[1-9]\d*)\.\d+(?:E-?\d+)?$/;

describe('whole numbers of 64 bits', () => {
  it('are written exactly, whatever they are given as', () => {
    const cases: [number | bigint, string][] = [
      [0, '0'],
      [-0, '0'],
      [-1, '-1'],
      [2_147_483_648, '2147483648'],
      [Number.MAX_SAFE_INTEGER, '9007199254740991'],
      [9_007_199_254_740_993n, '9007199254740993'],
      [2 ** 60, '1152921504606846976'],
      [-(2 ** 60), '-1152921504606846976'],
      [-12n, '-12'],
    ];
    for (const [value, text] of cases) assert.equal(longText(value), text);
  });

  it('end where those of Java end', () => {
    for (const value of [2 ** 63, 2 ** 64, Number.POSITIVE_INFINITY, Number.MAX_VALUE])
      assert.equal(longText(value), '9223372036854775807');
    for (const value of [-(2 ** 64), Number.NEGATIVE_INFINITY, -Number.MAX_VALUE]) assert.equal(longText(value), '-9223372036854775808');
    assert.equal(longText(-(2 ** 63)), '-9223372036854775808');
  });

  it('lose their fraction, and are 0 where there is none', () => {
    assert.deepEqual([3.99, -3.99, 0.5, Number.NaN].map(longText), ['3', '-3', '0', '0']);
    assert.equal(longText(1e17 + 0.5), '100000000000000000');
  });

  it('are read back as they were', () => {
    fc.assert(fc.property(fc.maxSafeInteger(), (value) => assert.equal(Number(longText(value)), value === 0 ? 0 : value)));
    fc.assert(fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => assert.equal(BigInt(longText(value)), value)));
  });
});

describe('numbers of double precision', () => {
  it('have the text of Double.toString', () => {
    const cases: [number, string][] = [
      [0, '0.0'],
      [-0, '-0.0'],
      [1, '1.0'],
      [-1.5, '-1.5'],
      [0.001, '0.001'],
      [0.000_999, '9.99E-4'],
      [9_999_999, '9999999.0'],
      [10_000_000, '1.0E7'],
      [12_345_678.9, '1.23456789E7'],
      [123_456_789, '1.23456789E8'],
      [1e21, '1.0E21'],
      [1.5e300, '1.5E300'],
      [Number.MAX_VALUE, '1.7976931348623157E308'],
      [Number.MIN_VALUE, '4.9E-324'],
      [2.2250738585072014e-308, '2.2250738585072014E-308'],
      [0.1 + 0.2, '0.30000000000000004'],
      [100 / 3, '33.333333333333336'],
      [Number.NaN, 'NaN'],
      [Number.POSITIVE_INFINITY, 'Infinity'],
      [Number.NEGATIVE_INFINITY, '-Infinity'],
    ];
    for (const [value, text] of cases) assert.equal(doubleText(value), text);
  });

  it('are the same number when they are read, and have a digit on both sides of the point', () => {
    fc.assert(
      fc.property(finite, (value) => {
        const text = doubleText(value);
        assert.match(text, javaForm);
        assert.ok(Object.is(Number(text), value), `${text} is not ${value}`);
      }),
      { numRuns: 500 },
    );
  });

  it('are written plainly from a thousandth to ten millions, else with an exponent', () => {
    fc.assert(
      fc.property(finite, (value) => {
        const size = Math.abs(value);
        if (value !== 0) assert.equal(doubleText(value).includes('E'), size < 0.001 || size >= 10_000_000);
      }),
    );
  });
});

describe('numbers of single precision', () => {
  it('have the text of Float.toString', () => {
    const cases: [number, string][] = [
      [0, '0.0'],
      [-0, '-0.0'],
      [100, '100.0'],
      [0.1, '0.1'],
      [1 / 3, '0.33333334'],
      [2 / 3, '0.6666667'],
      [-66.666_664, '-66.666664'],
      [16_777_216, '1.6777216E7'],
      [9_999_999, '9999999.0'],
      [1e10, '1.0E10'],
      [0.001, '0.001'],
      [0.000_5, '5.0E-4'],
      [3.4028234663852886e38, '3.4028235E38'],
      [2 ** -149, '1.4E-45'],
      [7 * 2 ** -149, '9.8E-45'],
      [1e39, 'Infinity'],
      [-1e39, '-Infinity'],
      [Number.NaN, 'NaN'],
    ];
    for (const [value, text] of cases) assert.equal(floatText(value), text);
  });

  it('are the same single number when they are read, and no digit is too many', () => {
    fc.assert(
      fc.property(single, (value) => {
        const text = floatText(value);
        assert.match(text, javaForm);
        assert.ok(Object.is(Math.fround(Number(text)), value), `${text} is not ${value}`);
        const digits = text
          .replace(/E.*/, '')
          .replace(/[-.]/g, '')
          .replace(/^0+|0+$/g, '').length;
        assert.ok(digits <= 9, text);
      }),
      { numRuns: 500 },
    );
  });

  it('are what a double is cut to', () => {
    fc.assert(fc.property(finite, (value) => assert.equal(floatText(value), floatText(Math.fround(value)))));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from './entity.ts';
import { isRaw, parseExact, parseFilterValue, rawNumber, valueKey } from './exact-json.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

describe('JSON whose numbers survive', () => {
  it('is written as it was read', () => {
    for (const text of ['1.0', '-0', '9223372036854775807', '[1,2.50,1e3]', '{"a":0.10,"b":"1.0"}', '12345678901234567890', '1E-7', '-0.0'])
      assert.equal(JSON.stringify(parseExact(text)), text);
  });

  it('has plain numbers where they are exact', () => {
    const value = parseExact('{"a":1,"b":[1.5,-7],"c":9007199254740991}');
    assert.deepEqual(value, { a: 1, b: [1.5, -7], c: 9_007_199_254_740_991 });
    assert.equal(isRaw((value as Record<string, unknown>)['a']), false);
    assert.equal(isRaw(parseExact('1.0')), true);
    assert.equal(isRaw(null), false);
    assert.equal(isRaw({ rawJSON: '1' }), false);
  });

  it('takes what looks like such a number inside a text for text', () => {
    assert.deepEqual(parseExact('{"a":"1.0 and 9223372036854775807"}'), { a: '1.0 and 9223372036854775807' });
  });

  it('is every JSON that there is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        assert.equal(JSON.stringify(parseExact(text)), text);
      }),
    );
    fc.assert(fc.property(fc.bigInt(), (value) => assert.equal(JSON.stringify(parseExact(`{"n":${value}}`)), `{"n":${value}}`)));
  });

  it('keeps every way to write a number, also between texts that look like one', () => {
    const digits = fc.string({ unit: fc.constantFrom('0', '1', '9'), maxLength: 20 });
    const number = fc
      .tuple(fc.constantFrom('', '-'), digits, fc.constantFrom('', '.'), digits, fc.constantFrom('', 'e', 'E+', 'e-'), digits)
      .map(([sign, whole, point, fraction, exponent, power]) => {
        const decimals = point === '' || fraction === '' ? '' : `.${fraction}`;
        return `${sign}${whole.replace(/^0+/, '') || '0'}${decimals}${exponent === '' ? '' : `${exponent}${power || '7'}`}`;
      });
    const text = fc.constantFrom('""', '"-0"', String.raw`"1.0\"2.0"`, String.raw`"\\"`, '"9007199254740993"');
    fc.assert(
      fc.property(fc.array(fc.oneof(number, text)), (parts) => {
        const list = `[${parts.join(',')}]`;
        assert.equal(JSON.stringify(parseExact(list)), list);
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses what is no JSON', () => {
    for (const text of ['', '{', '01', "{'a':1}", '1.0.0', 'NaN']) assert.throws(() => parseExact(text), SyntaxError, text);
  });

  it('writes 64-bit integers given as texts', () => {
    assert.equal(JSON.stringify({ a: rawNumber('9223372036854775807') }), '{"a":9223372036854775807}');
    assert.throws(() => rawNumber('{}'), SyntaxError);
  });
});

describe('the key of a value', () => {
  const keyOf = (text: string): string => valueKey(parseExact(text));

  it('is one for what Java takes for equal', () => {
    assert.equal(keyOf('5'), keyOf('05'.replace(/^0/, '')));
    assert.equal(keyOf('1.0'), keyOf('1.00'));
    assert.equal(keyOf('1.5'), keyOf('15e-1'));
    assert.equal(keyOf('{"a":1,"b":2}'), keyOf('{"b":2,"a":1}'));
    assert.equal(keyOf('{"a":{"c":[1],"b":null}}'), keyOf('{"a":{"b":null,"c":[1]}}'));
  });

  it('differs between types that look alike', () => {
    const texts = [
      '5',
      '5.0',
      '"5"',
      '"5.0"',
      'true',
      '"true"',
      'null',
      '"null"',
      '[]',
      '{}',
      '[5]',
      '{"5":5}',
      '"o[]"',
      '9223372036854775807',
      '9223372036854775806',
    ];
    assert.equal(new Set(texts.map(keyOf)).size, texts.length);
  });

  it('keeps the order of lists', () => {
    assert.notEqual(keyOf('[1,2]'), keyOf('[2,1]'));
  });

  it('is the same after the value was written and read', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = parseExact(JSON.stringify(value));
        assert.equal(valueKey(once), valueKey(parseExact(JSON.stringify(once))));
      }),
    );
  });
});

describe('the value of a filter', () => {
  it('is one JSON value, else the text itself', () => {
    const cases: [string, JsonValue][] = [
      ['5', 5],
      ['"5"', '5'],
      ['true', true],
      ['null', null],
      ['[1]', [1]],
      ['ann', 'ann'],
      ['5 apples', '5 apples'],
      ['', ''],
      ['{', '{'],
    ];
    for (const [text, value] of cases) assert.deepEqual(parseFilterValue(text), value, text);
    assert.equal(valueKey(parseFilterValue('5.0')), 'd5');
  });
});

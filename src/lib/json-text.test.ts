import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { beyondBounds, deepestJson, endOfText, JsonTooDeep, JsonTooLong, mostJsonValues, parseJson } from './json-text.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('JSON of others', () => {
  it('ends a text where JSON does, however quotes and backslashes follow each other', () => {
    for (let number = 0; number < 4 ** 7; number++) {
      const inside = number.toString(4).replace(/./g, (digit) => '"\\ab'[Number(digit)] ?? '');
      const text = `"${inside}"`;
      let at = 1;
      for (; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
      assert.equal(endOfText(text, 0), Math.min(at, text.length), text);
    }
  });

  it('is read down to a bound', () => {
    assert.ok(Array.isArray(parseJson(nested(deepestJson))));
    assert.throws(() => parseJson(nested(deepestJson + 1)), JsonTooDeep);
    assert.throws(() => parseJson('{"a":'.repeat(deepestJson + 1)), JsonTooDeep);
    assert.throws(() => parseJson('['.repeat(5_000_000)), JsonTooDeep);
  });

  it('is as deep as its brackets outside of texts', () => {
    assert.equal(beyondBounds(JSON.stringify(['['.repeat(1000), '\\"{{'.repeat(1000)])), undefined);
    assert.ok(beyondBounds(`"\\\\"${nested(deepestJson + 1)}`) instanceof JsonTooDeep);
    assert.equal(beyondBounds(`[${'[],'.repeat(1000)}0]`), undefined);
    assert.equal(beyondBounds(`"${'['.repeat(1000)}`), undefined, 'a text that does not end');
  });

  it('has no more values than are read, however they are written', () => {
    const forms: readonly ((values: number) => string)[] = [
      (values) => `[${'0,'.repeat(values - 2)}0]`,
      (values) => `[${'[],'.repeat((values - 3) / 2)}[]]`,
      (values) => `{${'"a":{},'.repeat((values - 3) / 2)}"b":{}}`,
      (values) => `{"a":[${'",[{",'.repeat(values - 3)}0]}`,
    ];
    for (const form of forms) {
      assert.ok(parseJson(form(1001), undefined, 1001));
      assert.throws(() => parseJson(form(1003), undefined, 1001), JsonTooLong);
    }
    assert.ok(parseJson(forms[0]!(mostJsonValues)));
    assert.throws(() => parseJson(forms[0]!(mostJsonValues + 1)), /the JSON has more than 200000 values/);
  });

  it('is refused by the parser where it is none', () => {
    assert.throws(() => parseJson('{"a"'), SyntaxError);
  });
});

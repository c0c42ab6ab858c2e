import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deepestJson, JsonTooDeep, nestsTooDeep, parseJson } from './json-text.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('JSON of others', () => {
  it('is read down to a bound', () => {
    assert.ok(Array.isArray(parseJson(nested(deepestJson))));
    assert.throws(() => parseJson(nested(deepestJson + 1)), JsonTooDeep);
    assert.throws(() => parseJson('{"a":'.repeat(deepestJson + 1)), JsonTooDeep);
    assert.throws(() => parseJson('['.repeat(5_000_000)), JsonTooDeep);
  });

  it('is as deep as its brackets outside of texts', () => {
    assert.equal(nestsTooDeep(JSON.stringify(['['.repeat(1000), '\\"{{'.repeat(1000)])), false);
    assert.equal(nestsTooDeep(`"\\\\"${nested(deepestJson + 1)}`), true);
    assert.equal(nestsTooDeep(`[${'[],'.repeat(1000)}0]`), false);
    assert.equal(nestsTooDeep(`"${'['.repeat(1000)}`), false, 'a text that does not end');
  });

  it('is refused by the parser where it is none', () => {
    assert.throws(() => parseJson('{"a"'), SyntaxError);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLength } from './json-length.ts';

test('the length of an object is that of its JSON, and is counted once', () => {
  let counted = 0;
  const value = {
    name: 'ä"\n',
    toJSON() {
      counted++;
      return { name: this.name };
    },
  };
  const expected = JSON.stringify({ name: value.name }).length;
  assert.deepEqual([jsonLength(value), jsonLength(value), counted], [expected, expected, 1]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from './bounded-map.ts';

test('a bounded map forgets what was set first, and nothing for a key that it has', () => {
  const map = new BoundedMap<string | undefined, number>(2);
  map.set('a', 1).set(undefined, 2).set('a', 3);
  assert.deepEqual(
    [...map],
    [
      ['a', 3],
      [undefined, 2],
    ],
  );
  map.set('b', 4);
  assert.deepEqual([...map.keys()], [undefined, 'b']);
  map.set('c', 5);
  assert.deepEqual([...map.keys()], ['b', 'c']);
});

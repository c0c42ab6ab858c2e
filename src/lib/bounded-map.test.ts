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

test('it goes on so when others have taken keys away, set them again, or all at once', () => {
  const map = new BoundedMap<number, true>(3);
  for (let key = 0; key < 10; key++) map.set(key, true);
  map.delete(8);
  map.set(8, true).set(10, true);
  assert.deepEqual([...map.keys()], [9, 8, 10]);
  map.set(7, true);
  assert.deepEqual([...map.keys()], [8, 10, 7]);
  map.clear();
  for (let key = 0; key < 5; key++) map.set(key, true);
  assert.deepEqual([...map.keys()], [2, 3, 4]);
});

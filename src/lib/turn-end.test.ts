import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { TurnEnd } from './turn-end.ts';

test('what was added in a turn is carried out at its end, in its order, and what that adds in the next one', async () => {
  const carriedOut: string[] = [];
  const ends = new TurnEnd<string>((item) => {
    carriedOut.push(item);
    if (item === 'first') ends.add('of the first');
  });
  ends.add('first');
  ends.add('second');
  assert.deepEqual(carriedOut, []);
  await immediate();
  assert.deepEqual(carriedOut, ['first', 'second']);
  await immediate();
  assert.deepEqual(carriedOut, ['first', 'second', 'of the first']);
});

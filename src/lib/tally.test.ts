import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Tally } from './tally.ts';

it('counts what comes and goes, and keeps nothing of what is gone', () => {
  const tally = new Tally<string | undefined>();
  assert.deepEqual([tally.add('a'), tally.add(undefined), tally.add('a')], [1, 1, 2]);
  tally.remove('a');
  tally.remove(undefined);
  assert.deepEqual([tally.has('a'), tally.has(undefined), tally.size], [true, false, 1]);
  tally.remove('a');
  assert.deepEqual([tally.has('a'), tally.size], [false, 0]);
});

it('counts amounts', () => {
  const tally = new Tally<string>();
  tally.add('a', 5);
  assert.deepEqual([tally.add('a', 2), tally.of('a'), tally.of('b')], [7, 7, 0]);
  tally.remove('a', 6);
  assert.deepEqual([tally.of('a'), tally.size], [1, 1]);
  tally.remove('a', 1);
  assert.equal(tally.size, 0);
});

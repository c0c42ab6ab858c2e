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

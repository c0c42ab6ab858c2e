import assert from 'node:assert/strict';
import { it } from 'node:test';
import { byReason } from './reasons.ts';

it('puts those together that wait for the same reason', () => {
  const one = (id: string, sentence: string, state: 'ACCEPTED' | 'RUNNING' = 'ACCEPTED') => ({
    id,
    name: '',
    user: 'ann',
    queue: 'root.a',
    state,
    sinceMs: 1,
    sentence,
  });
  const groups = byReason([one('1', 'no room'), one('2', 'no master'), one('3', 'no room'), one('4', 'no room', 'RUNNING')]);
  assert.deepEqual(
    groups.map((group) => group.map(({ id }) => id)),
    [['1', '3'], ['2'], ['4']],
  );
  assert.deepEqual(byReason([]), []);
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextState, type TransitionTable } from './state-machine.ts';

describe('state machines', () => {
  it('go where their table says, and nowhere else', () => {
    const table = { NEW: { start: 'RUNNING', kill: 'ENDED' }, RUNNING: { end: 'ENDED' }, ENDED: {} } as const satisfies TransitionTable<
      'NEW' | 'RUNNING' | 'ENDED',
      'start' | 'end' | 'kill'
    >;
    const next = (state: 'NEW' | 'RUNNING' | 'ENDED', event: 'start' | 'end' | 'kill') =>
      nextState<'NEW' | 'RUNNING' | 'ENDED', 'start' | 'end' | 'kill'>(table, state, event);
    assert.deepEqual([next('NEW', 'start'), next('NEW', 'kill'), next('RUNNING', 'end')], ['RUNNING', 'ENDED', 'ENDED']);
    assert.deepEqual([next('NEW', 'end'), next('RUNNING', 'start'), next('ENDED', 'kill')], [undefined, undefined, undefined]);
  });
});

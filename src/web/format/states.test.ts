import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kindOf, outcomeOf, wordOf } from './states.ts';

describe('states', () => {
  it('have a word and a kind, those that nobody thought of too', () => {
    assert.deepEqual([kindOf('RUNNING'), kindOf('ACCEPTED'), kindOf('LOST'), kindOf('SOMETHING')], ['running', 'waiting', 'bad', 'unsure']);
    assert.deepEqual([wordOf('ACCEPTED'), wordOf('RUNNING'), wordOf('SOME_THING')], ['waiting', 'running', 'some thing']);
  });

  it('of what finished are what it came to', () => {
    assert.equal(outcomeOf('FINISHED', 'FAILED'), 'FAILED');
    assert.equal(outcomeOf('FINISHED', 'UNDEFINED'), 'FINISHED');
    assert.equal(outcomeOf('KILLED', 'KILLED'), 'KILLED');
  });
});

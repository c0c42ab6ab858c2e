import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { terminalVariables } from './terminal-variables.ts';

const terminal = { type: 'xterm-256color' };

describe('the variables of a terminal', () => {
  it('name letters of UTF-8 where the container names none, and leave alone what it says', () => {
    assert.deepEqual(terminalVariables({}, terminal), { TERM: 'xterm-256color', LANG: 'C.UTF-8' });
    assert.deepEqual(terminalVariables({ LANG: '' }, terminal), { TERM: 'xterm-256color', LANG: 'C.UTF-8' });
    for (const said of [{ LANG: 'de_DE.UTF-8' }, { LC_ALL: 'C' }, { LC_CTYPE: 'C' }] as Record<string, string>[])
      assert.deepEqual(terminalVariables(said, terminal), { TERM: 'xterm-256color' });
  });

  it('are none without a terminal', () => {
    assert.deepEqual(terminalVariables({}, undefined), {});
  });
});

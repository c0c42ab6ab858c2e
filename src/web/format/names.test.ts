import assert from 'node:assert/strict';
import { it } from 'node:test';
import { named } from './names.ts';

it('puts words where a name shows nothing', () => {
  for (const name of ['', '   ', '\t\n', '\u202e', '\u200b\u2069 ', '\0'])
    assert.equal(named(name), 'without a name', JSON.stringify(name));
  assert.equal(named(' \u202e', 'application_1_2'), 'application_1_2');
  for (const name of ['0', ' a ', '\u05e9', '🚀', '-']) assert.equal(named(name), name);
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressWithoutToken } from './credentials.ts';

it('leaves a token out of an address, and everything else as it is', () => {
  for (const [address, without] of [
    ['http://h:1/a?delegation=x', 'http://h:1/a'],
    ['/a?b=c&delegation=x&d#e', '/a?b=c&d#e'],
    ['/a?d%65legation=x&delegation&b=%zz', '/a?b=%zz'],
    ['/a?delegationx=y', '/a?delegationx=y'],
    ['/a#?delegation=x', '/a#?delegation=x'],
    ['/a', '/a'],
    ['', ''],
  ] as const)
    assert.equal(addressWithoutToken(address), without);
});

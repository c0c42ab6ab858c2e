import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Caller } from '../../auth/authenticator.ts';
import type { TokenRestriction } from '../../auth/bearer/restriction.ts';
import { NodeAccess } from './access.ts';

const accessWith = (enabled: boolean) => new NodeAccess({ enabled, administrators: 'boss', groupsOf: () => [], unnamedUnchecked: false });
const caller = (user: string | undefined, restriction?: TokenRestriction, anonymous = false): Caller => ({
  ...{ user, principal: user, anonymous, authentication: user === undefined ? undefined : 'simple', remoteAddress: '127.0.0.1' },
  ...(restriction && { restriction }),
});
const container = { user: 'ann', queue: 'root.etl.night' };

describe('acting for the owner of a container', () => {
  it('is for the owner, and for administrators where access lists are on', () => {
    const [on, off] = [accessWith(true), accessWith(false)];
    const allowed = (user: string | undefined, anonymous = false) =>
      [on, off].map((access) => access.mayActFor(caller(user, undefined, anonymous), container));
    assert.deepEqual(allowed('ann'), [true, true]);
    assert.deepEqual(allowed('boss'), [true, false]);
    assert.deepEqual(allowed('eve'), [false, false]);
    assert.deepEqual(allowed(undefined), [false, false]);
    // The static user stands in for who names nobody.
    assert.deepEqual(allowed('ann', true), [false, true]);
  });

  it('is within the queues of a bearer token', () => {
    const access = accessWith(true);
    const allowed = (...queues: string[]) => access.mayActFor(caller('ann', { scope: 'submit', queues }), container);
    assert.deepEqual([allowed('root.etl'), allowed('root.etl.night'), allowed('root')], [true, true, true]);
    assert.deepEqual([allowed('root.other'), allowed('root.etl.nigh'), allowed('root.etl.day'), allowed()], [false, false, false, false]);
    assert.equal(access.mayActFor(caller('boss', { scope: 'admin', queues: ['root.other'] }), container), false);
  });

  it("is for others than the owner by a token of the scope 'admin' alone", () => {
    const access = accessWith(true);
    const allowed = (user: string, scope: TokenRestriction['scope']) => access.mayActFor(caller(user, { scope }), container);
    assert.deepEqual([allowed('boss', 'admin'), allowed('boss', 'submit'), allowed('ann', 'submit')], [true, false, true]);
    assert.equal(accessWith(false).mayActFor(caller('boss', { scope: 'admin' }), container), false);
  });
});

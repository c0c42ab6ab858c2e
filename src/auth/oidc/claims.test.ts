import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { OidcRules } from '../../config/oidc-rules.ts';
import { claimedUser } from './claims.ts';

const rules = (more: Partial<OidcRules> = {}) =>
  ({
    userClaim: 'sub',
    userDomain: undefined,
    groupsClaim: 'groups',
    scopeOf: new Map([
      ['r', 'read'],
      ['a', 'admin'],
    ] as const),
    usualScope: 'submit',
    ...more,
  }) as OidcRules;
const userOf = (claims: Record<string, unknown>, more?: Partial<OidcRules>) => {
  const claimed = claimedUser(rules(more), claims);
  return typeof claimed === 'string' ? undefined : claimed.user;
};

it('name a user of their domain, whole or not at all', () => {
  const domain = { userDomain: 'Example.org' };
  assert.equal(userOf({ sub: 'ann@example.org' }, domain), 'ann');
  assert.equal(userOf({ sub: 'ann@EXAMPLE.org' }, { userDomain: '@example.org' }), 'ann');
  for (const sub of ['ann', 'ann@evil.org', 'ann@evil.org@example.org', '@example.org', 'ann@notexample.org', 'ann@example.org.evil.org'])
    assert.equal(userOf({ sub }, domain), undefined, sub);
  assert.equal(userOf({ sub: 'ann@example.org' }), undefined);
});
it('name nobody by an address that was not verified', () => {
  const email = { userClaim: 'email', userDomain: 'example.org' };
  assert.equal(userOf({ email: 'ann@example.org', email_verified: true }, email), 'ann');
  assert.equal(userOf({ email: 'ann@example.org' }, email), undefined);
  assert.equal(userOf({ email: 'ann@example.org', email_verified: 'true' }, email), undefined);
});
it('leave out groups that are no names', () => {
  const claimed = claimedUser(rules(), { sub: 'ann', groups: ['a', 'b c', 'd,e', '', '*', 7, null, 'x'.repeat(300), 'f'] });
  assert.deepEqual(typeof claimed === 'string' ? claimed : claimed.groups, ['a', 'f']);
  assert.deepEqual(claimedUser(rules(), { sub: 'ann', groups: 'a' }), { user: 'ann', groups: [], scope: 'submit' });
});
it('have the widest of the scopes that are known, else the usual one', () => {
  const scopeOf = (claims: Record<string, unknown>, more?: Partial<OidcRules>) => {
    const claimed = claimedUser(rules(more), { sub: 'ann', ...claims });
    return typeof claimed === 'string' ? claimed : claimed.scope;
  };
  assert.equal(scopeOf({ scope: 'x r a' }), 'admin');
  assert.equal(scopeOf({ scp: ['r'] }), 'read');
  assert.equal(scopeOf({ scope: 'admin ra' }), 'submit');
  assert.equal(scopeOf({ scope: { a: 1 } }), 'submit');
  assert.match(scopeOf({ scope: 'x' }, { usualScope: undefined }), /no scope/);
});

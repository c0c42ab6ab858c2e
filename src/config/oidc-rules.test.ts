import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { loadConfiguration } from './load.ts';
import { isSafeUrl, oidcRules } from './oidc-rules.ts';

const prefix = 'heddle.security.oidc.';
const rules = (set: Record<string, string>) =>
  oidcRules(
    loadConfiguration({
      dataDir: tmpdir(),
      set: Object.fromEntries(
        Object.entries({ issuer: 'https://login.example', audience: 'heddle', ...set }).map(([name, value]) => [prefix + name, value]),
      ),
    }),
  );

it('are what the settings say', () => {
  const { issuer, audiences, userClaim, usualScope, scopeOf, signIn } = rules({ 'scope-mapping': 'a:b=read, https://x/y=z=admin' });
  assert.deepEqual([issuer, audiences, userClaim, usualScope, signIn], ['https://login.example', ['heddle'], 'sub', 'submit', undefined]);
  assert.deepEqual(
    [...scopeOf],
    [
      ['a:b', 'read'],
      ['https://x/y=z', 'admin'],
    ],
  );
  assert.equal(rules({ 'default-scope': 'none' }).usualScope, undefined);
  assert.deepEqual(rules({ audience: '', 'client-id': 'pages', 'sign-in-scopes': 'groups' }).signIn?.scopes, ['openid', 'groups']);
});
it('refuse what would be less safe than it looks', () => {
  const refused = (set: Record<string, string>, reason: RegExp) => assert.throws(() => rules(set), reason, JSON.stringify(set));
  refused({ issuer: '' }, /issuer.*not named/);
  refused({ issuer: 'http://login.example' }, /no https address/);
  refused({ issuer: 'https://user:secret@login.example' }, /no https address/);
  refused({ 'jwks-uri': 'http://login.example/keys' }, /no https address/);
  refused({ 'jwks-uri': '/keys' }, /no https address/);
  refused({ algorithms: 'RS256,HS256' }, /'HS256' is not taken/);
  refused({ algorithms: 'none' }, /'none' is not taken/);
  refused({ 'scope-mapping': 'a=root' }, /no mapping/);
  refused({ 'scope-mapping': '=read' }, /no mapping/);
  refused({ audience: '' }, /neither an audience nor a client/);
});
it('take http on loopback alone', () => {
  for (const url of ['http://127.0.0.1:1/x', 'http://localhost/', 'http://[::1]:5', 'https://any.example']) assert.ok(isSafeUrl(url), url);
  for (const url of ['http://127.0.0.1.example', 'http://localhost.example', 'ftp://localhost', 'x', '', 'javascript:1'])
    assert.ok(!isSafeUrl(url), url);
});

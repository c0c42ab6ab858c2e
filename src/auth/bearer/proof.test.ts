import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { seededRandom } from '../../lib/random.ts';
import type { AuthenticationRequest } from '../authenticator.ts';
import { bearerProof } from './proof.ts';
import { TokenRegistry } from './token-registry.ts';

const store = { load: () => [], put: async () => undefined, remove: async () => undefined };

/** A proof by the tokens of a registry, and who a header proves to be, or why it does not. */
function stand(believesNames = false) {
  const clock = new ManualClock();
  const registry = new TokenRegistry({ store, clock, random: seededRandom(1), failed: (error) => assert.fail(String(error)) });
  const asked: string[] = [];
  const judge = (digest: string) => {
    asked.push(digest);
    return registry.judge(digest);
  };
  const proof = bearerProof({ judge, believesNames });
  const shown = (authorization: string | undefined, query: Record<string, string> = {}) => {
    const headers = authorization === undefined ? {} : { authorization };
    const request: AuthenticationRequest = { method: 'GET', path: '/', query: (name) => query[name], headers, remoteAddress: '::1' };
    const found = proof(request);
    assert.ok(!(found instanceof Promise));
    if (found === undefined) return undefined;
    return 'caller' in found
      ? `${found.caller.user}${found.caller.onlyNamed ? ', only named' : ''}`
      : 'refusal' in found
        ? found.refusal.message
        : assert.fail();
  };
  const make = (asked: { user?: string; proved?: boolean } = {}) =>
    registry.create({ user: 'ann', name: 'ci', scope: 'read', lifetimeMs: 1000, proved: true, ...asked });
  return { clock, registry, shown, make, asked };
}

it('asks each time what a token is worth that it has seen before', async () => {
  const { clock, registry, shown, make } = stand();
  const [first, second] = [await make(), await make({ user: 'bob' })];
  for (const header of [`Bearer ${first.text}`, `bearer   ${first.text}  `, `Bearer ${first.text}`]) assert.equal(shown(header), 'ann');
  assert.equal(shown(`Bearer ${second.text}`), 'bob');
  await registry.revoke(first.token);
  assert.match(shown(`Bearer ${first.text}`)!, /was revoked/);
  assert.equal(shown(`Bearer ${second.text}`), 'bob');
  clock.advance(1000);
  assert.match(shown(`Bearer ${second.text}`)!, /has expired/);
});
it('takes nothing else for a token that it has seen', async () => {
  const { shown, make } = stand();
  const { text } = await make();
  assert.equal(shown(`Bearer ${text}`), 'ann');
  assert.match(shown(`Bearer ${text}x`)!, /not one of this cluster/);
  assert.equal(shown(`Bearer ${text} x`), undefined);
  assert.equal(shown(`Basic ${text}`), undefined);
  assert.equal(shown(undefined), undefined);
  assert.match(shown(undefined, { access_token: text })!, /address/);
});
it('takes a token that was made for a mere name only where names are believed', async () => {
  for (const [believesNames, expected] of [
    [true, /^ann, only named$/],
    [false, /made while names were believed/],
  ] as const) {
    const { shown, make } = stand(believesNames);
    const { text } = await make({ proved: false });
    for (let time = 0; time < 2; time++) assert.match(shown(`Bearer ${text}`)!, expected);
  }
});
it('asks nobody about what is no token', async () => {
  const { shown, make, asked } = stand();
  const { text, token } = await make();
  for (const none of ['heddle_', 'heddle_x', `heddle_${'0'.repeat(16)}_short`, `${text}=`])
    assert.match(shown(`Bearer ${none}`)!, /not one of this cluster/, none);
  assert.equal(shown(`Bearer ${token.digest}`), undefined, 'what is kept is no token');
  assert.deepEqual(asked, []);
});

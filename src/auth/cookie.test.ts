import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import type { Identity } from './authenticator.ts';
import { cookieProof } from './cookie.ts';
import { CookieSigner, type CookieToken } from './signer.ts';

/** A proof by cookies, and the user that a header proves. */
function stand(types = ['simple']) {
  const clock = new ManualClock();
  const signer = new CookieSigner(Buffer.alloc(32, 1));
  const proof = cookieProof({ signer, clock }, types);
  const shown = (cookie: string) => {
    const request = { method: 'GET', path: '/', query: () => undefined, headers: { cookie }, remoteAddress: '::1' };
    const found = proof(request) as Identity | undefined;
    return found && 'caller' in found ? found.caller.user : undefined;
  };
  const given = (lifetimeMs: number, other: Partial<CookieToken> = {}) =>
    `hadoop.auth=${signer.sign({ user: 'ada', principal: 'ada', type: 'simple', expiresMs: clock.now() + lifetimeMs, ...other })}`;
  return { clock, shown, given };
}

it('takes a cookie that it has seen until its end, to the millisecond, and never again', () => {
  const { clock, shown, given } = stand();
  const header = given(1000);
  for (const passedMs of [0, 500, 499]) {
    clock.advance(passedMs);
    assert.equal(shown(header), 'ada');
  }
  clock.advance(1);
  for (let time = 0; time < 2; time++) assert.equal(shown(header), undefined);
});
it('takes no other header for one that it has seen', () => {
  const { shown, given } = stand();
  const header = given(1000);
  assert.equal(shown(header), 'ada');
  for (const [from, to] of [
    ['u=ada', 'u=eve'],
    ['p=ada', 'p=eve'],
    ['t=simple', 't=simple-dt'],
    ['e=', 'e=9'],
    ['s=', 's=A'],
    ['hadoop.auth', 'hadoop.auti'],
  ] as const)
    assert.equal(shown(header.replace(from, to)), undefined, to);
  assert.equal(shown(`x=1; ${header}`), 'ada');
  assert.equal(shown(given(1000, { user: 'bob', principal: 'bob' })), 'bob');
});
it('takes no cookie of another mechanism, however often it comes', () => {
  const { shown, given } = stand(['kerberos']);
  const header = given(1000);
  for (let time = 0; time < 3; time++) assert.equal(shown(header), undefined);
  assert.equal(shown(given(1000, { type: 'kerberos' })), 'ada');
});
it('remembers a bounded number of headers, and takes those that it forgot', () => {
  const { shown, given } = stand();
  const headers = Array.from({ length: 2500 }, (_, number) => given(1000, { user: `user${number}` }));
  for (let time = 0; time < 2; time++) for (const [number, header] of headers.entries()) assert.equal(shown(header), `user${number}`);
});

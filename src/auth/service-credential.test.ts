import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import type { AuthenticationRequest } from './authenticator.ts';
import { serviceAuthorization, serviceProof } from './service-credential.ts';

const clock = new ManualClock();
const secret = Buffer.alloc(32, 7);
const place = { method: 'PUT', host: 'rm:8088', path: '/ws/v1/cluster/x' };
const sent = (authorization: string, more: Partial<AuthenticationRequest> = {}): AuthenticationRequest => ({
  method: place.method,
  path: place.path,
  query: () => undefined,
  headers: { host: place.host, authorization },
  remoteAddress: '10.0.0.1',
  ...more,
});
const prove = serviceProof(secret, clock);
const statusOf = (request: AuthenticationRequest) => {
  const identity = prove(request);
  if (!identity || identity instanceof Promise) return identity;
  return 'caller' in identity ? identity.caller.user : 'refusal' in identity ? identity.refusal.code : 'answer';
};
const good = () => serviceAuthorization(secret, 'hub', place, clock.now());

it('proves a server for the request that it was made for', () => {
  assert.equal(statusOf(sent(good())), 'hub');
});
it('is worth nothing for another request, another server, another time, or under another secret', () => {
  const credential = good();
  assert.equal(statusOf(sent(credential, { method: 'DELETE' })), 'BEARER_INVALID');
  assert.equal(statusOf(sent(credential, { path: '/ws/v1/cluster/y' })), 'BEARER_INVALID');
  assert.equal(statusOf(sent(credential, { headers: { host: 'nm:8042', authorization: credential } })), 'BEARER_INVALID');
  assert.equal(statusOf(sent(credential, { headers: { authorization: credential } })), 'BEARER_INVALID');
  assert.equal(statusOf(sent(serviceAuthorization(Buffer.alloc(32, 8), 'hub', place, clock.now()))), 'BEARER_INVALID');
  assert.equal(statusOf(sent(serviceAuthorization(secret, 'hub', place, clock.now() - 121_000))), 'BEARER_INVALID');
  assert.equal(statusOf(sent(serviceAuthorization(secret, 'hub', place, clock.now() + 121_000))), 'BEARER_INVALID');
});
it('cannot be changed, and broken ones are refused', () => {
  const [claims = '', signature = ''] = good().slice('Bearer heddle-service_'.length).split('.');
  const forged = Buffer.from(JSON.stringify({ user: 'root', expiresMs: clock.now() + 60_000 })).toString('base64url');
  for (const text of [`${forged}.${signature}`, `${claims}.`, claims, '', '.', `${claims}.${signature}x`, `!!.${signature}`])
    assert.equal(statusOf(sent(`Bearer heddle-service_${text}`)), 'BEARER_INVALID', text);
});
it('is not looked for in other tokens', () => {
  assert.equal(statusOf(sent('Bearer heddle_0')), undefined);
  assert.equal(statusOf(sent('')), undefined);
});

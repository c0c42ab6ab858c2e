import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import type { AuthenticationRequest } from './authenticator.ts';
import { actingUserHeader, serverTickets, serviceAuthorization, serviceProof } from './service-credential.ts';

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
const prove = serviceProof({ secret, clock });
const statusOf = (request: AuthenticationRequest) => {
  const identity = prove(request);
  if (!identity || identity instanceof Promise) return identity;
  return 'caller' in identity ? identity.caller.user : 'refusal' in identity ? identity.refusal.code : 'answer';
};
const good = () => serviceAuthorization({ secret }, 'hub', place, clock.now());

it('proves a server for the request that it was made for', () => {
  assert.equal(statusOf(sent(good())), 'hub');
});
it('is worth nothing for another request, another server, another time, or under another secret', () => {
  const credential = good();
  assert.equal(statusOf(sent(credential, { method: 'DELETE' })), 'BEARER_INVALID');
  assert.equal(statusOf(sent(credential, { path: '/ws/v1/cluster/y' })), 'BEARER_INVALID');
  assert.equal(statusOf(sent(credential, { headers: { host: 'nm:8042', authorization: credential } })), 'BEARER_INVALID');
  assert.equal(statusOf(sent(credential, { headers: { authorization: credential } })), 'BEARER_INVALID');
  assert.equal(statusOf(sent(serviceAuthorization({ secret: Buffer.alloc(32, 8) }, 'hub', place, clock.now()))), 'BEARER_INVALID');
  assert.equal(statusOf(sent(serviceAuthorization({ secret }, 'hub', place, clock.now() - 121_000))), 'BEARER_INVALID');
  assert.equal(statusOf(sent(serviceAuthorization({ secret }, 'hub', place, clock.now() + 121_000))), 'BEARER_INVALID');
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

describe('a node, which does not have the secret of the servers', () => {
  const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const own = Buffer.alloc(32, 9);
  const codeOf = (nodeKeys: readonly Buffer[] | undefined, signedBy: { secret: Buffer; nodeKey?: Buffer }) => {
    const proof = serviceProof({ secret: own, nodeKeys: nodeKeys && (() => nodeKeys), clock });
    const identity = proof(sent(serviceAuthorization(signedBy, 'hub', place, clock.now())));
    assert.ok(identity && !(identity instanceof Promise));
    return 'caller' in identity ? identity.caller.user : 'refusal' in identity && identity.refusal.code;
  };

  it('knows servers by the secret of the cluster, the former ones too', () => {
    for (const nodeKey of keys) assert.equal(codeOf(keys, { secret, nodeKey }), 'hub');
    assert.equal(codeOf(keys, { secret, nodeKey: Buffer.alloc(32, 3) }), 'BEARER_INVALID');
    assert.equal(codeOf(keys, { secret }), 'BEARER_INVALID');
    assert.equal(codeOf(keys, { secret: keys[0]! }), 'BEARER_INVALID', 'each signature has its place');
  });

  it('is the only one who does: elsewhere nodes prove nothing by it', () => {
    assert.equal(codeOf(undefined, { secret, nodeKey: keys[0]! }), 'BEARER_INVALID');
  });
});

describe('a ticket of a server of the cluster', () => {
  const headers = { 'www-authenticate': 'Negotiate bXV0dWFs', 'set-cookie': 'hadoop.auth=x' };
  /** What takes a ticket of this principal makes of it. */
  const taken = (principal: string, said: Record<string, string>, later = false) => {
    const caller = { user: 'rm', principal, anonymous: false, authentication: 'kerberos', remoteAddress: '10.0.0.1' } as const;
    const proof = serverTickets(new Set(['rm/hub@R']), () => (later ? Promise.resolve({ caller, headers }) : { caller, headers }));
    return proof(sent('Negotiate x', { headers: said }));
  };

  it('counts as the secret of the servers does, for whom it says', async () => {
    const caller = { principal: 'rm/hub@R', anonymous: false, authentication: 'service', remoteAddress: '10.0.0.1' };
    const mutual = { 'www-authenticate': 'Negotiate bXV0dWFs' };
    assert.deepEqual(taken('rm/hub@R', {}), { caller: { ...caller, user: 'rm' }, headers: mutual });
    const acting = { [actingUserHeader]: 'ann%C3%A9' };
    assert.deepEqual(await taken('rm/hub@R', acting, true), { caller: { ...caller, user: 'anné' }, headers: mutual });
  });

  it('of anybody else names its principal alone, whomever it says that it acts for', () => {
    for (const principal of ['rm/other@R', 'rm@R', 'rm/hub@ELSEWHERE', 'ann@R']) {
      const identity = taken(principal, { [actingUserHeader]: 'root' });
      assert.ok(identity && 'caller' in identity);
      assert.deepEqual([identity.caller.user, identity.caller.authentication, identity.headers], ['rm', 'kerberos', headers]);
    }
  });

  it('that acts for nobody is refused', () => {
    for (const name of ['', '%', '%00', '%E2%80%AE', '@R', ' '])
      assert.ok('refusal' in (taken('rm/hub@R', { [actingUserHeader]: name }) as object), name);
  });

  it('is asked for where a credential is refused, and tickets are taken', () => {
    const challenge = (orTicket: boolean) => {
      const identity = serviceProof({ secret, clock, orTicket })(sent('Bearer heddle-service_x.y'));
      return identity && 'refusal' in identity ? identity.headers?.['www-authenticate'] : undefined;
    };
    assert.equal(challenge(true), 'Negotiate, Bearer realm="heddle", error="invalid_token"');
    assert.equal(challenge(false), 'Bearer realm="heddle", error="invalid_token"');
  });
});

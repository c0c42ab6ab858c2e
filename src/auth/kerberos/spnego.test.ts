import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import type { AuthenticationRequest, Identity } from '../authenticator.ts';
import { CookieSigner } from '../signer.ts';
import { type Accepted, GssRefused, GssUnavailable } from './gss.ts';
import { type SpnegoOptions, spnegoProof } from './spnego.ts';

const clock = new ManualClock();
const signer = new CookieSigner(Buffer.alloc(32, 1));
const accepted: Accepted = { principal: 'ann@R', target: 'HTTP/host@R', token: 'bXV0dWFs' };

function prove(authorization: string | undefined, options: Partial<SpnegoOptions> = {}): ReturnType<ReturnType<typeof spnegoProof>> {
  const request: AuthenticationRequest = {
    method: 'GET',
    path: '/',
    query: () => undefined,
    headers: { authorization },
    remoteAddress: '10.0.0.5',
  };
  return spnegoProof({
    signer,
    clock,
    cookieType: 'kerberos-dt',
    nameOf: (principal) => /^(.*)@R$/.exec(principal)?.[1],
    logger: silentLogger,
    accept: async () => accepted,
    ...options,
  })(request);
}
const refusalOf = (identity: Identity | undefined) =>
  identity && 'refusal' in identity ? identity.refusal : assert.fail(JSON.stringify(identity));

describe('a ticket', () => {
  it('names its user, proves the server, and brings a cookie', async () => {
    const asked: string[] = [];
    const identity = await prove('negotiate  dGlja2V0', {
      accept: async (token) => {
        asked.push(token);
        return accepted;
      },
    });
    assert.deepEqual(asked, ['dGlja2V0']);
    const caller = { user: 'ann', principal: 'ann@R', anonymous: false, authentication: 'kerberos', remoteAddress: '10.0.0.5' };
    assert.deepEqual(identity && 'caller' in identity && identity.caller, caller);
    assert.equal(identity?.headers?.['www-authenticate'], 'Negotiate bXV0dWFs');
    assert.match(identity?.headers?.['set-cookie'] ?? '', /^hadoop\.auth="u=ann&p=ann@R&t=kerberos-dt&e=\d+&s=[^"]+"; Path=\/; HttpOnly$/);
  });

  it('is no part of other requests', () => {
    for (const authorization of [undefined, '', 'Basic YW5uOng=', 'Bearer x', 'Negotiated x'])
      assert.equal(prove(authorization), undefined);
  });

  it('is refused where it is none, without work for it', async () => {
    const accept = () => assert.fail('not looked at');
    for (const authorization of ['Negotiate', 'Negotiate ', 'Negotiate a b', 'Negotiate ä', `Negotiate ${'='.repeat(9)}`]) {
      const identity = await prove(authorization, { accept });
      const { code, entry } = refusalOf(identity);
      assert.deepEqual(
        [code, entry.status, identity?.headers],
        ['KERBEROS_TICKET_REFUSED', 403, { 'set-cookie': 'hadoop.auth=; Path=/; HttpOnly' }],
      );
    }
  });

  it('is refused for other services of the host, and for principals that are nobody here', async () => {
    for (const [changes, reason] of [
      [{ target: 'host/a@R' }, /it is for host\/a@R, not for HTTP/],
      [{ principal: 'ann@OTHER' }, /no rule of hadoop\.security\.auth_to_local gives a user for ann@OTHER/],
      [{ principal: ' @R' }, /no rule/],
      [{ principal: 'a\nb@R' }, /no rule/],
    ] as const)
      assert.match(refusalOf(await prove('Negotiate eA==', { accept: async () => ({ ...accepted, ...changes }) })).message, reason);
  });

  it('sets no cookie for a name that would end a part of it', async () => {
    for (const user of ['a&u=root', 'a"', 'a;b', '名']) {
      const identity = await prove('Negotiate eA==', { accept: async () => ({ ...accepted, principal: `${user}@R` }) });
      assert.deepEqual(Object.keys(identity?.headers ?? {}), ['www-authenticate'], user);
    }
  });

  it('that was not accepted is refused with the reason; what cannot be looked at now is no fault of the caller', async () => {
    const failing = (error: Error) => prove('Negotiate eA==', { accept: () => Promise.reject(error) });
    assert.match(refusalOf(await failing(new GssRefused('Request is a replay'))).message, /: Request is a replay$/);
    const busy = refusalOf(await failing(new GssUnavailable('too many logins at once')));
    assert.deepEqual([busy.code, busy.entry.status], ['KERBEROS_UNAVAILABLE', 503]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proxyKeyOf, signedProxyUser, verifiedProxyUser } from './proxy-user.ts';

const application = 'application_1_0001';
const key = proxyKeyOf(Buffer.alloc(32, 1), application);
const now = 1_700_000_000_000;

describe('the name of a visitor, signed by the web proxy', () => {
  it('is known by the application’s masters', () => {
    for (const user of ['ada', 'ada@EXAMPLE', 'grüße', 'a.b;c="d']) {
      const signed = signedProxyUser(key, application, user, now);
      assert.match(signed, /^[\w.-]+$/);
      assert.equal(verifiedProxyUser(signed, key, application, now + 1000), user);
    }
    assert.equal(verifiedProxyUser(signedProxyUser(key, application, undefined, now), key, application, now), undefined);
  });
  it('counts for no other application, key or time', () => {
    const signed = signedProxyUser(key, application, 'ada', now);
    assert.equal(verifiedProxyUser(signed, key, 'application_1_0002', now), undefined);
    assert.equal(verifiedProxyUser(signed, proxyKeyOf(Buffer.alloc(32, 1), 'application_1_0002'), application, now), undefined);
    assert.equal(verifiedProxyUser(signed, proxyKeyOf(Buffer.alloc(32, 2), application), application, now), undefined);
    assert.equal(verifiedProxyUser(signed, key, application, now + 3_600_000), undefined);
    assert.equal(verifiedProxyUser(signed, key, application, now - 3_600_000), undefined);
  });
  it('cannot be changed', () => {
    const signed = signedProxyUser(key, application, 'ada', now);
    const [version, time, , signature] = signed.split('.');
    const bob = Buffer.from('bob').toString('base64url');
    for (const forged of [
      'ada',
      '',
      `${version}.${time}.${bob}.${signature}`,
      `${version}.${Number(time) + 1}.${signed.split('.')[2]}.${signature}`,
      signed.slice(0, -1),
      `${signed}A`,
      `${signed}\n`,
      signed.replace('v1', 'v2'),
    ])
      assert.equal(verifiedProxyUser(forged, key, application, now), undefined, forged);
  });
});

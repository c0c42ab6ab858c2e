import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CookieSigner, type CookieToken } from './signer.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const key = Buffer.alloc(32, 7);
const signer = new CookieSigner(key);
const token: CookieToken = { user: 'ada', principal: 'ada@REALM', type: 'kerberos', expiresMs: 1000 };
const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('&'));

describe('cookies', () => {
  it("have the form of hadoop-auth's, signed with HMAC-SHA256 in base64", () => {
    const text = 'u=ada&p=ada@REALM&t=kerberos&e=1000';
    assert.equal(signer.sign(token), `${text}&s=${createHmac('sha256', key).update(text).digest('base64')}`);
  });

  it('are verified by who has the secret, until their time is over', () => {
    const value = signer.sign(token);
    assert.deepEqual(signer.verify(value, 999), token);
    assert.deepEqual(new CookieSigner(key).verify(value, 0), token);
    assert.equal(signer.verify(value, 1000), undefined);
    assert.equal(new CookieSigner(key).verify(value, 1000), undefined);
    assert.equal(new CookieSigner(Buffer.alloc(32, 8)).verify(value, 0), undefined);
  });

  it('are given again to one who comes again within a second, and to nobody else', () => {
    const ours = new CookieSigner(key);
    const at = (expiresMs: number, other: Partial<CookieToken> = {}) => ours.give({ ...token, expiresMs, ...other });
    const first = at(5000);
    assert.equal(first, ours.sign({ ...token, expiresMs: 5000 }));
    assert.equal(at(5999), first);
    assert.equal(at(6000), ours.sign({ ...token, expiresMs: 6000 }));
    assert.equal(at(5000), ours.sign({ ...token, expiresMs: 5000 }), 'a clock that goes back lengthens nothing');
    for (const other of [{ user: 'bob' }, { principal: 'ada' }, { type: 'simple' }])
      assert.equal(at(5000, other), ours.sign({ ...token, expiresMs: 5000, ...other }));
  });

  it('survive whatever names stand in them', () => {
    fc.assert(
      fc.property(
        name,
        name,
        fc.constantFrom('simple', 'simple-dt', 'kerberos'),
        fc.integer({ min: 1 }),
        (user, principal, type, expiresMs) => {
          const one = { user, principal, type, expiresMs };
          assert.deepEqual(signer.verify(signer.sign(one), 0), one);
        },
      ),
    );
  });

  it('are refused where one character is another', () => {
    const value = signer.sign(token);
    for (let at = 0; at < value.length; at++) {
      const forged = `${value.slice(0, at)}${value[at] === 'A' ? 'B' : 'A'}${value.slice(at + 1)}`;
      assert.equal(signer.verify(forged, 0), undefined, forged);
    }
    for (const broken of ['', 'u=ada', '&s=', value.replace('&s=', '&t='), `${value}=`, value.slice(0, value.indexOf('&s=') + 3)])
      assert.equal(signer.verify(broken, 0), undefined, broken);
  });

  it('without a user or an end are refused though they are signed', () => {
    assert.equal(signer.verify(signer.sign({ ...token, user: '' }), 0), undefined);
    assert.equal(signer.verify(signer.sign({ ...token, expiresMs: Number.NaN }), 0), undefined);
  });
});

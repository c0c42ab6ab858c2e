import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bearerToken, isSameSecret } from './secrets.ts';

describe('secrets', () => {
  it('are the same only byte for byte, of whatever length', () => {
    assert.ok(isSameSecret('abc', 'abc'));
    assert.ok(isSameSecret(Buffer.from('abc'), 'abc'));
    for (const given of ['', 'ab', 'abcd', 'abd', 'ABC']) assert.ok(!isSameSecret(given, 'abc'), given);
    // Lengths are those of bytes: two texts of one character each.
    assert.ok(!isSameSecret('é', 'e'));
  });

  it('are never the same as an empty one', () => {
    assert.ok(!isSameSecret('', ''));
    assert.ok(!isSameSecret(Buffer.alloc(0), Buffer.alloc(0)));
  });
});

describe('bearer tokens', () => {
  it('are read from the header, its scheme in any case', () => {
    for (const authorization of ['Bearer a.b-c_d=', 'bearer a.b-c_d=', 'BEARER   a.b-c_d= '])
      assert.equal(bearerToken({ authorization }), 'a.b-c_d=', authorization);
  });

  it('are absent where the header is, has another scheme or several words', () => {
    for (const authorization of [undefined, '', 'Bearer', 'Bearer ', 'a.b', 'Basic a', 'Bearer a b', 'Bearera'])
      assert.equal(bearerToken(authorization === undefined ? {} : { authorization }), undefined, String(authorization));
  });
});

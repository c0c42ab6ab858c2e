import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { seededRandom } from '../lib/random.ts';
import { DigestMd5 } from './digest-md5.ts';

const md5 = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** What a client answers (RFC 2831 section 2.1.2.1). */
function answerTo(challenge: string, identifier: Buffer, password: Buffer, change: (text: string) => string = (text) => text): Buffer {
  const nonce = /nonce="([^"]+)"/.exec(challenge)![1]!;
  const [user, secret, cnonce] = [identifier.toString('base64'), password.toString('base64'), 'Y25vbmNl'];
  const a1 = Buffer.concat([md5(`${user}:default:${secret}`), Buffer.from(`:${nonce}:${cnonce}`)]);
  const response = md5(`${md5(a1).toString('hex')}:${nonce}:00000001:${cnonce}:auth:${md5('AUTHENTICATE:/default').toString('hex')}`);
  const text =
    `charset=utf-8,username="${user}",realm="default",nonce="${nonce}",nc=00000001,cnonce="${cnonce}",digest-uri="/default",` +
    `maxbuf=65536,response=${response.toString('hex')},qop=auth`;
  return Buffer.from(change(text));
}

const identifier = Buffer.from('identifier, and a comma');
const password = Buffer.from('secret');
const passwordOf = (given: Buffer): Buffer => {
  assert.ok(given.equals(identifier));
  return password;
};

describe('a login by digest', () => {
  it('proves both sides to each other', () => {
    const digest = new DigestMd5(seededRandom(1), ['auth']);
    assert.match(digest.challenge, /^realm="default",nonce="[^"]{40}",qop="auth",charset=utf-8,algorithm=md5-sess$/);
    const result = digest.check(answerTo(digest.challenge, identifier, password), passwordOf);
    assert.ok(result.identifier.equals(identifier));
    assert.match(result.proof, /^rspauth=[0-9a-f]{32}$/);
  });

  it('offers what it is told to, with ciphers where messages may be private', () => {
    const challenge = (offered: ConstructorParameters<typeof DigestMd5>[1]) => new DigestMd5(seededRandom(1), offered).challenge;
    assert.match(challenge(['auth-conf', 'auth']), /,qop="auth-conf,auth",charset=utf-8,cipher="3des,rc4",algorithm=md5-sess$/);
    assert.match(challenge(['auth-int']), /,qop="auth-int",charset=utf-8,algorithm=md5-sess$/);
  });

  it('gives the proofs that were recorded of Hadoop', () => {
    // RFC 2831 section 4 has no example for realm "default"; this one is the recorded login of a master to a node.
    const digest = new DigestMd5(seededRandom(2), ['auth']);
    const result = digest.check(answerTo(digest.challenge, identifier, password), passwordOf);
    const nonce = /nonce="([^"]+)"/.exec(digest.challenge)![1]!;
    const a1 = Buffer.concat([
      md5(`${identifier.toString('base64')}:default:${password.toString('base64')}`),
      Buffer.from(`:${nonce}:Y25vbmNl`),
    ]);
    const expected = md5(`${md5(a1).toString('hex')}:${nonce}:00000001:Y25vbmNl:auth:${md5(':/default').toString('hex')}`);
    assert.equal(result.proof, `rspauth=${expected.toString('hex')}`);
  });

  it('is refused for every part that is wrong, and a second time', () => {
    const wrong: readonly ((text: string) => string)[] = [
      (text) => text.replace(/response=[0-9a-f]{4}/, 'response=0000'),
      (text) => text.replace('nc=00000001', 'nc=00000002'),
      (text) => text.replace('/default', '/other'),
      (text) => text.replace('qop=auth', 'qop=auth-int'),
      (text) => text.replace(/nonce="./, 'nonce="!'),
      (text) => text.replace('realm="default"', 'realm="other"'),
      (text) => `${text},username="twice"`,
      (text) => text.replace(/cnonce="[^"]*"/, 'cnonce=""'),
      () => 'no directive at all',
      () => '',
      (text) => text + ','.repeat(20_000),
    ];
    for (const change of wrong) {
      const digest = new DigestMd5(seededRandom(3), ['auth']);
      const answer = answerTo(digest.challenge, identifier, password, change);
      assert.throws(() => digest.check(answer, passwordOf), /DIGEST-MD5/, change.toString());
    }
    const digest = new DigestMd5(seededRandom(4), ['auth']);
    const answer = answerTo(digest.challenge, identifier, password);
    digest.check(answer, passwordOf);
    assert.throws(() => digest.check(answer, passwordOf), /answered before/);
  });

  it('is refused for another password', () => {
    const digest = new DigestMd5(seededRandom(5), ['auth']);
    const answer = answerTo(digest.challenge, identifier, Buffer.from('other'));
    assert.throws(() => digest.check(answer, passwordOf), /Mismatched response/);
  });
});

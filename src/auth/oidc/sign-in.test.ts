// What the issuer's token has to say that ends a sign-in. The tokens are signed by its key: only the sign-in can tell that they are not for it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { OidcRules, SignInRules } from '../../config/oidc-rules.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import type { AuthenticationRequest } from '../authenticator.ts';
import { ClaimedGroups } from '../claimed-groups.ts';
import { sessionCookieName } from './session.ts';
import { signInPath, signInProof } from './sign-in.ts';
import { tokenVerifier } from './token-verifier.ts';

const issuer = 'https://login.example';
const clientId = 'heddle-pages';
const signIn: SignInRules = { clientId, clientSecret: 's', scopes: ['openid'], returnUrl: undefined, sessionMs: 3_600_000 };
const rules: OidcRules = {
  ...{ issuer, keysUrl: undefined, audiences: [], algorithms: ['ES256'], userClaim: 'sub', userDomain: undefined, groupsClaim: 'groups' },
  ...{ scopeOf: new Map(), usualScope: 'submit', clockSkewMs: 0, keysUsableMs: 0, signIn },
};

/** Pages of a server, and an issuer that says what a test has it say. */
async function stand() {
  const clock = new ManualClock(Date.now());
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keyOf = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] });
  let answer: unknown;
  const exchanged: URLSearchParams[] = [];
  const prove = signInProof({
    ...{ rules, signIn, clock, logger: silentLogger, random: seededRandom(1), isSafe: () => true },
    issuer: {
      description: async () => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: undefined,
      }),
    },
    verify: tokenVerifier({ jwtVerify, keyOf, issuer, algorithms: ['ES256'], clockSkewMs: 0, clock }),
    fetchJson: async (_url, sent) => {
      exchanged.push(sent!.form);
      return { status: 200, value: answer };
    },
    groups: new ClaimedGroups(clock),
    key: Buffer.alloc(32, 5),
  });
  const ask = async (path: string, query: Record<string, string> = {}, cookie = '') => {
    const request: AuthenticationRequest = {
      ...{ method: 'GET', path, headers: { host: 'cluster.example', cookie }, remoteAddress: '127.0.0.1' },
      query: (name) => query[name],
    };
    const identity = await prove(request);
    assert.ok(identity && 'answer' in identity, path);
    return { status: identity.answer.status, body: identity.answer.body, headers: identity.headers ?? {} };
  };
  return {
    exchanged,
    /** Begins a sign-in: what the issuer is told, and the cookie of the browser. */
    async begin() {
      const { headers } = await ask(signInPath);
      const { searchParams: told } = new URL(headers['location'] ?? '');
      return { state: told.get('state')!, nonce: told.get('nonce')!, cookie: headers['set-cookie']!.split(';')[0]! };
    },
    /** Ends one with a token of these claims besides those that every one needs; true where that signs in, or why not. */
    async end({ state, cookie }: { readonly state: string; readonly cookie: string }, claims: JWTPayload): Promise<true | string> {
      const now = Math.floor(clock.now() / 1000);
      const all = { iss: issuer, aud: clientId, sub: 'ann', iat: now, exp: now + 60, ...claims };
      const id_token = await new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey);
      answer = { id_token };
      const { status, body, headers } = await ask(`${signInPath}/return`, { state, code: 'a-code' }, cookie);
      if (status !== 302) assert.equal(headers['set-cookie'], undefined);
      return status === 302 && (headers['set-cookie'] ?? '').startsWith(`${sessionCookieName}=`) ? true : `${status} ${body}`;
    },
  };
}

describe("the issuer's token that ends a sign-in", () => {
  it('bears the nonce of that sign-in: one that the issuer made for another, or for none, signs nobody in', async () => {
    const { begin, end, exchanged } = await stand();
    const [own, other] = [await begin(), await begin()];
    assert.notEqual(own.nonce, other.nonce);
    const nonces = [other.nonce, `${own.nonce}x`, own.nonce.slice(1), '', undefined, [own.nonce], 0, null];
    for (const nonce of nonces)
      assert.match(String(await end(await begin(), { nonce })), /^403 .*is of another sign-in/s, `nonce ${JSON.stringify(nonce)}`);
    assert.match(String(await end(other, { nonce: own.nonce })), /^403 .*is of another sign-in/s);
    assert.equal(await end(own, { nonce: own.nonce }), true);
    assert.equal(exchanged.length, nonces.length + 2);
    assert.equal(new Set(exchanged.map((form) => form.get('code_verifier'))).size, exchanged.length);
  });

  it('is for this client alone', async () => {
    const { begin, end } = await stand();
    const cases: [JWTPayload, RegExp | true][] = [
      [{ aud: 'other' }, /^403 .*does not count/s],
      [{ aud: ['other'] }, /^403 .*does not count/s],
      [{ azp: 'other' }, /^403 .*for another client/s],
      [{ aud: [clientId, 'other'] }, /^403 .*for another client/s],
      [{ aud: [clientId, 'other'], azp: 'other' }, /^403 .*for another client/s],
      [{ aud: [clientId, 'other'], azp: clientId }, true],
      [{ aud: [clientId] }, true],
    ];
    for (const [claims, expected] of cases) {
      const begun = await begin();
      const ended = await end(begun, { ...claims, nonce: begun.nonce });
      if (expected === true) assert.equal(ended, true, JSON.stringify(claims));
      else assert.match(String(ended), expected, JSON.stringify(claims));
    }
  });
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { isSafeUrl } from '../../config/oidc-rules.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { Issuer } from './issuer.ts';
import { tokenVerifier } from './token-verifier.ts';

const issuerName = 'https://login.example';
const hour = 3_600_000;

/** An issuer whose keys and description a test changes; `away`: it does not answer. */
async function stand(keysUrl?: string) {
  const clock = new ManualClock(Date.now());
  const pairs = await Promise.all(['one', 'two'].map(async (kid) => ({ kid, ...(await generateKeyPair('ES256')) })));
  const publicJwk = async (kid: string) => ({ ...(await exportJWK(pairs.find((pair) => pair.kid === kid)!.publicKey)), kid });
  const line = {
    away: false,
    asked: [] as string[],
    description: { issuer: issuerName, jwks_uri: `${issuerName}/keys` } as unknown,
    keys: [await publicJwk('one')] as unknown[],
  };
  const issuer = new Issuer({
    issuer: issuerName,
    keysUrl,
    keysUsableMs: 24 * hour,
    isSafe: isSafeUrl,
    async fetchJson(url) {
      line.asked.push(url);
      if (line.away) throw new Error('away');
      return { status: 200, value: url.endsWith('openid-configuration') ? line.description : { keys: line.keys } };
    },
    createKeySet: createLocalJWKSet,
    clock,
    logger: silentLogger,
  });
  const verify = tokenVerifier({ jwtVerify, keyOf: issuer.keyOf, issuer: issuerName, algorithms: ['ES256'], clockSkewMs: 0, clock });
  const token = (kid: string) => {
    const now = Math.floor(clock.now() / 1000);
    return new SignJWT({ iss: issuerName, aud: 'heddle', sub: 'ann', iat: now, exp: now + 60 })
      .setProtectedHeader({ alg: 'ES256', kid })
      .sign(pairs.find((pair) => pair.kid === kid)!.privateKey);
  };
  const worth = async (kid: string) => {
    const claims = await verify(await token(kid), ['heddle']);
    return typeof claims === 'string' ? claims : claims.sub;
  };
  return { clock, line, issuer, worth, publicJwk };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('reads description and keys once for many tokens', async () => {
  const { worth, line } = await stand();
  assert.deepEqual(await Promise.all(['one', 'one', 'one'].map(worth)), ['ann', 'ann', 'ann']);
  assert.equal(await worth('one'), 'ann');
  assert.deepEqual(line.asked, [`${issuerName}/.well-known/openid-configuration`, `${issuerName}/keys`]);
});
it('looks for a key that is new, but not for each token with an unknown one', async () => {
  const { worth, line, clock, publicJwk } = await stand();
  assert.equal(await worth('one'), 'ann');
  line.keys.push(await publicJwk('two'));
  for (let token = 0; token < 5; token++) assert.match(String(await worth('two')), /names a key that the issuer did not have/);
  assert.equal(line.asked.length, 2);
  clock.advance(30_000);
  assert.equal(await worth('two'), 'ann');
  assert.equal(line.asked.length, 4);
});
it('takes a key no more when the issuer has dropped it', async () => {
  const { worth, line, clock, publicJwk } = await stand();
  assert.equal(await worth('one'), 'ann');
  line.keys = [await publicJwk('two')];
  clock.advance(600_001);
  await worth('one');
  await turn();
  assert.match(String(await worth('one')), /names a key that the issuer did not have/);
  assert.equal(await worth('two'), 'ann');
});
it('goes on with known keys while the issuer is down, for a day, without asking for each token', async () => {
  const { worth, line, clock } = await stand();
  assert.equal(await worth('one'), 'ann');
  line.away = true;
  clock.advance(23 * hour);
  const before = line.asked.length;
  for (let token = 0; token < 5; token++) assert.equal(await worth('one'), 'ann');
  await turn();
  assert.equal(line.asked.length, before + 1);
  clock.advance(2 * hour);
  await assert.rejects(worth('one'), { code: 'ISSUER_AWAY' });
  line.away = false;
  clock.advance(5_000);
  assert.equal(await worth('one'), 'ann');
});
it('takes no token before it has read keys', async () => {
  const { worth, line } = await stand();
  line.away = true;
  await assert.rejects(worth('one'), { code: 'ISSUER_AWAY' });
});
it('believes no description of another issuer, no unsafe address of keys, and no keys that are none', async () => {
  const bad: ((line: Awaited<ReturnType<typeof stand>>['line']) => void)[] = [
    (line) => {
      line.description = { issuer: 'https://evil.example', jwks_uri: `${issuerName}/keys` };
    },
    (line) => {
      line.description = { issuer: issuerName, jwks_uri: 'http://login.example/keys' };
    },
    (line) => {
      line.description = { issuer: issuerName, jwks_uri: 'file:///etc/keys' };
    },
    (line) => {
      line.description = { issuer: issuerName };
    },
    (line) => {
      line.description = [];
    },
    (line) => {
      line.keys = [];
    },
    (line) => {
      line.keys = [{ kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'HS256' }];
    },
    (line) => {
      line.keys = Array.from({ length: 101 }, () => line.keys[0]);
    },
    (line) => {
      line.keys = [null, 1, 'x'];
    },
  ];
  for (const change of bad) {
    const { worth, line } = await stand();
    change(line);
    await assert.rejects(worth('one'), { code: 'ISSUER_AWAY' }, String(change));
  }
});
it('needs no description where the settings say where the keys are', async () => {
  const { worth, line } = await stand('https://keys.example/set');
  line.description = undefined;
  assert.equal(await worth('one'), 'ann');
  assert.equal(line.asked.at(-1), 'https://keys.example/set');
});

// Tokens and sign-in of a real OpenID Connect issuer, and what is tried against them.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { Browser, clientSecret, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { freePorts } from '../support/ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-oidc-'));
let issuer: TestIssuer;
let cluster: TestCluster;
let manager: string;
const signInPath = '/heddle/sign-in';

before(async () => {
  const [port] = await freePorts(1);
  writeFileSync(join(folder, 'client'), `${clientSecret}\n`, { mode: 0o600 });
  cluster = await startCluster({
    settings: {
      'heddle.security.authentication': 'oidc',
      'heddle.security.oidc.issuer': `http://127.0.0.1:${port}`,
      'heddle.security.oidc.audience': 'heddle',
      'heddle.security.oidc.client-id': 'heddle-pages',
      'heddle.security.oidc.client-secret-file': join(folder, 'client'),
      'heddle.security.oidc.scope-mapping': 'cluster:look=read,cluster:all=admin',
      'yarn.acl.enable': 'true',
      'yarn.admin.acl': ' crew',
    },
  });
  manager = cluster.urls.resourceManager;
  const back = [manager, cluster.urls.timeline, cluster.urls.history, cluster.urls.nodeManager];
  issuer = await startIssuer(
    port!,
    back.map((url) => `${url}${signInPath}/return`),
  );
});
after(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const call = async (token: string, path = '/ws/v1/cluster/userinfo', method = 'GET', server = manager) => {
  const answer = await fetch(server + path, { method, headers: { authorization: `Bearer ${token}` }, redirect: 'manual' });
  return { status: answer.status, text: await answer.text(), challenge: answer.headers.get('www-authenticate') };
};
const nowSeconds = () => Math.floor(Date.now() / 1000);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const goodClaims = () => ({ iss: issuer.url, aud: 'heddle', sub: 'ann', iat: nowSeconds(), exp: nowSeconds() + 300 });

describe("an issuer's token", () => {
  it('is taken by every server as its user', async () => {
    const token = await issuer.token();
    assert.match((await call(token)).text, /"requestedUser":"ann"/);
    const { nodeManager, timeline, history } = cluster.urls;
    const paths = [
      [nodeManager, '/ws/v1/node/info'],
      [timeline, '/ws/v1/timeline/'],
      [history, '/ws/v1/history/info'],
    ] as const;
    for (const [server, path] of paths) assert.equal((await call(token, path, 'GET', server)).status, 200, server);
    // Again, as it is remembered.
    assert.equal((await call(token)).status, 200);
  });
  it('is refused where it is not the issuer’s, for others, of another time, or names nobody', async () => {
    const now = nowSeconds();
    const stranger = await generateKeyPair('RS256');
    const claims: [string, Promise<string> | string][] = [
      ['another issuer', issuer.token({ iss: 'https://evil.example' })],
      ['another audience', issuer.token({ aud: 'other' })],
      ['the client as audience', issuer.token({ aud: 'heddle-pages' })],
      ['no audience', issuer.token({ aud: undefined } as never)],
      ['expired', issuer.token({ iat: now - 900, exp: now - 120 })],
      ['without an end', issuer.token({ exp: undefined } as never)],
      ['not yet', issuer.token({ nbf: now + 600 })],
      ['from the future', issuer.token({ iat: now + 600, exp: now + 900 })],
      ['no user', issuer.token({ sub: undefined } as never)],
      ['an empty user', issuer.token({ sub: '' })],
      ['a list as user', issuer.token({ sub: ['ann'] } as never)],
      ['a user with a domain', issuer.token({ sub: 'ann@evil.example' })],
      ['a user with a blank', issuer.token({ sub: 'ann crew' })],
      ['a user of all', issuer.token({ sub: '*' })],
      ['a user with a control character', issuer.token({ sub: 'ann\u0000' })],
      ['one that ends sessions, by its kind', issuer.token({}, { typ: 'logout+jwt' })],
      ['one that ends sessions, by what it says', issuer.token({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } })],
      ['bound to a key', issuer.token({ cnf: { jkt: 'x' } })],
      ['an unknown key', issuer.token({}, { kid: 'two' })],
      ['a key of a stranger', new SignJWT(goodClaims()).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(stranger.privateKey)],
      [
        'a key that it brings itself',
        new SignJWT(goodClaims())
          .setProtectedHeader({ alg: 'RS256', jwk: (await exportJWK(stranger.publicKey)) as never, kid: 'one' })
          .sign(stranger.privateKey),
      ],
      ['no signature', `${encoded({ alg: 'none' })}.${encoded(goodClaims())}.`],
      ['no signature, in other letters', `${encoded({ alg: 'nOnE', kid: 'one' })}.${encoded(goodClaims())}.`],
      ['too long', `${await issuer.token()}${'A'.repeat(20_000)}`],
      ['not a token', 'abc'],
      ['parts of one', (await issuer.token()).split('.').slice(0, 2).join('.')],
      ['an encrypted one', `${encoded({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.a.b.c.d`],
    ];
    for (const [name, token] of claims) {
      const { status, challenge } = await call(await token);
      // Headers beyond the server's own limit never arrive.
      assert.ok(status === 401 || (name === 'too long' && status === 431), `${name}: ${status}`);
      if (status === 401) assert.match(challenge ?? '', /error="invalid_token"/, name);
    }
  });
  it('is not signed with what everybody knows: the public key as a shared secret', async () => {
    const publicKey = await exportSPKI(issuer.publicKey);
    const jwk = JSON.stringify(await exportJWK(issuer.publicKey));
    for (const secret of [publicKey, publicKey.trim(), jwk, ''])
      for (const alg of ['HS256', 'HS512', 'RS256']) {
        const content = `${encoded({ alg, kid: 'one' })}.${encoded(goodClaims())}`;
        const hash = alg === 'HS512' ? 'sha512' : 'sha256';
        const { status } = await call(`${content}.${createHmac(hash, secret).update(content).digest('base64url')}`);
        assert.equal(status, 401, alg);
      }
  });
  it('cannot be changed', async () => {
    const [header, , signature] = (await issuer.token()).split('.');
    assert.equal((await call(`${header}.${encoded({ ...goodClaims(), sub: 'boss' })}.${signature}`)).status, 401);
  });
  it('has the scope that the issuer gave, or the usual one', async () => {
    const [look, usual, all] = [
      await issuer.token({ scope: 'openid cluster:look', groups: ['crew'] }),
      await issuer.token({ sub: 'bob', groups: ['crew'] }),
      await issuer.token({ sub: 'carl', scp: ['cluster:look', 'cluster:all'], groups: ['crew'] } as never),
    ];
    assert.equal((await call(look, '/ws/v1/cluster/apps/new-application', 'POST')).status, 403);
    assert.equal((await call(usual, '/ws/v1/cluster/apps/new-application', 'POST')).status, 200);
    assert.equal((await call(usual, '/api/v1/access/refresh', 'POST')).status, 403);
    assert.equal((await call(all, '/api/v1/access/refresh', 'POST')).status, 200);
  });
  it('tells the groups of its user alone, and an old one brings none back', async () => {
    const now = nowSeconds();
    const all = { scope: 'cluster:all' };
    const refresh = async (token: string) => (await call(token, '/api/v1/access/refresh', 'POST')).status;
    const member = await issuer.token({ sub: 'dora', groups: ['crew'], iat: now - 30, ...all });
    assert.equal(await refresh(member), 200);
    assert.equal(await refresh(await issuer.token({ sub: 'eve', ...all })), 403);
    assert.equal(await refresh(await issuer.token({ sub: 'dor', groups: ['crew,dor', 'cre w', '*', ''], ...all })), 403);
    assert.equal(await refresh(await issuer.token({ sub: 'dora', groups: [], iat: now, ...all })), 403);
    assert.equal(await refresh(member), 403);
  });
  it('is refused in an address', async () => {
    const answer = await fetch(`${manager}/ws/v1/cluster/info?access_token=${await issuer.token()}`);
    assert.equal(answer.status, 400);
  });
  it('goes on counting while the issuer is down', async () => {
    await issuer.stop();
    try {
      assert.equal((await call(await issuer.token({ sub: 'new' }))).status, 200);
    } finally {
      await issuer.start();
    }
  });
});

describe('signing in', () => {
  it('begins with a page, ends there, and is known by all servers of the host', async () => {
    const browser = new Browser();
    const { url, answer } = await browser.signIn(`${manager}/cluster/apps?queue=default`, 'ann');
    assert.equal(url, `${manager}/cluster/apps?queue=default`);
    assert.equal(answer.status, 200);
    for (const page of [`${cluster.urls.timeline}/ws/v1/timeline/`, `${cluster.urls.history}/ws/v1/history/info`])
      assert.equal((await browser.go(page, { headers: { accept: 'application/json' } })).status, 200, page);
    const me = await browser.go(`${manager}/ws/v1/cluster/userinfo?user.name=boss`, { headers: { accept: 'application/json' } });
    assert.equal(((await me.json()) as { requestedUser: string }).requestedUser, 'ann');
  });
  it('is for browsers: programs are told what to send', async () => {
    for (const [path, accept] of [
      ['/cluster', '*/*'],
      ['/ws/v1/cluster/info', 'text/html'],
      ['/cluster', 'application/json'],
    ] as const) {
      const answer = await fetch(manager + path, { headers: { accept }, redirect: 'manual' });
      assert.equal(answer.status, 401, path);
    }
  });
  it('sets cookies that scripts and other sites do not get', async () => {
    const browser = new Browser();
    const begun = await browser.go(`${manager}${signInPath}`);
    assert.equal(begun.headers.get('cache-control'), 'no-store');
    const at = await browser.signIn(begun.headers.get('location')!, 'ann', '/return');
    const ended = await browser.go(at.url);
    for (const answer of [begun, ended]) for (const set of answer.headers.getSetCookie()) assert.match(set, /; HttpOnly; SameSite=Lax/);
    assert.equal(ended.status, 302);
  });
  it('asks the issuer with proof key, state and nonce, never the same', async () => {
    const asked = await Promise.all(
      [1, 2].map(async () => new URL((await new Browser().go(`${manager}${signInPath}`)).headers.get('location')!).searchParams),
    );
    const [one, other] = asked;
    assert.deepEqual([one!.get('response_type'), one!.get('code_challenge_method')], ['code', 'S256']);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      assert.match(one!.get(name) ?? '', /^[\w-]{43}$/);
      assert.notEqual(one!.get(name), other!.get(name));
    }
  });
  it('goes on at this server and nowhere else', async () => {
    const targets: [string, string][] = [
      ['https://evil.example/', '/'],
      ['//evil.example/', '/'],
      ['/\\evil.example/', '/'],
      ['/\t/evil.example', '/'],
      ['\\/evil.example', '/'],
      ['javascript:alert(1)', '/'],
      ['/..//evil.example', '/'],
      ['/a/..//evil.example', '/'],
      ['/%0d%0aset-cookie:x=y', '/%0d%0aset-cookie:x=y'],
      ['/heddle/sign-out', '/'],
      ['/cluster?x=//evil.example', '/cluster?x=//evil.example'],
    ];
    for (const [to, expected] of targets) {
      const browser = new Browser();
      const at = await browser.signIn(`${manager}${signInPath}?to=${encodeURIComponent(to)}`, 'ann', '/return');
      const ended = await browser.go(at.url);
      assert.equal(ended.headers.get('location'), expected, to);
    }
  });
  it('ends in the browser in which it began, once', async () => {
    const victim = new Browser();
    const attacker = new Browser();
    const { url } = await attacker.signIn(`${manager}${signInPath}`, 'mallory', '/return');
    const statusOf = async (browser: Browser, at: string) => (await browser.go(at)).status;
    assert.equal(await statusOf(victim, url), 400, "somebody else's code");
    await victim.go(`${manager}${signInPath}`);
    assert.equal(await statusOf(victim, url), 400, "somebody else's code, in a sign-in of one's own");
    const changed = (name: string, value: string) => {
      const address = new URL(url);
      address.searchParams.set(name, value);
      return address.href;
    };
    assert.equal(await statusOf(attacker, changed('state', 'x')), 400);
    assert.equal(await statusOf(attacker, changed('state', '')), 400);
    assert.equal(await statusOf(attacker, url), 302);
    assert.equal(await statusOf(attacker, url), 400, 'again');
    assert.ok(attacker.cookies.has('heddle.session') && !victim.cookies.has('heddle.session'));
  });
  it('takes no answer of another issuer, no code twice, and none without its proof', async () => {
    const begin = async () => {
      const browser = new Browser();
      return { browser, url: new URL((await browser.signIn(`${manager}${signInPath}`, 'ann', '/return')).url) };
    };
    const mixed = await begin();
    mixed.url.searchParams.set('iss', 'https://evil.example');
    assert.equal((await mixed.browser.go(mixed.url.href)).status, 400);
    // The code of one sign-in in the state of another: it has another proof key.
    const [one, other] = [await begin(), await begin()];
    other.url.searchParams.set('code', one.url.searchParams.get('code')!);
    assert.equal((await other.browser.go(other.url.href)).status, 403);
    const none = await begin();
    none.url.searchParams.delete('code');
    none.url.searchParams.set('error', '<script>');
    const refused = await none.browser.go(none.url.href);
    assert.equal(refused.status, 403);
    assert.ok(!(await refused.text()).includes('<script>'));
    for (const { browser } of [mixed, one, other, none]) assert.ok(!browser.cookies.has('heddle.session'));
  });
  it('takes no session that it did not sign, and none that was signed out', async () => {
    const browser = new Browser();
    await browser.signIn(`${manager}/cluster`, 'ann');
    const value = browser.cookies.get('heddle.session')!;
    const status = async (session: string) =>
      (await fetch(`${manager}/ws/v1/cluster/info`, { headers: { cookie: `heddle.session=${session}` } })).status;
    assert.equal(await status(value), 200);
    const [content, signature] = value.split('.');
    const boss = encoded({ ...JSON.parse(Buffer.from(content!, 'base64url').toString('utf8')), user: 'boss', scope: 'admin' });
    for (const forged of [`${boss}.${signature}`, `${content}.`, content!, `${value}.`, `${value}x`, '.', '', 'x'.repeat(5000)])
      assert.equal(await status(forged), 401, forged.slice(0, 60));
    const elsewhere = await browser.go(`${manager}/heddle/sign-out`, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } });
    assert.ok([400, 403].includes(elsewhere.status));
    assert.equal(await status(value), 200);
    assert.equal((await browser.go(`${manager}/heddle/sign-out`, { method: 'POST' })).status, 200);
    assert.ok(!browser.cookies.has('heddle.session'));
    assert.equal(await status(value), 401);
  });
  it('says so where the issuer is down, and changes nothing', async () => {
    const { url, browser } = await (async () => {
      const begun = new Browser();
      return { browser: begun, url: (await begun.signIn(`${manager}${signInPath}`, 'ann', '/return')).url };
    })();
    await issuer.stop();
    try {
      assert.equal((await browser.go(url)).status, 502);
      assert.ok(!browser.cookies.has('heddle.session'));
    } finally {
      await issuer.start();
    }
  });
});

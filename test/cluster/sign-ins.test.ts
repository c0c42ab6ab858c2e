// Who fails to prove who it is, on every server by every mechanism: each leaves one line in the audit log, with address, mechanism and
// reason, and never what was shown. Tickets: test/kerberos/sign-ins.kerberos.ts; job tokens: beside the shuffles and the umbilical.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { pino } from 'pino';
import { attemptKey } from '../../src/auth/connection-key.ts';
import { CookieSigner } from '../../src/auth/signer.ts';
import { ClusterClient } from '../../src/client/cluster-client.ts';
import { ProvenAgent } from '../../src/client/proven-agent.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Logger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { start as startProxy } from '../../src/proxy/server.ts';
import { RefusedCall, RpcTestClient } from '../../src/rpc/test-support/rpc-client.ts';
import { makeAuthority } from '../support/certificates.ts';
import { operatorProof, startCluster, type TestCluster } from '../support/cluster.ts';
import { clientSecret, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { freePorts } from '../support/ports.ts';
import { until } from '../support/processes.ts';

interface Line {
  readonly audit?: boolean;
  readonly address?: string;
  readonly mechanism?: string;
  readonly reason?: string;
}

/** A log that remembers its lines. */
function remembering(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return { logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }), lines };
}

/** A cluster with a web proxy, and what all of them log. */
interface Stand extends AsyncDisposable {
  readonly cluster: TestCluster;
  /** Web interfaces by server, with a path that needs a caller. */
  readonly webs: Readonly<Record<string, string>>;
  readonly lines: string[];
  readonly folder: string;
}

async function startStand(settings: Record<string, string>): Promise<Stand> {
  await using made = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'heddle-sign-ins-'));
  made.defer(() => rmSync(folder, { recursive: true, force: true }));
  const cookieSecret = join(folder, 'cookies');
  writeFileSync(cookieSecret, randomBytes(32), { mode: 0o600 });
  const { logger, lines } = remembering();
  const [proxyPort] = await freePorts(1);
  const whole = {
    'hadoop.http.authentication.signature.secret.file': cookieSecret,
    'yarn.web-proxy.address': `127.0.0.1:${proxyPort}`,
    'yarn.timeline-service.versions': '1.5f,2.0f',
    'yarn.timeline-service.collector.bind-host': '127.0.0.1',
    ...settings,
  };
  const cluster = made.use(await startCluster({ settings: whole, logger }));
  const configuration = loadConfiguration({
    dataDir: cluster.dataDir,
    set: { ...whole, 'yarn.resourcemanager.webapp.address': new URL(cluster.urls.resourceManager).host },
  });
  const proxy = await startProxy(configuration, { logger, clock: systemClock, random: systemRandom });
  made.defer(() => proxy.close());
  const { resourceManager, nodeManager, timeline, reader, history } = cluster.urls;
  const collector = cluster.addresses.timeline['collector'];
  const webs = {
    'resource manager': `${resourceManager}/ws/v1/cluster/apps`,
    'node manager': `${nodeManager}/ws/v1/node/info`,
    timeline: `${timeline}/ws/v1/timeline/T`,
    reader: `${reader}/ws/v2/timeline/health`,
    ...(collector ? { collector: `${collector}/ws/v2/timeline/health` } : {}),
    'history server': `${history}/ws/v1/history/info`,
    proxy: `http://127.0.0.1:${proxyPort}/proxy/application_1_0001/`,
  };
  const owned = made.move();
  return { cluster, webs, lines, folder, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** How a caller fails. */
interface Attempt {
  readonly what: string;
  readonly mechanism: string;
  readonly reason: RegExp;
  /** What must not stand in the log. */
  readonly secret: string;
  /** Shows it; the status of the answer where there is one. */
  show(): Promise<number | undefined>;
  readonly status?: number;
  readonly address?: string;
}

/** Makes the attempt, and holds that the servers wrote one line of it. */
async function leavesOneLine({ lines }: Pick<Stand, 'lines'>, attempt: Attempt): Promise<void> {
  const { what, mechanism, reason, secret, status = 401, address = '127.0.0.1' } = attempt;
  const from = lines.length;
  const answered = await attempt.show();
  if (answered !== undefined) assert.equal(answered, status, what);
  const written = () =>
    lines
      .slice(from)
      .map((line) => JSON.parse(line) as Line)
      .filter(({ audit }) => audit);
  await until(`a line: ${what}`, async () => written().length > 0, 10_000);
  const found = written();
  assert.equal(found.length, 1, `${what}: ${JSON.stringify(found)}`);
  assert.deepEqual(
    [found[0]!.mechanism, found[0]!.address?.replace('::ffff:', '')],
    [mechanism, address],
    `${what}: ${JSON.stringify(found)}`,
  );
  assert.match(found[0]!.reason ?? '', reason, what);
  assert.ok(secret.length >= 8, `${what}: '${secret}' could stand there by chance`);
  for (const line of lines.slice(from)) assert.ok(!line.includes(secret), `${what}: ${line}`);
}

const ask = async (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  (await fetch(url, { method, headers, redirect: 'manual' })).status;

/** Of every server, one after the other. */
async function everywhere(
  { lines, webs }: Stand,
  attempt: Omit<Attempt, 'show'> & { headers(server: string): Record<string, string>; query?: string },
): Promise<void> {
  for (const [server, url] of Object.entries(webs)) {
    const show = () => ask(`${url}${attempt.query ?? ''}`, attempt.headers(server));
    await leavesOneLine({ lines }, { ...attempt, what: `${attempt.what}, ${server}`, show });
  }
}

describe('where names count, with tokens and the filter of cookies', () => {
  let stand: Stand;
  let token: (name: string, more?: object) => Promise<string>;
  before(async () => {
    stand = await startStand({
      'heddle.security.authentication': 'bearer,simple',
      'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer',
      'hadoop.http.authentication.simple.anonymous.allowed': 'false',
      'yarn.timeline-service.http-authentication.simple.anonymous.allowed': 'false',
    });
    const { urls, dataDir } = stand.cluster;
    const client = new ClusterClient({ url: urls.resourceManager, user: 'ann', authorize: operatorProof(dataDir, 'ann') });
    token = async (name, more = {}) => (await client.createToken({ name, scope: 'submit', queues: undefined, ...more })).text;
    revoke = (name) => client.revokeToken(name);
  });
  let revoke: (name: string) => Promise<unknown>;
  after(() => stand?.[Symbol.asyncDispose]());

  const cookieOf = (expiresMs: number, secret = readFileSync(join(stand.folder, 'cookies'))) =>
    new CookieSigner(secret).sign({ user: 'ann', principal: 'ann', type: 'simple-dt', expiresMs });
  const cookie = (value: string) => ({ headers: () => ({ cookie: `hadoop.auth="${value}"` }), mechanism: 'cookie' });
  const bearing = (text: string) => ({
    headers: () => ({ authorization: `Bearer ${text}` }),
    mechanism: 'bearer-token',
    secret: text.slice(-12),
  });
  const later = () => Date.now() + 60_000;

  it('a cookie that was forged, is over, of another mechanism, or none', async () => {
    const forged = cookieOf(later(), Buffer.alloc(32, 'x'));
    await everywhere(stand, { what: 'forged', reason: /Invalid signature$/, secret: forged.slice(-20), ...cookie(forged) });
    const over = cookieOf(Date.now() - 1);
    await everywhere(stand, { what: 'over', reason: /^AuthenticationToken expired$/, secret: over.slice(-20), ...cookie(over) });
    const signer = new CookieSigner(readFileSync(join(stand.folder, 'cookies')));
    const other = signer.sign({ user: 'ann', principal: 'ann@R', type: 'kerberos', expiresMs: later() });
    await everywhere(stand, { what: 'of another mechanism', reason: /token type/i, secret: other.slice(-20), ...cookie(other) });
    await everywhere(stand, {
      what: 'none',
      reason: /^Invalid signed text$/,
      secret: 'a-secret-of-another-site',
      ...cookie('a-secret-of-another-site'),
    });
  });

  it('nothing of who shows nothing, which is how clients ask for the challenge', async () => {
    const from = stand.lines.length;
    for (const url of Object.values(stand.webs)) assert.equal(await ask(url), 401, url);
    assert.deepEqual(stand.lines.slice(from), []);
  });

  it('a bearer token that is unknown, revoked, over, or in the address', async () => {
    const good = await token('good');
    const unknown = good.slice(0, -8) + [...good.slice(-8)].reverse().join('');
    await everywhere(stand, { what: 'unknown', reason: /not one of this cluster, or was revoked/, ...bearing(unknown) });
    const revoked = await token('revoked');
    await revoke('revoked');
    await everywhere(stand, { what: 'revoked', reason: /not one of this cluster, or was revoked/, ...bearing(revoked) });
    const short = await token('short', { lifetimeSeconds: 1 });
    await until('it is over', async () => (await ask(stand.webs['resource manager']!, { authorization: `Bearer ${short}` })) === 401);
    await everywhere(stand, { what: 'over', reason: /expired|not one of this cluster/, ...bearing(short) });
    const inAddress = { ...bearing(good), headers: () => ({}), query: `?access_token=${good}`, status: 400 };
    await everywhere(stand, { what: 'in the address', reason: /do not belong into addresses/, ...inAddress });
  });

  it('a bearer token with which a WebSocket is asked for', async () => {
    const { port } = new URL(stand.webs['proxy']!);
    const text = 'heddle_of-nobody-at-all';
    const headers = {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' },
      authorization: `Bearer ${text}`,
    };
    const show = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const asking = request({ host: '127.0.0.1', port, path: '/proxy/application_1_0001/', headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asking.on('upgrade', (_answer, socket) => reject(socket.destroy()));
        asking.on('error', reject).end();
      });
    await leavesOneLine(stand, { what: 'WebSocket', mechanism: 'bearer-token', reason: /does not count/, secret: text, show });
  });

  it('a bearer token whose scope is too narrow', async () => {
    const reads = await token('reads', { scope: 'read' });
    const url = `${stand.cluster.urls.resourceManager}/ws/v1/cluster/apps/new-application`;
    const from = stand.lines.length;
    assert.equal(await ask(url, { authorization: `Bearer ${reads}` }, 'POST'), 403);
    const [line, ...more] = stand.lines.slice(from).map((text) => JSON.parse(text) as Line & { user?: string });
    assert.deepEqual([line?.user, line?.address?.replace('::ffff:', ''), more], ['ann', '127.0.0.1', []]);
    assert.match(line?.reason ?? '', /^The token of ann has the scope read; this needs the scope submit\.$/);
    assert.ok(!JSON.stringify(line).includes(reads.slice(-12)));
  });

  it('the credential of a server of another cluster, or of this one for another request', async () => {
    const credentialFor = async (url: string) =>
      (await operatorProof(stand.cluster.dataDir, 'ann')('GET', new URL(url)))['authorization'] ?? '';
    const elsewhere = await credentialFor('http://127.0.0.1:1/elsewhere');
    const attempt = { mechanism: 'server-secret', secret: elsewhere.slice(-20), headers: () => ({ authorization: elsewhere }) };
    await everywhere(stand, { what: 'for another request', reason: /not made by a server of this cluster for this request/, ...attempt });
  });
});

describe('where names count, as it is set up by itself', () => {
  let stand: Stand;
  let authorities: string;
  before(async () => {
    authorities = mkdtempSync(join(tmpdir(), 'heddle-sign-ins-authorities-'));
    const authority = makeAuthority(join(authorities, 'own'));
    const { certificateFile, keyFile } = authority.sign('server');
    stand = await startStand({
      'yarn.resourcemanager.delegation.token.renew-interval': '400',
      'mapreduce.shuffle.ssl.enabled': 'true',
      'hadoop.ssl.require.client.cert': 'true',
      'heddle.tls.certificate-file': certificateFile,
      'heddle.tls.key-file': keyFile,
      'heddle.tls.ca-file': authority.file,
    });
  });
  after(async () => {
    await stand?.[Symbol.asyncDispose]();
    rmSync(authorities, { recursive: true, force: true });
  });

  /** A delegation token of ann's, of the resource manager or the timeline. */
  const delegated = async (url: string): Promise<string> => {
    const answer = await fetch(`${url}?op=GETDELEGATIONTOKEN&user.name=ann&renewer=ann`);
    return ((await answer.json()) as { Token: { urlString: string } }).Token.urlString;
  };
  const cancel = (url: string, text: string) => ask(`${url}?op=CANCELDELEGATIONTOKEN&user.name=ann&token=${text}`, {}, 'PUT');

  /** One that was cancelled before it was over, which takes several where the machine is slow. */
  const cancelledOne = async (url: string): Promise<string> => {
    for (let left = 50; left > 0; left--) {
      const text = await delegated(url);
      if ((await cancel(url, text)) === 200) return text;
    }
    return assert.fail('none was cancelled');
  };

  it('a delegation token that was forged, cancelled, or is over', async () => {
    for (const server of ['resource manager', 'timeline'] as const) {
      const url = stand.webs[server]!;
      const good = await delegated(url);
      const secret = good.slice(8, 40);
      const attempt = { mechanism: 'delegation-token', status: 403, secret };
      const forged = good.slice(0, 20) + (good[20] === 'A' ? 'B' : 'A') + good.slice(21);
      for (const how of ['header', 'query'] as const) {
        const show = (text: string) => () =>
          how === 'header' ? ask(url, { 'x-hadoop-delegation-token': text }) : ask(`${url}?delegation=${text}`);
        const at = `, by ${how}, ${server}`;
        await leavesOneLine(stand, { ...attempt, what: `forged${at}`, reason: /./, show: show(forged) });
        await leavesOneLine(stand, { ...attempt, what: `none${at}`, reason: /./, show: show('AAAAAAAAAAAA'), secret: 'AAAAAAAAAAAA' });
      }
      const over = await cancelledOne(url);
      const ofCancelled = { ...attempt, secret: over.slice(8, 40) };
      const show = () => ask(url, { 'x-hadoop-delegation-token': over });
      await leavesOneLine(stand, { ...ofCancelled, what: `cancelled, ${server}`, reason: /can't be found in cache/, show });
      const again = () => cancel(url, over);
      await leavesOneLine(stand, { ...ofCancelled, what: `cancelled again, ${server}`, reason: /cannot cancel/, status: 404, show: again });
    }
    const url = stand.webs['resource manager']!;
    const short = await delegated(url);
    const show = () => ask(url, { 'x-hadoop-delegation-token': short });
    await until('it is over', async () => (await show()) === 403);
    await leavesOneLine(stand, {
      ...{ what: 'over', mechanism: 'delegation-token', status: 403, reason: /expired|can't be found/, secret: short.slice(8, 40), show },
    });
  });

  it('another unix user of the machine', { skip: process.getuid?.() === 0 ? false : 'needs root, to act as another user' }, async () => {
    for (const [server, url] of Object.entries(stand.webs)) {
      const show = async () => {
        const words = ['--reuid', '61666', '--regid', '61666', '--clear-groups', 'curl', '-s', '-o', '/dev/null', '-w', '%{http_code}'];
        return Number((await promisify(execFile)('setpriv', [...words, '--noproxy', '*', `${url}?user.name=ann`], { cwd: '/' })).stdout);
      };
      const secret = 'user.name=ann';
      await leavesOneLine(stand, { what: `stranger, ${server}`, mechanism: 'local-user', reason: /unix user 61666/, secret, show });
    }
  });

  it('a connection whose key is another, and who calls as a node, master or server without any', async () => {
    const { resourceManager, timeline, nodeManager } = stand.cluster.urls;
    const attemptId = 'appattempt_1700000000000_0001_000001';
    for (const [server, url] of Object.entries({ resourceManager, timeline })) {
      const key = attemptKey(attemptId, 'a digest that is none');
      const agent = new ProvenAgent({ url: () => url, keys: () => [key], unknown: 'refused', keepAlive: false });
      const show = () =>
        new Promise<undefined>((resolve) => {
          const asking = request({ agent, host: 'server', path: '/' }, () => resolve(undefined));
          asking.on('error', () => resolve(undefined)).end();
        });
      const secret = Buffer.from(key.key).toString('hex');
      await leavesOneLine(stand, { what: `key, ${server}`, mechanism: 'connection-key', reason: /did not prove/, secret, show });
    }
    const text = 'A-token-that-nobody-gave';
    const headers = { authorization: `Bearer ${text}`, 'content-type': 'application/json' };
    const none = { reason: /./, secret: text };
    const unsealed = async (path: string) =>
      (
        await fetch(`${resourceManager}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: `{"sealed":"${text}"}`,
        })
      ).status;
    const { urls } = stand.cluster;
    for (const attempt of [
      {
        what: 'staged file',
        mechanism: 'connection-key',
        show: () => ask(`${urls.resourceManager}/api/v1/nodes/staging/ann/application_1_0001/x`),
      },
      {
        what: 'register',
        mechanism: 'attempt-token',
        show: () => ask(`${resourceManager}/api/v1/attempts/${attemptId}/register`, headers, 'POST'),
      },
      {
        what: 'container',
        mechanism: 'container-token',
        show: () => ask(`${nodeManager}/api/v1/containers/container_1_0001_01_000001`, headers),
      },
      { what: 'examine', mechanism: 'cluster-secret', show: () => unsealed('/api/v1/token-examinations') },
    ])
      await leavesOneLine(stand, { ...none, ...attempt });
  });

  it('a connection to the encrypted shuffle without a certificate, or with one of another authority', async () => {
    const { certificateFile, keyFile } = makeAuthority(join(authorities, 'other')).sign('client');
    const foreign = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) };
    for (const [what, shown, reason] of [
      ['none', {}, /^no certificate was shown$/],
      ['of another authority', foreign, /UNABLE_TO_VERIFY|SELF_SIGNED|ISSUER/],
    ] as const) {
      const show = () =>
        new Promise<undefined>((resolve) => {
          const socket = connect({ host: '127.0.0.1', port: stand.cluster.shufflePort, rejectUnauthorized: false, ...shown });
          socket.on('error', () => undefined).on('close', () => resolve(undefined));
          socket.resume();
        });
      await leavesOneLine(stand, { what, mechanism: 'certificate', reason, secret: 'PRIVATE KEY', show });
    }
  });

  it('a login to a port of Hadoop RPC by a token that is none', async () => {
    const { addresses } = stand.cluster;
    const { rpc: clients, rpcMasters: masters } = addresses.resourceManager;
    const ports = Object.entries({ clients, masters, node: addresses.nodeManager['rpc'] });
    for (const [name, address] of ports) {
      const password = Buffer.from('a password of nobody');
      const show = async () => {
        await assert.rejects(RpcTestClient.proven(address ?? '', { identifier: Buffer.from('an identifier'), password }, 'p'), RefusedCall);
        return undefined;
      };
      await leavesOneLine(stand, { what: name, mechanism: 'rpc-token', reason: /./, secret: password.toString('base64'), show });
    }
  });
});

describe('where an issuer proves who calls', () => {
  let stand: Stand;
  let issuer: TestIssuer;
  let clientFolder: string;
  before(async () => {
    const [port] = await freePorts(1);
    clientFolder = mkdtempSync(join(tmpdir(), 'heddle-sign-ins-client-'));
    const file = join(clientFolder, 'client');
    writeFileSync(file, `${clientSecret}\n`, { mode: 0o600 });
    stand = await startStand({
      'heddle.security.authentication': 'oidc',
      'heddle.security.oidc.issuer': `http://127.0.0.1:${port}`,
      'heddle.security.oidc.audience': 'heddle',
      'heddle.security.oidc.client-id': 'heddle-pages',
      'heddle.security.oidc.client-secret-file': file,
    });
    issuer = await startIssuer(
      port!,
      Object.values(stand.webs).map((url) => `${new URL(url).origin}/heddle/sign-in/return`),
    );
  });
  after(async () => {
    await stand?.[Symbol.asyncDispose]();
    await issuer?.[Symbol.asyncDispose]();
    rmSync(clientFolder, { recursive: true, force: true });
  });

  it('a token of another issuer, audience, key or time, or none', async () => {
    const now = Math.floor(Date.now() / 1000);
    const foreign = await generateKeyPair('RS256');
    const claims = { iss: issuer.url, aud: 'heddle', sub: 'ann', iat: now, exp: now + 300 };
    const signedElsewhere = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(foreign.privateKey);
    const unnamed = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'other' }).sign(foreign.privateKey);
    const shared = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(Buffer.from(JSON.stringify(await exportJWK(issuer.publicKey))));
    const tokens: readonly (readonly [what: string, token: string, reason: RegExp])[] = [
      ['issuer', await issuer.token({ iss: 'https://other.example' }), /of another issuer/],
      ['audience', await issuer.token({ aud: 'other' }), /for another audience/],
      ['over', await issuer.token({ iat: now - 7200, exp: now - 3600 }), /has expired/],
      ['to come', await issuer.token({ iat: now + 3600, exp: now + 7200 }), /of a time to come/],
      ['key', signedElsewhere, /signature is not that of the issuer/],
      ['key that there is not', unnamed, /a key that the issuer did not have when its keys were read last/],
      ['shared secret', shared, /kind of signature is not taken/],
      ['none', 'no-token-of-anybody', /signature is not that of the issuer/],
    ];
    for (const [what, token, reason] of tokens)
      await everywhere(stand, {
        ...{ what, reason, mechanism: 'openid-connect', secret: token.slice(-12) },
        headers: () => ({ authorization: `Bearer ${token}` }),
      });
  });

  it('a sign-in that did not begin here, is of another issuer, or whose answer is of another sign-in', async () => {
    const { lines, webs } = stand;
    for (const [server, page] of Object.entries(webs)) {
      const back = `${new URL(page).origin}/heddle/sign-in/return`;
      const attempt = { mechanism: 'openid-connect', secret: 'a-code-of-the-issuer' };
      const unknown = () => ask(`${back}?state=of-nobody&code=a-code-of-the-issuer`);
      await leavesOneLine({ lines }, { ...attempt, what: `state, ${server}`, reason: /did not begin here/, status: 400, show: unknown });
      const begin = async () => {
        const begun = await fetch(`${new URL(page).origin}/heddle/sign-in`, { redirect: 'manual' });
        const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state');
        return { state, cookie: (begun.headers.get('set-cookie') ?? '').split(';')[0]! };
      };
      const { state, cookie } = await begin();
      const elsewhere = () => ask(`${back}?state=${state}&code=a-code-of-the-issuer&iss=https://other.example`, { cookie });
      await leavesOneLine({ lines }, { ...attempt, what: `issuer, ${server}`, reason: /of another issuer/, status: 400, show: elsewhere });
      const again = await begin();
      const made = () => ask(`${back}?state=${again.state}&code=a-code-of-the-issuer`, { cookie: again.cookie });
      await leavesOneLine({ lines }, { ...attempt, what: `code, ${server}`, reason: /gave nothing for the code/, status: 403, show: made });
    }
  });

  it('a session that was forged or ended, of a program and of a browser that is sent to sign in again', async () => {
    const session = 'eyJ0Ijoib2lkYyJ9.c2lnbmF0dXJlLW9mLW5vYm9keQ';
    const attempt = { mechanism: 'session', reason: /over, or not of this cluster/, secret: session.slice(-16) };
    const cookie = `heddle.session=${session}`;
    await everywhere(stand, { ...attempt, what: 'program', headers: () => ({ cookie }) });
    for (const [server, page] of Object.entries(stand.webs)) {
      const show = () => ask(`${new URL(page).origin}/`, { cookie, accept: 'text/html' });
      await leavesOneLine(stand, { ...attempt, what: `browser, ${server}`, status: 302, show });
    }
    const from = stand.lines.length;
    assert.equal(await ask(`${stand.cluster.urls.history}/`, { accept: 'text/html' }), 302);
    assert.deepEqual(stand.lines.slice(from), [], 'who only comes to sign in was refused nothing');
  });
});

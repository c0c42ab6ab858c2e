// A cluster that speaks TLS alone: real processes, certificates of an authority that nobody else knows.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { type AddressInfo, connect as connectPlain, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Authority, makeAuthority, tlsSettingsOf } from '../support/certificates.ts';
import { freePorts } from '../support/ports.ts';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { independentCount, resultCount } from '../support/words.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-tls-'));
const builtIn = getCACertificates('default');
let authority: Authority;
let cluster: ClusterProcesses;

/** The serial number of the certificate that a server shows. */
const serialOf = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', reject);
  });

/** Runs a command of Heddle's to its end. */
function heddle(...words: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

/** The text of an answer, on a connection of its own. */
const ask = (url: string, options: RequestOptions): Promise<string> =>
  new Promise((resolve, reject) => {
    const asking = request(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      answer.on('end', () => resolve(text));
    });
    asking.on('error', reject).end();
  });

/** What sits at another address and passes on what it hears, which it cannot read. */
async function relayAt(host: string, url: string): Promise<{ readonly address: string } & Disposable> {
  const server = createServer((socket) => {
    const behind = connectPlain({ host: '127.0.0.1', port: Number(new URL(url).port) });
    socket.on('error', () => behind.destroy()).pipe(behind);
    behind.on('error', () => socket.destroy()).pipe(socket);
  });
  server.listen(0, host);
  await once(server, 'listening');
  return { address: `${host}:${(server.address() as AddressInfo).port}`, [Symbol.dispose]: () => void server.close() };
}

before(async () => {
  authority = makeAuthority(join(folder, 'authority'));
  setDefaultCACertificates([...builtIn, authority.pem()]);
  const settings = { ...tlsSettingsOf(authority, authority.sign('servers')), 'heddle.tls.node-certificates': 'true' };
  cluster = await startProcesses({ mode: 'roles', settings: { ...settings, 'yarn.log-aggregation-enable': 'true' } });
});
after(async () => {
  await cluster?.[Symbol.asyncDispose]();
  setDefaultCACertificates(builtIn);
  rmSync(folder, { recursive: true, force: true });
});

describe('a cluster with TLS', () => {
  it('is not believed by who does not know its authority, and speaks no plain HTTP', async () => {
    setDefaultCACertificates(builtIn);
    try {
      for (const url of Object.values(cluster.urls).filter((url) => url !== cluster.urls.reader))
        await assert.rejects(ask(url, { agent: false }), /unable to verify the first certificate|self-signed certificate/, url);
    } finally {
      setDefaultCACertificates([...builtIn, authority.pem()]);
    }
    for (const url of [cluster.urls.resourceManager, cluster.urls.nodeManager, cluster.urls.timeline, cluster.urls.history])
      await assert.rejects(fetch(`${url.replace('https:', 'http:')}/ws/v1/cluster/info`), url);
  });

  it('runs a command in its containers and a batch job; their logs come back, and every link is https', async () => {
    const { code, output } = await heddle('run', '--data', cluster.dataDir, '--', 'printenv', 'HEDDLE_TLS_CA_FILE');
    assert.equal(code, 0, output);
    assert.ok(output.includes(authority.file), output);
    const id = /application_\d+_\d+/.exec(output)![0]!;
    const input = join(cluster.home, 'texts');
    mkdirSync(input);
    for (const number of [1, 2]) writeFileSync(join(input, `${number}.txt`), `one two three file${number} one\n`.repeat(100));
    const job = await cluster.heddle('batch', 'wordcount', input, join(cluster.home, 'words'));
    assert.equal(job.code, 0, job.output);
    assert.deepEqual(resultCount(join(cluster.home, 'words')), independentCount(input));

    const logs = await cluster.heddle('app', 'logs', id);
    assert.equal(logs.code, 0, logs.output);
    assert.ok(logs.output.includes(authority.file), logs.output);

    const get = async (url: string) => (await fetch(url, { headers: { accept: 'application/json' } })).json();
    const { app } = (await get(`${cluster.urls.resourceManager}/ws/v1/cluster/apps/${id}`)) as { app: Record<string, string> };
    const node = new URL(cluster.urls.nodeManager).host;
    assert.equal(app['amHostHttpAddress'], node);
    assert.ok(app['amContainerLogs']?.startsWith(`https://${node}/node/containerlogs/`));
    assert.match(app['trackingUrl'] ?? '', /^https:\/\//);
    const { apps } = (await get(`${cluster.urls.resourceManager}/ws/v1/cluster/apps?applicationTypes=MAPREDUCE`)) as {
      apps: { app: { id: string; trackingUrl: string }[] };
    };
    // The web proxy leads to the history server.
    const page = await fetch(apps.app[0]!.trackingUrl);
    assert.deepEqual([page.status, new URL(page.url).origin], [200, cluster.urls.history]);
    // The timeline was told, over TLS too.
    const history = `${cluster.urls.timeline}/ws/v1/applicationhistory/apps/${id}`;
    await until(
      'the application history to know the end',
      async () => ((await get(history)) as { appState: string }).appState === 'FINISHED',
    );
  });

  it('takes a new certificate over while it runs, and keeps the old one where the new one cannot be used', async () => {
    const before = await serialOf(cluster.urls.resourceManager);
    authority.sign('servers');
    await until('the new certificate', async () => (await serialOf(cluster.urls.resourceManager)) !== before);
    for (const url of [cluster.urls.nodeManager, cluster.urls.timeline, cluster.urls.history])
      await until('the new certificate', async () => (await serialOf(url)) !== before);
    const now = await serialOf(cluster.urls.resourceManager);
    const other = authority.sign('other');
    copyFileSync(other.keyFile, join(folder, 'authority/servers.key'));
    await until('the complaint', async () => cluster.output('resource-manager').includes('the certificate cannot be read again'));
    assert.equal(await serialOf(cluster.urls.resourceManager), now);
    assert.equal((await fetch(`${cluster.urls.resourceManager}/ws/v1/cluster/info`)).status, 200);
    authority.sign('servers');
    await until('a whole pair again', async () => (await serialOf(cluster.urls.resourceManager)) !== now);
  });

  it('is believed by no command under a name that its certificate does not have', async () => {
    using between = await relayAt('127.0.0.2', cluster.urls.resourceManager);
    const list = (url: string) => heddle('app', 'list', '--conf', cluster.confDir, '--cluster', url);
    const { code, output } = await list(`https://${between.address}`);
    assert.notEqual(code, 0);
    assert.match(output, /is not believed \(ERR_TLS_CERT_ALTNAME_INVALID\)/);
    const own = await list(cluster.urls.resourceManager);
    assert.equal(own.code, 0, own.output);
  });

  it('takes no node without a certificate of its authority for its own host, though it knows the secret, and no node takes a manager of another', async () => {
    const stranger = makeAuthority(join(folder, 'stranger'));
    using between = await relayAt('127.0.0.2', cluster.urls.resourceManager);
    const cases: [Record<string, string>, RegExp][] = [
      [{ 'heddle.tls.node-certificates': 'false' }, /\(HTTP 401\): Nodes have to show a certificate/],
      [tlsSettingsOf(authority, stranger.sign('stranger')), /\(HTTP 401\): Nodes have to show a certificate/],
      [tlsSettingsOf(authority, authority.sign('elsewhere', ['IP:10.1.1.1'])), /is not for 127\.0\.0\.1, the host of its id/],
      [{ 'yarn.resourcemanager.webapp.https.address': between.address }, /is not believed \(ERR_TLS_CERT_ALTNAME_INVALID\)/],
      [{ 'heddle.tls.ca-file': stranger.file }, /is not believed \((?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN)\)/],
    ];
    for (const [index, [settings, reason]] of cases.entries()) {
      const [web, id, localizer, shuffle] = await freePorts(4);
      const own: Record<string, string> = {
        ...settings,
        'yarn.nodemanager.webapp.https.address': `127.0.0.1:${web}`,
        'yarn.nodemanager.address': `127.0.0.1:${id}`,
        'yarn.nodemanager.localizer.address': `127.0.0.1:${localizer}`,
        'mapreduce.shuffle.port': `${shuffle}`,
        'heddle.cluster.secret-file': join(cluster.dataDir, 'secrets/cluster'),
        'heddle.node-manager.exit-when-refused-after': '1s',
      };
      const set = Object.entries(own).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
      const data = join(folder, `node-${index}`);
      const ended = heddle('start', 'node-manager', '--conf', cluster.confDir, ...set, '--data', data);
      // Who has the id of another host is asked to go, not told that nobody is believed: it waits to be wanted.
      if (reason.source.includes('host of its id')) {
        await until('the refusal', async () =>
          reason.test(await ask(`https://127.0.0.1:${web}/ready`, { agent: false, rejectUnauthorized: false })),
        );
        const { pid } = JSON.parse(readFileSync(join(data, 'node-manager.json'), 'utf8')) as { pid: number };
        process.kill(pid, 'SIGTERM');
        await ended;
      } else {
        const { code, output } = await ended;
        assert.equal(code, 1, output);
        assert.match(output, reason);
      }
    }
    const nodes = (await (await fetch(`${cluster.urls.resourceManager}/ws/v1/cluster/nodes`)).json()) as { nodes: { node: unknown[] } };
    assert.equal(nodes.nodes.node.length, 1);
  });
});

describe('a batch job where names count for nothing, behind a proxy of its own', () => {
  it('shows its progress and its pages to who proves a name, and is found in the history', async () => {
    const [proxyPort] = await freePorts(1);
    await using proven = await startProcesses({
      settings: {
        ...tlsSettingsOf(authority, authority.sign('proven')),
        'heddle.security.authentication': 'bearer',
        'yarn.web-proxy.address': `127.0.0.1:${proxyPort}`,
      },
    });
    const tokenFile = join(proven.home, 'ann.token');
    const made = await proven.heddle('token', 'create', 'nightly', '--scope', 'submit', '--user', 'ann', '--out', tokenFile);
    assert.equal(made.code, 0, made.output);
    const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` };
    const job = proven.heddle('batch', 'sleep', '2', '1', '3000', '4000', '--token-file', tokenFile);
    const running = `${proven.urls.resourceManager}/ws/v1/cluster/apps?states=RUNNING`;
    const id = await until('a running job', async () => /application_\d+_\d+/.exec(await ask(running, { headers }))?.[0]);
    const page = `https://127.0.0.1:${proxyPort}/proxy/${id}/ws/v1/mapreduce/jobs`;
    assert.match(await ask(page, { headers }), /"user":"ann"/);
    assert.match(await ask(page, {}), /prove who they are with a bearer token/);
    const { code, output } = await job;
    assert.equal(code, 0, output);
    assert.match(output, /map \S+ 100%/, 'progress was seen');
    const history = `${proven.urls.history}/ws/v1/history/mapreduce/jobs/${id.replace('application', 'job')}`;
    assert.match(await ask(history, { headers }), /"state":"SUCCEEDED"/);
    assert.match(await ask(history, {}), /prove who they are with a bearer token/);
  });
});

// Everything of Heddle's that speaks TLS as a client, before servers whose certificate does not count: nothing is sent to them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request as plainRequest } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { WebSocket } from 'ws';
import { attemptKey } from '../../src/auth/connection-key.ts';
import { fetchJson } from '../../src/auth/oidc/fetch-json.ts';
import { fetchMapOutputs } from '../../src/batch/shuffle/fetch.ts';
import { webStore } from '../../src/batch/tasks/remote/web-store.ts';
import { webHdfsServer } from '../../src/batch/tasks/remote/webhdfs-store.ts';
import { askReady } from '../../src/cli/doctor-cluster.ts';
import { ApiClient } from '../../src/client/api-client.ts';
import { ContainerShell } from '../../src/client/container-shell.ts';
import { HttpClient } from '../../src/client/http.ts';
import { streamLog } from '../../src/client/log-stream.ts';
import { ProvenAgent } from '../../src/client/proven-agent.ts';
import { put } from '../../src/client/put-file.ts';
import { request } from '../../src/client/request.ts';
import { S3Bucket, s3Settings } from '../../src/client/s3.ts';
import { createProxyRoutes, type ProxyOptions } from '../../src/http/forward.ts';
import { ProxyTargets } from '../../src/http/forward-targets.ts';
import { proxyUpgrades } from '../../src/http/forward-upgrade.ts';
import { HostNames } from '../../src/http/own-names.ts';
import { profiles } from '../../src/http/profiles.ts';
import { createService, type Service } from '../../src/http/service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { ask as askToFetch } from '../../src/node-manager/localization/fetch-web.ts';
import { FetchWatch } from '../../src/node-manager/localization/limits.ts';
import { ReportLookUp } from '../../src/proxy/reports.ts';
import { sendWebhook } from '../../src/resource-manager/webhooks/webhook-sender.ts';
import { WebhookTargets } from '../../src/resource-manager/webhooks/webhook-targets.ts';
import { type Authority, type Certificate, makeAuthority } from '../support/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-certificates-'));
const builtIn = getCACertificates('default');
const made = new AsyncDisposableStack();
let authority: Authority;

/** A server that counts who got as far as a request. */
interface Listening {
  readonly origin: string;
  readonly asked: () => number;
}

async function listen({ certificateFile, keyFile }: Certificate): Promise<Listening> {
  let asked = 0;
  const server: Server = createServer({ cert: readFileSync(certificateFile), key: readFileSync(keyFile) }, (asking, answer) => {
    asked++;
    asking.resume();
    answer.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  });
  server.on('upgrade', (_asking, socket) => {
    asked++;
    socket.end('HTTP/1.1 403 Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  made.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

/** A web proxy whose applications' masters are at an address. */
async function proxyTo(origin: string): Promise<{ readonly service: Service; readonly port: number }> {
  const options: ProxyOptions = {
    lookUp: () => ({ user: 'ann', ended: false, originalTrackingUrl: `${origin}/`, page: '', hosts: ['127.0.0.1'] }),
    ...{ failurePage: () => '', scheme: 'http', warnStrangers: false, httpsOnly: false, timeoutMs: 5000, sandboxed: true },
    targets: new ProxyTargets({ allowedHosts: [], ownPorts: () => [], ownHosts: new HostNames() }),
  };
  const service = createService({
    ...{ name: 'proxy', profile: profiles.resourceManager, address: '127.0.0.1:0', logger: silentLogger },
    authenticator: {
      identify: ({ remoteAddress }) => ({
        caller: { user: 'ann', principal: 'ann', anonymous: false, authentication: 'simple', remoteAddress },
      }),
    },
  });
  for (const route of createProxyRoutes(options)) service.route(route);
  service.upgrade({ path: '/proxy/', authentication: 'required', handle: proxyUpgrades(options) });
  const { port } = await service.listen();
  return { service, port };
}

const master = '/proxy/application_1_0001/';
const containerId = 'container_1_0001_01_000001';
const signal = () => AbortSignal.timeout(60_000);

/** Each sends one request to a server; some reject, whatever comes of it. */
const clients: Readonly<Record<string, (origin: string) => Promise<unknown>>> = {
  'commands and servers, by names': (url) => new HttpClient({ url, user: 'ann' }).json('GET', '/x'),
  'programs, by heddle/client': (url) => new ApiClient({ url, user: 'ann', patienceMs: 1 }).application('application_1_0001'),
  'masters and servers, by kept connections': async (origin) => (await request(`${origin}/x`)).body.text(),
  'nodes, masters and servers, on proven connections': (origin) =>
    new Promise((resolve, reject) => {
      const agent = new ProvenAgent({ url: () => origin, keys: () => [attemptKey('appattempt_1_0001_000001', 'a')], unknown: '' });
      plainRequest({ agent, path: '/x' }, resolve).on('error', reject).end();
    }),
  'shells in containers': (url) =>
    ContainerShell.open({
      ...{ url, containerId, user: 'ann', authorize: undefined, command: [] },
      write: async () => undefined,
    }),
  'logs as they are written': async (url) => {
    const log = { url, user: 'ann', containerId, file: 'stdout' };
    for await (const bytes of streamLog(log, signal(), () => true)) assert.fail(`${bytes.length} bytes came`);
  },
  'files that are sent': (origin) => put(new URL(`${origin}/x`), { 'content-length': 0 }, undefined, signal()),
  'the shuffle of batch jobs': (url) => {
    const begin = () => ({ write: () => undefined, end: () => undefined, drop: () => undefined });
    const asked = { url: `${url}/`, jobId: 'job_1_0001', reduce: 0, maps: ['attempt_1_0001_m_000000_0'] };
    return fetchMapOutputs({ agent: new Agent(), ...asked, token: Buffer.alloc(20), timeoutMs: 60_000 }, begin);
  },
  webhooks: async (url) => {
    const message = { url: `${url}/`, secret: 'a', kind: 'application.finished', delivery: '1', body: '{}' };
    return sendWebhook(message, new WebhookTargets(['127.0.0.1']), systemClock, signal());
  },
  'heddle doctor': (origin) => askReady(origin, undefined),
  'heddle doctor, with an authority': (origin) => askReady(origin, authority.file),
  'issuers of OpenID Connect': (origin) => fetchJson(`${origin}/.well-known/openid-configuration`),
  'codes of OpenID Connect': (origin) => fetchJson(`${origin}/token`, { form: new URLSearchParams({ code: 'a' }), headers: {} }),
  'objects of S3': (endpoint) => {
    const properties: Record<string, string> = { 'fs.s3a.endpoint': endpoint, 'fs.s3a.access.key': 'a', 'fs.s3a.secret.key': 'b' };
    return new S3Bucket(
      'bucket',
      s3Settings((key) => properties[key], 'bucket', {}),
      () => systemClock.now(),
    ).request('GET', 'key', { signal: signal() });
  },
  'files of name nodes': (origin) =>
    webHdfsServer(origin.replace('https:', 'swebhdfs:'), { user: 'ann', property: () => undefined }, signal()).status('/x'),
  'input from web servers': (origin) => webStore(origin, { user: 'ann', property: () => undefined }).status('/x'),
  'files of containers': (origin) => {
    const limits = { maximumBytes: 1, maximumEntries: 1, maximumRatio: 1, stallMs: 10_000, totalMs: 10_000 };
    const watch = new FetchWatch(systemClock, limits, 'x', signal());
    return askToFetch(`${origin}/x`, 'x', { watch }).finally(() => watch.close());
  },
  'the web proxy, of applications': async (url) => {
    const reports = new ReportLookUp({ resourceManagerUrl: url, historyUrl: undefined, user: 'ann', logger: silentLogger });
    await reports.find('application_1_0001').finally(() => reports.close());
  },
  'the web proxy, of masters': async (origin) => {
    const { service, port } = await proxyTo(origin);
    await (await fetch(`http://127.0.0.1:${port}${master}`)).text();
    await service.close();
  },
  'the web proxy, for WebSockets of masters': async (origin) => {
    const { service, port } = await proxyTo(origin);
    const socket = new WebSocket(`ws://127.0.0.1:${port}${master}`);
    socket.on('error', () => undefined);
    await once(socket, 'unexpected-response');
    socket.terminate();
    await service.close();
  },
};

const servers = new Map<string, Listening>();
before(async () => {
  authority = makeAuthority(join(folder, 'authority'));
  setDefaultCACertificates([...builtIn, authority.pem()]);
  const stranger = makeAuthority(join(folder, 'stranger'));
  const certificates: Record<string, Certificate> = {
    good: authority.sign('good'),
    'for another host': authority.sign('elsewhere', ['DNS:elsewhere.example', 'IP:10.1.1.1']),
    'for another host, whose subject is named as this one': authority.sign('127.0.0.1', ['DNS:elsewhere.example']),
    'that is over': authority.sign('over', undefined, -1),
    'of an unknown authority': stranger.sign('stranger'),
  };
  for (const [kind, certificate] of Object.entries(certificates)) servers.set(kind, await listen(certificate));
});
after(async () => {
  await made.disposeAsync();
  setDefaultCACertificates(builtIn);
  rmSync(folder, { recursive: true, force: true });
});

describe('a server whose certificate does not count hears nothing', () => {
  for (const [name, send] of Object.entries(clients))
    it(`of ${name}`, async () => {
      for (const [kind, { origin, asked }] of servers) {
        const before = asked();
        await send(origin).catch(() => undefined);
        const heard = asked() - before;
        if (kind === 'good') assert.ok(heard > 0, 'whose certificate counts is asked');
        else assert.equal(heard, 0, `a certificate ${kind}`);
      }
    });
});

// Pages in the browser of a user of the cluster: of other sites, of sites whose name points here, of an application's master.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { browserNeeded, startBrowser } from '../support/browser.ts';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { type Answered, aServer, send, startCluster, submit, unmanaged } from './harness.ts';

/** The function that a hostile page runs, without what is said of it. */
const pageAttack = readFileSync(join(import.meta.dirname, 'page-attack.js'), 'utf8')
  .replace(/^\/\/.*\n/, '')
  .replace(/;\s*$/, '');
const json = { 'Content-Type': 'application/json' };

/** What an attack would change. */
async function stateOf({ resourceManager, timeline }: ClusterProcesses['urls']) {
  const [nodes, applications, level, entities] = await Promise.all(
    [
      `${resourceManager}/ws/v1/cluster/nodes`,
      `${resourceManager}/ws/v1/cluster/apps`,
      `${resourceManager}/logLevel`,
      `${timeline}/ws/v1/timeline/ATTACK`,
    ].map((url) => send(url, { headers: { Accept: 'application/json' } })),
  );
  const { nodes: list } = JSON.parse(nodes!.body) as { nodes: { node: { id: string; state: string }[] } };
  const { apps } = JSON.parse(applications!.body) as { apps: { app?: { id: string; state: string }[] } | null };
  return {
    nodes: list.node.map(({ id, state }) => `${id} ${state}`),
    applications: (apps?.app ?? []).map(({ id, state }) => `${id} ${state}`).toSorted(),
    level: /Effective Level: <b>(\w+)</.exec(level!.body)?.[1],
    entities: entities!.body,
  };
}

let cluster: ClusterProcesses;
let nodeId: string;
before(async () => {
  // Applications whose masters never come hold the share of masters.
  cluster = await startCluster({
    settings: {
      'yarn.scheduler.capacity.maximum-am-resource-percent': '1.0',
      'yarn.nodemanager.resource.memory-mb': '65536',
      'yarn.nodemanager.resource.cpu-vcores': '64',
    },
  });
  nodeId = (await stateOf(cluster.urls)).nodes[0]!.split(' ')[0]!;
});
after(() => cluster[Symbol.asyncDispose]());

describe('requests that a browser could be made to send', () => {
  it('reach no server under a name that is not its own', async () => {
    const { resourceManager, nodeManager, timeline, history } = cluster.urls;
    const hosts = [
      ...['rebind.attacker.test:8088', 'evil.example', 'evil.example:80', 'localhost.evil.example', '0.0.0.0', '169.254.169.254', 'a b'],
      ...['evil.example:8088/x?', '<script>', 'x'.repeat(3000)],
    ];
    for (const url of [resourceManager, nodeManager, timeline, history])
      for (const host of hosts) assert.equal((await send(`${url}/ready`, { headers: { Host: host } })).status, 400, `${url} ${host}`);
    const { status } = await submit(resourceManager, 'true', {
      user: 'eve',
      headers: { Host: 'rebind.attacker.test', Origin: 'http://rebind.attacker.test' },
    });
    assert.equal(status, 400);
    for (const host of ['localhost', '127.0.0.1'])
      assert.equal((await send(`${resourceManager}/ready`, { headers: { Host: host } })).status, 200);
  });

  it('change nothing for another origin', async () => {
    const { resourceManager, timeline } = cluster.urls;
    const before = await stateOf(cluster.urls);
    const changes = [
      ['POST', `${resourceManager}/ws/v1/cluster/apps/new-application`],
      ['POST', `${resourceManager}/api/v1/nodes/${nodeId}/drain`],
      ['POST', `${resourceManager}/api/v1/nodes/refresh`],
      ['POST', `${resourceManager}/api/v1/queues/refresh`],
      ['POST', `${resourceManager}/api/v1/access/refresh`],
      ['POST', `${resourceManager}/ws/v1/cluster/add-node-labels`],
      ['POST', `${timeline}/ws/v1/timeline/`],
      ['PUT', `${resourceManager}/ws/v1/cluster/scheduler-conf`],
    ] as const;
    const origins: Record<string, string>[] = [
      { Origin: 'http://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const [method, url] of changes)
      for (const origin of origins)
        for (const type of [{}, { 'Content-Type': 'text/plain' }, json])
          assert.equal((await send(url, { method, headers: { ...origin, ...type }, body: '{}' })).status, 403, url);
    for (const path of [
      '/logLevel?level=trace',
      '/ws/v1/cluster/scheduler-conf/format',
      '/ws/v1/cluster/info?op=GETDELEGATIONTOKEN&user.name=root',
    ])
      for (const headers of [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-origin' },
        { 'User-Agent': 'Mozilla/5.0' },
      ] as Record<string, string>[])
        assert.equal((await send(resourceManager + path, { headers })).status, 403, path);
    assert.deepEqual(await stateOf(cluster.urls), before);
  });
});

describe('a master', () => {
  it('leads the web proxy to no server of the cluster, to no other host, and round no circle', async () => {
    const { resourceManager, nodeManager, timeline, history } = cluster.urls;
    const port = (url: string) => new URL(url).port;
    const refused = [
      `${nodeManager}/ws/v1/node/info`,
      `${resourceManager}/ws/v1/cluster/info`,
      `http://0x7f000001:${port(timeline)}/`,
      `http://user:pass@localhost:${port(history)}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://192.0.2.1/',
    ];
    for (const url of refused) {
      const id = await unmanaged(resourceManager, url);
      const { status, body } = await send(`${resourceManager}/proxy/${id}/`, { headers: { Accept: 'application/json' } });
      assert.equal(status, 403, `${url}: ${body}`);
    }
    // A circle over a port that no setting names.
    using relay = await aServer((request, response) => {
      const target = `${resourceManager}${request.url}`;
      void fetch(target, { headers: request.headers as Record<string, string> }).then(
        async (answer) => response.writeHead(answer.status).end(await answer.text()),
        () => response.writeHead(502).end(),
      );
    });
    const circle = await unmanaged(resourceManager, `http://127.0.0.1:${relay.port}/`);
    assert.equal((await send(`${resourceManager}/proxy/${circle}/ws/v1/cluster/info`)).status, 400);
    assert.equal(relay.asked.length, 1);
  });

  it('says nothing for the site that shows its pages, and sends visitors nowhere else', async () => {
    const { resourceManager } = cluster.urls;
    using master = await aServer((request, response) => {
      if (request.url === '/away') response.writeHead(302, { Location: 'http://evil.example/' }).end();
      else if (request.url === '/script') response.writeHead(302, { Location: 'javascript:alert(1)' }).end();
      else
        response
          .writeHead(200, {
            'Content-Type': 'text/html',
            'Service-Worker-Allowed': '/',
            'Clear-Site-Data': '"*"',
            'Strict-Transport-Security': 'max-age=1',
            'X-Frame-Options': 'ALLOWALL',
            Refresh: '0; url=http://evil.example/',
            'Set-Cookie': ['hadoop.auth =stolen; Path=/', 'own=1; Path=/'],
          })
          .end(JSON.stringify(request.headers));
    });
    const id = await unmanaged(resourceManager, `http://127.0.0.1:${master.port}/`);
    const page: Answered = await send(`${resourceManager}/proxy/${id}/?user.name=eve`, {
      headers: { Cookie: 'proxy-user =ann; proxy-user=ann; mine=2', 'Heddle-Proxy-User': 'v1.0.YW5u.x' },
    });
    assert.equal(page.status, 200);
    for (const name of ['service-worker-allowed', 'clear-site-data', 'strict-transport-security', 'refresh'])
      assert.equal(page.headers[name], undefined, name);
    assert.equal(page.headers['x-frame-options'], 'SAMEORIGIN');
    assert.match(page.headers['content-security-policy'] ?? '', /^sandbox /);
    assert.ok(page.headers['set-cookie']?.split('\n').every((cookie) => !cookie.includes('stolen')));
    const seen = JSON.parse(page.body) as Record<string, string>;
    assert.equal(seen['cookie'], 'proxy-user=eve; mine=2');
    for (const path of ['away', 'script']) assert.equal((await send(`${resourceManager}/proxy/${id}/${path}`)).status, 403, path);
    assert.equal((await send(`${resourceManager}/proxy/${id}/sw.js`, { headers: { 'Service-Worker': 'script' } })).status, 403);
  });
});

describe('a page in a browser', { skip: browserNeeded }, () => {
  let browser: Browser;
  before(async () => {
    browser = await startBrowser(['evil.example', 'rebind.example']);
  });
  after(() => browser?.close());

  /** Sends what a page can send without asking anybody, and what it must ask for; says what answers a script could read. */
  const attack = (page: Page, target: Awaited<ReturnType<typeof targetOf>>) =>
    page.evaluate<string[]>(`(${pageAttack})(${JSON.stringify(target)})`);

  const empty = (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<body></body>');

  const targetOf = async () => {
    const { resourceManager: rm, nodeManager: nm, timeline } = cluster.urls;
    const { id: application } = await submit(rm, 'sleep 600', { user: 'ann' });
    await until('the application is accepted', async () => (await stateOf(cluster.urls)).applications.includes(`${application} ACCEPTED`));
    const container = `container_${application.slice('application_'.length)}_01_000001`;
    await until('its container runs', async () => (await send(`${nm}/ws/v1/node/containers/${container}`)).body.includes('RUNNING'));
    return { rm, nm, timeline, node: nodeId, application, container };
  };

  it('of another site changes nothing, opens no socket and reads nothing', async () => {
    const target = await targetOf();
    const before = await stateOf(cluster.urls);
    using evil = await aServer(empty);
    const page = await browser.newPage();
    await page.goto(`http://evil.example:${evil.port}/`);
    assert.deepEqual(await attack(page, target), []);
    await page.waitForLoadState();
    assert.deepEqual(await stateOf(cluster.urls), before);
    await page.close();
  });

  it('of another port of this machine changes nothing either', async () => {
    const target = await targetOf();
    const before = await stateOf(cluster.urls);
    using evil = await aServer(empty);
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${evil.port}/`);
    assert.deepEqual(await attack(page, target), []);
    await page.waitForLoadState();
    assert.deepEqual(await stateOf(cluster.urls), before);
    await page.close();
  });

  it('of a site whose name points here by now is told that this is not its server', async () => {
    const target = await targetOf();
    const before = await stateOf(cluster.urls);
    const rebound = (url: string) => url.replace(/\/\/[^/:]+/, '//rebind.example');
    const page = await browser.newPage();
    // The first page still came from the attacker; to the browser everything behind the name is one origin.
    const start = `${rebound(target.rm)}/start`;
    await page.route(start, (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<body></body>' }));
    await page.goto(start);
    const heard = await page.evaluate(async () => {
      const answer = await fetch('/ws/v1/cluster/info', { headers: { accept: 'application/json' } });
      return { status: answer.status, text: await answer.text() };
    });
    assert.equal(heard.status, 400);
    assert.match(heard.text, /rebind\.example:\d+\\" is no name of this server/);
    assert.deepEqual(
      await attack(page, { ...target, rm: rebound(target.rm), nm: rebound(target.nm), timeline: rebound(target.timeline) }),
      [],
    );
    await page.waitForLoadState();
    assert.deepEqual(await stateOf(cluster.urls), before);
    await page.close();
  });

  it('of a master neither speaks for its visitor nor leaves a service worker', async () => {
    const target = await targetOf();
    using master = await aServer((request, response) =>
      request.url?.startsWith('/worker.js')
        ? void response.writeHead(200, { 'Content-Type': 'text/javascript', 'Service-Worker-Allowed': '/' }).end('')
        : empty(request, response),
    );
    const shown = await unmanaged(target.rm, `http://127.0.0.1:${master.port}/`);
    const before = await stateOf(cluster.urls);
    const page = await browser.newPage();
    await page.goto(`${target.rm}/proxy/${shown}/?user.name=ann`);
    const own = await page.evaluate(`(async () => {
      const refused = async (action) => {
        try {
          await action();
          return false;
        } catch {
          return true;
        }
      };
      return {
        origin: self.origin,
        cookies: await refused(() => document.cookie),
        storage: await refused(() => localStorage.getItem('a')),
        worker: await refused(() => navigator.serviceWorker.register('/proxy/${shown}/worker.js', { scope: '/' })),
      };
    })()`);
    assert.deepEqual(own, { origin: 'null', cookies: true, storage: true, worker: true });
    assert.deepEqual(await attack(page, target), []);
    await page.waitForLoadState();
    assert.deepEqual(await stateOf(cluster.urls), before);
    await page.close();
  });

  it('of the cluster itself may: the attacks above would work if they were not refused', async () => {
    const target = await targetOf();
    // Its pages run no scripts; this one is let.
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    await page.goto(`${target.nm}/node`);
    const isShell = await page.evaluate(
      (url) =>
        new Promise<boolean>((done) => {
          const socket = new WebSocket(url);
          let shown = '';
          socket.onopen = () => socket.send('echo in-$((6 * 7))\r');
          socket.onclose = () => done(false);
          socket.onmessage = ({ data }) => {
            shown += data;
            if (shown.includes('in-42')) done(true);
          };
        }),
      `${target.nm.replace(/^http/, 'ws')}/container/${target.container}/bash?user.name=ann`,
    );
    assert.ok(isShell);
    await page.goto(`${target.rm}/cluster/nodes`);
    const statuses = await page.evaluate(async ({ node, application }) => {
      const statusOf = async (method: string, path: string, body = '{}') =>
        (await fetch(path, { method, body, headers: { 'content-type': 'application/json' } })).status;
      return [
        await statusOf('POST', '/api/v1/queues/refresh'),
        await statusOf('POST', `/api/v1/nodes/${node}/drain`),
        await statusOf('POST', `/api/v1/nodes/${node}/resume`),
        await statusOf('PUT', `/ws/v1/cluster/apps/${application}/state?user.name=ann`, '{"state":"KILLED"}'),
      ];
    }, target);
    assert.deepEqual(statuses, [200, 200, 200, 202]);
    await page.goto(`${target.rm}/logLevel`);
    await page.getByRole('button', { name: 'debug' }).first().click();
    await page.waitForLoadState();
    assert.match(await page.content(), /Effective Level: <b>DEBUG</);
    await context.close();
  });
});

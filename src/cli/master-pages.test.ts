// Where masters are asked: at the resource manager, or at the proxy that it names.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, it } from 'node:test';
import { MasterPages } from './master-pages.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers with the status, and the paths that it was asked for. */
async function aServer(status: number) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"from":"master"}');
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it('asks the proxy that the resource manager names where that has none, and goes on asking it', async () => {
  for (const status of [404, 405]) {
    const [resourceManager, proxy] = [await aServer(status), await aServer(200)];
    const pages = new MasterPages({
      resourceManagerUrl: resourceManager.url,
      credentials: { user: 'ann', authorize: undefined },
      proxyUrl: undefined,
    });
    const app = { id: 'application_1_0001', trackingUrl: `${proxy.url}/proxy/application_1_0001/` };
    for (let i = 0; i < 2; i++) assert.deepEqual(await pages.json(app, 'PUT', '/drained'), { from: 'master' });
    assert.deepEqual(resourceManager.asked, ['PUT /proxy/application_1_0001/drained?user.name=ann undefined']);
    assert.equal(proxy.asked.length, 2);
  }
});

it('asks nobody else where the resource manager answers for the master, or names no proxy', async () => {
  const [refusing, other] = [await aServer(503), await aServer(200)];
  const named = { id: 'application_1_0001', trackingUrl: `${other.url}/proxy/application_1_0001/` };
  await assert.rejects(
    new MasterPages({ resourceManagerUrl: refusing.url, credentials: { user: 'ann', authorize: undefined }, proxyUrl: undefined }).json(
      named,
      'GET',
      '/',
    ),
    { status: 503 },
  );
  const without = await aServer(404);
  for (const trackingUrl of [undefined, 'N/A', `${other.url}/jobhistory/job/job_1_0001`]) {
    const app = { id: 'application_1_0001', trackingUrl };
    await assert.rejects(
      new MasterPages({ resourceManagerUrl: without.url, credentials: { user: 'ann', authorize: undefined }, proxyUrl: undefined }).json(
        app,
        'GET',
        '/',
      ),
      { status: 404 },
    );
  }
  assert.deepEqual(other.asked, []);
});

it('proves who asks at the proxy of the settings alone, by whatever name the resource manager calls it', async () => {
  const proofs = (asked: readonly string[]) => asked.map((line) => line.split(' ')[2]);
  const [resourceManager, proxy, other] = [await aServer(404), await aServer(200), await aServer(200)];
  const credentials = { user: 'ann', authorize: () => ({ authorization: 'proof' }) };
  const ask = (trackingUrl: string, proxyUrl: string | undefined) =>
    new MasterPages({ resourceManagerUrl: resourceManager.url, credentials, proxyUrl }).json({ id: 'a', trackingUrl }, 'GET', '/');
  await ask(`${proxy.url.replace('127.0.0.1', 'localhost')}/proxy/a/`, proxy.url);
  assert.deepEqual(proofs(proxy.asked), ['proof']);
  await ask(`${other.url}/proxy/a/`, undefined);
  assert.deepEqual(proofs(other.asked), ['undefined']);
});

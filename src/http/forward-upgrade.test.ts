import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import type { TokenRestriction } from '../auth/bearer/restriction.ts';
import { silentLogger } from '../lib/log.ts';
import { createProxyRoutes, type ProxyOptions } from './forward.ts';
import { ProxyTargets } from './forward-targets.ts';
import { proxyUpgrades } from './forward-upgrade.ts';
import { HostNames } from './own-names.ts';
import { profiles } from './profiles.ts';
import { createService, type Service } from './service.ts';

const id = 'application_1_0001';

describe('connections through the web proxy', () => {
  let master: Server;
  let sockets: WebSocketServer;
  let service: Service;
  let port: number;
  let seen: IncomingMessage | undefined;

  before(async () => {
    master = createServer((asked, response) => {
      seen = asked;
      if (asked.url === '/ui/early') response.writeHead(413).end('too long');
      else asked.once('data', (chunk: Buffer) => response.end(`began with ${chunk.subarray(0, 5)}`));
    });
    sockets = new WebSocketServer({ noServer: true });
    master.on('upgrade', (asked, socket, head) => {
      seen = asked;
      if (asked.url?.startsWith('/ui/not')) socket.end('HTTP/1.1 418 No\r\ncontent-length: 3\r\n\r\ntea');
      else sockets.handleUpgrade(asked, socket, head, (open) => open.on('message', (data) => open.send(`heard ${data}`)));
    });
    master.listen(0, '127.0.0.1');
    await once(master, 'listening');
    const options: ProxyOptions = {
      lookUp: (known) => {
        if (known === 'application_1_0002')
          return { user: 'ada', ended: false, originalTrackingUrl: 'http://127.0.0.1:1/', page: '', hosts: ['127.0.0.1'] };
        const originalTrackingUrl = `http://127.0.0.1:${(master.address() as AddressInfo).port}/ui/`;
        return known === id
          ? { user: 'ada', queue: 'root.a', ended: false, originalTrackingUrl, page: '', hosts: ['127.0.0.1'] }
          : undefined;
      },
      failurePage: () => '',
      scheme: 'http',
      warnStrangers: false,
      httpsOnly: false,
      timeoutMs: 60_000,
      targets: new ProxyTargets({ allowedHosts: [], ownPorts: () => [], ownHosts: new HostNames() }),
      sandboxed: true,
    };
    service = createService({
      name: 'proxy',
      profile: profiles.resourceManager,
      address: '127.0.0.1:0',
      authenticator: {
        identify: ({ remoteAddress, headers: { 'x-user': user = 'bob', 'x-token': token } }) => ({
          caller: {
            ...{ user: String(user), principal: String(user), anonymous: false, authentication: 'simple', remoteAddress },
            ...(token !== undefined && { restriction: JSON.parse(String(token)) as TokenRestriction }),
          },
        }),
      },
      logger: silentLogger,
    });
    for (const route of createProxyRoutes(options)) service.route(route);
    service.route({
      method: 'GET',
      path: '/plain',
      produces: 'any',
      handle: () => ({ kind: 'rendered', status: 200, body: 'plain', contentType: 'text/plain' }),
    });
    service.upgrade({ path: '/proxy/', authentication: 'required', access: 'relayed', handle: proxyUpgrades(options) });
    ({ port } = await service.listen());
  });
  after(async () => {
    for (const open of sockets.clients) open.terminate();
    await service.close();
    master.close();
  });

  it('carries WebSockets both ways, with who visits and without credentials of the cluster', async () => {
    const open = new WebSocket(`ws://127.0.0.1:${port}/proxy/${id}/terminal?x=1`, {
      headers: { cookie: 'hadoop.auth=secret; own=2', 'x-request-id': 'mine' },
    });
    await once(open, 'open');
    open.send('a');
    const [answer] = await once(open, 'message');
    assert.equal(String(answer), 'heard a');
    assert.deepEqual([seen?.url, seen?.headers.cookie], ['/ui/terminal?x=1', 'proxy-user=bob; own=2']);
    assert.equal(seen?.headers['x-request-id'], 'mine');
    open.close();
    const [code] = await once(open, 'close');
    assert.equal(code, 1005);
  });
  it('passes on that a master does not upgrade, and refuses where there is none', async () => {
    const refused = async (path: string): Promise<number | undefined> => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { 'x-request-id': 'mine' } });
      socket.on('error', () => undefined);
      const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
      socket.terminate();
      assert.equal(answer.headers['x-request-id'], 'mine', path);
      if (answer.headers['content-type'] !== undefined) assert.equal(answer.headers['x-content-type-options'], 'nosniff', path);
      return answer.statusCode;
    };
    assert.equal(await refused(`/proxy/${id}/not`), 418);
    assert.equal(await refused('/proxy/application_9_0009/'), 404);
    assert.equal(await refused('/proxy/nonsense/'), 400);
    assert.equal(await refused('/proxy/application_1_0002/'), 502);
    assert.equal(await refused('/elsewhere'), 404);
  });
  it('lets a token change nothing that it keeps its bearer from, and a WebSocket may change anything', async () => {
    const outcomes = async (headers: Record<string, string>): Promise<[number, number, number | undefined]> => {
      const ask = (method: string) =>
        new Promise<number>((resolve, reject) => {
          const asked = request({ port, path: `/proxy/${id}/early`, method, headers }, (answer) =>
            resolve(answer.resume().statusCode ?? 0),
          );
          asked.on('error', reject).end();
        });
      const socket = new WebSocket(`ws://127.0.0.1:${port}/proxy/${id}/terminal`, { headers });
      const opened = await Promise.race([
        once(socket, 'open').then(() => 101),
        once(socket, 'unexpected-response').then(([, answer]) => (answer as IncomingMessage).statusCode),
      ]);
      socket.on('error', () => undefined).terminate();
      return [await ask('GET'), await ask('PUT'), opened];
    };
    const own = { 'x-user': 'ada' };
    const bearing = (token: TokenRestriction) => ({ 'x-token': JSON.stringify(token) });
    // The master itself answers 413.
    const all = [413, 413, 101];
    const reading = [413, 403, 403];
    assert.deepEqual(await outcomes({}), all, 'no token');
    assert.deepEqual(await outcomes({ ...own, ...bearing({ scope: 'read' }) }), reading, 'read');
    assert.deepEqual(await outcomes({ ...own, ...bearing({ scope: 'submit' }) }), all, 'submit');
    assert.deepEqual(await outcomes({ ...own, ...bearing({ scope: 'submit', queues: ['root.a'] }) }), all, 'submit in its queue');
    assert.deepEqual(await outcomes({ ...own, ...bearing({ scope: 'submit', queues: ['root.b'] }) }), reading, 'submit in another queue');
    assert.deepEqual(await outcomes(bearing({ scope: 'submit' })), reading, "submit, another's application");
    assert.deepEqual(await outcomes(bearing({ scope: 'admin' })), all, "admin, another's application");
    assert.deepEqual(await outcomes(bearing({ scope: 'admin', queues: ['root.b'] })), reading, 'admin in another queue');
  });
  it('answers requests that offer another protocol as if they had not', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'GET /plain HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
    );
    let text = '';
    for await (const chunk of socket) text += chunk;
    assert.match(text, /^HTTP\/1\.1 200 /);
  });
  it('passes uploads on while they come', async () => {
    const upload = request({ port, path: `/proxy/${id}/jars`, method: 'POST', headers: { 'content-type': 'application/java-archive' } });
    upload.write('first');
    const [answer] = (await once(upload, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer) text += chunk;
    assert.deepEqual([answer.statusCode, text], [200, 'began with first']);
    upload.destroy();
  });
  it('answers uploads that a master does not take, or cannot', async () => {
    const send = (path: string) =>
      fetch(`http://127.0.0.1:${port}/proxy/${path}`, { method: 'POST', body: Buffer.alloc(300_000) }).then(({ status }) => status);
    assert.equal(await send('application_1_0002/'), 502);
    assert.equal(await send('application_9_0009/'), 405);
    assert.equal(await send(`${id}/early`), 413);
  });
});

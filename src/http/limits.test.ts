import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Authenticator } from '../auth/authenticator.ts';
import { silentLogger } from '../lib/log.ts';
import { failure } from '../model/errors.ts';
import { text } from './answers.ts';
import { BodyBudget } from './body-budget.ts';
import { ConnectionLimits } from './connection-limits.ts';
import { usualLimits } from './limits.ts';
import { profiles } from './profiles.ts';
import { createService } from './service.ts';
import type { ServiceOptions } from './service-options.ts';

const authenticator: Authenticator = {
  identify: ({ headers, remoteAddress }) =>
    headers['x-user'] === undefined
      ? { refusal: failure('AUTHENTICATION_REQUIRED', { reason: 'Authentication required' }) }
      : { caller: { user: 'ada', principal: 'ada', anonymous: false, authentication: 'simple', remoteAddress } },
};
const mebibyte = 1024 * 1024;

/** The port of a server whose connections are limited, until the test is over. */
async function aLimitedServer(test: TestContext, limits: ConnectionLimits): Promise<number> {
  const server = createServer((_request, response) => response.end('served'));
  limits.watch(server);
  test.after(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A server with a route that holds its bodies until it is let go. */
async function aServer(more: Partial<ServiceOptions> = {}) {
  const waiting: (() => void)[] = [];
  const seen: number[] = [];
  const service = createService({
    name: 'test',
    profile: profiles.resourceManager,
    address: '127.0.0.1:0',
    authenticator,
    logger: silentLogger,
    ...more,
  });
  service.route<Buffer>({
    method: 'POST',
    path: '/hold',
    body: 'raw',
    bodyLimitBytes: 4 * mebibyte,
    handle: async ({ body }) => {
      seen.push(body.length);
      await new Promise<void>((go) => waiting.push(go));
      return text(200, 'held');
    },
  });
  service.route<Buffer>({
    method: 'POST',
    path: '/small',
    body: 'raw',
    bodyLimitBytes: 1000,
    handle: ({ body }) => {
      seen.push(body.length);
      return text(200, 'small');
    },
  });
  service.route({ method: 'POST', path: '/none', handle: () => text(200, 'none') });
  service.route<Buffer>({
    method: 'POST',
    path: '/own',
    body: 'raw',
    authentication: 'none',
    admit: ({ headers }) => {
      if (headers['x-key'] !== 'right') throw failure('BEARER_REFUSED');
    },
    handle: ({ body }) => text(200, String(body.length)),
  });
  service.route({ method: 'GET', path: '/thing', handle: () => text(200, 'thing') });
  const { port } = await service.listen();
  return {
    port,
    seen,
    waiting,
    [Symbol.asyncDispose]: async () => {
      for (const go of waiting) go();
      await service.close();
    },
  };
}

/** Sends a head and what of a body is given, and waits for the answer's head. */
async function begin(port: number, path: string, lengthBytes: number, headers: Record<string, string>, sent = Buffer.alloc(0)) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const all = { Host: 'localhost', 'Content-Length': String(lengthBytes), Accept: 'application/json', ...headers };
  socket.write(
    `POST ${path} HTTP/1.1\r\n${Object.entries(all)
      .map((pair) => `${pair.join(': ')}\r\n`)
      .join('')}\r\n`,
  );
  if (sent.length > 0) socket.write(sent);
  return socket;
}
/** What is answered, up to the end of its head; the connection stays. */
async function headOf(socket: Socket): Promise<string> {
  let head = '';
  while (!head.includes('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    head += String(chunk);
  }
  return head;
}
const known = { 'X-User': 'ada' };

describe('bodies', () => {
  it('are waited for by nobody who does not know the caller, or does not want them', async () => {
    await using server = await aServer();
    const { port } = server;
    // Nothing of these bodies is ever sent: an answer shows that none was waited for.
    assert.match(await headOf(await begin(port, '/hold', 4 * mebibyte, {})), /^HTTP\/1\.1 401 /);
    assert.match(await headOf(await begin(port, '/nothing', 4 * mebibyte, {})), /^HTTP\/1\.1 401 /);
    assert.match(await headOf(await begin(port, '/own', mebibyte, {})), /^HTTP\/1\.1 401 /);
    assert.match(await headOf(await begin(port, '/nothing', 4 * mebibyte, known)), /^HTTP\/1\.1 404 /);
    assert.match(await headOf(await begin(port, '/thing', 4 * mebibyte, known)), /^HTTP\/1\.1 405 /);
    assert.match(await headOf(await begin(port, '/none', 4 * mebibyte, known)), /^HTTP\/1\.1 200 /);
    assert.match(await headOf(await begin(port, '/hold', 4 * mebibyte, { ...known, Host: 'evil.example' })), /^HTTP\/1\.1 400 /);
    assert.match(await headOf(await begin(port, '/hold', 4 * mebibyte, { ...known, Origin: 'http://evil.example' })), /^HTTP\/1\.1 403 /);
    assert.deepEqual(server.seen, []);
  });
  it('end at the limit of their route, announced, in pieces and packed', async () => {
    await using server = await aServer();
    const { port } = server;
    assert.match(await headOf(await begin(port, '/small', 1001, known)), /^HTTP\/1\.1 413 /);
    const url = `http://127.0.0.1:${port}/small`;
    const headers = { ...known, accept: 'application/json' };
    const pieces = new ReadableStream({
      start(controller) {
        for (let count = 0; count < 3; count++) controller.enqueue(Buffer.alloc(400));
        controller.close();
      },
    });
    assert.equal((await fetch(url, { method: 'POST', headers, body: pieces, duplex: 'half' } as RequestInit)).status, 413);
    const packed = (bytes: number) =>
      fetch(url, { method: 'POST', headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(bytes)) });
    assert.equal((await packed(2000)).status, 413);
    assert.equal((await packed(900)).status, 200);
    assert.equal((await fetch(url, { method: 'POST', headers, body: Buffer.alloc(1000) })).status, 200);
    assert.equal((await fetch(url, { method: 'POST', headers })).status, 200);
    assert.deepEqual(server.seen, [900, 1000, 0]);
  });
  it('of one address and of all are held up to a limit, and their room is given back', async () => {
    for (const [limits, status] of [
      [{ ...usualLimits, totalBytes: 5 * mebibyte }, 503],
      [{ ...usualLimits, perAddressBytes: 5 * mebibyte }, 429],
    ] as const) {
      await using server = await aServer({ limits });
      const url = `http://127.0.0.1:${server.port}/hold`;
      const post = (bytes: number) =>
        fetch(url, { method: 'POST', headers: { ...known, accept: 'application/json' }, body: Buffer.alloc(bytes) });
      const first = post(3 * mebibyte);
      while (server.waiting.length === 0) await pause(5);
      const second = await post(3 * mebibyte);
      assert.equal(second.status, status);
      assert.equal(second.headers.get('retry-after'), '1');
      assert.match(((await second.json()) as { RemoteException: { message: string } }).RemoteException.message, /try again in 1 s/);
      server.waiting.shift()!();
      assert.equal((await first).status, 200);
      const third = post(3 * mebibyte);
      while (server.waiting.length === 0) await pause(5);
      server.waiting.shift()!();
      assert.equal((await third).status, 200);
    }
  });
  it('of one user of this machine leave others their room, though loopback is one address', async () => {
    const users: Authenticator = {
      identify: ({ headers, remoteAddress }) => {
        const user = String(headers['x-user']);
        return { caller: { user, principal: user, anonymous: false, authentication: 'simple', remoteAddress } };
      },
    };
    await using server = await aServer({ limits: { ...usualLimits, perAddressBytes: 5 * mebibyte }, authenticator: users });
    const post = (user: string) =>
      fetch(`http://127.0.0.1:${server.port}/hold`, { method: 'POST', headers: { 'x-user': user }, body: Buffer.alloc(3 * mebibyte) });
    const held = post('eve');
    while (server.waiting.length === 0) await pause(5);
    const refused = await post('eve');
    assert.equal(refused.status, 429);
    assert.match(await refused.text(), /eve at 127\.0\.0\.1 sends as many bodies/);
    const other = post('ada');
    while (server.waiting.length === 1) await pause(5);
    for (const go of server.waiting) go();
    assert.deepEqual([(await held).status, (await other).status], [200, 200]);
  });
  it('that end early give their room back', () => {
    const budget = new BodyBudget({ totalBytes: 10, perAddressBytes: 6 });
    assert.equal(budget.take('a', 5), undefined);
    assert.equal(budget.take('a', 2)?.code, 'BODIES_OF_ADDRESS_FULL');
    assert.equal(budget.take('b', 5), undefined);
    assert.equal(budget.take('c', 1)?.code, 'BODIES_FULL');
    budget.release('a', 5);
    assert.equal(budget.take('a', 4), undefined);
    assert.equal(budget.heldBytes, 9);
  });
});

describe('connections', () => {
  it('beyond a limit get one answer in the format they ask for', async () => {
    for (const [limits, status] of [
      [{ ...usualLimits, connections: 2 }, 503],
      [{ ...usualLimits, connectionsPerAddress: 2 }, 429],
    ] as const) {
      await using server = await aServer({ limits });
      const held = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')];
      for (const socket of held) await once(socket, 'connect');
      const ask = (accept: string) =>
        fetch(`http://127.0.0.1:${server.port}/thing`, { headers: { ...known, accept, connection: 'close' } });
      const refused = await ask('application/xml');
      assert.deepEqual([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')], [status, '5', 'close']);
      assert.match(await refused.text(), /<RemoteException>.*try again in 5 s/);
      for (const socket of held) socket.destroy();
      let answer = await ask('application/json');
      // The server hears of their end a moment later.
      while (answer.status === status) answer = await ask('application/json');
      assert.equal(answer.status, 200);
    }
  });
  it('far beyond it, or without descriptors left, get a bare one', async (test) => {
    let open = 10;
    const limits = new ConnectionLimits({ total: 1, perAddress: 1000, descriptors: () => ({ open, limit: 100 }) });
    const port = await aLimitedServer(test, limits);
    const held: Socket[] = [];
    const answerTo = (): Promise<string> => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      held.push(socket);
      const answer = headOf(socket);
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      return answer;
    };
    assert.match(await answerTo(), /served/);
    assert.match(await answerTo(), /served/);
    assert.match(await answerTo(), /^HTTP\/1\.1 503 .*\r\nConnection: close\r\nRetry-After: 5\r\n/);
    for (const socket of held) socket.destroy();
    while (limits.total > 0) await pause(5);
    open = 90;
    const answer = await answerTo();
    assert.match(answer, /^HTTP\/1\.1 503 /);
  });

  it('far beyond it are not held by clients who leave their end open', async (test) => {
    const limits = new ConnectionLimits({ total: 1, perAddress: 1 });
    const port = await aLimitedServer(test, limits);
    // They read nothing, so that they never learn that the other side has ended.
    const held = Array.from({ length: 20 }, () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
    for (const socket of held) socket.on('error', () => undefined).pause();
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    while (limits.total > 2) await pause(5);
    for (const socket of held) socket.destroy();
  });
});

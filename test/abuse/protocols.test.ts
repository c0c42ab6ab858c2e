// What does not come as a request of the interfaces: masters that ask for the impossible, nodes that are none, connections that speak
// something else.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { ClusterSecret } from '../../src/auth/cluster-secret.ts';
import { ProvenAgent } from '../../src/client/proven-agent.ts';
import { json } from '../../src/http/answers.ts';
import { profiles } from '../../src/http/profiles.ts';
import { createService } from '../../src/http/service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type AbusedCluster, startAbusedCluster } from './abused-cluster.ts';
import { send, sendBytes } from './raw-request.ts';

describe('protocols', () => {
  let abused: AbusedCluster;
  before(async () => {
    abused = await startAbusedCluster();
  });
  after(() => abused[Symbol.asyncDispose]());

  test('a master cannot ask for the impossible, and no other caller can ask for it', async () => {
    const { running, resourceManagerPort: port } = abused;
    const call = (verb: string, body: unknown, token = running.token) =>
      send(port, {
        method: 'POST',
        target: `/api/v1/attempts/${running.attemptId}/${verb}`,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    assert.equal((await call('register', { host: 'h', rpcPort: 1, trackingUrl: '' })).status, 200);
    const before = await abused.picture();
    const small = { memoryMiB: 1, vcores: 1 };
    const ask = { askId: 'a', resource: small, count: 1 };
    const huge = Array.from({ length: 100_001 }, (_, index) => ({ askId: `${index}`, resource: small, count: 1 }));
    const wrong: readonly unknown[] = [
      ...['{', '[]', 'null', '"x"', '5', '['.repeat(100_000), '{"asks":'.repeat(50_000)],
      ...[{}, { responseId: -1 }, { responseId: 'x' }, { responseId: 1.5 }, '{"responseId":1e999}', { responseId: null }],
      ...[
        { ...ask, count: 1e9 },
        { ...ask, count: -1 },
        { ...ask, count: 0.5 },
        { ...ask, askId: 5 },
        { ...ask, askId: 'x'.repeat(300) },
      ].map((one) => ({
        responseId: 0,
        asks: [one],
      })),
      ...[
        { memoryMiB: -1, vcores: 1 },
        { memoryMiB: 1e12, vcores: 1 },
        { memoryMiB: 'much', vcores: {} },
        { memoryMiB: 1, vcores: 1e300 },
        null,
      ].map((resource) => ({ responseId: 0, asks: [{ ...ask, resource }] })),
      { responseId: 0, asks: [{ ...ask, labelExpression: 'nowhere' }] },
      { responseId: 0, asks: [{ ...ask, launch: { commands: 'rm' } }] },
      { responseId: 0, asks: [{ ...ask, launch: { commands: ['true'], localResources: { a: 5 } } }] },
      { responseId: 0, asks: {} },
      { responseId: 0, asks: [null] },
      { responseId: 0, asks: huge },
      { responseId: 0, releases: [5] },
      { responseId: 0, cancels: 'all' },
    ];
    for (const body of wrong) {
      const { status, text } = await call('allocate', body);
      assert.equal(status, 400, `${JSON.stringify(body)?.slice(0, 100)}: ${status} ${text.slice(0, 200)}`);
      assert.equal(typeof JSON.parse(text).RemoteException.message, 'string');
    }
    for (const finalStatus of [undefined, null, 5, 'GREAT', '__proto__']) assert.equal((await call('finish', { finalStatus })).status, 400);
    for (const token of ['', 'x', `${running.token}x`, running.token.slice(1), running.token.toUpperCase(), '\u00e9'])
      for (const verb of ['register', 'allocate', 'finish'])
        assert.equal(
          (await call(verb, { responseId: 0, finalStatus: 'SUCCEEDED' }, token)).status,
          401,
          `${verb} with ${token.length} characters`,
        );
    const unknown = [{ responseId: 77 }, { responseId: 0, releases: ['container_1_0001_01_000001', 'x', '../..'], cancels: ['nothing'] }];
    for (const body of unknown) assert.equal((await call('allocate', body)).status, 200);
    assert.deepEqual(await abused.picture(), before);
    assert.deepEqual(abused.errors(), []);
  });

  test('no caller becomes a node without the secret, and a broken node changes nothing', async () => {
    const { resourceManagerPort: port } = abused;
    const before = await abused.picture();
    const secretFile = join(abused.cluster.dataDir, 'secrets/cluster');
    const secret = Buffer.from(readFileSync(secretFile, 'utf8'), 'base64').toString('base64url');
    const url = `ws://127.0.0.1:${port}/api/v1/nodes/channel`;
    const refused = (headers: Record<string, string>, address = url) =>
      new Promise<number>((resolve) => {
        const socket = new WebSocket(address, { headers });
        socket.on('unexpected-response', (_request, response) => {
          resolve(response.statusCode ?? 0);
          socket.terminate();
        });
        socket.on('open', () => {
          resolve(101);
          socket.terminate();
        });
        socket.on('error', () => resolve(0));
      });
    assert.equal(await refused({}), 401);
    assert.equal(await refused({ authorization: 'Bearer ' }), 401);
    assert.equal(await refused({ authorization: `Bearer ${secret}` }), 401, 'the secret itself proves nothing');
    assert.equal(await refused({ authorization: `Bearer ${secret}` }, `ws://127.0.0.1:${port}/ws/v1/cluster`), 404);

    const known = new ClusterSecret(secretFile, { clock: systemClock, random: systemRandom });
    const agent = new ProvenAgent({ url: () => `http://127.0.0.1:${port}`, keys: () => known.nodeKeys, unknown: 'another secret' });
    /** Says things as a node that knows the secret; gives what came back until the server hung up or everything was said. */
    const say = (...frames: (string | Buffer)[]) =>
      new Promise<string[]>((resolve) => {
        const heard: string[] = [];
        const socket = new WebSocket(url, { agent });
        const end = () => {
          socket.terminate();
          resolve(heard);
        };
        socket.on('message', (data) => heard.push(String(data)));
        socket.on('close', end).on('error', end);
        socket.on('open', () => {
          for (const frame of frames) socket.send(frame);
          socket.ping();
          socket.on('pong', () => setImmediate(end));
        });
      });
    const hello = JSON.stringify({ kind: 'hello', session: 'mine', received: 0 });
    const data = (message: unknown, number: unknown = 1) => JSON.stringify({ kind: 'data', number, message });
    const node = {
      type: 'register',
      nodeId: 'evil:1',
      httpAddress: 'evil:2',
      rack: '/r',
      resource: { memoryMiB: 1, vcores: 1 },
      version: '1',
    };
    const register = {
      ...node,
      physicalMemoryMiB: 1,
      physicalCores: 1,
      containers: [],
      applications: [],
      health: { healthy: true, report: '', time: 1 },
    };
    for (const frame of [
      '',
      'x',
      '{}',
      'null',
      '[]',
      '5',
      '{"kind":"data"}',
      '{"kind":"hello"}',
      '{"kind":"hello","session":5,"received":{}}',
    ])
      await say(frame);
    await say(Buffer.from([0, 255, 1, 2]), '['.repeat(100_000));
    for (const number of [-1, 0, 2, 1.5, null, 'x', {}, 1e300]) await say(hello, data({ type: 'shutdown' }, number));
    for (const message of [
      ...[undefined, null, 5, 'x', [], {}, { type: 'unknown' }, { type: '__proto__' }, { type: 'constructor' }, { type: 'containers' }],
      ...[{ type: 'usage' }, { type: 'health' }, { type: 'register' }, node, { ...register, nodeId: 5 }, { ...register, nodeId: '../..' }],
      ...[
        { ...register, nodeId: 'x' },
        { ...register, resource: { memoryMiB: 'x' } },
        { ...register, containers: [{}] },
        { ...register, health: null },
      ],
      ...[
        { ...register, applications: 5 },
        { ...register, labels: 'x' },
        { ...register, attributes: [5] },
      ],
    ])
      await say(hello, data(message));
    assert.deepEqual(await abused.picture(), before);
    // Reports of containers nobody knows come from a node that is right otherwise.
    await say(
      hello,
      data(register),
      data({ type: 'containers', reports: [{ containerId: '../x', state: 'COMPLETE', exitCode: 0, diagnostics: '', resource: {} }] }, 2),
      data({ type: 'logAggregation', applicationId: 'x', status: 'x', diagnostics: '' }, 3),
      data({ type: 'signalled', containerId: 'x', command: 'x', success: true }, 4),
      data({ type: 'shutdown' }, 5),
    );
    assert.deepEqual(abused.errors(), []);
  });

  test('connections that do not speak HTTP get 400 and are closed', async () => {
    const garbage: readonly (string | Buffer)[] = [
      'hello\r\n\r\n',
      Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc]),
      'GET / HTTP/9.9\r\n\r\n',
      'GET /\u0000 HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n',
      'POST /ws/v1/cluster/apps HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'GET / HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n',
      'GET /ws/v1/cluster/info HTTP/1.1\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ];
    for (const { port, name } of abused.services) {
      for (const bytes of garbage) {
        const { text, closed } = await sendBytes(port, bytes);
        assert.ok(closed, `${name} keeps the connection after ${String(bytes).slice(0, 40)}`);
        assert.match(text, /^HTTP\/1\.1 4\d\d /, `${name} after ${String(bytes).slice(0, 40)}`);
      }
      const large = await send(port, { method: 'GET', target: '/ws/v1/x', headers: { 'x-large': 'x'.repeat(100_000) } });
      assert.ok(large.status === 431 || large.status === 0, `${name} answers ${large.status} to a header of 100 kB`);
      const good = `GET /ws/v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      const { text } = await sendBytes(port, `${good}${good}GARBAGE\r\n\r\n`);
      assert.match(text, /HTTP\/1\.1 400/, `${name} after two requests and garbage`);
    }
    assert.deepEqual(abused.errors(), []);
  });
});

test('a client that never ends its request is cut off', () => checkSlowClients(false));
test('so it is where bodies are streamed', () => checkSlowClients(true));

async function checkSlowClients(streams: boolean): Promise<void> {
  const service = createService({
    name: 'slow',
    profile: profiles.resourceManager,
    address: '127.0.0.1:0',
    authenticator: {
      identify: ({ remoteAddress }) => ({
        caller: { user: 'ada', principal: 'ada', anonymous: false, authentication: 'simple', remoteAddress },
      }),
    },
    logger: silentLogger,
    requestTimeoutMs: 100,
  });
  service.route({ method: 'POST', path: '/slow', body: 'raw', handle: () => ({ kind: 'empty', status: 200 }) });
  if (streams)
    service.route({
      method: 'PUT',
      path: '/stream',
      streamsBody: true,
      handle: async ({ request }) => {
        let bytes = 0;
        for await (const chunk of request) bytes += (chunk as Buffer).length;
        return json({ bytes });
      },
    });
  const { port } = await service.listen();
  try {
    const slow = ['POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc', 'POST /slow HTTP/1.1\r\nHost:'];
    for (const { text, closed } of await Promise.all(slow.map((bytes) => sendBytes(port, bytes)))) {
      assert.ok(closed);
      assert.match(text, /^HTTP\/1\.1 408 /);
    }
    if (!streams) return;
    const { text } = await sendBytes(port, 'PUT /stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc');
    assert.match(text, /^HTTP\/1\.1 408 /);
    const whole = await sendBytes(port, 'PUT /stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc');
    assert.match(whole.text, /^HTTP\/1\.1 200 [\s\S]*\{"bytes":3\}/);
  } finally {
    await service.close();
  }
}

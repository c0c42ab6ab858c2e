import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { ClusterClient, many } from './cluster-client.ts';
import { ContainerLogs, endedContainers, gatheredContainers } from './container-logs.ts';
import { HttpClient, Unreachable } from './http.ts';
import { streamLog } from './log-stream.ts';
import { RemoteFailure, remoteFailure } from './remote-failure.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let server: Server;
let url: string;
let handle: Handler;
/** `METHOD path?query body` of every request, in order. */
let asked: string[] = [];
before(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      asked.push(`${request.method} ${request.url}${body === '' ? '' : ` ${body}`}`);
      handle(request, response, body);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});
afterEach(() => {
  asked = [];
});
const answering = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
  handle = (_request, response) => response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
};
const failureOf = async (promise: Promise<unknown>): Promise<RemoteFailure> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof RemoteFailure) return error;
    throw error;
  }
  return assert.fail('it was answered');
};

describe('a client of one server', () => {
  it('reads all entries of a map, and whole numbers to the last digit where they are asked for', async () => {
    const written =
      '{"m":{"entry":{"key":"a","value":"1"},"entry":{"key":"b","value":"2"}},"one":{"entry":{"key":"a"}},"n":9223372036854775807,"t":"\\"entry\\":{},\\"entry\\":{}"}';
    answering(200, written);
    const read = {
      m: {
        entry: [
          { key: 'a', value: '1' },
          { key: 'b', value: '2' },
        ],
      },
      one: { entry: { key: 'a' } },
      t: '"entry":{},"entry":{}',
    };
    assert.deepEqual(await new HttpClient({ url }).json('GET', '/'), { ...read, n: 2 ** 63 });
    assert.deepEqual(await new HttpClient({ url, isExact: true }).json('GET', '/'), { ...read, n: 2n ** 63n - 1n });
  });

  it('names its caller and repeats lists in the query', () => {
    const client = new HttpClient({ url: 'http://host:1//', user: 'ann b' });
    assert.equal(client.url, 'http://host:1');
    assert.equal(
      client.address('/apps', { states: ['NEW', 'RUNNING'], limit: 5, all: true, none: undefined }),
      'http://host:1/apps?user.name=ann+b&states=NEW&states=RUNNING&limit=5&all=true',
    );
    assert.equal(new HttpClient({ url: 'http://host:1' }).address('/x?a=1'), 'http://host:1/x?a=1');
  });

  it('reads JSON, nothing, and texts', async () => {
    const client = new HttpClient({ url });
    answering(200, { a: 1 });
    assert.deepEqual(await client.json('POST', '/x', { body: { b: 2 } }), { a: 1 });
    assert.deepEqual(asked, ['POST /x {"b":2}']);
    answering(202, '');
    assert.equal(await client.json('PUT', '/x'), undefined);
    answering(200, 'plain text');
    assert.equal(await client.text('/log', { start: 5 }), 'plain text');
  });

  it("has the server's own sentence where it is refused", async () => {
    const client = new HttpClient({ url });
    answering(404, {
      RemoteException: { exception: 'NotFoundException', message: 'java.lang.Exception: app with id: x not found', javaClassName: 'c' },
    });
    const failure = await failureOf(client.json('GET', '/apps/x'));
    assert.deepEqual(
      [failure.status, failure.exception, failure.message, failure.url],
      [404, 'NotFoundException', 'app with id: x not found', `${url}/apps/x`],
    );
    answering(403, { exception: 'ForbiddenException', message: 'no' });
    assert.equal((await failureOf(client.text('/x'))).message, 'no');
    answering(400, '<html><body><h1>Bad</h1>\n <p>Request</p></body></html>');
    assert.equal((await failureOf(client.json('GET', '/x'))).message, 'Bad Request');
    answering(404, '<p>nothing here</p>');
    assert.match(
      (await failureOf(client.json('GET', '/x'))).message,
      /^http:\/\/127\.0\.0\.1:\d+ answered 404: nothing here; is it the right server\?$/,
    );
    answering(503, '');
    assert.match((await failureOf(client.json('GET', '/x'))).message, /^http:\/\/127\.0\.0\.1:\d+ answered 503$/);
    answering(200, '{"capacity":NaN,"most":-Infinity,"name":"NaN, \\"NaN"}');
    assert.deepEqual(await client.json('GET', '/x'), { capacity: 0, most: 0, name: 'NaN, "NaN' });
    answering(200, '<html>');
    assert.match((await failureOf(client.json('GET', '/x'))).message, /the answer is not JSON; is http:.* the right server\?$/);
  });

  it('keeps long and odd refusals short', () => {
    const of = (status: number, text: string) => remoteFailure({ url: 'http://h/', status }, text).message;
    assert.equal(of(400, 'x'.repeat(1000)).length, 300);
    assert.equal(of(400, '{"message":5}'), '{"message":5}');
    assert.equal(of(400, 'null'), 'null');
    assert.equal(of(400, '{"RemoteException":{"message":"org.apache.hadoop.yarn.exceptions.YarnException: why"}}'), 'why');
  });

  it('says which server does not answer, and why', async () => {
    const gone = createServer();
    await new Promise<void>((done) => gone.listen(0, '127.0.0.1', done));
    const address = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
    await new Promise((done) => gone.close(done));
    await assert.rejects(
      new HttpClient({ url: address }).json('GET', '/x'),
      (error) => error instanceof Unreachable && error.message === `${address} does not answer: nothing listens there`,
    );
    handle = () => undefined;
    await assert.rejects(
      new HttpClient({ url, timeoutMs: 30 }).json('GET', '/slow'),
      (error) => error instanceof Unreachable && / does not answer in time$/.test(error.message),
    );
    await assert.rejects(
      new HttpClient({ url }).json('GET', '/slow', { signal: AbortSignal.abort() }),
      (error) => error instanceof Unreachable && / does not answer$/.test(error.message) && error.code === undefined,
    );
    await assert.rejects(
      new HttpClient({ url: 'http://nowhere.invalid' }).json('GET', '/x'),
      (error) =>
        error instanceof Unreachable && /: its host nowhere\.invalid has no address$|: the address of its host/.test(error.message),
    );
    handle = (_request, response) => response.write('begun', () => response.destroy());
    await assert.rejects(new HttpClient({ url }).text('/broken'), Unreachable);
  });
});

describe('a client of the cluster', () => {
  const client = () => new ClusterClient({ url, user: 'ann' });
  const request = async (call: (cluster: ClusterClient) => Promise<unknown>, answer: unknown): Promise<[unknown, string]> => {
    asked = [];
    answering(200, answer);
    return [await call(client()), asked.join().replace('?user.name=ann&', '?').replace('?user.name=ann', '')];
  };

  it('takes one element, many and none for a list', () => {
    assert.deepEqual([many({ a: 1 }), many([1, 2]), many(null), many(undefined)], [[{ a: 1 }], [1, 2], [], []]);
  });

  it('reads what Hadoop wraps, collapses and leaves out', async () => {
    assert.deepEqual(await request((c) => c.info(), { clusterInfo: { id: 5 } }), [{ id: 5 }, 'GET /ws/v1/cluster/info']);
    assert.deepEqual(await request((c) => c.applications({ states: 'NEW,RUNNING', limit: 3 }), { apps: { app: [{ id: 'a' }] } }), [
      [{ id: 'a' }],
      'GET /ws/v1/cluster/apps?states=NEW%2CRUNNING&limit=3',
    ]);
    assert.deepEqual((await request((c) => c.applications(), { apps: null }))[0], []);
    assert.deepEqual((await request((c) => c.applications(), { apps: {} }))[0], []);
    assert.deepEqual(await request((c) => c.application('a/b'), { app: { id: 'a' } }), [{ id: 'a' }, 'GET /ws/v1/cluster/apps/a%2Fb']);
    assert.deepEqual((await request((c) => c.attempts('a'), { appAttempts: { appAttempt: [{ id: 1 }] } }))[0], [{ id: 1 }]);
    assert.deepEqual((await request((c) => c.containers('a', 'b'), { container: { containerId: 'c' } }))[0], [{ containerId: 'c' }]);
    assert.deepEqual((await request((c) => c.containers('a', 'b'), { containers: { container: [{ containerId: 'c' }] } }))[0], [
      { containerId: 'c' },
    ]);
    assert.deepEqual((await request((c) => c.containers('a', 'b'), {}))[0], []);
    assert.deepEqual((await request((c) => c.nodes('LOST'), { nodes: null }))[0], []);
    assert.deepEqual((await request((c) => c.node('n:1'), { node: { id: 'n:1' } }))[1], 'GET /ws/v1/cluster/nodes/n%3A1');
    assert.deepEqual((await request((c) => c.explain('a'), { id: 'a' }))[1], 'GET /api/v1/applications/a/explain');
  });

  it('asks for changes in the bodies that the server knows', async () => {
    assert.deepEqual(await request((c) => c.kill('a'), { state: 'KILLED' }), [
      'KILLED',
      'PUT /ws/v1/cluster/apps/a/state {"state":"KILLED"}',
    ]);
    assert.deepEqual(await request((c) => c.newApplication(), { 'application-id': 'a' }), [
      'a',
      'POST /ws/v1/cluster/apps/new-application',
    ]);
    assert.deepEqual(
      (await request((c) => c.submit({ 'application-id': 'a' }), ''))[1],
      'POST /api/v1/applications {"application-id":"a"}',
    );
    assert.deepEqual((await request((c) => c.refreshNodes(), { changed: [] }))[1], 'POST /api/v1/nodes/refresh {}');
    assert.deepEqual((await request((c) => c.refreshNodes(true), { changed: [] }))[1], 'POST /api/v1/nodes/refresh {"graceful":true}');
    assert.deepEqual((await request((c) => c.refreshNodes(false), { changed: [] }))[1], 'POST /api/v1/nodes/refresh {}');
    assert.deepEqual((await request((c) => c.drainNode('n:1', 0), {}))[1], 'POST /api/v1/nodes/n%3A1/drain {"gracefulSeconds":0}');
    assert.deepEqual((await request((c) => c.resumeNode('n:1'), {}))[1], 'POST /api/v1/nodes/n%3A1/resume {}');
    assert.deepEqual((await request((c) => c.refreshNodeResources(), { changed: ['n:1'] }))[0], ['n:1']);
    assert.deepEqual((await request((c) => c.refreshQueues(), { scheduler: 'fifo', from: 'none' }))[1], 'POST /api/v1/queues/refresh');
    assert.deepEqual((await request((c) => c.refreshAccess(), { administrators: '*' }))[1], 'POST /api/v1/access/refresh');
    assert.deepEqual((await request((c) => c.nodeAttributes(), { nodes: [] }))[1], 'GET /api/v1/node-attributes/nodes');
    assert.deepEqual(
      (await request((c) => c.mapNodeAttributes('add', 'h', [{ name: 'os', value: 'x' }]), ''))[1],
      'POST /api/v1/node-attributes {"operation":"add","nodes":[{"host":"h","attributes":[{"name":"os","value":"x"}]}]}',
    );
  });

  it('finds the queues of every scheduler', async () => {
    const root = { queueName: 'root' };
    const queuesOf = async (schedulerInfo: unknown) => (await request((c) => c.scheduler(), { scheduler: { schedulerInfo } }))[0];
    assert.deepEqual(await queuesOf({ type: 'fairScheduler', rootQueue: root }), { type: 'fairScheduler', queues: [root] });
    assert.deepEqual(await queuesOf({ type: 'capacityScheduler', ...root }), {
      type: 'capacityScheduler',
      queues: [{ type: 'capacityScheduler', ...root }],
    });
    assert.deepEqual(await queuesOf(root), { type: 'unknown', queues: [root] });
  });
});

describe('logs of containers', () => {
  const container = 'container_1_0001_01_000001';
  const text = async (pieces: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(pieces)).toString();

  it('are listed, and none where no server knows them', async () => {
    const logs = new ContainerLogs({ url, user: 'ann' });
    answering(200, { files: [{ name: 'stdout', bytes: 5 }] });
    assert.deepEqual(await logs.files(container), [{ name: 'stdout', sizeBytes: 5 }]);
    assert.deepEqual(asked, [`GET /api/v1/containers/${container}/logs?user.name=ann`]);
    answering(200, {});
    assert.deepEqual(await logs.files(container), []);
    answering(404, 'no');
    assert.deepEqual(await logs.files(container), []);
    assert.deepEqual(await new ContainerLogs({ url: 'http://127.0.0.1:1', user: 'ann' }).files(container), []);
  });

  it('are read whole or at their end; what is absent is empty', async () => {
    const logs = new ContainerLogs({ url, user: 'ann' });
    handle = (request, response) => response.end(request.headers.range ?? 'whole');
    assert.equal(await text(logs.read(container, 'a file')), 'whole');
    assert.equal(await text(logs.read(container, 'stdout', 100)), 'bytes=-100');
    assert.match(asked[0]!, /\/logs\/a%20file\?/);
    answering(404, 'there is none');
    assert.equal(await text(logs.read(container, 'stdout')), '');
  });

  it('are followed to their end, and taken up where they broke off', async () => {
    const ranges: (string | undefined)[] = [];
    handle = (request, response) => {
      ranges.push(request.headers.range);
      if (ranges.length === 1) response.write('one ', () => setImmediate(() => response.destroy()));
      else if (ranges.length === 2) response.writeHead(503).end();
      else response.writeHead(206).end('two');
    };
    const log = { url, user: 'ann', containerId: container, file: 'stdout' };
    assert.equal(await text(streamLog(log, new AbortController().signal, () => false)), 'one two');
    assert.deepEqual(ranges, [undefined, 'bytes=4-', 'bytes=4-']);
    assert.match(asked[0]!, /\?follow=true&user\.name=ann$/);
  });

  it('end where nothing more can come', async () => {
    const log = { url, user: 'ann', containerId: container, file: 'stdout' };
    answering(404, '');
    assert.equal(await text(streamLog(log, new AbortController().signal, () => true)), '');
    answering(416, '');
    assert.equal(await text(streamLog(log, new AbortController().signal, () => false)), '');
    assert.equal(asked.length, 2);
    assert.equal(await text(streamLog(log, AbortSignal.abort(), () => false)), '');
    assert.equal(asked.length, 2);
  });
});

describe('containers that have ended', () => {
  it('are those that the application history remembers', async () => {
    answering(200, { container: [{ containerId: 'c' }] });
    assert.deepEqual(await endedContainers({ url }, 'a', 'b'), [{ containerId: 'c' }]);
    assert.deepEqual(asked, ['GET /ws/v1/applicationhistory/apps/a/appattempts/b/containers']);
    answering(200, 'null');
    assert.deepEqual(await endedContainers({ url }, 'a', 'b'), []);
    answering(403, 'no');
    assert.deepEqual(await endedContainers({ url }, 'a', 'b'), []);
    assert.equal(await endedContainers({ url: 'http://127.0.0.1:1' }, 'a', 'b'), undefined);
  });

  it('are those whose logs are gathered, each once, in order', async () => {
    const infos = [{ containerId: 'c2' }, { containerId: 'c1' }, { containerId: 'c2' }, {}];
    for (const answer of [infos, { containerLogsInfo: infos }]) {
      answering(200, answer);
      assert.deepEqual(await gatheredContainers({ url }, 'a'), ['c1', 'c2']);
    }
    answering(200, { containerLogsInfo: { containerId: 'c' } });
    assert.deepEqual(await gatheredContainers({ url }, 'a'), ['c']);
    answering(200, 'null');
    assert.deepEqual(await gatheredContainers({ url }, 'a'), []);
    answering(404, 'no');
    assert.deepEqual(await gatheredContainers({ url }, 'a'), []);
  });
});

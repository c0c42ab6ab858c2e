import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { ApiClient, type ApiClientOptions } from './api-client.ts';
import { RemoteFailure } from './remote-failure.ts';

interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/** A client whose calls are answered one after the other; an Error: nobody answers. */
function answeredBy(answers: readonly (Response | Error)[], more: Partial<ApiClientOptions> = {}) {
  const heard: Heard[] = [];
  const pauses: number[] = [];
  const left = [...answers];
  const client = new ApiClient({
    url: 'http://rm/',
    user: 'ada',
    newKey: () => 'key-1',
    pause: async (ms) => void pauses.push(ms),
    fetch: async (url, { method = '', headers, body }) => {
      heard.push({
        method,
        url,
        headers: headers as Record<string, string>,
        body: body === undefined ? undefined : JSON.parse(String(body)),
      });
      const next = left.shift();
      assert.ok(next, `${method} ${url} was not expected`);
      if (next instanceof Error) throw next;
      return next;
    },
    ...more,
  });
  return { client, heard, pauses };
}
const json = (value: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(value), { status, headers });
const refused = { RemoteException: { exception: 'NotFoundException', message: 'app x not found', javaClassName: 'x' } };
const all = async <T>(values: AsyncIterable<T>, most = 100): Promise<T[]> => {
  const found: T[] = [];
  for await (const value of values) if (found.push(value) >= most) break;
  return found;
};

describe('the client of programs', () => {
  it('has a submission tried without submitting it', async () => {
    const tried = { accepted: true, sentence: 'Its master would start on n1 now.', user: 'ada', containers: [] };
    const { client, heard } = answeredBy([json(tried)]);
    assert.deepEqual(await client.trySubmission({ run: { command: ['true'] } }), tried);
    assert.deepEqual(
      heard.map(({ method, url }) => [method, url]),
      [['POST', 'http://rm/api/v1/applications?dryRun=true&user.name=ada']],
    );
  });
  it('looks once a second at what it follows where it sees no tag, and tells what has changed', async () => {
    const [running, over] = [
      { id: 'application_1_0001', state: 'RUNNING' },
      { id: 'application_1_0001', state: 'FINISHED' },
    ];
    const { client, heard, pauses } = answeredBy([json(running), json(running), json(over)]);
    assert.deepEqual(await all(client.follow('application_1_0001')), [running, over]);
    assert.deepEqual([heard.length, pauses], [3, [1000, 1000]]);
  });
  it('follows a container until it is over, a node and a queue for as long as it is wanted', async () => {
    const tagged = (value: object, tag: string) => json(value, 200, { etag: tag });
    const [lives, over] = [{ finishedTime: 0 }, { finishedTime: 7 }];
    const { client, heard } = answeredBy([
      tagged(lives, 'a'),
      new Response(null, { status: 304 }),
      tagged(over, 'b'),
      tagged({ state: 'RUNNING' }, 'c'),
      tagged({ path: 'root.a' }, 'd'),
    ]);
    assert.deepEqual(await all(client.followContainer('container_1_0001_01_000001')), [lives, over]);
    assert.deepEqual(await all(client.followNode('n1:45454'), 1), [{ state: 'RUNNING' }]);
    assert.deepEqual(await all(client.followQueue('root.a'), 1), [{ path: 'root.a' }]);
    assert.deepEqual(
      heard.map(({ url, headers }) => [url.replace('http://rm/api/v1/', ''), headers['if-none-match']]),
      [
        ['containers/container_1_0001_01_000001?user.name=ada', undefined],
        ['containers/container_1_0001_01_000001?wait=30000&user.name=ada', 'a'],
        ['containers/container_1_0001_01_000001?wait=30000&user.name=ada', 'a'],
        ['nodes/n1%3A45454?user.name=ada', undefined],
        ['queues/root.a?user.name=ada', undefined],
      ],
    );
  });
  it('submits once under one key, however often it has to be sent', async () => {
    const { client, heard, pauses } = answeredBy([
      new TypeError('fetch failed'),
      json(refused, 503, { 'retry-after': '2' }),
      json({ id: 'application_1_0001' }, 202, { 'idempotency-replayed': 'true' }),
    ]);
    assert.deepEqual(await client.submit({ run: { command: ['true'] } }), { id: 'application_1_0001', replayed: true });
    assert.deepEqual(
      heard.map(({ method, url, headers, body }) => [method, url, headers['idempotency-key'], body]),
      Array(3).fill(['POST', 'http://rm/api/v1/applications?user.name=ada', 'key-1', { run: { command: ['true'] } }]),
    );
    assert.deepEqual(pauses, [200, 2000]);
  });

  it('gives up when its patience is over, and at once for a refusal', async () => {
    const down = Array.from({ length: 20 }, () => new TypeError('fetch failed'));
    const { client, pauses } = answeredBy(down, { patienceMs: 3000 });
    await assert.rejects(client.application('x'), /fetch failed/);
    assert.equal(
      pauses.reduce((sum, ms) => sum + ms, 0),
      3000,
    );
    const { client: other, heard } = answeredBy([json(refused, 404)]);
    await assert.rejects(other.application('x'), (error: RemoteFailure) => {
      assert.deepEqual(
        [error.name, error.status, error.exception, error.message],
        ['RemoteFailure', 404, 'NotFoundException', 'app x not found'],
      );
      return error instanceof RemoteFailure;
    });
    assert.equal(heard.length, 1);
  });

  it('lists page after page, as far as it is read', async () => {
    const page = (ids: readonly string[], next?: string) => json({ applications: ids.map((id) => ({ id })), ...(next ? { next } : {}) });
    const { client, heard } = answeredBy([page(['a', 'b'], 'n/1'), page(['c'])]);
    const query = { states: ['RUNNING', 'FAILED'], queue: 'root.a b', pageSize: 2 } as const;
    assert.deepEqual(
      (await all(client.applications(query))).map(({ id }) => id),
      ['a', 'b', 'c'],
    );
    assert.deepEqual(
      heard.map(({ url }) => url.slice('http://rm/api/v1/applications'.length)),
      ['', '&cursor=n%2F1'].map((cursor) => `?states=RUNNING%2CFAILED&queue=root.a%20b&limit=2${cursor}&user.name=ada`),
    );
    const { client: lazy, heard: once } = answeredBy([page(['a', 'b'], 'n1')]);
    assert.equal((await all(lazy.applications(), 1)).length, 1);
    assert.equal(once.length, 1);
  });

  it('follows an application by its changes until it is over', async () => {
    const state = (name: string, etag: string) => json({ id: 'a', state: name }, 200, { etag });
    const { client, heard } = answeredBy([state('ACCEPTED', '"1"'), new Response(null, { status: 304 }), state('FINISHED', '"2"')]);
    assert.equal((await client.ended('a')).state, 'FINISHED');
    assert.deepEqual(
      heard.map(({ url, headers }) => [url.includes('wait=30000'), headers['if-none-match']]),
      [
        [false, undefined],
        [true, '"1"'],
        [true, '"1"'],
      ],
    );
  });

  it('follows a list by its changes, with what it was asked for', async () => {
    const page = (states: string[], etag: string) => json({ applications: states.map((state) => ({ state })) }, 200, { etag });
    const { client, heard } = answeredBy([page([], '"1"'), new Response(null, { status: 304 }), page(['RUNNING'], '"2"')]);
    const told = await all(client.followApplications({ states: ['RUNNING', 'KILLED'], pageSize: 5 }), 2);
    assert.deepEqual(told, [[], [{ state: 'RUNNING' }]]);
    assert.deepEqual(
      heard.map(({ url, headers }) => [url, headers['if-none-match']]),
      [
        ['http://rm/api/v1/applications?states=RUNNING%2CKILLED&limit=5&user.name=ada', undefined],
        ...Array(2).fill(['http://rm/api/v1/applications?states=RUNNING%2CKILLED&limit=5&wait=30000&user.name=ada', '"1"']),
      ],
    );
  });

  it('tells events from where it was, and that some are forgotten', async () => {
    const { client, heard } = answeredBy([
      json({ events: [], next: '7-1', missed: false }),
      json({ events: [{ id: '7-2', kind: 'node.state', time: 1 }], next: '7-2', missed: true }),
    ]);
    const told = await all(client.events({ kinds: ['node'] }), 2);
    // By its kind a gap is told apart, in the types too.
    assert.deepEqual(
      told.map((event) => (event.kind === 'gap' ? event.kind : [event.kind, event.id, event.time])),
      ['gap', ['node.state', '7-2', 1]],
    );
    assert.deepEqual(
      heard.map(({ url }) => /from=([^&]*)&wait=(\d+)/.exec(url)?.slice(1)),
      [
        ['now', '0'],
        ['7-1', '30000'],
      ],
    );
  });

  it('ends waiting when its caller leaves', async () => {
    const abort = new AbortController();
    const { client } = answeredBy([new TypeError('fetch failed')], { pause: async () => abort.abort() });
    await assert.rejects(
      new ApiClient({ url: 'http://rm', fetch: () => Promise.reject(new Error('aborted')), pause: async () => abort.abort() }).application(
        'a',
        abort.signal,
      ),
      /aborted/,
    );
    await client.events({}, abort.signal).next();
    assert.ok(abort.signal.aborted);
  });

  it('needs nothing of Node in browsers', () => {
    const seen = new Set<string>();
    const look = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const [, type, from = ''] of readFileSync(path, 'utf8').matchAll(/^(?:import|export) (type )?[^;]*?from '([^']+)'/gms)) {
        if (type !== undefined) continue;
        assert.ok(from.startsWith('.'), `${path} imports ${from}`);
        look(join(dirname(path), from));
      }
    };
    look(join(import.meta.dirname, 'browser.ts'));
    assert.deepEqual(
      [...seen].map((path) => path.slice(import.meta.dirname.length + 1)),
      ['browser.ts', 'api-client.ts', 'remote-failure.ts'],
    );
  });
});

// The line between tasks and their master, both ends of it, over real sockets.
import assert from 'node:assert/strict';
import { createServer, type RequestListener, request } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { jobKey } from '../../auth/connection-key.ts';
import { ProvenConnections } from '../../http/proven-connections.ts';
import { ManualClock } from '../../lib/clock.ts';
import { type Logger, silentLogger } from '../../lib/log.ts';
import { connectUmbilical, MasterUnreachable } from '../tasks/umbilical-client.ts';
import { aJob, type JobFixtureOptions, map, mapTask, reduce, statusReport } from '../test-support/a-job.ts';
import { auditedLog, unprovenJob } from '../test-support/audited-log.ts';
import { UmbilicalServer } from './umbilical-server.ts';

const token = Buffer.from('a secret of thirty-two bytes, so!');
const place = { nodeId: 'localhost:1', nodeHttpAddress: 'localhost:2', rack: '/default-rack' };

/** A job, its server on a free port, and a client with the job's token. */
async function aServer(
  t: TestContext,
  options: JobFixtureOptions & { readonly wanted?: (containerId: string) => boolean; readonly logger?: Logger } = {},
) {
  const clock = new ManualClock();
  const fixture = aJob({ clock, ...options, ports: { mapEvents: () => server.changed(), ...options.ports }, started: false });
  const server: UmbilicalServer = new UmbilicalServer({
    job: fixture.job,
    token,
    clock,
    logger: options.logger ?? silentLogger,
    wantsContainer: options.wanted ?? (() => true),
  });
  fixture.job.start(new Map());
  const port = await server.listen('127.0.0.1');
  const client = connectUmbilical(`127.0.0.1:${port}`, token.toString('base64url'));
  t.after(() => {
    client.close();
    server.close();
  });
  return { ...fixture, server, port, client, clock };
}

/** One request as it is, without the client's help. */
function raw(
  port: number,
  options: { readonly path?: string; readonly method?: string; readonly authorization?: string; readonly body?: string },
): Promise<{ status: number; text: string }> {
  const { path = '/umbilical/v1/status', method = 'POST', authorization = `Bearer ${token.toString('base64url')}`, body = '' } = options;
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, method, headers: { authorization } }, (response) => {
      let text = '';
      response.on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asking.on('error', reject);
    asking.end(body);
  });
}

/** A master that answers as it is told, to tasks whose token is `token`. */
async function masterThat(answer: RequestListener): Promise<{ readonly port: number; close(): void }> {
  const server = createServer(answer);
  const proven = new ProvenConnections({ server, keyOf: () => jobKey('token').key, logger: silentLogger });
  server.on('upgrade', (asked, socket, head) => proven.handle(asked, socket, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    close() {
      proven.close();
      server.close();
    },
  };
}

/** Resolves when the server holds the call: a request sent after it over the same connection pool has been answered. */
const settled = (client: ReturnType<typeof connectUmbilical>) => client.canCommit('attempt_unknown');

describe('who may call', () => {
  test('a call without the job’s token, or with another one, is refused and changes nothing', async (t) => {
    const { logger, audited } = auditedLog();
    const { port, job, launch } = await aServer(t, { logger });
    launch(map(0));
    const shown = ['', 'Bearer ', `Bearer ${Buffer.from('another').toString('base64url')}`, token.toString('base64url')];
    for (const authorization of shown)
      assert.equal((await raw(port, { authorization, body: JSON.stringify(statusReport(map(0), 0.9)) })).status, 401);
    const address = '127.0.0.1';
    assert.deepEqual(
      audited(),
      shown.map(() => ({ address, mechanism: 'job-token', reason: unprovenJob('wrong or missing job token') })),
    );
    assert.equal(job.attempt(map(0))!.reportedProgress, 0);
  });

  test('other paths and methods do not exist', async (t) => {
    const { port } = await aServer(t);
    for (const path of ['/', '/umbilical/v1/', '/umbilical/v1/nothing', '/umbilical/v1/toString', '/umbilical/v2/status'])
      assert.equal((await raw(port, { path, body: '{}' })).status, 404, path);
    assert.equal((await raw(port, { method: 'GET' })).status, 404);
    assert.equal((await raw(port, { method: 'PUT', body: '{}' })).status, 404);
  });

  test('a body that is not what the call describes is refused with the place of its fault, and changes nothing', async (t) => {
    const { port, job, launch } = await aServer(t);
    launch(map(0));
    const good = statusReport(map(0), 0.9);
    const faults: readonly (readonly [call: string, body: string, message: string])[] = [
      ['status', '', 'the body is no JSON'],
      ['status', '{"attemptId":', 'the body is no JSON'],
      ['status', 'null', 'status: the body is not an object'],
      ['status', '[]', 'status: the body is not an object'],
      ['status', '{}', 'status: /attemptId is missing'],
      ['status', JSON.stringify({ ...good, progress: 'much' }), 'status: /progress is not a number'],
      [
        'status',
        JSON.stringify({ ...good, phase: 'NAPPING' }),
        'status: /phase is not one of STARTING, MAP, SHUFFLE, SORT, REDUCE, CLEANUP',
      ],
      ['status', JSON.stringify({ ...good, counters: { group: { name: 'x' } } }), 'status: /counters/group/name is not a number'],
      ['status', JSON.stringify({ ...good, fetchFailures: [7] }), 'status: /fetchFailures/0 is not a text'],
      ['done', JSON.stringify({ ...good, sortFinishTimeMs: -1 }), 'done: /sortFinishTimeMs is less than 0'],
      ['failed', JSON.stringify(good), 'failed: /diagnostic is missing'],
      ['task', '{"containerId":7}', 'task: /containerId is not a text'],
      ['can-commit', '{}', 'can-commit: /attemptId is missing'],
      ['events', JSON.stringify({ attemptId: map(0), from: -1, waitMs: 0 }), 'events: /from is less than 0'],
      ['events', JSON.stringify({ attemptId: map(0), from: 0.5, waitMs: 0 }), 'events: /from is not a whole number'],
    ];
    for (const [call, body, message] of faults)
      assert.deepEqual(
        await raw(port, { path: `/umbilical/v1/${call}`, body }),
        { status: 400, text: JSON.stringify({ message }) },
        `${call} ${body}`,
      );
    assert.equal(job.attempt(map(0))!.reportedProgress, 0);
    assert.equal(job.internalState, 'RUNNING');
  });

  test('a body of many megabytes is refused', async (t) => {
    const { port } = await aServer(t);
    const body = JSON.stringify({ diagnostic: 'x'.repeat(9 << 20) });
    const { status, text } = await raw(port, { path: '/umbilical/v1/failed', body });
    assert.equal(status, 400);
    assert.match(text, /the body is larger than 8388608 bytes/);
  });
});

describe('what a container is to run', () => {
  test('a container that was given to an attempt is told its task, and with that it runs', async (t) => {
    const { client, job } = await aServer(t);
    job.attempts.allocated(map(1), { containerId: 'container_7', ...place });
    const assignment = await client.task({ containerId: 'container_7' });
    assert.ok(assignment);
    assert.equal(assignment.attemptId, map(1));
    assert.deepEqual([assignment.kind, assignment.index, assignment.maps, assignment.reduces, assignment.generation], ['MAP', 1, 2, 1, 1]);
    assert.deepEqual(assignment.split, { path: '/f1', start: 0, length: 1, hosts: ['localhost'] });
    assert.equal(assignment.configuration['mapreduce.job.name'], 'test');
    assert.equal(job.attempt(map(1))!.state, 'RUNNING');
    assert.equal((await client.task({ containerId: 'container_7' }))?.attemptId, map(1), 'the first answer may have been lost');
  });

  test('a container that comes before its allocation is heard of waits for it', async (t) => {
    const { client, job, server } = await aServer(t);
    const answer = client.task({ containerId: 'container_early' });
    await settled(client);
    job.attempts.allocated(map(0), { containerId: 'container_early', ...place });
    server.changed();
    assert.equal((await answer)?.attemptId, map(0));
  });

  test('a container that is never heard of has nothing to do, after thirty seconds', async (t) => {
    const { client, clock } = await aServer(t);
    let answered = false;
    const answer = client.task({ containerId: 'container_never' }).then((assignment) => {
      answered = true;
      return assignment;
    });
    await settled(client);
    clock.advance(29_999);
    await settled(client);
    assert.equal(answered, false);
    clock.advance(1);
    assert.equal(await answer, undefined);
  });

  test('a container that is not wanted has nothing to do, at once', async (t) => {
    const { client } = await aServer(t, { wanted: () => false });
    assert.equal(await client.task({ containerId: 'container_old' }), undefined);
  });

  test('a container that waits when the job ends has nothing to do', async (t) => {
    const { client, job, server } = await aServer(t);
    const answer = client.task({ containerId: 'container_late' });
    await settled(client);
    job.killJob('enough');
    server.changed();
    assert.equal(await answer, undefined);
  });
});

describe('reports', () => {
  test('a status is taken over; one of an attempt that is over says that it is not wanted', async (t) => {
    const { client, job, launch } = await aServer(t);
    launch(map(0));
    assert.deepEqual(await client.status({ ...statusReport(map(0), 0.25), counters: { mine: { seen: 3 } } }), { known: true });
    assert.equal(job.attempt(map(0))!.reportedProgress, 0.25);
    assert.equal(job.attempt(map(0))!.counters.get('mine', 'seen'), 3);
    assert.deepEqual(await client.done(statusReport(map(0), 1)), { known: true });
    assert.deepEqual(await client.done(statusReport(map(0), 1)), { known: true }, 'the answer may have been lost');
    assert.deepEqual(await client.status(statusReport(map(0), 1)), { known: false });
    assert.deepEqual(await client.status(statusReport(map(7))), { known: false });
    assert.deepEqual(await client.status(statusReport('nonsense')), { known: false });
  });

  test('of two attempts that are ready to commit the first is permitted to', async (t) => {
    const { client, job, launch } = await aServer(t, { reduces: 0 });
    launch(map(0));
    job.attempts.speculate(job.task(mapTask(0))!);
    launch(map(0, 1));
    assert.deepEqual(await client.canCommit(map(0)), { known: true, permitted: false }, 'it has not said that it is ready');
    assert.deepEqual(await client.commitPending(statusReport(map(0), 1)), { known: true });
    assert.deepEqual(await client.canCommit(map(0)), { known: true, permitted: true });
    assert.deepEqual(await client.commitPending(statusReport(map(0, 1), 1)), { known: true });
    assert.deepEqual(await client.canCommit(map(0, 1)), { known: false, permitted: false });
  });

  test('a failure is kept with its diagnostic; a fatal one is the last', async (t) => {
    const { client, job, launch } = await aServer(t, { reduces: 0 });
    const container = launch(map(0));
    await client.failed({ ...statusReport(map(0)), diagnostic: 'Error: no such word', failFast: true });
    job.attempts.containerCompleted(container, 1, '');
    assert.equal(job.task(mapTask(0))!.state, 'FAILED');
    assert.deepEqual(job.attempt(map(0))!.diagnostics, ['Error: no such word']);
  });
});

describe('completions of maps', () => {
  /** A job whose only reduce copies already. */
  async function copying(t: TestContext) {
    const made = await aServer(t, { maps: 3, settings: { 'mapreduce.job.reduce.slowstart.completedmaps': '0' } });
    for (const index of [0, 1]) made.finish(map(index));
    made.launch(map(2));
    made.launch(reduce(0));
    return made;
  }

  test('a reduce is told of those from a number on', async (t) => {
    const { client } = await copying(t);
    const ask = (from: number) => client.events({ attemptId: reduce(0), from, waitMs: 0 });
    assert.deepEqual(
      (await ask(0)).events.map((event) => event.attemptId),
      [map(0), map(1)],
    );
    assert.deepEqual(await ask(1), {
      known: true,
      events: [{ attemptId: map(1), status: 'SUCCEEDED', shuffleUrl: 'http://localhost:2/shuffle' }],
    });
  });

  test('a reduce that knows all waits for the next', async (t) => {
    const { client, job } = await copying(t);
    const answer = client.events({ attemptId: reduce(0), from: 2, waitMs: 10_000 });
    await settled(client);
    job.attempts.done(statusReport(map(2), 1));
    assert.deepEqual(
      (await answer).events.map((event) => event.attemptId),
      [map(2)],
    );
  });

  test('it waits as long as it asks for, at most thirty seconds', async (t) => {
    for (const [asked, waited] of [
      [700, 700],
      [3_600_000, 30_000],
    ] as const) {
      const { client, clock } = await copying(t);
      let answered = false;
      const answer = client.events({ attemptId: reduce(0), from: 2, waitMs: asked }).then((events) => {
        answered = true;
        return events;
      });
      await settled(client);
      clock.advance(waited - 1);
      await settled(client);
      assert.equal(answered, false);
      clock.advance(1);
      assert.deepEqual(await answer, { known: true, events: [] });
    }
  });

  test('a reduce that is killed while it waits hears at once that it is not wanted', async (t) => {
    const { client, job, server } = await copying(t);
    const answer = client.events({ attemptId: reduce(0), from: 2, waitMs: 10_000 });
    await settled(client);
    job.killAttempt(reduce(0), 'away');
    server.changed();
    assert.deepEqual(await answer, { known: false, events: [] });
  });
});

describe('a task whose master does not answer', () => {
  const impatient = { attempts: 3, firstWaitMs: 1 };

  test('tries again, and then gives up with the address in its error', async () => {
    let calls = 0;
    const broken = await masterThat((_, response) => {
      calls++;
      response.writeHead(503).end('away');
    });
    const { port } = broken;
    const client = connectUmbilical(`127.0.0.1:${port}`, 'token', impatient);
    await assert.rejects(client.status(statusReport(map(0))), (error) => {
      assert.ok(error instanceof MasterUnreachable);
      assert.equal(error.message, `Cannot reach the application master at 127.0.0.1:${port}: the master answered 503 to status: away`);
      return true;
    });
    assert.equal(calls, 3);
    client.close();
    broken.close();
    const nothing = connectUmbilical(`127.0.0.1:${port}`, 'token', impatient);
    await assert.rejects(nothing.canCommit(map(0)), /Cannot reach the application master .*ECONNREFUSED/);
    nothing.close();
  });

  test('goes on when it answers again', async () => {
    const answers = [
      [500, 'broken'],
      [200, 'no JSON'],
      [200, '{"known":"yes"}'],
      [200, '{"known":true}'],
    ] as const;
    let calls = 0;
    const flaky = await masterThat((_, response) => {
      const [status, text] = answers[calls++]!;
      response.writeHead(status).end(text);
    });
    const client = connectUmbilical(`127.0.0.1:${flaky.port}`, 'token', { ...impatient, attempts: 4 });
    assert.deepEqual(await client.status(statusReport(map(0))), { known: true });
    assert.equal(calls, 4);
    client.close();
    flaky.close();
  });

  test('does not repeat a call that the master refuses', async (t) => {
    const { port } = await aServer(t);
    const client = connectUmbilical(`127.0.0.1:${port}`, token.toString('base64url'), { attempts: 50, firstWaitMs: 60_000 });
    await assert.rejects(client.status({ ...statusReport(map(0)), attemptId: 5 } as never), /the master answered 400 to status/);
    client.close();
  });

  test('tells nothing to what answers instead and does not know the token of the job', async (t) => {
    const { port } = await aServer(t);
    const stranger = connectUmbilical(`127.0.0.1:${port}`, Buffer.from('wrong').toString('base64url'), impatient);
    await assert.rejects(stranger.status(statusReport(map(0))), /it does not know the token of this job, or has another one/);
    stranger.close();
    const heard: string[] = [];
    const squatter = createServer((asked, response) => {
      heard.push(`${asked.method} ${asked.url} ${JSON.stringify(asked.headers)}`);
      response.end('{"known":true}');
    });
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const { port: squatted } = squatter.address() as { port: number };
    const client = connectUmbilical(`127.0.0.1:${squatted}`, token.toString('base64url'), impatient);
    await assert.rejects(client.status(statusReport(map(0))), /proves nothing \(HTTP 200\)/);
    assert.equal(heard.length, 3);
    for (const said of heard) assert.ok(said.startsWith('GET /api/v1/connection ') && !said.includes(token.toString('base64url')), said);
    client.close();
    squatter.close();
  });
});

// Whole jobs under their master: staged, run, published, ended.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, mock, test } from 'node:test';
import { createHistoryWriter } from '../../wire/files/job-history.ts';
import type { EntityV2 } from '../../wire/timeline/v2-entity.ts';
import { jobCounterGroup } from '../counters/names.ts';
import { shuffleService } from '../shuffle/protocol.ts';
import { runningHistoryPath } from '../submission/staging.ts';
import { jobId, map, mapTask } from '../test-support/a-job.ts';
import { linesOf, prepare, publishedHistory, run } from '../test-support/a-staged-job.ts';

const wordCounts = ['brown\t1', 'dog\t1', 'end\t1', 'fox\t1', 'jumps\t1', 'lazy\t1', 'over\t1', 'quick\t1', 'the\t3'];
const uber = { 'mapreduce.job.ubertask.enable': 'true' };

// The manager here answers the end of a job as the resource manager does: calls for containers that are open are told that their master is to end.
const exits = mock.method(process, 'exit', () => undefined as never);
after(() => {
  const calls = exits.mock.callCount();
  exits.mock.restore();
  assert.equal(calls, 0, 'no master leaves before all is done');
});

describe('a job in containers', () => {
  test('runs its tasks, commits, publishes its history and ends its application', async () => {
    const job = prepare({ program: 'wordcount' });
    const manager = await run(job);
    assert.deepEqual(linesOf(job.output!), wordCounts);
    assert.ok(existsSync(join(job.output!, '_SUCCESS')));
    assert.equal(manager.ran.length, 3);
    assert.deepEqual(
      manager.finished.map(({ finalStatus, diagnostics }) => [finalStatus, diagnostics]),
      [['SUCCEEDED', '']],
    );
    assert.match(manager.finished[0]!.trackingUrl!, new RegExp(`:19888/jobhistory/job/${jobId}$`));
    assert.match(String(manager.registrations[0]!['trackingUrl']), /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.ok(!existsSync(job.staging), 'what was staged is removed');
    assert.deepEqual(
      readdirSync(job.published)
        .map((name) => name.split('.').slice(1).join('.') || name.replace(/^.*_/, ''))
        .sort().length,
      3,
    );
    const events = await publishedHistory(job);
    assert.equal(events[0]!.type, 'AM_STARTED');
    assert.equal(events.at(-1)!.type, 'JOB_FINISHED');
    assert.equal(events.filter(({ type }) => type === 'MAP_ATTEMPT_FINISHED').length, 2);
    const last = events.at(-1)!;
    assert.ok(last.type === 'JOB_FINISHED');
    assert.equal(last.event.finishedMaps, 2);
    const counters = last.event.totalCounters?.groups.find(({ name }) => name === jobCounterGroup)?.counts ?? [];
    assert.equal(Number(counters.find(({ name }) => name === 'DATA_LOCAL_MAPS')?.value), 2);
  });

  test('a task’s container is told where its master listens, and gets the job’s secret apart from what others can read', async () => {
    const job = prepare({ program: 'wordcount' });
    const token = readFileSync(join(job.staging, 'job.token'), 'utf8');
    const { launches, registrations } = await run(job);
    for (const launch of launches) {
      assert.match(launch.commands![0]!, /^exec .*batch\/tasks\/main.* 1><LOG_DIR>\/stdout 2><LOG_DIR>\/stderr$/);
      assert.equal(launch.environment!['HEDDLE_JOB_ID'], jobId);
      assert.equal(launch.environment!['HEDDLE_JOB_MASTER'], `127.0.0.1:${registrations[0]!['rpcPort']}`);
      assert.equal(launch.secretEnvironment!['HEDDLE_JOB_TOKEN'], token);
      assert.equal(launch.serviceData![shuffleService], Buffer.from(token, 'base64url').toString('base64'));
      assert.ok(!JSON.stringify([launch.commands, launch.environment, launch.localResources]).includes(token));
    }
  });

  test('a job whose map always fails ends as failed, with the reason, and leaves no output', async () => {
    const job = prepare(
      { program: 'streaming', mapper: 'bash -c "exit 7"', reducer: 'NONE' },
      { 'mapreduce.map.maxattempts': '2', 'mapreduce.map.speculative': 'false' },
    );
    const manager = await run(job);
    const [end] = manager.finished;
    assert.equal(end!.finalStatus, 'FAILED');
    assert.match(end!.diagnostics!, /Task failed task_1700000000000_0001_m_00000\d\nJob failed as tasks failed\. failedMaps:1 /);
    assert.ok(!existsSync(join(job.output!, '_SUCCESS')));
    assert.ok(!existsSync(join(job.output!, '_temporary')));
    const events = await publishedHistory(job);
    assert.equal(events.at(-1)!.type, 'JOB_FAILED');
    const failed = events.filter(({ type }) => type === 'MAP_ATTEMPT_FAILED');
    assert.ok(failed.length >= 2);
    assert.ok(failed[0]!.type === 'MAP_ATTEMPT_FAILED' && failed[0].event.error.includes('subprocess failed with code 7'));
  });

  test('a job that asks for what the cluster never gives ends with the reason, and leaves nothing behind', async () => {
    const job = prepare({ program: 'wordcount' }, { 'mapreduce.map.node-label-expression': 'gpu' });
    const { finished } = await run(job);
    assert.deepEqual(
      finished.map(({ finalStatus, diagnostics }) => [finalStatus, diagnostics]),
      [['KILLED', 'there are no labels\nJob received Kill while in RUNNING state.\n']],
    );
    assert.ok(!existsSync(join(job.output!, '_temporary')));
    assert.equal((await publishedHistory(job)).at(-1)!.type, 'JOB_KILLED');
  });

  test('a job whose output cannot be committed fails', async () => {
    const job = prepare({ program: 'wordcount' }, { 'mapreduce.fileoutputcommitter.algorithm.version': '1' });
    // A folder that the user made where the marker of success belongs, after the job was submitted.
    mkdirSync(join(job.output!, '_SUCCESS'), { recursive: true });
    const manager = await run(job);
    assert.equal(manager.finished[0]!.finalStatus, 'FAILED');
    assert.match(manager.finished[0]!.diagnostics!, /^Job commit failed: Error: EISDIR/);
    assert.equal((await publishedHistory(job)).at(-1)!.type, 'JOB_FAILED');
  });
});

describe('a small job in its master', () => {
  test('runs without containers and says so', async () => {
    const job = prepare({ program: 'wordcount' }, uber);
    const manager = await run(job);
    assert.deepEqual(linesOf(job.output!), wordCounts);
    assert.deepEqual(manager.ran, []);
    assert.deepEqual(manager.launches, []);
    const events = await publishedHistory(job);
    const inited = events.find(({ type }) => type === 'JOB_INITED');
    assert.ok(inited?.type === 'JOB_INITED' && inited.event.uberized);
    const last = events.at(-1)!;
    assert.ok(last.type === 'JOB_FINISHED');
    const counters = last.event.totalCounters?.groups.find(({ name }) => name === jobCounterGroup)?.counts ?? [];
    for (const [name, value] of [
      ['TOTAL_LAUNCHED_UBERTASKS', 3],
      ['NUM_UBER_SUBMAPS', 2],
      ['NUM_UBER_SUBREDUCES', 1],
      ['OTHER_LOCAL_MAPS', 2],
      ['MB_MILLIS_MAPS', 0],
      ['VCORES_MILLIS_REDUCES', 0],
    ] as const)
      assert.equal(Number(counters.find((counter) => counter.name === name)?.value), value, name);
  });

  test('fails with its first failing attempt: there is no second one', async () => {
    const job = prepare({ program: 'streaming', mapper: 'bash -c "exit 1"', reducer: 'NONE' }, uber);
    const manager = await run(job);
    assert.equal(manager.finished[0]!.finalStatus, 'FAILED');
    const events = await publishedHistory(job);
    assert.equal(events.filter(({ type }) => type === 'MAP_ATTEMPT_FAILED').length, 1);
  });

  test('tells the user’s address how it ended, though the resource manager wants it to end meanwhile', async () => {
    const called: string[] = [];
    const server = createServer((request, response) => {
      called.push(request.url ?? '');
      response.writeHead(called.length === 1 ? 503 : 200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ended?job=$jobId&status=$jobStatus`;
    await run(
      prepare(
        { program: 'sleep', maps: 1, reduces: 0, mapMs: 1, reduceMs: 1 },
        {
          ...uber,
          'mapreduce.job.end-notification.url': url,
          'mapreduce.job.end-notification.retry.attempts': '5',
          'mapreduce.job.end-notification.max.attempts': '3',
          'mapreduce.job.end-notification.retry.interval': '1',
        },
      ),
    );
    server.close();
    assert.deepEqual(called, Array(2).fill(`/ended?job=${jobId}&status=SUCCEEDED`), 'repeated until it is taken');
  });

  test('its events go to the timeline where the job wants it', async () => {
    const entities: { entity: string; entitytype: string; events: { eventtype: string }[] }[] = [];
    const server = createServer(async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { entities: typeof entities };
      entities.push(...body.entities);
      response.end('{"errors":[]}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sleep = { program: 'sleep', maps: 1, reduces: 0, mapMs: 1, reduceMs: 1 } as const;
    await run(prepare(sleep, { ...uber, 'mapreduce.job.emit-timeline-data': 'true' }), 1, { v1: url });
    const types = entities.map(({ entity, events }) => [entity, events[0]!.eventtype]);
    assert.deepEqual(types[0], [jobId, 'AM_STARTED']);
    assert.deepEqual(types.at(-1), [jobId, 'JOB_FINISHED']);
    assert.ok(types.some(([entity, type]) => entity === mapTask(0) && type === 'MAP_ATTEMPT_FINISHED'));
    entities.length = 0;
    await run(prepare(sleep, uber), 1, { v1: url });
    assert.deepEqual(entities, [], 'a job that does not ask for it is not published');
    server.closeAllConnections();
    server.close();
  });

  test('where version 2 of the timeline takes its events they go there alone, again while the application is unknown there', async () => {
    const entities: EntityV2[] = [];
    const asked: string[] = [];
    const server = createServer(async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { entities: EntityV2[] };
      asked.push(`${request.method} ${request.url}`);
      if (asked.length === 1) {
        response.writeHead(404).end();
        return;
      }
      entities.push(...body.entities);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sleep = { program: 'sleep', maps: 1, reduces: 0, mapMs: 1, reduceMs: 1 } as const;
    const settings = { ...uber, 'mapreduce.job.emit-timeline-data': 'true', 'my.secret.password': 'hidden' };
    await run(prepare(sleep, settings), 1, { v1: 'http://127.0.0.1:1', v2: url });
    server.closeAllConnections();
    server.close();
    assert.match(asked[0] ?? '', /^PUT \/ws\/v2\/timeline\/entities\?appid=application_\w+&user\.name=\w+$/);
    const types = entities.map(({ type, events }) => [type, events?.[0]?.id]);
    assert.deepEqual(types[0], ['MAPREDUCE_JOB', 'AM_STARTED']);
    for (const wanted of [
      ['MAPREDUCE_TASK', 'TASK_STARTED'],
      ['MAPREDUCE_TASK_ATTEMPT', 'MAP_ATTEMPT_FINISHED'],
      ['MAPREDUCE_JOB', 'JOB_FINISHED'],
    ])
      assert.ok(
        types.some((type) => type.join() === wanted.join()),
        wanted.join(),
      );
    const configured = entities.filter(({ type, configs }) => type === 'YARN_APPLICATION' && configs);
    assert.equal(Object.assign({}, ...configured.map(({ configs }) => configs))['mapreduce.job.emit-timeline-data'], 'true');
    assert.ok(!JSON.stringify(entities).includes('hidden'));
  });
});

describe('a second master', () => {
  /** A job whose first master wrote the given beginning of a history, and died. */
  async function afterFirstMaster(own: Record<string, string>, cut: (types: readonly string[]) => number) {
    const first = prepare({ program: 'wordcount' }, { ...uber, ...own });
    const copy = join(first.home, 'staged');
    const { cpSync } = await import('node:fs');
    cpSync(first.staging, copy, { recursive: true });
    await run(first);
    const events = await publishedHistory(first);
    rmSync(join(first.home, 'done'), { recursive: true });
    cpSync(copy, first.staging, { recursive: true });
    const writer = await createHistoryWriter(runningHistoryPath(first.staging, jobId, 1));
    for (const event of events.slice(0, cut(events.map(({ type }) => type)))) writer.write(event);
    await writer.close();
    return { job: first, events };
  }

  test('takes over the maps that are complete, runs the rest, and tells of both masters', async () => {
    const { job } = await afterFirstMaster({}, (types) => types.indexOf('TASK_FINISHED') + 1);
    rmSync(job.output!, { recursive: true });
    const manager = await run(job, 2);
    assert.equal(manager.finished[0]!.finalStatus, 'SUCCEEDED');
    const events = await publishedHistory(job);
    assert.deepEqual(
      events.filter(({ type }) => type === 'AM_STARTED').map(({ event }) => 'applicationAttemptId' in event && event.applicationAttemptId),
      ['appattempt_1700000000000_0001_000001', 'appattempt_1700000000000_0001_000002'],
    );
    const maps = events.flatMap(({ type, event }) => (type === 'MAP_ATTEMPT_FINISHED' ? [event.attemptId] : [])).sort();
    assert.deepEqual(maps, [map(0), map(1, 1000)]);
  });

  test('begins anew where recovery is switched off', async () => {
    const { job } = await afterFirstMaster(
      { 'yarn.app.mapreduce.am.job.recovery.enable': 'false' },
      (types) => types.indexOf('TASK_FINISHED') + 1,
    );
    rmSync(job.output!, { recursive: true });
    await run(job, 2);
    assert.deepEqual(linesOf(job.output!), wordCounts);
    const events = await publishedHistory(job);
    const maps = events.flatMap(({ type, event }) => (type === 'MAP_ATTEMPT_FINISHED' ? [event.attemptId] : [])).sort();
    assert.deepEqual(maps, [map(0, 1000), map(1, 1000)]);
  });

  test('ends a job as its commit ended, without running anything', async () => {
    for (const [marker, status] of [
      ['COMMIT_SUCCESS', 'SUCCEEDED'],
      ['COMMIT_FAIL', 'FAILED'],
    ] as const) {
      const { job } = await afterFirstMaster({}, (types) => types.length - 1);
      rmSync(job.output!, { recursive: true });
      writeFileSync(join(job.staging, 'COMMIT_STARTED'), '');
      writeFileSync(join(job.staging, marker), '');
      const manager = await run(job, 2);
      assert.equal(manager.finished[0]!.finalStatus, status);
      assert.match(manager.finished[0]!.diagnostics!, /^Job commit (succeeded|failed) in a prior MRAppMaster attempt before it crashed/);
      assert.ok(!existsSync(job.output!), 'nothing is committed again');
    }
  });

  test('starts from the beginning where the history of the first cannot be read', async () => {
    const job = prepare({ program: 'wordcount' }, uber);
    writeFileSync(runningHistoryPath(job.staging, jobId, 1), 'no history\n');
    const manager = await run(job, 2);
    assert.equal(manager.finished[0]!.finalStatus, 'SUCCEEDED');
    assert.deepEqual(linesOf(job.output!), wordCounts);
  });
});

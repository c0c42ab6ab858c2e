// Commands that change applications and look at containers and their logs, against a server that answers as a cluster would.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { ClusterClient } from '../client/cluster-client.ts';
import { remedyOf } from './container-exec.ts';
import { type CommandLine, commandsAt, type StubAnswer, type StubRequest, StubServer } from './test-support/command-line.ts';

const id = 'application_1_0001';
const attemptId = 'appattempt_1_0001_000001';
const master = 'container_1_0001_01_000001';
const task = 'container_1_0001_01_000002';
const base = '/ws/v1/cluster';
let answers: Record<string, StubAnswer | ((request: StubRequest) => StubAnswer)> = {};
const server = new StubServer((request) => {
  const answer = answers[`${request.method} ${request.path}`] ?? answers[request.path];
  return typeof answer === 'function' ? answer(request) : answer;
});
let commands: CommandLine;
let url: string;
const folder = mkdtempSync(join(tmpdir(), 'heddle-containers-'));

before(async () => {
  url = await server.listen();
  commands = commandsAt(url, {
    HEDDLE_YARN_TIMELINE_SERVICE_WEBAPP_ADDRESS: new URL(url).host,
    HEDDLE_MAPREDUCE_JOBHISTORY_WEBAPP_ADDRESS: new URL(url).host,
  });
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  server.requests.length = 0;
  answers = {
    [`${base}/apps/${id}`]: { json: { app: { id, state: 'RUNNING' } } },
    [`${base}/apps/${id}/appattempts`]: { json: { appAttempts: { appAttempt: [{ appAttemptId: attemptId, containerId: master }] } } },
    [`${base}/apps/${id}/appattempts/${attemptId}/containers`]: {
      json: {
        container: [master, task].map((containerId) => ({
          containerId,
          containerState: 'RUNNING',
          allocatedMB: '2048',
          assignedNodeId: 'a:1',
        })),
      },
    },
  };
});

const heddle = (...args: string[]) => commands.run(...args);
const changes = () => server.requests.filter(({ method }) => method !== 'GET').map(({ path, body }) => [path, body]);

describe('changes of an application', () => {
  it('are sent as the interface wants them, and what became of them is said', async () => {
    answers[`PUT ${base}/apps/${id}/queue`] = { json: { queue: 'root.b' } };
    answers[`PUT ${base}/apps/${id}/priority`] = { json: { priority: 3 } };
    assert.equal((await heddle('app', 'move', id, 'b')).out, `${id} is in queue root.b.\n`);
    assert.match((await heddle('app', 'priority', id, '3')).out, /is 3\.\n$/);
    assert.match((await heddle('app', 'priority', id, '9')).out, /is 3; 9 was asked for/);
    answers[`${base}/apps/${id}/priority`] = { json: { priority: -1 } };
    assert.equal((await heddle('app', 'priority', id)).out, "the queue's\n");
    assert.deepEqual(
      changes().map(([, body]) => JSON.parse(body ?? '')),
      [{ queue: 'b' }, { priority: 3 }, { priority: 9 }],
    );
  });

  it('give a lifetime that counts from now', async () => {
    answers[`PUT ${base}/apps/${id}/timeout`] = { json: { timeout: {} } };
    answers[`${base}/apps/${id}/timeouts/LIFETIME`] = {
      json: { timeout: { expiryTime: '2026-01-02T03:04:05.678+0000', remainingTimeInSeconds: 7200 } },
    };
    const beforeMs = Date.now();
    const { code, out } = await heddle('app', 'lifetime', id, '2h');
    assert.deepEqual([code, out], [0, `${id} is ended at 2026-01-02 03:04:05Z, in 2 h 0 min.\n`]);
    const { timeout } = JSON.parse(changes()[0]?.[1] ?? '');
    assert.equal(timeout.type, 'LIFETIME');
    assert.match(timeout.expiryTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
    const lifeMs = Date.parse(timeout.expiryTime.replace('+0000', 'Z')) - beforeMs;
    assert.ok(lifeMs >= 7_200_000 && lifeMs < 7_260_000, String(lifeMs));
  });

  it('are refused where they cannot count', async () => {
    for (const wrong of [
      ['priority', id, 'high'],
      ['lifetime', id, 'soon'],
      ['lifetime', id, '0'],
      ['lifetime', id, '99999999999999d'],
      ['signal', id, 'USR1'],
    ])
      assert.equal((await heddle('app', ...wrong)).code, 2, wrong.join(' '));
    assert.equal(server.requests.length, 0);
    answers[`${base}/apps/${id}`] = { json: { app: { id, state: 'FAILED' } } };
    const { code, err } = await heddle('app', 'move', id, 'b');
    assert.deepEqual([code, /is over already: FAILED/.test(err), changes().length], [1, true, 0]);
  });

  it('signal each container, or the one of the master, by names that users know', async () => {
    answers[`POST ${base}/containers/${master}/signal/FORCEFUL_SHUTDOWN`] = { text: '' };
    answers[`POST ${base}/containers/${task}/signal/FORCEFUL_SHUTDOWN`] = { text: '' };
    assert.equal((await heddle('app', 'signal', id, 'sigkill')).code, 0);
    assert.equal((await heddle('app', 'signal', id, 'KILL', '--master')).code, 0);
    assert.deepEqual(
      changes().map(([path]) => path?.split('/')[5]),
      [master, task, master],
    );
  });
});

describe('containers', () => {
  it('are listed with the role they have, as a table and as JSON', async () => {
    const { out } = await heddle('app', 'containers', id);
    assert.match(out, new RegExp(`${master} +master +RUNNING +a:1 +2 GiB`));
    assert.match(out, new RegExp(`${task} +task `));
    const listed = JSON.parse((await heddle('container', 'list', id, '--json')).out);
    assert.deepEqual([listed[1].id, listed[1].memoryMiB, listed[1].attemptId], [task, 2048, attemptId]);
    assert.match((await heddle('container', 'show', task)).out, /role +task/);
    assert.doesNotMatch((await heddle('container', 'show', task)).out, /uses now/);
    answers[`/api/v1/containers/${task}/usage`] = {
      json: {
        samples: [
          { timeMs: 1000, memoryMiB: 1536, cpuCores: 0.25 },
          { timeMs: 61_000, memoryMiB: 100.4, cpuCores: 0.125 },
        ],
      },
    };
    const { out: shown } = await heddle('container', 'show', task);
    assert.match(shown, /uses now +100 MiB, 0\.13 cores\n/);
    assert.match(shown, /used at most +1\.5 GiB, 0\.25 cores within the last 1 min 0 s\n/);
    assert.equal(JSON.parse((await heddle('container', 'show', task, '--json')).out).uses.mostMemoryMiB, 1536);
  });

  it('that ended come from the history', async () => {
    answers[`/ws/v1/applicationhistory/apps/${id}/appattempts/${attemptId}/containers`] = {
      json: { container: [{ containerId: 'container_1_0001_01_000003', containerState: 'COMPLETE', containerExitStatus: 137 }] },
    };
    assert.doesNotMatch((await heddle('app', 'containers', id)).out, /000003/);
    assert.match((await heddle('app', 'containers', id, '--all')).out, /000003 +task +COMPLETE .* killed \(137\)\n/);
    answers[`${base}/apps/${id}/appattempts`] = { json: { appAttempts: {} } };
    assert.match((await heddle('app', 'containers', id)).out, /No containers run; --all/);
    assert.equal((await heddle('container', 'show', task)).code, 1);
  });

  it('are said to be unknown where the history does not answer', async () => {
    await using alone = commandsAt(url, { HEDDLE_YARN_TIMELINE_SERVICE_WEBAPP_ADDRESS: '127.0.0.1:1' });
    const { code, out, err } = await alone.run('app', 'containers', id, '--all');
    assert.deepEqual([code, out.split('\n').length], [0, 4]);
    assert.match(
      err,
      /^heddle: the application history at http:\/\/127\.0\.0\.1:1 does not answer[^\n]*\n {2}Start it with "heddle start timeline"[^\n]*\n$/,
    );
    assert.equal((await alone.run('app', 'containers', id)).err, '');
  });

  it('need to be named rightly', async () => {
    assert.match((await heddle('container', 'list')).err, /whose containers\?/);
    assert.equal((await heddle('container', 'list', id, '--node', 'a:1')).code, 2);
    assert.match((await heddle('container', 'show', 'c1')).err, /'c1' is no id of a container/);
  });
});

describe('logs', () => {
  beforeEach(() => {
    for (const container of [master, task]) {
      const files = ['stdout', 'prelaunch.out'].map((name) => ({ name, bytes: 5 }));
      answers[`/api/v1/containers/${container}/logs`] = { json: { files } };
      for (const { name } of files) answers[`/api/v1/containers/${container}/logs/${name}`] = { text: `${container.at(-1)} ${name}` };
    }
  });

  it('can be listed, and chosen by role', async () => {
    const { out } = await heddle('app', 'logs', id, '--list', '--role', 'task');
    assert.match(out, new RegExp(`${task} +task +stdout +5`));
    assert.doesNotMatch(out, new RegExp(`${master}|prelaunch`));
    assert.equal(JSON.parse((await heddle('app', 'logs', id, '--list', '--all', '--json')).out).length, 4);
    assert.equal((await heddle('app', 'logs', id, '--list', '--follow')).code, 2);
  });

  it('of one container are followed to its own end, however long the application goes on', async () => {
    const { code, out } = await heddle('container', 'logs', task, '--follow', '--file', 'stdout');
    assert.deepEqual([code, out], [0, `==> ${task} stdout <==\n2 stdout`]);
  });

  it('come from where they were gathered, and of all other containers from their nodes; whose are nowhere is said', async () => {
    const [left, gone] = [3, 4].map((number) => `container_1_0001_01_00000${number}`) as [string, string];
    answers[`${base}/apps/${id}`] = { json: { app: { id, state: 'FINISHED' } } };
    answers['/ws/v1/history/aggregatedlogs'] = { json: { containerLogsInfo: [{ containerId: task }] } };
    answers[`/ws/v1/applicationhistory/apps/${id}/appattempts/${attemptId}/containers`] = {
      json: { container: [task, left, gone].map((containerId) => ({ containerId, nodeHttpAddress: new URL(url).host })) },
    };
    answers[`/api/v1/containers/${left}/logs`] = { json: { files: [{ name: 'stdout', bytes: 4 }] } };
    answers[`/api/v1/containers/${left}/logs/stdout`] = { text: 'left' };
    const { code, out, err } = await heddle('app', 'logs', id, '--file', 'stdout', '--role', 'task');
    assert.deepEqual([code, out], [0, `==> ${task} stdout <==\n2 stdout\n==> ${left} stdout <==\nleft\n`]);
    assert.match(err, new RegExp(`^heddle: no logs are left of ${gone}: not started, or [^\n]*\n$`));
    assert.equal((await heddle('container', 'logs', left)).out, 'left\n');
    assert.match((await heddle('container', 'logs', gone)).err, /^heddle: there is no such log of /);
    assert.match((await heddle('container', 'logs', `${gone.slice(0, -1)}9`)).err, /has no container container_1_0001_01_000009/);
  });

  it('can be written to files, below a folder for each container', async () => {
    const { code, out } = await heddle('app', 'logs', id, '--out', folder);
    assert.deepEqual([code, /^2 files with 16 bytes/.test(out)], [0, true]);
    assert.equal(readFileSync(join(folder, task, 'stdout'), 'utf8'), '2 stdout');
    answers[`/api/v1/containers/${task}/logs`] = { json: { files: [{ name: '../../away', bytes: 1 }] } };
    const led = await heddle('container', 'logs', task, '--out', folder);
    assert.deepEqual([led.code, /is no name for a file/.test(led.err)], [1, true]);
  });
});

describe('a shell that is refused', () => {
  it('says as whom one may have it', async () => {
    const cluster = { application: () => Promise.resolve({ user: 'ada' }) } as unknown as ClusterClient;
    const said = 'Shells are for the owner of the application, and where yarn.acl.enable is on for administrators, too; ';
    assert.equal(await remedyOf('Forbidden', { cluster }, 'application_1_0001'), `${said}act as ada with --user ada.`);
    const hidden = { application: () => Promise.reject(new Error('hidden')) } as unknown as ClusterClient;
    assert.equal(await remedyOf('Forbidden', { cluster: hidden }, 'application_1_0001'), `${said}act as them with --user NAME.`);
    assert.equal(await remedyOf('Gone', { cluster }, 'application_1_0001'), undefined);
  });
});

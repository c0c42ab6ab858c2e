// One address for a container's logs, while it runs and after its end: whole, in ranges, followed, as events.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startS3Fixture } from '../../src/client/test-support/s3-fixture.ts';
import { applicationReport, commandApplication, endedApplication, submitApplication } from '../support/applications.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';

let cluster: TestCluster;
before(async () => {
  cluster = await startCluster({ settings: { 'yarn.log-aggregation-enable': 'true' } });
});
after(() => cluster[Symbol.asyncDispose]());

/** An application whose master writes a line, waits for a file, and writes another line. */
async function begin(name: string) {
  const go = join(cluster.dataDir, name);
  const command = `echo 'first ü' > <LOG_DIR>/stdout; while [ ! -e ${go} ]; do sleep 0.02; done; echo last >> <LOG_DIR>/stdout; exit 3`;
  const id = await submitApplication(cluster.urls.resourceManager, commandApplication(command), 'ada');
  const containerId = `${id.replace('application', 'container')}_01_000001`;
  const address = `${cluster.urls.resourceManager}/api/v1/containers/${containerId}/logs`;
  const get = (path = '/stdout', headers: Record<string, string> = {}) => fetch(`${address}${path}`, { headers });
  await until('the first line', async () => (await (await get()).text()).includes('first'));
  return { id, containerId, get, go: () => writeFileSync(go, '') };
}
const gathered = (id: string) =>
  until(
    'the logs to be gathered',
    async () =>
      ((await applicationReport(cluster.urls.resourceManager, id)) as { logAggregationStatus?: string }).logAggregationStatus ===
      'SUCCEEDED',
  );

test('the same address gives the log from the node and, after the end, from where it was gathered', async () => {
  const { id, get, go } = await begin('one');
  const running = await get();
  assert.equal(await running.text(), 'first ü\n');
  assert.equal(new URL(running.url).port, new URL(cluster.urls.nodeManager).port);
  const list = (await (await get('')).json()) as { running: boolean; files: { name: string; bytes: number }[] };
  assert.deepEqual([list.running, list.files.find(({ name }) => name === 'stdout')?.bytes], [true, 9]);
  const followed = get('/stdout?follow=true').then((answer) => answer.text());
  go();
  assert.equal(await followed, 'first ü\nlast\n');
  await endedApplication(cluster.urls.resourceManager, id);
  await gathered(id);
  const ended = await get();
  assert.equal(await ended.text(), 'first ü\nlast\n');
  assert.equal(new URL(ended.url).port, new URL(cluster.urls.history).port);
  const part = await get('/stdout', { range: 'bytes=-5' });
  assert.deepEqual([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 9-13/14', 'last\n']);
  assert.deepEqual(
    [(await get('/stdout', { range: 'bytes=14-' })).status, (await get('/none')).status, (await get('/..%2fx')).status],
    [416, 404, 404],
  );
  const after = (await (await get('')).json()) as { running: boolean; files: { name: string; bytes: number }[] };
  assert.deepEqual([after.running, after.files.find(({ name }) => name === 'stdout')?.bytes], [false, 14]);
});

test('events carry the text as it comes and can be taken up where they broke off', async () => {
  const { id, get, go } = await begin('two');
  const accept = 'text/event-stream';
  const running = await get('/stdout', { accept });
  assert.match(running.headers.get('content-type') ?? '', /^text\/event-stream/);
  const reader = running.body!.getReader();
  assert.equal(Buffer.from((await reader.read()).value!).toString(), 'id: 9\ndata: {"text":"first ü\\n"}\n\n');
  await reader.cancel();
  const again = get('/stdout', { accept, 'last-event-id': '9' }).then((answer) => answer.text());
  go();
  const rest = 'id: 14\ndata: {"text":"last\\n"}\n\nevent: end\nid: 14\ndata: {"bytes":14}\n\n';
  assert.equal(await again, rest);
  await endedApplication(cluster.urls.resourceManager, id);
  await gathered(id);
  assert.equal(await (await get('/stdout', { accept, 'last-event-id': '9' })).text(), rest);
});

test('pages get logs and the life of an application from the resource manager itself, wherever they are', async () => {
  const { id, containerId, go } = await begin('four');
  const { resourceManager } = cluster.urls;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${resourceManager}/api/v1/${path}`, { headers, redirect: 'error' });
  const list = (await (await get(`logs/${containerId}`)).json()) as { running: boolean; files: { name: string; bytes: number }[] };
  assert.deepEqual([list.running, list.files.find(({ name }) => name === 'stdout')?.bytes], [true, 9]);
  const part = await get(`logs/${containerId}/stdout`, { range: 'bytes=6-8' });
  assert.deepEqual([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 6-8/9', 'ü\n']);
  const life = async () =>
    (await (await get(`applications/${id}/life`)).json()) as {
      attempts: { state: string; masterContainerId: string; finishedTime: number }[];
      containers: { id: string; isMaster: boolean; createdTime: number; startedTime: number; finishedTime: number; exitStatus?: number }[];
    };
  const running = await life();
  assert.deepEqual(
    running.containers.map(({ id: each, isMaster, finishedTime }) => [each, isMaster, finishedTime]),
    [[containerId, true, 0]],
  );
  const followed = get(`logs/${containerId}/stdout?follow=true`).then((answer) => answer.text());
  go();
  assert.equal(await followed, 'first ü\nlast\n');
  await endedApplication(resourceManager, id);
  await gathered(id);
  assert.equal(await (await get(`logs/${containerId}/stdout`)).text(), 'first ü\nlast\n');
  const [ended] = (await life()).containers;
  assert.equal(ended?.exitStatus, 3);
  assert.ok(ended.createdTime <= ended.startedTime && ended.startedTime <= ended.finishedTime);
  assert.equal((await life()).attempts[0]?.masterContainerId, containerId);
  assert.deepEqual(
    await Promise.all(['logs/x', `logs/${containerId}/none`, `logs/${containerId}/..%2fx`].map(async (path) => (await get(path)).status)),
    [400, 404, 404],
  );
});

test('heddle app logs --follow prints everything to the end', async () => {
  const { id, go } = await begin('three');
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../src/main.ts'), 'app', 'logs', '--follow', '--file', 'stdout', id],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HEDDLE_CLUSTER: cluster.urls.resourceManager },
    },
  );
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
    if (out.includes('first')) go();
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.equal(code, 0);
  assert.match(out, /^==> container_\S+_000001 stdout <==\nfirst ü\nlast\n$/);
});

const heddleLogs = async (resourceManager: string, ...more: string[]) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), 'app', 'logs', ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HEDDLE_CLUSTER: resourceManager },
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  assert.equal(await new Promise((resolve) => child.on('close', resolve)), 0);
  return out;
};

test('where logs are not gathered, or cannot be, the same address and heddle app logs still give them', async () => {
  const blocked = join(cluster.dataDir, 'no-folder');
  writeFileSync(blocked, '');
  const ways = [
    [{ 'yarn.log-aggregation-enable': 'false' }, 'DISABLED'],
    [{ 'yarn.log-aggregation-enable': 'true', 'yarn.nodemanager.remote-app-log-dir': join(blocked, 'logs') }, 'FAILED'],
  ] as const;
  for (const [settings, status] of ways) {
    await using left = await startCluster({ settings });
    const { resourceManager } = left.urls;
    const id = await submitApplication(resourceManager, commandApplication('echo words > <LOG_DIR>/stdout; exit 3'), 'ada');
    await endedApplication(resourceManager, id);
    await until(
      'the end of the logs',
      async () => ((await applicationReport(resourceManager, id)) as { logAggregationStatus?: string }).logAggregationStatus === status,
    );
    const containerId = `${id.replace('application', 'container')}_01_000001`;
    const answer = await fetch(`${resourceManager}/api/v1/containers/${containerId}/logs/stdout?user.name=ada`);
    assert.deepEqual([answer.status, await answer.text()], [200, 'words\n'], status);
    assert.equal(await heddleLogs(resourceManager, id), 'words\n', status);
    assert.equal(await heddleLogs(resourceManager, id, '--tail', '3'), 'ds\n', status);
    assert.match(await heddleLogs(resourceManager, id, '--json', '--file', 'stdout'), /"content": ?"words\\n"/, status);
  }
});

test('logs are gathered in a store and read from there by history and application history', async () => {
  await using store = await startS3Fixture();
  const settings = {
    'yarn.log-aggregation-enable': 'true',
    'yarn.nodemanager.remote-app-log-dir': 's3a://logs/cluster',
    'yarn.timeline-service.generic-application-history.enabled': 'true',
    ...store.settings,
  };
  await using stored = await startCluster({ settings });
  const id = await submitApplication(stored.urls.resourceManager, commandApplication('echo words > <LOG_DIR>/stdout'), 'ada');
  await endedApplication(stored.urls.resourceManager, id);
  await until('the logs to be stored', async () => store.objects.size > 0);
  assert.match([...store.objects.keys()][0] ?? '', new RegExp(`^cluster/ada/bucket-logs-tfile/0001/${id}/127.0.0.1_\\d+$`));
  const containerId = `${id.replace('application', 'container')}_01_000001`;
  const applicationHistory = `${stored.urls.timeline}/ws/v1/applicationhistory`;
  // The timeline hears of the end after the resource manager has said it.
  await until('the end to be told', async () =>
    /"(FINISHED|FAILED)"/.test(await (await fetch(`${applicationHistory}/apps/${id}?user.name=ada`)).text()),
  );
  for (const base of [`${stored.urls.history}/ws/v1/history`, applicationHistory]) {
    const answer = await fetch(`${base}/containerlogs/${containerId}/stdout?user.name=ada`);
    assert.match(await answer.text(), /LogContents:\nwords\n/, base);
  }
});

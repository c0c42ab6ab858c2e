import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { applicationReport, commandApplication, endedApplication, submitApplication } from '../support/applications.ts';
import { startProcesses, until } from '../support/processes.ts';
import { independentCount, resultCount } from '../support/words.ts';

interface Containers {
  containers: { container?: { id: string; state: string }[] } | null;
}

/** Submits under a key; gives the id. */
async function submitOnce(resourceManager: string, key: string): Promise<string> {
  const response = await fetch(`${resourceManager}/api/v1/applications?user.name=root`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ 'unmanaged-AM': true, 'application-name': key }),
  });
  assert.equal(response.status, 202);
  return ((await response.json()) as { id: string }).id;
}

test('everything was killed with -9 in the middle of a job and of a running master, and starts again on the same data', async () => {
  await using cluster = await startProcesses({ mode: 'up' });
  const { resourceManager, nodeManager } = cluster.urls;
  const input = join(cluster.home, 'texts');
  const output = join(cluster.home, 'words');
  const go = join(cluster.home, 'go');
  mkdirSync(input);
  for (let i = 0; i < 2; i++) writeFileSync(join(input, `${i}.txt`), `one two three file${i} one\n`.repeat(500));
  const mapper = `bash -c 'while [ ! -e ${go} ]; do sleep 0.1; done; tr -s " " "\\n" | sed "s/$/\\t1/"'`;
  const reducer = `awk -F'\\t' '{ n[$1] += $2 } END { for (w in n) printf "%s\\t%d\\n", w, n[w] }'`;
  const alone = await submitApplication(resourceManager, commandApplication(`while [ ! -e ${go} ]; do sleep 0.1; done; exit 4`));
  const job = cluster.heddle('batch', 'streaming', input, output, mapper, reducer);
  await until('three containers to run', async () => {
    const answer = await fetch(`${nodeManager}/ws/v1/node/containers`, { headers: { accept: 'application/json' } });
    const { containers } = (await answer.json()) as Containers;
    return (containers?.container ?? []).filter(({ state }) => state === 'RUNNING').length >= 3;
  });
  const taken = await submitOnce(resourceManager, 'first');
  const cut = submitOnce(resourceManager, 'cut').catch(() => undefined);
  await cluster.stop('up', 'SIGKILL');
  const heard = await cut;
  await cluster.start('up');
  assert.equal(await submitOnce(resourceManager, 'first'), taken);
  const [late, again] = [await submitOnce(resourceManager, 'cut'), await submitOnce(resourceManager, 'cut')];
  assert.deepEqual([heard ?? late, late], [late, again], 'what was answered, or not, is there once');
  assert.equal((await applicationReport(resourceManager, alone)).state, 'ACCEPTED');
  writeFileSync(go, '');
  const report = await endedApplication(resourceManager, alone);
  assert.equal(report.state, 'FAILED');
  assert.match(report.diagnostics, /failed 1 times.*exitCode: 4/s);
  const { code, output: printed } = await job;
  assert.equal(code, 0, printed);
  assert.deepEqual(resultCount(output), independentCount(input));
});

test('what an application used and how its containers ended is after kill -9 what it was, and what ended meanwhile counts once', async () => {
  await using cluster = await startProcesses({ mode: 'roles' });
  const { resourceManager } = cluster.urls;
  const go = join(cluster.home, 'go');
  // Three instances end at once, one goes on.
  const command = `if [ "$HEDDLE_INSTANCE" = 0 ]; then while [ ! -e ${go} ]; do sleep 0.1; done; fi`;
  const response = await fetch(`${resourceManager}/api/v1/applications?user.name=ada`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ run: { command: ['bash', '-c', command], instances: 4, memoryMiB: 128 } }),
  });
  const answer = (await response.json()) as { readonly id: string };
  assert.ok(response.ok, JSON.stringify(answer));
  const shown = async () => {
    const listed = await (await fetch(`${resourceManager}/api/v1/applications/${answer.id}`)).json();
    const { memorySeconds } = (await applicationReport(resourceManager, answer.id)) as { memorySeconds?: number };
    return { ...(listed as { readonly endedContainers: { readonly succeeded: number } }), memorySeconds: memorySeconds! };
  };
  await until('three instances to end', async () => (await shown()).endedContainers.succeeded === 3);
  const before = await shown();
  await cluster.stop('resource-manager', 'SIGKILL');
  await cluster.start('resource-manager');
  assert.deepEqual((await shown()).endedContainers, before.endedContainers);
  // What still runs counts from its beginning once its node has told of it.
  await until('the use to be what it was', async () => (await shown()).memorySeconds >= before.memorySeconds);
  writeFileSync(go, '');
  await endedApplication(resourceManager, answer.id);
  // The master's container ends after its application.
  await until('all containers to end', async () => (await shown()).endedContainers.succeeded >= 5);
  assert.equal((await shown()).endedContainers.succeeded, 5);
});

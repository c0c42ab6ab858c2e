import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type RoleName, startProcesses, until } from '../support/processes.ts';
import { gatherTexts } from '../support/text.ts';
import { independentCount, resultCount } from '../support/words.ts';

const root = join(import.meta.dirname, '../..');

test('a word count of real texts equals an independent count', async () => {
  await using cluster = await startProcesses();
  const input = join(cluster.home, 'texts');
  const output = join(cluster.home, 'words');
  gatherTexts({ sources: [join(root, 'docs'), join(root, 'node_modules')], target: input, fileBytes: 1e6, totalBytes: 3e6 });
  const { code, output: printed } = await cluster.heddle('batch', 'wordcount', input, output);
  assert.equal(code, 0, printed);
  assert.deepEqual(resultCount(output), independentCount(input));
});

interface Containers {
  containers: { container?: { id: string; state: string }[] } | null;
}

for (const role of ['resource-manager', 'node-manager', 'timeline', 'history'] as RoleName[])
  test(`a word count is right although ${role} was killed with -9 in its middle`, async () => {
    await using cluster = await startProcesses({ mode: 'roles' });
    const input = join(cluster.home, 'texts');
    const output = join(cluster.home, 'words');
    const go = join(cluster.home, 'go');
    mkdirSync(input);
    for (let i = 0; i < 3; i++) writeFileSync(join(input, `${i}.txt`), `one two three file${i} one\n`.repeat(500));
    // Every map stops after its first word until the file `go` is there.
    const mapper = `bash -c 'while [ ! -e ${go} ]; do sleep 0.1; done; tr -s " " "\\n" | sed "s/$/\\t1/"'`;
    const reducer = `awk -F'\\t' '{ n[$1] += $2 } END { for (w in n) printf "%s\\t%d\\n", w, n[w] }'`;
    const job = cluster.heddle('batch', 'streaming', input, output, mapper, reducer);
    await until('two containers to run', async () => {
      const answer = await fetch(`${cluster.urls.nodeManager}/ws/v1/node/containers`, { headers: { accept: 'application/json' } });
      const { containers } = (await answer.json()) as Containers;
      return (containers?.container ?? []).filter(({ state }) => state === 'RUNNING').length >= 2;
    });
    await cluster.stop(role, 'SIGKILL');
    await cluster.start(role);
    writeFileSync(go, '');
    const { code, output: printed } = await job;
    assert.equal(code, 0, printed);
    assert.deepEqual(resultCount(output), independentCount(input));
  });

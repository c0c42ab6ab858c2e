import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ClusterProcesses, type RoleName, startProcesses, until } from '../support/processes.ts';
import { gatherTexts } from '../support/text.ts';
import { independentCount, resultCount } from '../support/words.ts';

const root = join(import.meta.dirname, '../..');

interface Containers {
  containers: { container?: { id: string; state: string }[] } | null;
}

/** The containers that run on the cluster's node. */
async function runningContainers(cluster: ClusterProcesses): Promise<string[]> {
  const answer = await fetch(`${cluster.urls.nodeManager}/ws/v1/node/containers`, { headers: { accept: 'application/json' } });
  const { containers } = (await answer.json()) as Containers;
  return (containers?.container ?? []).filter(({ state }) => state === 'RUNNING').map(({ id }) => id);
}

/** Ends every process of a container with -9 (Linux). One that is just starting shows no environment: to be asked again until it is gone. */
function killContainer(id: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`CONTAINER_ID=${id}`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Gone meanwhile, or another user's.
    }
}

/** Counts words by a job whose maps wait until `inTheMiddle` has returned; checks the result. `name`: a folder for its files. */
async function countAround(cluster: ClusterProcesses, name: string, inTheMiddle: () => Promise<void>): Promise<void> {
  const home = join(cluster.home, name);
  const input = join(home, 'texts');
  const output = join(home, 'words');
  const go = join(home, 'go');
  mkdirSync(input, { recursive: true });
  for (let i = 0; i < 3; i++) writeFileSync(join(input, `${i}.txt`), `one two three file${i} one\n`.repeat(500));
  const mapper = `bash -c 'while [ ! -e ${go} ]; do sleep 0.1; done; tr -s " " "\\n" | sed "s/$/\\t1/"'`;
  const reducer = `awk -F'\\t' '{ n[$1] += $2 } END { for (w in n) printf "%s\\t%d\\n", w, n[w] }'`;
  const job = cluster.heddle('batch', 'streaming', input, output, mapper, reducer);
  await until('the master and a map to run', async () => (await runningContainers(cluster)).length >= 2);
  await inTheMiddle();
  writeFileSync(go, '');
  const { code, output: printed } = await job;
  assert.equal(code, 0, printed);
  assert.deepEqual(resultCount(output), independentCount(input));
}

describe('a word count in a cluster of processes', () => {
  let cluster: ClusterProcesses;
  before(async () => {
    cluster = await startProcesses({ mode: 'roles' });
  });
  after(() => cluster[Symbol.asyncDispose]());

  test('of real texts equals an independent count', async () => {
    const input = join(cluster.home, 'real-texts');
    const output = join(cluster.home, 'real-words');
    gatherTexts({ sources: [join(root, 'docs'), join(root, 'node_modules')], target: input, fileBytes: 1e6, totalBytes: 3e6 });
    const { code, output: printed } = await cluster.heddle('batch', 'wordcount', input, output);
    assert.equal(code, 0, printed);
    assert.deepEqual(resultCount(output), independentCount(input));
  });

  // Of what no job needs while it runs, two at once.
  for (const roles of [['resource-manager'], ['node-manager'], ['timeline', 'history']] satisfies RoleName[][])
    test(`is right although -9 ended ${roles.join(' and ')} in its middle`, () =>
      countAround(cluster, roles.join('-'), async () => {
        for (const role of roles) await cluster.stop(role, 'SIGKILL');
        for (const role of roles) await cluster.start(role);
      }));

  test('is right although its master was killed with -9 in its middle', () =>
    countAround(cluster, 'master', async () => {
      const master = (await runningContainers(cluster)).find((id) => /_01_000001$/.test(id)) ?? '';
      await until('the second master', async () => {
        killContainer(master);
        return (await runningContainers(cluster)).some((id) => /_02_000001$/.test(id));
      });
    }));

  test('is right although a map was killed with -9', () =>
    countAround(cluster, 'map', async () => {
      const map = (await runningContainers(cluster)).find((id) => !/_000001$/.test(id)) ?? '';
      await until('the map to be gone', async () => {
        killContainer(map);
        return !(await runningContainers(cluster)).includes(map);
      });
    }));
});

test('a word count is right although the one process of a cluster was killed with -9 in its middle', async () => {
  await using cluster = await startProcesses({ mode: 'up' });
  await countAround(cluster, 'up', async () => {
    await cluster.stop('up', 'SIGKILL');
    await cluster.start('up');
  });
});

// Instances of `heddle run` run once each, whoever is killed meanwhile.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
/** Instance 0 ends at once, the others when they may; each leaves a line for every time it ran. */
const script = `echo ran >> "$DIR/$HEDDLE_INSTANCE"; touch "$DIR/started-$HEDDLE_INSTANCE"
[ "$HEDDLE_INSTANCE" = 0 ] || while [ ! -e "$DIR/go" ]; do sleep 0.05; done`;

interface RunningApplication {
  readonly id: string;
  readonly runningContainers: number;
}

/** The one application that runs. */
async function running(cluster: ClusterProcesses): Promise<RunningApplication | undefined> {
  const { apps } = (await (await fetch(`${cluster.urls.resourceManager}/ws/v1/cluster/apps?states=RUNNING`)).json()) as {
    apps: { app?: RunningApplication[] };
  };
  return apps.app?.[0];
}

/** Has the application run in so many instances. */
async function scale(cluster: ClusterProcesses, id: string, instances: number): Promise<void> {
  const { status } = await fetch(`${cluster.urls.resourceManager}/api/v1/applications/${id}/instances?user.name=${userInfo().username}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ instances }),
  });
  assert.equal(status, 200);
}

async function masterPid(cluster: ClusterProcesses): Promise<number> {
  const id = (await running(cluster))?.id.replace('application', 'appattempt');
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      if (words.includes('command-master') && id && readFileSync(`/proc/${name}/environ`, 'utf8').includes(id)) return Number(name);
    } catch {
      // It ended meanwhile.
    }
  }
  throw new Error('no master runs');
}

for (const [who, kill] of [
  ['its master', async (cluster: ClusterProcesses) => process.kill(await masterPid(cluster), 'SIGKILL')],
  [
    'the resource manager',
    async (cluster: ClusterProcesses) => {
      await cluster.stop('resource-manager', 'SIGKILL');
      await cluster.start('resource-manager');
    },
  ],
] as const) {
  describe(`heddle run when ${who} is killed`, () => {
    it('runs each instance once, as many as were wanted meanwhile, and tells the result', async () => {
      await using cluster = await startProcesses({ mode: 'roles' });
      const folder = join(cluster.home, 'ran');
      mkdirSync(folder);
      const child = spawn(
        process.execPath,
        [main, 'run', '-n', '4', '--memory', '256', '--env', `DIR=${folder}`, '--', 'bash', '-c', script],
        { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HEDDLE_CLUSTER: cluster.urls.resourceManager } },
      );
      let said = '';
      child.stderr.on('data', (chunk) => (said += chunk));
      const code = new Promise((resolve) => child.on('close', resolve));
      await until('all instances to run', async () => [0, 1, 2, 3].every((index) => existsSync(join(folder, `started-${index}`))));
      const { id } = (await running(cluster))!;
      await scale(cluster, id, 6);
      await until('two more to run', async () => [4, 5].every((index) => existsSync(join(folder, `started-${index}`))));
      await kill(cluster);
      await scale(cluster, id, 5);
      // The master, and those that wait for the word: the first is done, the last one was given back.
      await until('one to be ended', async () => (await running(cluster))?.runningContainers === 5);
      writeFileSync(join(folder, 'go'), '');
      assert.equal(await code, 0, said);
      assert.deepEqual(
        [0, 1, 2, 3, 4, 5].map((index) => readFileSync(join(folder, String(index)), 'utf8')),
        Array.from({ length: 6 }, () => 'ran\n'),
      );
    });
  });
}

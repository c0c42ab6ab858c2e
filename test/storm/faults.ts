// What a storm does to a cluster. Each fault leaves everything as it should be again, apart from what it ended.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/lib/random.ts';
import { kill, type StormCluster, type StormRole } from './storm-cluster.ts';

interface Fault {
  readonly name: string;
  readonly weight: number;
  /** Whether it can be done here. */
  readonly isPossible?: (cluster: StormCluster) => boolean;
  /** Resolves to the number of processes that it killed with -9. */
  readonly run: (cluster: StormCluster, random: Random) => Promise<number>;
}

/** How many faults there are at a time. */
export const lanes = 3;

const pick = <T>(random: Random, from: readonly T[]): T => from[random.int(from.length)]!;
const seconds = (random: Random, most: number): number => 100 + random.int(most * 1000);

const restart = (role: StormRole, random: Random, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> =>
  role.alone(async () => {
    await role.signal(signal);
    if (random.int(4) === 0) await sleep(seconds(random, 2));
    await role.start();
  });

/** A role is killed and starts again. */
const killed = (name: string, weight: number, choose: (cluster: StormCluster, random: Random) => StormRole): Fault => ({
  name,
  weight,
  async run(cluster, random) {
    await restart(choose(cluster, random), random);
    return 1;
  },
});

/** Kills a process of a node that is no role: one of those that match. */
function killOne(cluster: StormCluster, random: Random, pattern: RegExp): number {
  const found = cluster.processes(pick(random, cluster.nodes).machine, pattern);
  if (found.length === 0) return 0;
  kill(pick(random, found));
  return 1;
}

/** The nodes that run; none while the resource manager is away. */
async function nodeIds(url: string): Promise<string[]> {
  try {
    const answer = await fetch(`${url}/ws/v1/cluster/nodes`);
    const listed = (await answer.json()) as { nodes: { node?: { id: string }[] } | null };
    return (listed.nodes?.node ?? []).map(({ id }) => id);
  } catch {
    return [];
  }
}

const faults: readonly Fault[] = [
  killed('resource manager', 8, ({ resourceManager }) => resourceManager),
  killed('node manager', 6, ({ nodes }, random) => pick(random, nodes)),
  killed('timeline', 2, ({ timeline }) => timeline),
  {
    name: 'resource manager and a node manager at once',
    weight: 2,
    async run({ resourceManager, nodes }, random) {
      const node = pick(random, nodes);
      await Promise.all([restart(resourceManager, random), restart(node, random)]);
      return 2;
    },
  },
  {
    name: 'resource manager stopped in order',
    weight: 1,
    async run({ resourceManager }, random) {
      await restart(resourceManager, random, 'SIGTERM');
      return 0;
    },
  },
  { name: 'launcher', weight: 3, run: async (cluster, random) => killOne(cluster, random, /launcher\.sh/) },
  {
    name: 'container',
    weight: 3,
    run: async (cluster, random) => killOne(cluster, random, /launch_container|container-note|default_container/),
  },
  {
    name: 'role standing still',
    weight: 3,
    async run({ resourceManager, nodes }, random) {
      const role = pick(random, [resourceManager, ...nodes]);
      await role.alone(async () => {
        await role.signal('SIGSTOP');
        await sleep(seconds(random, 4));
        await role.signal('SIGCONT');
      });
      return 0;
    },
  },
  {
    name: 'full disk',
    weight: 2,
    isPossible: ({ hasDisks }) => hasDisks,
    async run(cluster, random) {
      const role = pick(random, [cluster.resourceManager, ...cluster.nodes]);
      const isKilled = random.int(2) === 0;
      // A role that starts finds room: what it must store then it could not.
      await cluster.alone(role.machine, async () => {
        cluster.setFull(role.machine, true);
        await sleep(seconds(random, 3));
        if (isKilled) await role.signal('SIGKILL');
        cluster.setFull(role.machine, false);
        if (isKilled) await role.start();
      });
      return isKilled ? 1 : 0;
    },
  },
  {
    name: 'slow disk',
    weight: 2,
    async run(cluster, random) {
      // Who holds the write lock of a store keeps its process from writing.
      const database = new DatabaseSync(join(cluster.dataDir(0), 'resource-manager', 'state.sqlite'));
      try {
        database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
        await sleep(seconds(random, 3));
        database.exec('ROLLBACK');
      } catch {
        // The resource manager writes without a pause: it was slow all the same.
      } finally {
        database.close();
      }
      return 0;
    },
  },
  {
    name: 'cable pulled',
    weight: 2,
    isPossible: ({ places }) => places.setCable !== undefined,
    async run({ places, nodes }, random) {
      const { machine } = pick(random, nodes);
      places.setCable?.(machine, false);
      // Nodes are lost after ten seconds.
      await sleep(random.int(3) === 0 ? 15_000 : seconds(random, 6));
      places.setCable?.(machine, true);
      return 0;
    },
  },
  {
    name: 'drain and resume',
    weight: 1,
    async run(cluster, random) {
      const call = async (path: string, body: object): Promise<boolean> => {
        try {
          const answer = await fetch(`${cluster.url}/api/v1/${path}?user.name=root`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
          await answer.text();
          return answer.ok;
        } catch {
          return false;
        }
      };
      const ids = await nodeIds(cluster.url);
      if (ids.length === 0) return 0;
      const id = encodeURIComponent(pick(random, ids));
      await call(`nodes/${id}/drain`, { gracefulSeconds: random.int(5) });
      const killed = random.int(2) === 0;
      if (killed) await restart(cluster.resourceManager, random);
      await sleep(seconds(random, 2));
      while (!(await call(`nodes/${id}/resume`, {}))) await sleep(100);
      return killed ? 1 : 0;
    },
  },
];

/** The next fault, by weight. */
export function nextFault(cluster: StormCluster, random: Random): Fault {
  const possible = faults.filter(({ isPossible }) => isPossible?.(cluster) ?? true);
  let at = random.int(possible.reduce((sum, { weight }) => sum + weight, 0));
  return possible.find(({ weight }) => (at -= weight) < 0)!;
}

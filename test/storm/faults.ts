// What a storm does to a cluster. Each fault leaves everything as it should be again, apart from what it ended, and none waits without end.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { readStat } from '../../src/lib/process-stat.ts';
import type { Random } from '../../src/lib/random.ts';
import { kill, type StormCluster } from './storm-cluster.ts';
import type { StormRole } from './storm-role.ts';

export interface Fault {
  readonly name: string;
  readonly weight: number;
  /** Whether it can be done here and now. */
  readonly isPossible?: (cluster: StormCluster) => boolean;
  /** Resolves to the number of processes that it killed with -9; undefined: there was nothing to do it to. */
  readonly run: (cluster: StormCluster, random: Random) => Promise<number | undefined>;
}

const callLimitMs = 20_000;
const resumeLimitMs = 60_000;
/** How long a process is looked for that comes and goes, and how often. */
const processLimitMs = 5000;
const lookMs = 50;

const pick = <T>(random: Random, from: readonly T[]): T => from[random.int(from.length)]!;
const seconds = (random: Random, most: number): number => 100 + random.int(most * 1000);
const free = (roles: readonly StormRole[]): StormRole[] => roles.filter(({ isBusy }) => !isBusy);

/** Mostly it starts again at once. */
const restart = (role: StormRole, random: Random, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> =>
  role.alone(() => role.restart(signal, random.int(4) === 0 ? seconds(random, 2) : 0));

/** A role is killed and starts again: one to which nothing else is being done, so that nobody waits for another's fault. */
const killed = (name: string, weight: number, roles: (cluster: StormCluster) => readonly StormRole[]): Fault => ({
  name,
  weight,
  isPossible: (cluster) => free(roles(cluster)).length > 0,
  async run(cluster, random) {
    await restart(pick(random, free(roles(cluster))), random);
    return 1;
  },
});

/** Kills a process of a node that is no role, as soon as there is one. */
const killedProcess = (name: string, weight: number, find: (cluster: StormCluster, machine: number) => readonly number[]): Fault => ({
  name,
  weight,
  async run(cluster, random) {
    const machines = [...new Set(cluster.nodes.map(({ machine }) => machine))];
    const endMs = performance.now() + processLimitMs;
    for (; performance.now() < endMs; await sleep(lookMs)) {
      const found = machines.flatMap((machine) => find(cluster, machine));
      if (found.length === 0) continue;
      kill(pick(random, found));
      return 1;
    }
    return undefined;
  },
});
const launchers = (cluster: StormCluster, machine: number): number[] => cluster.processes(machine, /launcher\.sh/);
/** The launcher leads a session; keepers are its forks. */
const leadsSession = (pid: number): boolean => readStat(pid)?.sessionId === pid;

/** Those that end roles. */
export const endingRoles: readonly Fault[] = [
  killed('resource manager', 8, ({ resourceManager }) => [resourceManager]),
  killed('node manager', 6, ({ nodes }) => nodes),
  killed('timeline', 2, ({ timeline }) => [timeline]),
  killed('history server', 1, ({ history }) => [history]),
  {
    name: 'resource manager and a node manager at once',
    weight: 2,
    isPossible: ({ resourceManager, nodes }) => !resourceManager.isBusy && free(nodes).length > 0,
    async run({ resourceManager, nodes }, random) {
      await Promise.all([restart(resourceManager, random), restart(pick(random, free(nodes)), random)]);
      return 2;
    },
  },
  {
    name: 'resource manager stopped in order',
    weight: 1,
    isPossible: ({ resourceManager }) => !resourceManager.isBusy,
    async run({ resourceManager }, random) {
      await restart(resourceManager, random, 'SIGTERM');
      return 0;
    },
  },
];

/** Those that end what nodes run. */
export const endingProcesses: readonly Fault[] = [
  killedProcess('launcher', 1, (cluster, machine) => launchers(cluster, machine).filter(leadsSession)),
  killedProcess('keeper', 1, (cluster, machine) => launchers(cluster, machine).filter((pid) => !leadsSession(pid))),
  killedProcess('master of a command', 1, (cluster, machine) => cluster.containerProcesses(machine, /_000001$/)),
  killedProcess('container', 1, (cluster, machine) => cluster.containerProcesses(machine, /_(?!000001)\d+$/)),
  {
    // It runs inside the storm: what dies is all that it knew.
    name: 'master',
    weight: 1,
    async run({ masters }, random) {
      const alive = [...masters];
      return alive.length > 0 && pick(random, alive).die() ? 0 : undefined;
    },
  },
];

/** The nodes that run; none, after a pause, ms, while the resource manager is away. */
async function nodeIds(url: string, pauseMs: number): Promise<string[]> {
  try {
    const answer = await fetch(`${url}/ws/v1/cluster/nodes`, { signal: AbortSignal.timeout(callLimitMs) });
    const listed = (await answer.json()) as { nodes: { node?: { id: string }[] } | null };
    const ids = (listed.nodes?.node ?? []).map(({ id }) => id);
    if (ids.length > 0) return ids;
  } catch {
    // It is away.
  }
  await sleep(pauseMs);
  return [];
}

async function call(cluster: StormCluster, path: string, body: object): Promise<boolean> {
  try {
    const answer = await fetch(`${cluster.url}/api/v1/${path}?user.name=root`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(callLimitMs),
    });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Those that hinder for a while; some of them kill as well. */
export const hindering: readonly Fault[] = [
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
      const stores = cluster.stores();
      if (stores.length === 0) return undefined;
      const database = new DatabaseSync(pick(random, stores));
      try {
        database.exec('PRAGMA busy_timeout = 100');
        // It is held between two writes of its owner, which may write without a pause.
        let isHeld = false;
        for (let tries = 0; tries < 50 && !isHeld; tries++) isHeld = tookLock(database) || (await sleep(100, false));
        await sleep(seconds(random, 3));
        return isHeld ? 0 : undefined;
      } finally {
        database.close();
      }
    },
  },
  {
    name: 'clock set',
    weight: 1,
    async run(cluster, random) {
      cluster.setClock((random.int(2) === 0 ? 1 : -1) * random.int([30_000, 900_000, 7_200_000][random.int(3)]!));
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
      let ids: string[] = [];
      const nodesEndMs = performance.now() + callLimitMs;
      while (ids.length === 0 && performance.now() < nodesEndMs) ids = await nodeIds(cluster.url, lookMs);
      if (ids.length === 0) return undefined;
      const id = pick(random, ids);
      const path = `nodes/${encodeURIComponent(id)}`;
      const isDrained = await call(cluster, `${path}/drain`, { gracefulSeconds: random.int(5) });
      const isKilled = random.int(2) === 0;
      if (isKilled) await restart(cluster.resourceManager, random);
      await sleep(seconds(random, 2));
      const endMs = Date.now() + resumeLimitMs;
      while (!(await call(cluster, `${path}/resume`, {}))) {
        if (Date.now() > endMs) {
          cluster.troubles.push(`${id} was drained and cannot be resumed for ${resumeLimitMs} ms`);
          break;
        }
        await sleep(100);
      }
      return isKilled ? 1 : isDrained ? 0 : undefined;
    },
  },
  {
    name: 'machine dies',
    weight: 1,
    isPossible: ({ nodes }) => free(nodes).length > 0,
    async run(cluster, random) {
      const node = pick(random, free(cluster.nodes));
      const forgets = random.int(3) === 0;
      let ended = 1;
      await cluster.alone(node.machine, async () => {
        await node.signal('SIGKILL');
        for (let found = cluster.everythingOf(node.machine); found.length > 0; found = cluster.everythingOf(node.machine)) {
          for (const pid of found) kill(pid);
          ended += found.length;
          await sleep(20);
        }
        if (forgets) rmSync(join(cluster.dataDir(node.machine), 'node-manager'), { recursive: true, force: true });
        if (random.int(2) === 0) await sleep(seconds(random, 3));
        await node.start();
      });
      return ended;
    },
  },
];

function tookLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch {
    return false;
  }
}

/** The next of these faults, by weight; undefined: none can be done now. */
export function nextFault(faults: readonly Fault[], cluster: StormCluster, random: Random): Fault | undefined {
  const possible = faults.filter(({ isPossible }) => isPossible?.(cluster) ?? true);
  if (possible.length === 0) return undefined;
  let at = random.int(possible.reduce((sum, { weight }) => sum + weight, 0));
  return possible.find(({ weight }) => (at -= weight) < 0)!;
}

// A storm: real processes, killed and hindered for so long while clients and masters work; then calm, and an account of every acknowledged
// fact. The invariants are those of docs/protocol.md.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/lib/random.ts';
import type { Findings } from './account.ts';
import { Clients } from './clients.ts';
import { endingProcesses, endingRoles, type Fault, hindering, nextFault } from './faults.ts';
import type { StormCluster } from './storm-cluster.ts';

/** How a storm went. */
export interface StormResult extends Findings {
  /** How long it took. */
  readonly minutes: number;
  readonly kills: number;
  /** By name, how often. */
  readonly faults: ReadonlyMap<string, number>;
  /** Faults that never came. */
  readonly spared: readonly string[];
  readonly applications: number;
  /** Containers of masters that started. */
  readonly starts: number;
  readonly endsTold: number;
}

/** A storm that is asked for. */
export interface StormOptions {
  readonly random: Random;
  readonly minutes: number;
  readonly log: (line: string) => void;
  /** Ends it early; the account follows all the same. */
  readonly signal: AbortSignal;
}

/** Faults of one kind, one after the other, with pauses between them, ms at most. */
interface Lane {
  readonly faults: readonly Fault[];
  readonly pauseMs: number;
}

const roles: Lane = { faults: endingRoles, pauseMs: 500 };
const hindrances: Lane = { faults: hindering, pauseMs: 500 };
/** What a lane does at a time: those that only hinder hold up none that kill, and killing what nodes run, which takes no time, outnumbers nothing. */
const lanes: readonly Lane[] = [roles, roles, roles, hindrances, hindrances, { faults: endingProcesses, pauseMs: 4000 }];
const calmLimitMs = 180_000;
const betweenWordsMs = 5 * 60_000;
const mostMasters = 4;

/** Plays a storm on a cluster that runs. */
export async function storm(cluster: StormCluster, { random, minutes, log, signal }: StormOptions): Promise<StormResult> {
  const runsFile = join(cluster.home, 'runs');
  const script = join(cluster.home, 'container-note.sh');
  writeFileSync(runsFile, '');
  writeFileSync(script, `#!/bin/bash\necho "start $1 $CONTAINER_ID $$" >> ${runsFile}\nsleep "$2"\nexit "$3"\n`);
  chmodSync(script, 0o755);
  const clients = new Clients(cluster, random, script);
  const damage = new Damage();
  const deafen = await clients.listen(cluster.places.addresses[0]!);
  const beganMs = Date.now();
  const endMs = beganMs + minutes * 60_000;
  const isOver = () => Date.now() >= endMs || signal.aborted || damage.problems.length > 0;
  const work = [clients.submitUntil(isOver), ...Array.from({ length: mostMasters }, () => clients.masterUntil(isOver))];
  for (const each of work) each.catch((error: unknown) => clients.troubles.push(`a client failed: ${error}`));
  const words = setInterval(() => log(damage.figures(cluster, clients)), betweenWordsMs);
  await Promise.all(lanes.map((lane) => damage.lane(lane, cluster, random, isOver)));
  clearInterval(words);
  log(damage.figures(cluster, clients));
  for (const problem of damage.problems) cluster.troubles.push(String(problem));
  log('the storm is over; waiting for everything to come to rest');
  const waiting = await clients.rest(work, calmLimitMs);
  const shown = await clients.ended(calmLimitMs);
  const unended = [...shown].filter(([id, { end }]) => clients.account.applications.has(id) && !/^(FINISHED|FAILED|KILLED) /.test(end));
  const told = await clients.missingInHistory(shown, calmLimitMs);
  const unheard = await clients.untoldToWebhook(calmLimitMs);
  deafen();
  const nodes = await clients.missingNodes(cluster.nodes.length, calmLimitMs);
  const findings = clients.account.findings(runsFile, shown, [...waiting, ...unended.map(([id, { end }]) => `${id} is ${end}`)]);
  return {
    ...findings,
    lost: [...findings.lost, ...told, ...unheard, ...nodes],
    troubles: [...cluster.troubles, ...clients.troubles],
    minutes: (Date.now() - beganMs) / 60_000,
    kills: damage.kills,
    faults: damage.counts,
    spared: [...new Set(lanes)].flatMap(({ faults }) => faults.flatMap(({ name }) => (damage.counts.has(name) ? [] : [name]))),
    applications: clients.account.applications.size,
    endsTold: clients.account.endsTold,
  };
}

/** What the faults did. */
class Damage {
  kills = 0;
  readonly counts = new Map<string, number>();
  /** What cannot be brought back: it ends the storm. */
  readonly problems: unknown[] = [];
  #before = { ms: Date.now(), kills: 0 };

  /** One fault after the other. */
  async lane({ faults, pauseMs }: Lane, cluster: StormCluster, random: Random, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await sleep(random.int(pauseMs));
      const fault = nextFault(faults, cluster, random);
      if (!fault) continue;
      try {
        const killed = await fault.run(cluster, random);
        if (killed === undefined) continue;
        this.kills += killed;
        this.counts.set(fault.name, (this.counts.get(fault.name) ?? 0) + 1);
      } catch (error) {
        this.problems.push(error);
      }
    }
  }

  /** How far it is, and how it went since the words before. */
  figures(cluster: StormCluster, clients: Clients): string {
    const { ms, kills } = this.#before;
    const now = Date.now();
    this.#before = { ms: now, kills: this.kills };
    const starts = cluster.roles.map(({ name, startedMs }) => {
      const sorted = startedMs.splice(0).sort((a, b) => a - b);
      return sorted.length === 0 ? '' : `; ${name} ready in ${sorted[sorted.length >> 1]} ms, at most ${sorted.at(-1)} ms`;
    });
    return (
      `${this.kills} kills, ${(((this.kills - kills) * 60_000) / (now - ms)).toFixed(0)} a minute; ${clients.account.applications.size} applications, ` +
      `${clients.account.endsTold} ends told, ${cluster.troubles.length + clients.troubles.length} troubles${starts.join('')}`
    );
  }
}

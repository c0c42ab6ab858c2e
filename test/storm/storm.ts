// A storm: real processes, killed and hindered for so long while clients and masters work; then calm, and an account of every acknowledged
// fact. The invariants are those of docs/protocol.md.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MasterClient } from '../../src/client/master-client.ts';
import type { Random } from '../../src/lib/random.ts';
import { Account, type Findings } from './account.ts';
import { lanes, nextFault } from './faults.ts';
import type { StormCluster } from './storm-cluster.ts';
import { StormMaster } from './storm-master.ts';

/** How a storm went. */
export interface StormResult extends Findings {
  readonly minutes: number;
  readonly kills: number;
  /** By name, how often. */
  readonly faults: ReadonlyMap<string, number>;
  readonly applications: number;
  /** Containers of masters that started. */
  readonly starts: number;
  readonly endsTold: number;
}

const calmLimitMs = 180_000;
const betweenWordsMs = 5 * 60_000;
const mostMasters = 4;
const piecesOfMaster = 40;

/** Plays a storm on a cluster that runs. */
export async function storm(cluster: StormCluster, random: Random, minutes: number, log: (line: string) => void): Promise<StormResult> {
  const runsFile = join(cluster.home, 'runs');
  const script = join(cluster.home, 'container-note.sh');
  writeFileSync(runsFile, '');
  writeFileSync(script, `#!/bin/bash\necho "start $1 $CONTAINER_ID $$" >> ${runsFile}\nsleep "$2"\nexit "$3"\n`);
  chmodSync(script, 0o755);
  const clients = new Clients(cluster, random, script);
  const endMs = Date.now() + minutes * 60_000;
  const isOver = () => Date.now() >= endMs;
  const work = [clients.submitUntil(isOver), ...Array.from({ length: mostMasters }, () => clients.masterUntil(isOver))];
  // What fails is looked at when the storm is over.
  for (const each of work) each.catch((error: unknown) => log(`a client failed: ${error}`));
  const counts = new Map<string, number>();
  let kills = 0;
  let nextWordMs = Date.now() + betweenWordsMs;
  const problems: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (!isOver() && problems.length === 0) {
      await sleep(random.int(500));
      const fault = nextFault(cluster, random);
      try {
        const killed = await fault.run(cluster, random);
        kills += killed;
        counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
        if (Date.now() >= nextWordMs) {
          log(`${kills} kills so far`);
          nextWordMs += betweenWordsMs;
        }
      } catch (error) {
        problems.push(error);
      }
    }
  };
  // What cannot be brought back ends the storm, when nothing is being brought back any more.
  await Promise.all(Array.from({ length: lanes }, lane));
  if (problems.length > 0) throw problems[0];
  log('the storm is over; waiting for everything to come to rest');
  const failures = await Promise.race([Promise.allSettled(work), sleep(calmLimitMs).then(() => undefined)]);
  const failed = (failures ?? []).flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
  const open = clients.masters.flatMap((master) => master.waitsFor.map((askId) => `${master.applicationId} waits for ${askId}`));
  const shown = await clients.ended(calmLimitMs);
  const unended = [...shown].filter(([, state]) => !/^(FINISHED|FAILED|KILLED) /.test(state)).map(([id, state]) => `${id} is ${state}`);
  const history = await clients.missingInHistory(shown, 60_000);
  const findings = clients.account.findings(runsFile, shown, [...open, ...unended, ...failed]);
  return {
    ...findings,
    lost: [...findings.lost, ...history],
    minutes,
    kills,
    faults: counts,
    applications: clients.account.applications.size,
    endsTold: clients.account.endsTold,
  };
}

/** Those who use the cluster meanwhile. */
class Clients {
  readonly account = new Account();
  readonly masters: StormMaster[] = [];
  readonly #cluster: StormCluster;
  readonly #random: Random;
  readonly #script: string;

  constructor(cluster: StormCluster, random: Random, script: string) {
    this.#cluster = cluster;
    this.#random = random;
    this.#script = script;
  }

  async #call<T>(method: string, path: string, body?: object): Promise<{ status: number; body: T | undefined } | undefined> {
    try {
      const answer = await fetch(`${this.#cluster.url}${path}${path.includes('?') ? '&' : '?'}user.name=root`, {
        method,
        signal: AbortSignal.timeout(20_000),
        ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json', accept: 'application/json' } } : {}),
      });
      const text = await answer.text();
      return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as T) : undefined };
    } catch {
      return undefined;
    }
  }

  /** Submits until it is answered with 202; the same id again where no answer came. */
  async #submit(more: object): Promise<string> {
    for (;;) {
      const fresh = await this.#call<{ 'application-id': string }>('POST', '/ws/v1/cluster/apps/new-application', {});
      const id = fresh?.body?.['application-id'];
      for (let tries = 0; id !== undefined && tries < 100; tries++) {
        const answer = await this.#call('POST', '/ws/v1/cluster/apps', {
          'application-id': id,
          'application-name': 'storm',
          'application-type': 'STORM',
          resource: { memory: 128, vCores: 1 },
          ...more,
        });
        if (answer?.status === 202) {
          this.account.accepted(id);
          return id;
        }
        await sleep(100);
      }
      await sleep(100);
    }
  }

  /** Small applications of one command; some are killed. */
  async submitUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const command = `${this.#script} - ${[0, 0.2, 2][this.#random.int(3)]} ${this.#random.int(2)}`;
      const id = await this.#submit({ 'max-app-attempts': 1 + this.#random.int(2), 'am-container-spec': { commands: { command } } });
      if (this.#random.int(5) === 0) {
        const killed = await this.#call<{ state: string }>('PUT', `/ws/v1/cluster/apps/${id}/state`, { state: 'KILLED' });
        if (killed?.status === 200 && killed.body?.state === 'KILLED') this.account.killed(id);
      }
      await sleep(this.#random.int(800));
    }
  }

  /** One master after the other. */
  async masterUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const id = await this.#submit({ 'unmanaged-AM': true, 'max-app-attempts': 1, 'am-container-spec': {} });
      const { attempt, token } = await this.#masterOf(id);
      const client = new MasterClient({ resourceManager: this.#cluster.url, attemptId: attempt, token });
      const master = new StormMaster(id, client, this.account, this.#random, this.#script, piecesOfMaster);
      this.masters.push(master);
      await master.run(isOver);
      this.masters.splice(this.masters.indexOf(master), 1);
    }
  }

  async #masterOf(id: string): Promise<{ attempt: string; token: string }> {
    for (;;) {
      const found = await this.#call<{ attemptId: string; token: string }>('GET', `/api/v1/applications/${id}/master`);
      if (found?.status === 200 && found.body) return { attempt: found.body.attemptId, token: found.body.token };
      await sleep(100);
    }
  }

  /** State and final status of every accepted application, once all have ended or the time is over. */
  async ended(limitMs: number): Promise<Map<string, string>> {
    const endMs = Date.now() + limitMs;
    for (;;) {
      const listed = await this.#call<{ apps: { app?: { id: string; state: string; finalStatus: string }[] } | null }>(
        'GET',
        '/ws/v1/cluster/apps',
      );
      const shown = new Map((listed?.body?.apps?.app ?? []).map(({ id, state, finalStatus }) => [id, `${state} ${finalStatus}`]));
      const open = [...this.account.applications.keys()].some((id) => !/^(FINISHED|FAILED|KILLED) /.test(shown.get(id) ?? ''));
      if (!open || Date.now() > endMs) return shown;
      await sleep(500);
    }
  }

  /** What the application history does not show as the resource manager does. */
  async missingInHistory(shown: ReadonlyMap<string, string>, limitMs: number): Promise<string[]> {
    const endMs = Date.now() + limitMs;
    const open = new Map([...shown].filter(([id]) => this.account.applications.has(id)));
    for (;;) {
      for (const [id, state] of open) {
        const answer = await fetch(`${this.#cluster.timelineUrl}/ws/v1/applicationhistory/apps/${id}?user.name=root`).catch(
          () => undefined,
        );
        const found = answer?.ok ? ((await answer.json()) as { appState: string }) : undefined;
        if (found && state.startsWith(`${found.appState} `)) open.delete(id);
      }
      if (open.size === 0 || Date.now() > endMs) return [...open].map(([id, state]) => `${id} is not ${state} in the history`);
      await sleep(1000);
    }
  }
}

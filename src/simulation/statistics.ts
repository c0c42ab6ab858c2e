// What is counted while a simulation runs, in memory that does not grow with its length, and the report made of it.

import type { Resource } from '../model/resource.ts';
import type { PolicyKind } from '../scheduler/policy.ts';

/** Waits in ms. */
export interface Waits {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** A queue or a user. */
export interface PartyReport {
  readonly name: string;
  readonly jobs: number;
  readonly containers: number;
  /** From a task's request to its container, from a job's arrival to its master's, from arrival to the end. */
  readonly taskWaits: Waits;
  readonly masterWaits: Waits;
  readonly jobTimes: Waits;
  /** Part of the cluster (of the type it uses most) over the whole time, 0…1, and by slices of time. */
  readonly share: number;
  readonly shares: readonly number[];
  readonly preempted: number;
  /** The longest time in which it wanted containers and was given none. */
  readonly longestStarvationMs: number;
}

export interface SimulationReport {
  readonly queueFile: string;
  readonly policy: PolicyKind;
  readonly seed: number | undefined;
  readonly nodes: number;
  readonly memoryMiB: number;
  readonly vcores: number;
  /** Until the last container ended. */
  readonly makespanMs: number;
  /** What shares and utilisation are parts of: the makespan, or where jobs never end the time until nothing happened any more. */
  readonly observedMs: number;
  readonly jobs: { readonly submitted: number; readonly finished: number; readonly refused: number; readonly unfinished: number };
  readonly containers: number;
  readonly taskWaits: Waits;
  readonly masterWaits: Waits;
  readonly jobTimes: Waits;
  /** Parts of the cluster in use over the whole time, 0…1. */
  readonly utilisation: { readonly memory: number; readonly vcores: number };
  readonly preemptions: { readonly containers: number; readonly masters: number; readonly lostMs: number };
  /** Length of one slice of `shares`. */
  readonly sliceMs: number;
  readonly queues: readonly PartyReport[];
  readonly users: readonly PartyReport[];
  /** Why jobs were refused, and what those that never ended wait for; a few of each. */
  readonly refusals: readonly { readonly reason: string; readonly jobs: number }[];
  readonly stuck: readonly { readonly job: string; readonly queue: string; readonly sentence: string; readonly remedy: string }[];
}

const slices = 24;

/** Sums amounts over time in a fixed number of slices, which double in length when the time runs out. */
class OverTime {
  readonly #types: number;
  #values: Float64Array;

  constructor(types: number) {
    this.#types = types;
    this.#values = new Float64Array(2 * slices * types);
  }

  /** Two slices become one. */
  fold(): void {
    const folded = new Float64Array(this.#values.length);
    for (let i = 0; i < this.#values.length; i++) {
      const slice = Math.floor(i / this.#types);
      folded[(slice >> 1) * this.#types + (i % this.#types)]! += this.#values[i]!;
    }
    this.#values = folded;
  }

  add(slice: number, amount: Resource, ms: number): void {
    for (let i = 0; i < this.#types; i++) this.#values[slice * this.#types + i]! += (amount[i] ?? 0) * ms;
  }

  at(slice: number): number[] {
    return [...this.#values.subarray(slice * this.#types, (slice + 1) * this.#types)];
  }

  total(): number[] {
    const sum = new Array<number>(this.#types).fill(0);
    this.#values.forEach((value, i) => {
      sum[i % this.#types]! += value;
    });
    return sum;
  }
}

class Party {
  readonly taskWaits: number[] = [];
  readonly masterWaits: number[] = [];
  readonly jobTimes: number[] = [];
  readonly used: number[];
  readonly overTime: OverTime;
  jobs = 0;
  containers = 0;
  preempted = 0;
  pending = 0;
  hungrySinceMs = 0;
  longestStarvationMs = 0;

  constructor(types: number) {
    this.used = new Array<number>(types).fill(0);
    this.overTime = new OverTime(types);
  }

  wants(count: number, nowMs: number): void {
    if (this.pending === 0 && count > 0) this.hungrySinceMs = nowMs;
    this.#noteHunger(nowMs);
    this.pending += count;
  }

  given(nowMs: number): void {
    this.#noteHunger(nowMs);
    this.pending--;
    this.hungrySinceMs = nowMs;
    this.containers++;
  }

  #noteHunger(nowMs: number): void {
    if (this.pending > 0) this.longestStarvationMs = Math.max(this.longestStarvationMs, nowMs - this.hungrySinceMs);
  }

  finish(nowMs: number): void {
    this.#noteHunger(nowMs);
  }
}

/** A queue, user or the whole cluster that usage is counted for. */
export interface Parties {
  readonly queue: string;
  readonly user: string;
}

/** The counters of one run. */
export class Statistics {
  readonly #types: number;
  readonly #queues = new Map<string, Party>();
  readonly #users = new Map<string, Party>();
  readonly #all: Party;
  readonly #refusals = new Map<string, number>();
  #sliceMs = 1000;
  #nowMs = 0;
  #lostMs = 0;
  #preemptedMasters = 0;
  #submitted = 0;
  #refused = 0;
  #lastEndMs = 0;

  constructor(types: number) {
    this.#types = types;
    this.#all = new Party(types);
  }

  #partiesOf({ queue, user }: Parties): Party[] {
    return [this.#all, this.#party(this.#queues, queue), this.#party(this.#users, user)];
  }

  #party(parties: Map<string, Party>, name: string): Party {
    let party = parties.get(name);
    if (!party) parties.set(name, (party = new Party(this.#types)));
    return party;
  }

  /** Containers that are wanted now. */
  get pending(): number {
    return this.#all.pending;
  }

  /** Time goes on: what was held until now is summed. */
  advance(toMs: number): void {
    while (toMs > this.#sliceMs * 2 * slices) {
      for (const party of this.#parties()) party.overTime.fold();
      this.#sliceMs *= 2;
    }
    while (this.#nowMs < toMs) {
      const slice = Math.floor(this.#nowMs / this.#sliceMs);
      const ms = Math.min(toMs, (slice + 1) * this.#sliceMs) - this.#nowMs;
      for (const party of this.#parties()) if (party.used[0]! > 0) party.overTime.add(slice, party.used, ms);
      this.#nowMs += ms;
    }
  }

  *#parties(): Generator<Party> {
    yield this.#all;
    yield* this.#queues.values();
    yield* this.#users.values();
  }

  submitted(parties: Parties): void {
    this.#submitted++;
    for (const party of this.#partiesOf(parties)) party.jobs++;
  }

  refused(reason: string): void {
    this.#submitted++;
    this.#refused++;
    if (this.#refusals.has(reason) || this.#refusals.size < 20) this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
  }

  asked(parties: Parties, count: number): void {
    for (const party of this.#partiesOf(parties)) party.wants(count, this.#nowMs);
  }

  placed(parties: Parties, resource: Resource, isMaster: boolean, waitedMs: number): void {
    for (const party of this.#partiesOf(parties)) {
      party.given(this.#nowMs);
      (isMaster ? party.masterWaits : party.taskWaits).push(waitedMs);
      for (let i = 0; i < resource.length; i++) party.used[i]! += resource[i]!;
    }
  }

  released(parties: Parties, resource: Resource): void {
    this.#lastEndMs = this.#nowMs;
    for (const party of this.#partiesOf(parties)) for (let i = 0; i < resource.length; i++) party.used[i]! -= resource[i]!;
  }

  preempted(parties: Parties, isMaster: boolean, lostMs: number): void {
    this.#lostMs += lostMs;
    if (isMaster) this.#preemptedMasters++;
    for (const party of this.#partiesOf(parties)) party.preempted++;
  }

  finished(parties: Parties, tookMs: number): void {
    for (const party of this.#partiesOf(parties)) party.jobTimes.push(tookMs);
  }

  report(facts: Pick<SimulationReport, 'queueFile' | 'policy' | 'seed' | 'nodes' | 'stuck'>, cluster: Resource): SimulationReport {
    const all = this.#all;
    for (const party of this.#parties()) party.finish(this.#nowMs);
    const used = all.overTime.total();
    const makespanMs = this.#lastEndMs;
    const unfinished = this.#submitted - this.#refused - all.jobTimes.length;
    const observedMs = unfinished > 0 ? this.#nowMs : makespanMs;
    const part = (i: number) => (observedMs > 0 && cluster[i]! > 0 ? round(used[i]! / (cluster[i]! * observedMs)) : 0);
    return {
      ...facts,
      memoryMiB: cluster[0]!,
      vcores: cluster[1]!,
      makespanMs,
      observedMs,
      jobs: {
        submitted: this.#submitted,
        finished: all.jobTimes.length,
        refused: this.#refused,
        unfinished,
      },
      containers: all.containers,
      taskWaits: waitsOf(all.taskWaits),
      masterWaits: waitsOf(all.masterWaits),
      jobTimes: waitsOf(all.jobTimes),
      utilisation: { memory: part(0), vcores: part(1) },
      preemptions: { containers: all.preempted, masters: this.#preemptedMasters, lostMs: this.#lostMs },
      sliceMs: this.#sliceMs,
      queues: this.#reports(this.#queues, cluster, observedMs),
      users: this.#reports(this.#users, cluster, observedMs),
      refusals: [...this.#refusals].map(([reason, jobs]) => ({ reason, jobs })),
    };
  }

  #reports(parties: ReadonlyMap<string, Party>, cluster: Resource, observedMs: number): PartyReport[] {
    const count = Math.min(2 * slices, Math.ceil(observedMs / this.#sliceMs));
    const shareOf = (amount: readonly number[], ms: number) =>
      ms > 0 ? round(Math.max(...amount.map((value, i) => (cluster[i]! > 0 ? value / (cluster[i]! * ms) : 0)))) : 0;
    return [...parties]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, party]) => ({
        name,
        jobs: party.jobs,
        containers: party.containers,
        taskWaits: waitsOf(party.taskWaits),
        masterWaits: waitsOf(party.masterWaits),
        jobTimes: waitsOf(party.jobTimes),
        share: shareOf(party.overTime.total(), observedMs),
        shares: Array.from({ length: count }, (_, slice) =>
          shareOf(party.overTime.at(slice), Math.min(this.#sliceMs, observedMs - slice * this.#sliceMs)),
        ),
        preempted: party.preempted,
        longestStarvationMs: party.longestStarvationMs,
      }));
  }
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

/** Percentiles by rank. Sorts in place. */
function waitsOf(values: number[]): Waits {
  if (values.length === 0) return { count: 0, mean: 0, p50: 0, p95: 0, max: 0 };
  values.sort((a, b) => a - b);
  const at = (part: number) => values[Math.max(0, Math.ceil(part * values.length) - 1)]!;
  const mean = Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
  return { count: values.length, mean, p50: at(0.5), p95: at(0.95), max: values.at(-1)! };
}

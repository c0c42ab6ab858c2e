// The schedules of a cluster: what is due is submitted in its maker's name, once. An occurrence is begun under the id of an application, which is
// durable before anything is submitted: who dies in between submits under the same id again, and a known id changes nothing
// (docs/protocol.md, P19).
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { Timers } from '../../lib/timers.ts';
import { Failure } from '../../model/errors.ts';
import { Occurrences } from './occurrences.ts';
import { type KeptRun, type KeptSchedule, scheduleKey } from './schedule-store.ts';

/** What a schedule is made of. */
export type NewSchedule = Omit<KeptSchedule, 'createdMs' | 'nextMs' | 'waitingMs' | 'begun' | 'runs'>;

/** What schedules work with. */
export interface SchedulesPorts {
  readonly store: { all(): KeptSchedule[]; put(schedule: KeptSchedule): Promise<void>; remove(schedule: KeptSchedule): Promise<void> };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What they do in the cluster; there once its commands are. */
export interface SubmissionPorts {
  newApplicationId(): string;
  /** Submits as the schedule's user under an id; a known id changes nothing. @throws Failure */
  submit(schedule: KeptSchedule, applicationId: string): Promise<void>;
  /** Whether an application has not ended. */
  isLive(applicationId: string): boolean;
}

/** What is late by more than this was missed: nobody was there. */
const latenessMs = 300_000;
/** How soon what could not be stored or submitted is tried again. */
const retryMs = 10_000;
/** A clock that is set is noticed after so long. */
const longestTimerMs = 60_000;
/** A clock that was set back by more was wrong before: what it had passed comes again, as with cron. By less nothing does. */
const correctionMs = 3 * 3_600_000;
const mostRuns = 20;
const mostLive = 200;

const unused: SubmissionPorts = {
  newApplicationId: () => {
    throw new Error('schedules have not begun');
  },
  submit: () => Promise.reject(new Error('schedules have not begun')),
  isLive: () => false,
};

/** A schedule and the end of the work on it: one thing after the other happens to each. */
interface Entry {
  kept: KeptSchedule;
  readonly occurrences: Occurrences;
  /** What is durable is not certain: a write has failed since. */
  isDoubtful?: boolean;
  last: Promise<unknown>;
}

/** All schedules. */
export class Schedules {
  readonly #ports: SchedulesPorts;
  readonly #timers: Timers;
  readonly #entries = new Map<string, Entry>();
  #cluster = unused;
  #closed = false;

  /** Knows what an earlier process kept; nothing is submitted before `begin`. */
  constructor(ports: SchedulesPorts) {
    this.#ports = ports;
    this.#timers = new Timers(ports.clock);
    for (const kept of ports.store.all()) this.#enter(kept);
  }

  /** From here on what is due is submitted; what was begun by an earlier process is ended first. */
  begin(cluster: SubmissionPorts): void {
    this.#cluster = cluster;
    for (const entry of this.#entries.values()) this.#look(entry);
  }

  /** All, by user and name. */
  list(): KeptSchedule[] {
    const all = [...this.#entries.values()].map(({ kept }) => kept);
    return all.sort((one, other) => (scheduleKey(one) < scheduleKey(other) ? -1 : 1));
  }

  find(user: string, name: string): KeptSchedule | undefined {
    return this.#entries.get(scheduleKey({ user, name }))?.kept;
  }

  /** The next moments of one that is not paused. */
  upcoming({ cron, timeZone, paused }: Pick<KeptSchedule, 'cron' | 'timeZone' | 'paused'>, most: number): number[] {
    return paused ? [] : new Occurrences(cron, timeZone).following(this.#ports.clock.now(), most);
  }

  /** Makes one, in place of the one of its name; resolves when it is durable. @throws CronMalformed */
  async put(wanted: NewSchedule): Promise<KeptSchedule> {
    const nowMs = this.#ports.clock.now();
    const nextMs = new Occurrences(wanted.cron, wanted.timeZone).after(nowMs);
    const before = this.#entries.get(scheduleKey(wanted));
    const make = (runs: readonly KeptRun[]): KeptSchedule => ({
      ...wanted,
      createdMs: nowMs,
      ...(nextMs === undefined ? {} : { nextMs }),
      runs,
    });
    if (before === undefined) {
      const kept = make([]);
      // Its name is taken before it is durable: of two who make it at once one comes second.
      const entry = this.#enter(kept);
      try {
        await this.#next(entry, () => this.#ports.store.put(kept));
      } catch (error) {
        if (this.#entries.get(scheduleKey(kept)) === entry) this.#entries.delete(scheduleKey(kept));
        throw error;
      }
      this.#look(entry);
      return kept;
    }
    return this.#next(before, async () => {
      // What was begun ends under its id, as it was asked for then.
      if (before.kept.begun !== undefined) await this.#finish(before);
      const kept = make(before.kept.runs);
      await this.#ports.store.put(kept);
      this.#look(this.#enter(kept));
      return kept;
    });
  }

  /** Removes one; resolves when that is durable. What it submitted goes on. */
  async remove(user: string, name: string): Promise<void> {
    const key = scheduleKey({ user, name });
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    await this.#next(entry, async () => {
      await this.#ports.store.remove(entry.kept);
      this.#timers.cancel(key);
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
  }

  /** Stops one, or lets it go on from now; what was due meanwhile is not made up for. */
  async pause(user: string, name: string, paused: boolean): Promise<void> {
    const entry = this.#entries.get(scheduleKey({ user, name }));
    if (entry === undefined) return;
    await this.#next(entry, async () => {
      if (entry.kept.paused === paused) return entry.isDoubtful ? this.#keep(entry, entry.kept) : undefined;
      const { nextMs: _, waitingMs, ...kept } = entry.kept;
      const nextMs = entry.occurrences.after(this.#ports.clock.now());
      await this.#keep(entry, { ...kept, paused, ...(nextMs === undefined ? {} : { nextMs }) });
    });
    this.#look(entry);
  }

  /** Submits one now, whatever else runs; resolves to the application's id. @throws Failure as the submission */
  run(user: string, name: string): Promise<string | undefined> {
    const entry = this.#entries.get(scheduleKey({ user, name }));
    if (entry === undefined) return Promise.resolve(undefined);
    return this.#next(entry, async () => {
      if (entry.kept.begun !== undefined) await this.#finish(entry);
      const applicationId = await this.#start(entry, this.#ports.clock.now());
      const { outcome, reason } = entry.kept.runs.at(-1)!;
      if (outcome === 'refused') throw this.#refusals.get(entry.kept) ?? new Error(reason);
      return applicationId;
    });
  }

  /** An application has ended: what waits for it may run. */
  ended(applicationId: string): void {
    for (const entry of this.#entries.values())
      if (entry.kept.waitingMs !== undefined && entry.kept.runs.some((run) => run.applicationId === applicationId)) this.#look(entry);
  }

  /** Nothing is submitted any more. Resolves when what is under way is over. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timers.close();
    await Promise.allSettled([...this.#entries.values()].map(({ last }) => last));
  }

  /** Why what was submitted last was refused. */
  readonly #refusals = new WeakMap<KeptSchedule, Failure>();

  #enter(kept: KeptSchedule): Entry {
    const entry: Entry = { kept, occurrences: new Occurrences(kept.cron, kept.timeZone), last: Promise.resolve() };
    this.#entries.set(scheduleKey(kept), entry);
    return entry;
  }

  /** Runs work on a schedule when all before it is over. */
  #next<Result>(entry: Entry, work: () => Promise<Result>): Promise<Result> {
    const result = entry.last.then(work);
    entry.last = result.catch(() => undefined);
    return result;
  }

  /** Decides what is due, and looks again when the next is. */
  #look(entry: Entry): void {
    if (this.#closed || this.#cluster === unused) return;
    const key = scheduleKey(entry.kept);
    const again = (waitMs: number) => {
      if (!this.#closed && this.#entries.get(key) === entry)
        this.#timers.set(key, Math.min(Math.max(0, waitMs), longestTimerMs), () => this.#look(entry));
    };
    this.#next(entry, () => this.#decide(entry)).then(
      () => {
        const { nextMs, paused } = entry.kept;
        if (nextMs !== undefined && !paused) again(nextMs - this.#ports.clock.now());
      },
      (error: unknown) => {
        this.#ports.logger.warn(
          { err: error, schedule: entry.kept.name, user: entry.kept.user },
          'a schedule could not go on; it is tried again',
        );
        again(retryMs);
      },
    );
  }

  async #decide(entry: Entry): Promise<void> {
    if (this.#closed || this.#entries.get(scheduleKey(entry.kept)) !== entry) return;
    if (entry.kept.begun !== undefined) await this.#finish(entry);
    if (entry.kept.paused) return;
    const nowMs = this.#ports.clock.now();
    if (isOfTimeToCome(entry.kept, nowMs)) await this.#from(entry, nowMs);
    const { nextMs, overlap, missed } = entry.kept;
    const isDue = nextMs !== undefined && nextMs <= nowMs;
    if (!isDue) {
      if (entry.kept.waitingMs !== undefined && !this.#isBusy(entry.kept)) await this.#start(entry, entry.kept.waitingMs);
      return;
    }
    const following = entry.occurrences.after(nowMs);
    const { nextMs: _, ...rest } = entry.kept;
    const kept: KeptSchedule = { ...rest, ...(following === undefined ? {} : { nextMs: following }) };
    const run = { dueMs: nextMs, decidedMs: nowMs };
    if (nowMs - nextMs > latenessMs && missed === 'none')
      return this.#keep(entry, this.#told(kept, { ...run, outcome: 'missed', reason: 'nobody was there to submit it' }));
    if (overlap !== 'allow' && this.#isBusy(kept)) {
      if (overlap === 'skip')
        return this.#keep(entry, this.#told(kept, { ...run, outcome: 'skipped', reason: 'the run before it was not over' }));
      if (kept.waitingMs !== undefined)
        return this.#keep(entry, this.#told(kept, { ...run, outcome: 'skipped', reason: 'another one waits already' }));
      return this.#keep(entry, this.#told({ ...kept, waitingMs: nextMs }, { ...run, outcome: 'waiting' }));
    }
    await this.#start(entry, nextMs, kept);
  }

  /** The time was set back: the next moment is the first from now. */
  #from(entry: Entry, nowMs: number): Promise<void> {
    const { nextMs: _, waitingMs, ...kept } = entry.kept;
    const following = entry.occurrences.after(nowMs);
    const runs = kept.runs.map((run) => ({ ...run, decidedMs: Math.min(run.decidedMs, nowMs) }));
    const createdMs = Math.min(kept.createdMs, nowMs);
    return this.#keep(entry, {
      ...kept,
      createdMs,
      runs,
      ...(following === undefined ? {} : { nextMs: following }),
      ...(waitingMs === undefined ? {} : { waitingMs: Math.min(waitingMs, nowMs) }),
    });
  }

  /** Whether something that it submitted lives. */
  #isBusy({ runs }: KeptSchedule): boolean {
    return runs.some(({ applicationId }) => applicationId !== undefined && this.#cluster.isLive(applicationId));
  }

  /** Begins an occurrence: the id is durable before anything is submitted. */
  async #start(entry: Entry, dueMs: number, kept = entry.kept): Promise<string> {
    const applicationId = this.#cluster.newApplicationId();
    const { waitingMs, ...rest } = kept;
    await this.#keep(entry, {
      ...rest,
      ...(waitingMs === undefined || waitingMs === dueMs ? {} : { waitingMs }),
      begun: { dueMs, applicationId },
    });
    await this.#finish(entry);
    return applicationId;
  }

  /** Submits what was begun, unless it is known under its id, and notes what came of it. */
  async #finish(entry: Entry): Promise<void> {
    const { begun, ...kept } = entry.kept;
    if (begun === undefined) return;
    const run = { dueMs: begun.dueMs, decidedMs: this.#ports.clock.now() };
    let refusal: Failure | undefined;
    try {
      await this.#cluster.submit(entry.kept, begun.applicationId);
    } catch (error) {
      // What the server lacks comes again; what is wrong with the submission stays.
      if (!(error instanceof Failure) || error.entry.status >= 500 || error.entry.status === 429) throw error;
      refusal = error;
    }
    await this.#keep(
      entry,
      this.#told(
        kept,
        refusal
          ? { ...run, outcome: 'refused', reason: refusal.message.slice(0, 1000) }
          : { ...run, outcome: 'submitted', applicationId: begun.applicationId },
      ),
    );
    if (refusal) this.#refusals.set(entry.kept, refusal);
  }

  async #keep(entry: Entry, kept: KeptSchedule): Promise<void> {
    entry.isDoubtful = true;
    await this.#ports.store.put(kept);
    entry.isDoubtful = false;
    entry.kept = kept;
  }

  /** With what came of an occurrence. The oldest go, but those whose application lives: others wait for them. */
  #told(kept: KeptSchedule, run: KeptRun): KeptSchedule {
    const runs = [...kept.runs, run];
    const isLive = ({ applicationId }: KeptRun) => applicationId !== undefined && this.#cluster.isLive(applicationId);
    const shown = new Set([...runs.slice(-mostRuns), ...runs.filter(isLive).slice(-mostLive)]);
    return { ...kept, runs: runs.filter((one) => shown.has(one)) };
  }
}

/** Whether what is known of a schedule was decided at a time that has not come yet: the clock was set back since. */
const isOfTimeToCome = ({ createdMs, runs }: KeptSchedule, nowMs: number): boolean =>
  Math.max(createdMs, runs.at(-1)?.decidedMs ?? 0) > nowMs + correctionMs;

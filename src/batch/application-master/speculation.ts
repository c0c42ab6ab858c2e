// Looks for running tasks that are expected to end later than a fresh attempt would, and gives the worst one a second attempt (DefaultSpeculator
// with LegacyTaskRuntimeEstimator of Hadoop).
import type { Clock } from '../../lib/clock.ts';
import type { Job } from './job.ts';
import type { TaskKind } from './job-view.ts';
import type { Task } from './task.ts';

/** Share of a kind's tasks that must be complete before there are statistics. */
const minimumCompleteShare = 0.05;
const smallestProgress = 0.0001;

/** What a task told last counts as of then; after so long a silence as of now (MAX_WAITTING_TIME_FOR_HEARTBEAT). */
const longestSilenceMs = 9000;

/** The speculator of one job. */
export class Speculator {
  readonly #job: Job;
  readonly #clock: Clock;
  readonly #capRunning: number;
  readonly #capTotal: number;
  readonly #minimum: number;
  readonly #waitMs: number;
  readonly #waitAfterMs: number;
  #nextScanMs = 0;

  constructor(job: Job, clock: Clock) {
    const { settings } = job;
    this.#job = job;
    this.#clock = clock;
    this.#capRunning = settings.number('mapreduce.job.speculative.speculative-cap-running-tasks', 0.1);
    this.#capTotal = settings.number('mapreduce.job.speculative.speculative-cap-total-tasks', 0.01);
    this.#minimum = settings.integer('mapreduce.job.speculative.minimum-allowed-tasks', 10);
    this.#waitMs = settings.integer('mapreduce.job.speculative.retry-after-no-speculate', 1000);
    this.#waitAfterMs = settings.integer('mapreduce.job.speculative.retry-after-speculate', 15_000);
  }

  /** Called from time to time; at most one map and one reduce get an attempt. */
  scan(): void {
    const steadyMs = this.#clock.steadyMs();
    if (steadyMs < this.#nextScanMs || this.#job.internalState !== 'RUNNING') return;
    const now = this.#clock.now();
    let started = false;
    for (const kind of ['MAP', 'REDUCE'] as const) {
      const slowest = this.#job.rules.speculative[kind] ? this.#slowest(kind, now) : undefined;
      if (slowest === undefined) continue;
      this.#job.attempts.speculate(slowest);
      started = true;
    }
    this.#nextScanMs = steadyMs + (started ? this.#waitAfterMs : this.#waitMs);
  }

  #slowest(kind: TaskKind, now: number): Task | undefined {
    const tasks = this.#job.ofKind(kind);
    const running = tasks.filter((task) => task.internalState === 'RUNNING');
    if (running.length === 0 || tasks.some((task) => task.internalState === 'SCHEDULED')) return undefined;
    const complete = tasks.filter((task) => task.state === 'SUCCEEDED');
    if (complete.length === 0 || complete.length < minimumCompleteShare * tasks.length) return undefined;
    const meanMs = complete.reduce((sum, task) => sum + (task.finishTimeMs - task.startTimeMs), 0) / complete.length;
    let speculating = 0;
    let best: Task | undefined;
    let bestValue = 0;
    for (const task of running) {
      // Attempts that tell of each record are slow, and each of them is to be learnt from.
      if (task.skipping?.plan !== undefined) continue;
      const active = task.active;
      if (active.length > 1) {
        speculating++;
        continue;
      }
      const attempt = active[0];
      if (attempt === undefined || attempt.state !== 'RUNNING') continue;
      // A task that has not run longer than the others needed is not slow yet, however little it reports.
      if (now - attempt.startTimeMs < meanMs) continue;
      const silentMs = this.#clock.steadyMs() - attempt.reportedMs;
      const toldMs = silentMs < longestSilenceMs ? Math.max(0, now - silentMs - attempt.startTimeMs) : now - attempt.startTimeMs;
      const estimatedMs = toldMs / Math.max(attempt.reportedProgress, smallestProgress);
      const estimatedEnd = attempt.startTimeMs + estimatedMs;
      const value = estimatedEnd - (now + meanMs);
      if (estimatedEnd < now || value <= bestValue) continue;
      best = task;
      bestValue = value;
    }
    const allowed = Math.max(this.#minimum, this.#capTotal * tasks.length, this.#capRunning * running.length);
    return speculating < allowed ? best : undefined;
  }
}

// How fast a running job goes on, and how long it may take yet: from what its master said a while ago and says now.
import { formatDuration } from './output.ts';

/** What the pace is measured over; older samples are forgotten. */
const windowMs = 30_000;
/** Less says nothing yet. */
const shortestMs = 3000;
/** Of a job of which less is done only half a minute tells how fast it is: its tasks have hardly begun, and report every few seconds. */
const leastDone = 0.02;
const bytesOfMegabyte = 1_000_000;

interface Sample {
  readonly atMs: number;
  /** Of all tasks together, 0 to 1. */
  readonly done: number;
  /** Input read so far; undefined where it is not known. */
  readonly bytes: number | undefined;
}

/** How much of all tasks is done, 0 to 1, from percentages of maps and reduces. */
export function doneOf(job: {
  readonly mapProgress: number;
  readonly reduceProgress: number;
  readonly mapsTotal: number;
  readonly reducesTotal: number;
}): number {
  const tasks = job.mapsTotal + job.reducesTotal;
  return tasks === 0 ? 0 : (job.mapProgress * job.mapsTotal + job.reduceProgress * job.reducesTotal) / 100 / tasks;
}

/** How long a job may take yet that has done so much in this time, as far as its pace so far tells; undefined where it does not. */
export const remainingMs = (done: number, elapsedMs: number): number | undefined =>
  done <= 0 || done >= 1 || elapsedMs < (done < leastDone ? windowMs : shortestMs)
    ? undefined
    : Math.round((elapsedMs * (1 - done)) / done);

/** Follows one job. */
export class JobPace {
  #samples: Sample[] = [];

  add(sample: Sample): void {
    // What passes before anything is done is waiting, and says nothing of the pace.
    if (sample.done === 0 && (sample.bytes ?? 0) === 0) this.#samples = [];
    this.#samples.push(sample);
    // One from before the window stays, so that there is always something to compare with.
    while (this.#samples.length > 2 && this.#samples[1]!.atMs <= sample.atMs - windowMs) this.#samples.shift();
  }

  /** `18.2 MB/s, about 40 s left`; what is not known is left out. */
  text(): string {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.atMs - first.atMs < shortestMs) return '';
    const seconds = (last.atMs - first.atMs) / 1000;
    const parts: string[] = [];
    const read = (last.bytes ?? 0) - (first.bytes ?? 0);
    if (first.bytes !== undefined && read > 0) parts.push(`${(read / bytesOfMegabyte / seconds).toFixed(1)} MB/s`);
    const done = last.done - first.done;
    const isTelling = done > 0 && (done >= leastDone || seconds * 1000 >= windowMs);
    const rest = isTelling ? Math.round(((1 - last.done) * seconds) / done) : 0;
    if (rest > 0) parts.push(`about ${formatDuration(rest * 1000)} left`);
    return parts.join(', ');
  }
}

/**
 * Whether a job waits for containers, as an application does that has not begun: none of its attempts runs. (A task counts as running from
 * its first attempt on, also while the next one waits.)
 */
export const waitsForContainers = (job: { readonly runningMapAttempts?: number; readonly runningReduceAttempts?: number }): boolean =>
  job.runningMapAttempts === 0 && job.runningReduceAttempts === 0;

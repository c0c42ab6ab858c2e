// When reduces may be asked for: not before enough maps are complete (slow start), no more than leave room for the maps, and all of them only
// when every map has its container (RMContainerAllocator.scheduleReduces).
import type { Attempt } from './attempt.ts';
import type { JobRules } from './job-rules.ts';
import { type Headroom, hasContainer } from './reduce-preemption.ts';
import type { Task } from './task.ts';
import type { TaskSet } from './task-set.ts';

function countAttempts(tasks: readonly Task[], isCounted: (attempt: Attempt) => boolean): number {
  let count = 0;
  for (const { attempts } of tasks) for (const attempt of attempts) if (isCounted(attempt)) count++;
  return count;
}

/** Attempts at reduces that wait for their turn, in the order in which they came. */
export class ReduceAdmission {
  readonly #rules: JobRules;
  #waiting: Attempt[] = [];

  constructor(rules: JobRules) {
    this.#rules = rules;
  }

  wait(attempt: Attempt): void {
    this.#waiting.push(attempt);
  }
  clear(): void {
    this.#waiting = [];
  }

  /**
   * Takes out the attempts for which a container may be asked now. Those that were killed meanwhile are forgotten. `headroom`: what the job
   * could be given beside what it has.
   */
  admit(tasks: TaskSet, headroom: Headroom): Attempt[] {
    this.#waiting = this.#waiting.filter((attempt) => attempt.internalState === 'UNASSIGNED');
    if (this.#waiting.length === 0) return [];
    const maps = tasks.ofKind('MAP');
    const completed = maps.filter((task) => task.ended).length;
    if (completed < Math.ceil(this.#rules.slowStart * maps.length)) return [];
    const mapsWait = maps.some((task) => !task.ended && task.attempts.every((attempt) => attempt.ended || attempt.container === undefined));
    if (!mapsWait) return this.#waiting.splice(0);
    const share = Math.min(completed / maps.length, this.#rules.rampUpLimit);
    const inStep = Math.floor(share * this.#rules.reduces) - (this.#rules.reduces - this.#waiting.length);
    // Mostly none is due: what there is room for is not counted with each event of a job with many tasks.
    if (inStep <= 0) return [];
    const mapsLeft = maps.length - completed;
    return this.#waiting.splice(0, Math.max(0, Math.min(inStep, this.#roomFor(tasks, { mapsLeft, headroom, share }))));
  }

  /**
   * For how many reduces more there is room beside the maps: their share of what the job can have in all, and what maps leave of theirs. More would
   * take the containers of maps, and be killed to make room for them.
   */
  #roomFor(
    tasks: TaskSet,
    { mapsLeft, headroom, share }: { readonly mapsLeft: number; readonly headroom: Headroom; readonly share: number },
  ): number {
    const { memoryMiB, vcores, runningLimits } = this.#rules;
    const mapsAtOnce = runningLimits.MAP > 0 ? Math.min(runningLimits.MAP, mapsLeft) : mapsLeft;
    const mapsHolding = countAttempts(tasks.ofKind('MAP'), hasContainer);
    const reducesHolding = countAttempts(tasks.ofKind('REDUCE'), hasContainer);
    const waiting = new Set(this.#waiting);
    const isAsked = (attempt: Attempt) => attempt.internalState === 'UNASSIGNED' && !waiting.has(attempt);
    const reducesAsked = countAttempts(tasks.ofKind('REDUCE'), isAsked);
    const room = (free: number, ofMap: number, ofReduce: number): number => {
      const all = free + mapsHolding * ofMap + reducesHolding * ofReduce;
      const unused = Math.max(0, all * (1 - share) - mapsAtOnce * ofMap);
      return Math.floor((all * share + unused) / Math.max(1, ofReduce)) - reducesHolding - reducesAsked;
    };
    return Math.min(room(headroom.memoryMiB, memoryMiB.MAP, memoryMiB.REDUCE), room(headroom.vcores, vcores.MAP, vcores.REDUCE));
  }
}

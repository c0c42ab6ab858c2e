// When reduces may be asked for: not before enough maps are complete (slow start), and all of them only when every map has its container.
import type { Attempt } from './attempt.ts';
import type { JobRules } from './job-rules.ts';
import type { TaskSet } from './task-set.ts';

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

  /** Takes out the attempts for which a container may be asked now. Those that were killed meanwhile are forgotten. */
  admit(tasks: TaskSet): Attempt[] {
    this.#waiting = this.#waiting.filter((attempt) => attempt.internalState === 'UNASSIGNED');
    if (this.#waiting.length === 0) return [];
    const maps = tasks.ofKind('MAP');
    const completed = maps.filter((task) => task.ended).length;
    if (completed < Math.ceil(this.#rules.slowStart * maps.length)) return [];
    const mapsWait = maps.some((task) => !task.ended && task.attempts.every((attempt) => attempt.ended || attempt.container === undefined));
    const share = maps.length === 0 ? 1 : Math.min(completed / maps.length, this.#rules.rampUpLimit);
    const limit = mapsWait ? Math.floor(share * this.#rules.reduces) : this.#rules.reduces;
    return this.#waiting.splice(0, Math.max(0, limit - (this.#rules.reduces - this.#waiting.length)));
  }
}

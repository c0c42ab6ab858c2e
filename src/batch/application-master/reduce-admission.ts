// When reduces may be asked for: not before enough maps are complete (slow start), and all of them only when every map has its container.
import type { JobRules } from './job-rules.ts';
import type { Task } from './task.ts';
import type { TaskSet } from './task-set.ts';

/** Reduces that wait for their turn. */
export class ReduceAdmission {
  readonly #rules: JobRules;
  #waiting: Task[] = [];

  constructor(rules: JobRules) {
    this.#rules = rules;
  }

  wait(task: Task): void {
    this.#waiting.push(task);
  }
  clear(): void {
    this.#waiting = [];
  }

  /** Takes out the reduces that may be asked for now. */
  admit(tasks: TaskSet): Task[] {
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

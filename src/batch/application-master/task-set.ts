// The tasks of a job together: found by id, counted by state, their progress and counters summed.
import { type Counters, sumCounters } from '../counters/counters.ts';
import { taskIdOfAttempt } from '../tasks/task-ids.ts';
import type { Attempt } from './attempt.ts';
import type { JobRules } from './job-rules.ts';
import type { TaskKind, TaskState } from './job-view.ts';
import type { Task } from './task.ts';

/** Maps by index, then reduces by index. */
export class TaskSet {
  readonly all: Task[] = [];
  readonly #byId = new Map<string, Task>();
  readonly #byKind: Record<TaskKind, Task[]> = { MAP: [], REDUCE: [] };

  add(task: Task): void {
    this.all.push(task);
    this.#byId.set(task.id, task);
    this.#byKind[task.kind].push(task);
  }

  ofKind(kind: TaskKind): Task[] {
    return this.#byKind[kind];
  }
  find(taskId: string): Task | undefined {
    return this.#byId.get(taskId);
  }
  findAttempt(attemptId: string): Attempt | undefined {
    return this.#byId.get(taskIdOfAttempt(attemptId))?.attempts.find((attempt) => attempt.id === attemptId);
  }
  /** The task of an attempt of this job. */
  of(attempt: Attempt): Task {
    return this.#byId.get(taskIdOfAttempt(attempt.id))!;
  }
  count(kind: TaskKind, state: TaskState): number {
    let count = 0;
    for (const task of this.#byKind[kind]) if (task.state === state) count++;
    return count;
  }
  /** Why the job has failed with its tasks; undefined while it has not (JobImpl.checkJobAfterTaskCompletion). */
  failure({ mapFailuresPercent, reduceFailuresPercent }: JobRules): string | undefined {
    const [maps, reduces] = [this.count('MAP', 'FAILED'), this.count('REDUCE', 'FAILED')];
    const isFailed =
      maps * 100 > mapFailuresPercent * this.#byKind.MAP.length || reduces * 100 > reduceFailuresPercent * this.#byKind.REDUCE.length;
    return isFailed
      ? `Job failed as tasks failed. failedMaps:${maps} failedReduces:${reduces} killedMaps:${this.count('MAP', 'KILLED')} killedReduces: ${this.count('REDUCE', 'KILLED')}`
      : undefined;
  }
  get allEnded(): boolean {
    return this.all.every((task) => task.ended);
  }

  /** 0 to 1: mean of the tasks' progress, 0 without tasks. */
  progress(kind: TaskKind): number {
    const tasks = this.#byKind[kind];
    return tasks.length === 0 ? 0 : Math.fround(tasks.reduce((sum, task) => sum + (task.ended ? 1 : task.progress), 0) / tasks.length);
  }
  /** 0 to 1 of a running job: its set-up and clean-up are a twentieth each, maps and reduces share the rest. */
  wholeProgress(): number {
    const maps = this.#byKind.MAP.length > 0;
    const reduces = this.#byKind.REDUCE.length > 0;
    const weight = maps && reduces ? 0.45 : 0.9;
    return 0.05 + (maps ? weight * this.progress('MAP') : 0) + (reduces ? weight * this.progress('REDUCE') : 0);
  }
  counters(kind: TaskKind): Counters {
    return sumCounters(this.#byKind[kind].map((task) => task.counters));
  }
}

// How many attempts at maps, and at reduces, a job may have at a time: mapreduce.job.running.map.limit and …reduce.limit.
import type { Attempt } from './attempt.ts';
import type { JobRules } from './job-rules.ts';
import type { TaskKind } from './job-view.ts';

interface Line {
  /** Attempts that wait for their turn, from `next` on. */
  waiting: Attempt[];
  next: number;
  /** Those that had their turn and have not ended. */
  running: Attempt[];
}

/** Lets attempts wait until fewer of their kind run than may. */
export class RunningLimits {
  readonly #limits: JobRules['runningLimits'];
  readonly #lines: Readonly<Record<TaskKind, Line>> = {
    MAP: { waiting: [], next: 0, running: [] },
    REDUCE: { waiting: [], next: 0, running: [] },
  };

  constructor(rules: JobRules) {
    this.#limits = rules.runningLimits;
  }

  wait(attempt: Attempt): void {
    this.#lines[attempt.kind].waiting.push(attempt);
  }

  clear(): void {
    for (const line of Object.values(this.#lines)) Object.assign(line, { waiting: [], next: 0 });
  }

  /** Takes out those whose turn it is, in the order in which they came. Those that were killed meanwhile are forgotten. */
  admit(): Attempt[] {
    const admitted: Attempt[] = [];
    for (const [kind, line] of Object.entries(this.#lines) as [TaskKind, Line][]) {
      if (line.next >= line.waiting.length) continue;
      const limit = this.#limits[kind];
      line.running = limit > 0 ? line.running.filter((attempt) => !attempt.ended) : [];
      while (line.next < line.waiting.length && (limit <= 0 || line.running.length < limit)) {
        const attempt = line.waiting[line.next++]!;
        if (attempt.internalState !== 'UNASSIGNED') continue;
        admitted.push(attempt);
        if (limit > 0) line.running.push(attempt);
      }
      if (line.next === line.waiting.length) Object.assign(line, { waiting: [], next: 0 });
    }
    return admitted;
  }
}

// How far a task is: a root with phases one after the other, each with a weight, a progress and a status (org.apache.hadoop.util.Progress).

/** One phase of a task. */
export class ProgressPhase {
  readonly weight: number;
  status: string;
  /** 0 to 1. */
  value = 0;

  constructor(status: string, weight: number) {
    this.status = status;
    this.weight = weight;
  }
}

/** The task's progress and status text: `<own status> > <status of the current phase>`. */
export class TaskProgress {
  status: string;
  readonly phases: readonly ProgressPhase[];
  #current = 0;

  constructor(status: string, phases: readonly (readonly [status: string, weight: number])[]) {
    this.status = status;
    this.phases = phases.map(([phaseStatus, weight]) => new ProgressPhase(phaseStatus, Math.fround(weight)));
  }

  /** The phase that is running; undefined when all are complete. */
  get phase(): ProgressPhase | undefined {
    return this.phases[this.#current];
  }

  completePhase(): void {
    const phase = this.phase;
    if (phase === undefined) return;
    phase.value = 1;
    this.#current++;
  }

  /** 0 to 1 in single precision, as Java sums it. */
  get value(): number {
    let sum = 0;
    for (let i = 0; i < this.#current; i++) sum = Math.fround(sum + this.phases[i]!.weight);
    const phase = this.phase;
    return phase === undefined ? Math.min(1, sum) : Math.fround(sum + Math.fround(phase.weight * Math.fround(phase.value)));
  }

  toString(): string {
    const phase = this.phase;
    if (phase === undefined) return this.status;
    return this.status === '' ? phase.status : `${this.status} > ${phase.status}`;
  }
}

const statusLimit = 512;

/** Status texts are cut to 512 characters (`mapreduce.task.max.status.length`). */
export function normalizeStatus(text: string): string {
  return text.length <= statusLimit ? text : text.slice(0, statusLimit);
}

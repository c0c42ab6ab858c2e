// What the views of jobs, tasks and attempts need to know. The running master's JobView and the history server's parsed jobs
// both have this shape, so that one set of view functions serves both interfaces.

import type { Long } from '../../lib/java-long.ts';

/** Sums in listing order. */
export interface CounterFacts {
  groups(): readonly { readonly name: string; readonly counters: readonly { readonly name: string; readonly value: Long }[] }[];
}

/** One try at a task. Times in epoch milliseconds: 0 (running) or -1 (history) where unknown. */
export interface TaskAttemptFacts {
  readonly id: string;
  readonly kind: 'MAP' | 'REDUCE';
  readonly state: string;
  /** 0 to 1. */
  readonly progress: number;
  readonly statusText: string;
  readonly startTimeMs: number;
  readonly finishTimeMs: number;
  readonly shuffleFinishTimeMs: number;
  readonly sortFinishTimeMs: number;
  readonly diagnostics: readonly string[];
  readonly containerId: string | undefined;
  readonly nodeHttpAddress: string | undefined;
  readonly rack: string | undefined;
  readonly counters: CounterFacts;
}

/** A map or reduce. */
export interface TaskFacts {
  readonly id: string;
  readonly kind: 'MAP' | 'REDUCE';
  readonly state: string;
  /** 0 to 1. */
  readonly progress: number;
  readonly startTimeMs: number;
  readonly finishTimeMs: number;
  /** '' until one succeeded. */
  readonly successfulAttempt: string;
  readonly counters: CounterFacts;
  readonly attempts: readonly TaskAttemptFacts[];
}

/** A job with its tasks, as both servers know it. Times are 0 or -1 where they are not known. */
export interface JobFacts {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly queue: string;
  readonly state: string;
  readonly submitTimeMs: number;
  readonly startTimeMs: number;
  readonly finishTimeMs: number;
  readonly diagnostics: string | readonly string[];
  readonly tasks: readonly TaskFacts[];
}

/** One generation of the job's master; unknown texts are ''. */
export interface MasterGenerationFacts {
  readonly number: number;
  readonly startTimeMs: number;
  readonly containerId: string;
  readonly nodeId: string;
  readonly nodeHttpAddress: string;
}

/** A property of a job's configuration. */
export interface PropertyFacts {
  readonly name: string;
  readonly value: string;
  /** Where it had come from when its file was written, oldest first. */
  readonly sources?: readonly string[] | undefined;
}

/** The time between two events: their difference where both happened, else what has passed since the start, never negative. */
export function elapsedMs(startMs: number, finishMs: number, nowMs?: number): number {
  if (startMs > 0 && finishMs > 0) return Math.max(0, finishMs - startMs);
  return nowMs !== undefined && startMs > 0 ? Math.max(0, nowMs - startMs) : 0;
}

/** A share of 0 to 1 in percent, with the rounding of 32-bit arithmetic that clients are used to. */
export const percent = (share: number): number => Math.fround(Math.fround(share) * 100);

// What a job is made of and what it asks of the world around it.
import type { Clock } from '../../lib/clock.ts';
import type { HistoryEvent } from '../../wire/files/job-history.ts';
import type { InputSplit } from '../tasks/input/input-split.ts';
import type { JobConfiguration } from '../tasks/job-configuration.ts';
import type { AssignedContainer, Attempt } from './attempt.ts';
import type { JobProperty, MasterGenerationView } from './job-view.ts';
import type { Headroom } from './reduce-preemption.ts';
import type { Task } from './task.ts';
import type { SkippingState } from './task-skipping.ts';

/** What the job asks of the world around it. */
export interface JobPorts {
  history(event: HistoryEvent): void;
  /** Asks for a container for the attempt. */
  ask(attempt: Attempt, task: Task): void;
  cancelAsk(attemptId: string): void;
  /** What the job could still be given. */
  headroom(): Headroom;
  stopContainer(container: AssignedContainer): void;
  /** Each answers by a call of its own: `setupDone`, `commitDone`, `abortDone`. */
  setup(): void;
  commit(): void;
  abort(): void;
  /** An attempt had a container and ended without success, or a complete map's output is lost. */
  attemptLost(attempt: Attempt, how: 'FAILED' | 'KILLED'): void;
  /** Keeps for later masters what is known of a task's records. */
  rememberSkipping(taskId: string, state: SkippingState): void;
  /** Address of the shuffle service that has a map's output. */
  shuffleUrl(attempt: Attempt): string;
  /** There are new completion events of maps. */
  mapEvents(): void;
  /** The job has reached a final state. */
  ended(): void;
}

export interface JobOptions {
  readonly id: string;
  readonly applicationId: string;
  readonly user: string;
  readonly submitTimeMs: number;
  readonly settings: JobConfiguration;
  readonly configuration: readonly JobProperty[];
  readonly configurationPath: string;
  readonly splits: readonly (InputSplit | undefined)[];
  readonly generation: number;
  /** Tasks run inside the master. */
  readonly uberized?: boolean;
  readonly masters: readonly MasterGenerationView[];
  /** What earlier masters knew of records that fail tasks, by task. */
  readonly skipping?: ReadonlyMap<string, SkippingState>;
  readonly clock: Clock;
  readonly ports: JobPorts;
}

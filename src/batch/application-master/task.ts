// One map or reduce: its attempts and which of them counts.
import { nextState } from '../../lib/state-machine.ts';
import type { Counters } from '../counters/counters.ts';
import type { InputSplit } from '../tasks/input/input-split.ts';
import { formatAttemptId } from '../tasks/task-ids.ts';
import { Attempt, type Avataar, InvalidEvent } from './attempt.ts';
import type { TaskKind, TaskState, TaskView } from './job-view.ts';
import type { TaskSkipping } from './task-skipping.ts';
import { externalTaskState, type TaskEvent, type TaskInternalState, taskTransitions } from './task-states.ts';

/** Numbers of attempts of later masters begin a thousand higher. */
const attemptsPerGeneration = 1000;

/** A task. Only the job changes it. */
export class Task implements TaskView {
  readonly id: string;
  readonly kind: TaskKind;
  readonly index: number;
  readonly split: InputSplit | undefined;
  readonly attempts: Attempt[] = [];
  /** The job's empty counters: one object, as in Hadoop, that the ends of attempts without counters may touch. */
  readonly #noCounters: Counters;
  #state: TaskInternalState = 'NEW';
  #nextNumber: number;
  scheduledMs = 0;
  successfulAttempt = '';
  /** The attempt that may commit. */
  committing: Attempt | undefined;
  failedAttempts = 0;
  /** TASK_STARTED has been written. */
  startWritten = false;
  /** When the task ended. */
  endedMs = 0;
  /** Present where records that fail attempts may be left out. */
  readonly skipping: TaskSkipping | undefined;

  constructor(options: {
    id: string;
    kind: TaskKind;
    index: number;
    split: InputSplit | undefined;
    generation: number;
    noCounters: Counters;
    skipping?: TaskSkipping | undefined;
  }) {
    this.#noCounters = options.noCounters;
    this.skipping = options.skipping;
    this.id = options.id;
    this.kind = options.kind;
    this.index = options.index;
    this.split = options.split;
    this.#nextNumber = (options.generation - 1) * attemptsPerGeneration;
  }

  get internalState(): TaskInternalState {
    return this.#state;
  }
  get state(): TaskState {
    return externalTaskState(this.#state);
  }
  get ended(): boolean {
    return this.#state === 'SUCCEEDED' || this.#state === 'FAILED' || this.#state === 'KILLED';
  }

  takes(event: TaskEvent): boolean {
    return nextState(taskTransitions, this.#state, event) !== undefined;
  }

  /** Moves to the next state. @throws InvalidEvent */
  move(event: TaskEvent): void {
    const next = nextState(taskTransitions, this.#state, event);
    if (next === undefined) throw new InvalidEvent(`Invalid event ${event} on Task ${this.id}`);
    this.#state = next;
  }

  /** Counts an attempt that failed, and learns from it where records are that fail attempts. */
  failed(attempt: Attempt): void {
    this.failedAttempts++;
    this.skipping?.failed(attempt);
  }

  addAttempt(priority: number, avataar: Avataar): Attempt {
    const attempt = new Attempt({
      id: formatAttemptId(this.id, this.#nextNumber++),
      kind: this.kind,
      avataar,
      priority,
      noCounters: this.#noCounters,
    });
    this.attempts.push(attempt);
    return attempt;
  }

  get successful(): Attempt | undefined {
    return this.successfulAttempt === '' ? undefined : this.attempts.find((attempt) => attempt.id === this.successfulAttempt);
  }

  /** The successful attempt, else the one that is farthest and neither failed nor killed (TaskImpl.selectBestAttempt). */
  get best(): Attempt | undefined {
    if (this.successful !== undefined) return this.successful;
    let best: Attempt | undefined;
    for (const attempt of this.attempts) {
      if (attempt.state === 'FAILED' || attempt.state === 'KILLED') continue;
      if (best === undefined || attempt.progress > best.progress) best = attempt;
    }
    return best;
  }

  get progress(): number {
    return this.best?.progress ?? 0;
  }
  get statusText(): string {
    return this.best?.statusText ?? '';
  }
  get counters(): Counters {
    return this.best?.counters ?? this.#noCounters;
  }
  get startTimeMs(): number {
    let first = 0;
    for (const { startTimeMs } of this.attempts) if (startTimeMs > 0 && (first === 0 || startTimeMs < first)) first = startTimeMs;
    return first === 0 ? this.scheduledMs : first;
  }
  get finishTimeMs(): number {
    if (!this.ended) return 0;
    return this.attempts.reduce((last, attempt) => Math.max(last, attempt.finishTimeMs), 0) || this.endedMs;
  }
  /** Attempts that have not ended. */
  get active(): Attempt[] {
    return this.attempts.filter((attempt) => !attempt.ended);
  }
}

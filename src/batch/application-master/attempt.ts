// One try at a task: its state, what it reported, where it runs.
import type { Clock } from '../../lib/clock.ts';
import { nextState } from '../../lib/state-machine.ts';
import { Counters } from '../counters/counters.ts';
import { taskCounterGroup } from '../counters/names.ts';
import { endOf, type RecordRange, type SkippingPlan } from '../tasks/skipping/record-ranges.ts';
import type { StatusReport } from '../tasks/umbilical.ts';
import { type AttemptEvent, type AttemptInternalState, attemptEnded, attemptTransitions, externalAttemptState } from './attempt-states.ts';
import type { TaskAttemptState, TaskAttemptView, TaskKind } from './job-view.ts';

/** The container an attempt was given. */
export interface AssignedContainer {
  readonly containerId: string;
  readonly nodeId: string;
  readonly nodeHttpAddress: string;
  readonly rack: string;
}

/** How near the container is to the input. */
export type Locality = 'NODE_LOCAL' | 'RACK_LOCAL' | 'OFF_SWITCH';
/** First tries and retries are `VIRGIN`. */
export type Avataar = 'VIRGIN' | 'SPECULATIVE';

/** Raised for an event that the state does not take; the job then ends in ERROR. */
export class InvalidEvent extends Error {
  override readonly name = 'InvalidStateTransitionException';
}

/** An attempt. Only the job changes it. */
export class Attempt implements TaskAttemptView {
  readonly id: string;
  readonly kind: TaskKind;
  readonly avataar: Avataar;
  /** Priority of its container request. */
  readonly priority: number;
  #state: AttemptInternalState = 'NEW';
  /** The container that is known before it is assigned: shown, and nothing more. */
  expected: AssignedContainer | undefined;
  container: AssignedContainer | undefined;
  locality: Locality = 'OFF_SWITCH';
  startTimeMs = 0;
  finishTimeMs = 0;
  mapFinishTimeMs = 0;
  shuffleFinishTimeMs = 0;
  sortFinishTimeMs = 0;
  reportedProgress = 0;
  /** When that was told, by `Clock.steadyMs`. */
  reportedMs = 0;
  statusText = 'NEW';
  /** Those last reported; before, the job's own empty ones. */
  counters: Counters;
  readonly diagnostics: string[] = [];
  /** What had been known when the attempt was killed or failed: later words of the container stay out of the history. */
  diagnosticsAtEnd: string | undefined;
  /** When it last told of anything that had happened, by `Clock.steadyMs`, as those below. */
  lastProgressMs = 0;
  /** What its program said last it waits for. */
  waitsFor: string | undefined;
  /** When a container was asked for; undefined: its turn has not come (running-limits.ts). */
  askedMs: number | undefined;
  /** When it got its container. */
  assignedMs = 0;
  /** When its task's process was told or heard to end. */
  finishingSinceMs = 0;
  /** What its process was told to leave out; undefined: nothing, and it tells of no record. */
  skipping: SkippingPlan | undefined;
  /** The records that it said may be at work. */
  nextRecords: RecordRange | undefined;
  /** It was a trial of skipping that met nothing bad. */
  trialPassed = false;
  /** Reduces that could not fetch this map's output. */
  readonly fetchFailures = new Map<string, number>();

  constructor(options: { id: string; kind: TaskKind; avataar: Avataar; priority: number; noCounters: Counters }) {
    this.counters = options.noCounters;
    this.id = options.id;
    this.kind = options.kind;
    this.avataar = options.avataar;
    this.priority = options.priority;
  }

  get internalState(): AttemptInternalState {
    return this.#state;
  }
  get state(): TaskAttemptState {
    return externalAttemptState(this.#state);
  }
  get ended(): boolean {
    return attemptEnded(this.#state);
  }
  get progress(): number {
    // One that never had a container stays where it was (TaskAttemptImpl.CleanupContainerTransition).
    return this.ended && (this.container !== undefined || this.state === 'SUCCEEDED') ? 1 : this.reportedProgress;
  }
  get containerId(): string | undefined {
    return (this.container ?? this.expected)?.containerId;
  }
  get nodeId(): string | undefined {
    return (this.container ?? this.expected)?.nodeId;
  }
  get nodeHttpAddress(): string | undefined {
    return (this.container ?? this.expected)?.nodeHttpAddress;
  }
  get rack(): string | undefined {
    return (this.container ?? this.expected)?.rack;
  }
  get launched(): boolean {
    return this.startTimeMs > 0;
  }

  /** Whether the state takes the event. */
  takes(event: AttemptEvent): boolean {
    return nextState(attemptTransitions, this.#state, event) !== undefined;
  }

  /** Moves to the next state. @throws InvalidEvent */
  move(event: AttemptEvent): void {
    const next = nextState(attemptTransitions, this.#state, event);
    if (next === undefined) throw new InvalidEvent(`Invalid event ${event} on TaskAttempt ${this.id}`);
    this.#state = next;
  }

  /** At the end of an attempt these three exist, if only as 0 (TaskAttemptImpl.updateProgressSplits). */
  touchCounters(): void {
    for (const name of ['CPU_MILLISECONDS', 'PHYSICAL_MEMORY_BYTES', 'VIRTUAL_MEMORY_BYTES'])
      this.counters.increment(taskCounterGroup, name, 0);
  }

  /** Notes why it ends: what is said of it later stays out of the history. */
  endWith(diagnostic: string): void {
    this.diagnostics.push(diagnostic);
    this.diagnosticsAtEnd = this.diagnostics.join('\n');
  }

  /** Its process has begun. */
  begin(clock: Pick<Clock, 'now' | 'steadyMs'>): void {
    this.startTimeMs = clock.now();
    this.lastProgressMs = clock.steadyMs();
  }

  /** Its work is over; from here on its process has to end. */
  finish(clock: Pick<Clock, 'now' | 'steadyMs'>): void {
    this.finishTimeMs = clock.now();
    this.finishingSinceMs = clock.steadyMs();
  }

  /** Takes over what the task reported. `nowMs`: by `Clock.steadyMs`. */
  update(report: StatusReport, nowMs: number): void {
    if (report.idle !== true) this.lastProgressMs = nowMs;
    this.reportedMs = nowMs;
    this.reportedProgress = Math.max(0, Math.min(1, report.progress));
    this.statusText = report.statusText;
    this.waitsFor = report.waitsFor;
    if (Object.keys(report.counters).length > 0) this.counters = new Counters(report.counters, this.counters.limits);
    this.mapFinishTimeMs = report.mapFinishTimeMs ?? this.mapFinishTimeMs;
    this.shuffleFinishTimeMs = report.shuffleFinishTimeMs ?? this.shuffleFinishTimeMs;
    this.sortFinishTimeMs = report.sortFinishTimeMs ?? this.sortFinishTimeMs;
    const { nextRecords: next } = report;
    // Reports may overtake each other.
    if (next !== undefined && endOf(next) >= endOf(this.nextRecords ?? next)) this.nextRecords = next;
  }
}

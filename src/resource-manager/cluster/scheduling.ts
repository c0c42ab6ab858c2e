// When the scheduler is asked, and for how long: in slices between which everything else in the event loop has its turn. What it decides
// is committed here, one decision after the other.
import type { Clock } from '../../lib/clock.ts';
import { EventRate } from '../../lib/event-rate.ts';
import type { Timers } from '../../lib/timers.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { ContainerEnds } from './container-ends.ts';
import type { Effects } from './effects.ts';
import type { OpportunisticScheduler } from './opportunistic.ts';
import type { SchedulingFigures } from './scheduling-figures.ts';
import type { Starts } from './starts.ts';
import type { ClusterState } from './state.ts';

/** A slice ends after so many decisions or so many ms, whichever comes first; then whatever else waits in the event loop has its turn. */
export const decisionsPerSlice = 500;
export const sliceMs = 1;
/** Asked of the policy at a time. */
export const decisionsPerCall = 50;

/** What is needed. */
export interface SchedulingPorts {
  readonly state: Pick<ClusterState, 'application'>;
  readonly effects: Effects;
  readonly policy: Pick<SchedulingPolicy, 'schedule' | 'hasWork' | 'nextDeadlineMs'>;
  readonly starts: Starts;
  readonly ends: Pick<ContainerEnds, 'preempt'>;
  readonly opportunistic: Pick<OpportunisticScheduler, 'propose'>;
  /** The next container id of an attempt. */
  readonly nextContainerId: (attemptId: string) => string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly figures: SchedulingFigures;
}

/** Lets the scheduler work. */
export class Scheduling {
  readonly #ports: SchedulingPorts;
  readonly #placements = new EventRate();
  /** Those who wait until nothing is left to decide. */
  readonly #waiting = new Set<() => void>();
  #isDue = false;
  #isClosed = false;

  constructor(ports: SchedulingPorts) {
    this.#ports = ports;
    ports.effects.scheduler.wake = () => this.#soon();
  }

  /** Lets the scheduler work after the current turn of the event loop; calls until then count once. */
  #soon(): void {
    if (this.#isDue || this.#isClosed) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      if (!this.#isClosed) this.#ports.effects.change(() => this.slice());
    });
  }

  /** One slice of scheduling; what it leaves is done in the next turn of the event loop. */
  slice(): void {
    const { clock, policy, effects, opportunistic, starts, timers, figures } = this.#ports;
    const beganMs = clock.steadyMs();
    let made = 0;
    do made += this.#decide();
    while (made < decisionsPerSlice && clock.steadyMs() - beganMs < sliceMs && policy.hasWork());
    // What was given may be what others waited for.
    if (policy.hasWork()) effects.wakeScheduler();
    for (const allocation of opportunistic.propose()) starts.commit(allocation);
    figures.slices.add(clock.steadyMs() - beganMs);
    const deadlineMs = policy.nextDeadlineMs();
    if (deadlineMs !== undefined) timers.set('scheduler', Math.max(1, deadlineMs - clock.steadyMs()), () => this.slice());
    if (this.#waiting.size > 0 && this.#isIdle()) this.#told();
  }

  /**
   * Calls `done`, once, when all that has changed by now is considered and nothing is left to decide, which may be at once. The returned function
   * gives that up: a busy scheduler may not come to an end.
   */
  whenIdle(done: () => void): () => void {
    if (this.#isIdle()) done();
    else this.#waiting.add(done);
    return () => this.#waiting.delete(done);
  }

  #isIdle(): boolean {
    return this.#isClosed || !(this.#isDue || this.#ports.policy.hasWork());
  }

  #told(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const done of waiting) done();
  }

  /** Decisions of the policy, committed one by one; how many. */
  #decide(): number {
    const { policy, starts, ends, state, clock, nextContainerId, figures } = this.#ports;
    const decisions = policy.schedule(decisionsPerCall, nextContainerId);
    let placed = 0;
    for (const decision of decisions) {
      switch (decision.kind) {
        case 'allocate':
          figures.timed(figures.commits, () => starts.commit(decision));
          placed++;
          break;
        case 'preempt':
          ends.preempt(decision.containerId);
          figures.preemptions++;
          break;
        default: {
          const application = state.application(decision.applicationId);
          if (application) application.version++;
        }
      }
    }
    figures.placements += placed;
    if (placed > 0) this.#placements.add(placed, clock.steadyMs());
    return decisions.length;
  }

  /** Containers given in the last second. */
  placementsPerSecond(): number {
    return this.#placements.perSecond(this.#ports.clock.steadyMs());
  }

  close(): void {
    this.#isClosed = true;
    this.#told();
  }
}

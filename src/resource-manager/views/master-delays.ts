// How long masters take to come up: how many there were since this process started and how long they took on average (AMLaunchDelay and its like of
// Hadoop's ClusterMetrics).
import type { Clock } from '../../lib/clock.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { ClusterObserver } from '../cluster/observer.ts';

/** How often something was waited for, and how long in all. */
export interface Delay {
  readonly count: number;
  readonly totalMs: number;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Measures them, of masters that are started. */
export class MasterDelays implements ClusterObserver {
  /** From the begin of the attempt to its master's container. */
  readonly allocation: Mutable<Delay> = { count: 0, totalMs: 0 };
  /** From the container to its start. */
  readonly launch: Mutable<Delay> = { count: 0, totalMs: 0 };
  /** From the start to the registration. */
  readonly registration: Mutable<Delay> = { count: 0, totalMs: 0 };
  readonly #clock: Clock;
  /** When the masters that did not register yet were launched, by attempt, as `Clock.now`. */
  readonly #launched = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  containerCreated(application: Application, { isMaster, attemptId, createdMs }: Container): void {
    const attempt = isMaster ? currentAttempt(application) : undefined;
    if (attempt?.id === attemptId) add(this.allocation, createdMs - attempt.startedMs);
  }

  attemptLaunched(_application: Application, attempt: Attempt): void {
    const now = this.#clock.now();
    this.#launched.set(attempt.id, now);
    const container = attempt.containers.get(attempt.masterContainerId ?? '');
    if (container) add(this.launch, now - container.createdMs);
  }

  attemptRegistered(_application: Application, { id }: Attempt): void {
    const since = this.#launched.get(id);
    if (since === undefined) return;
    this.#launched.delete(id);
    add(this.registration, this.#clock.now() - since);
  }

  attemptFinished(_application: Application, { id }: Attempt): void {
    this.#launched.delete(id);
  }
}

/** A clock that was set back tells of no negative times. */
function add(delay: Mutable<Delay>, ms: number): void {
  delay.count++;
  delay.totalMs += Math.max(0, ms);
}

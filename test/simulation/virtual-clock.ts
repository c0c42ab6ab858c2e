// Time that stands still until it is moved, with as many timers as a whole cluster sets. Timers fire in the order of their times, those of
// one time in the order in which they were set.
import type { Clock, Timer } from '../../src/lib/clock.ts';

interface Alarm {
  readonly atMs: number;
  readonly order: number;
  run: (() => void) | undefined;
}

const isBefore = (a: Alarm, b: Alarm): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** A clock for many timers, most of which are cancelled: a heap, from which cancelled ones are taken when they are due. */
export class VirtualClock implements Clock {
  #nowMs: number;
  #setByMs = 0;
  #order = 0;
  readonly #heap: Alarm[] = [];

  constructor(startMs = 1_700_000_000_000) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs + this.#setByMs;
  }

  steadyMs(): number {
    return this.#nowMs;
  }

  /** The machines' time is set, forwards or back; nothing falls due by that. */
  set(byMs: number): void {
    this.#setByMs += byMs;
  }

  setTimer(delayMs: number, run: () => void): Timer {
    const alarm: Alarm = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, run };
    this.#add(alarm);
    return {
      cancel: () => {
        alarm.run = undefined;
      },
    };
  }

  /** When the next timer fires, ms since the epoch; undefined: none is set. */
  nextMs(): number | undefined {
    while (this.#heap[0] && this.#heap[0].run === undefined) this.#take();
    return this.#heap[0]?.atMs;
  }

  /** Moves to the next timer and fires it; false where none is set. */
  runNext(): boolean {
    if (this.nextMs() === undefined) return false;
    const { atMs, run } = this.#take();
    this.#nowMs = Math.max(this.#nowMs, atMs);
    run!();
    return true;
  }

  /** Moves to a time without firing anything; nothing may be due before it. */
  moveTo(ms: number): void {
    this.#nowMs = Math.max(this.#nowMs, ms);
  }

  /** Moves time forward by `byMs`, firing what falls due on the way, without a pause. */
  advance(byMs: number): void {
    const endMs = this.#nowMs + byMs;
    for (let next = this.nextMs(); next !== undefined && next <= endMs; next = this.nextMs()) this.runNext();
    this.moveTo(endMs);
  }

  /** The clock of one process: its timers die with it. */
  of(isAlive: () => boolean): Clock {
    return {
      now: () => this.now(),
      steadyMs: () => this.#nowMs,
      setTimer: (delayMs, run) => this.setTimer(delayMs, () => isAlive() && run()),
    };
  }

  #add(alarm: Alarm): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(alarm);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(alarm, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = alarm;
  }

  #take(): Alarm {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++;
      if (!isBefore(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

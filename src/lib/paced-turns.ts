// Work that takes long without a pause, for callers who may all come at once: one after another, each followed by time for everything else.

import type { Clock } from './clock.ts';
import { pause } from './pause.ts';

/** How much of the time is given to it. */
export interface Pace {
  /** So many times as long as the work took nothing follows. */
  readonly restPart: number;
  /** How many may wait for their turn. */
  readonly mostWaiting: number;
}

/** Turns that are taken one by one, in the order of coming. */
export class PacedTurns {
  readonly #clock: Pick<Clock, 'steadyMs' | 'setTimer'>;
  readonly #pace: Pace;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(clock: Pick<Clock, 'steadyMs' | 'setTimer'>, pace: Pace) {
    this.#clock = clock;
    this.#pace = pace;
  }

  /**
   * Does work that pauses, in its turn: after each slice rests as after a whole turn, and nothing else has its turn before the work is done.
   * Undefined: too many wait, and nothing was done.
   */
  takeSliced<T>(work: () => Generator<void, T>): Promise<T> | undefined {
    let slices: Generator<void, T> | undefined;
    const next = () => {
      slices ??= work();
      return slices.next();
    };
    return this.#inTurn(async () => {
      for (;;) {
        const { done, value } = this.#timed(next);
        if (done) return value;
        await (this.#rest ?? pause());
      }
    });
  }

  /** Does the work in its turn and resolves, or rejects, with what came of it; undefined: too many wait, and nothing was done. */
  take<T>(work: () => T): Promise<T> | undefined {
    return this.#inTurn(() => this.#timed(work));
  }

  #inTurn<T>(run: () => T | Promise<T>): Promise<T> | undefined {
    if (this.#waiting >= this.#pace.mostWaiting) return undefined;
    this.#waiting++;
    const done = this.#last.then(() => {
      this.#waiting--;
      return run();
    });
    this.#last = done.then(
      () => this.#rest,
      () => this.#rest,
    );
    return done;
  }

  #timed<T>(work: () => T): T {
    const begunMs = this.#clock.steadyMs();
    try {
      return work();
    } finally {
      const restMs = (this.#clock.steadyMs() - begunMs) * this.#pace.restPart;
      this.#rest = restMs > 0 ? new Promise((resolve) => this.#clock.setTimer(restMs, resolve)) : undefined;
    }
  }

  #rest: Promise<void> | undefined;
}

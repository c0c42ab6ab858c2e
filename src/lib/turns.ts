// Long work in slices: one slice in each turn of the event loop, whoever asked first, so that what is short never waits for more than one.
// Slices that take next to no time share a turn.

/** What turns go by; tests pass their own. */
export interface TurnOptions {
  /** Runs something in another turn of the event loop. */
  readonly later?: (run: () => void) => void;
  /** Those who wait go on in one turn until it has taken so long; default: one of them. */
  readonly sharedMs?: number;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
}

/** Gives turns, one after the other. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #options: Required<TurnOptions>;
  #scheduled = false;

  constructor({ later = setImmediate, sharedMs = 0, now = () => performance.now() }: TurnOptions = {}) {
    this.#options = { later, sharedMs, now };
  }

  /** Resolves when it is the caller's turn: in another turn of the event loop, after all who asked before. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    const { later, now } = this.#options;
    later(() => this.#give(this.#waiting.length, now()));
  }

  /** `most`: who asks again meanwhile waits for another turn. */
  #give(most: number, beganMs: number): void {
    const { now, sharedMs } = this.#options;
    this.#waiting.shift()?.();
    const goOn = (): void => {
      if (most > 1 && now() - beganMs < sharedMs) return this.#give(most - 1, beganMs);
      this.#scheduled = false;
      this.#schedule();
    };
    if (sharedMs === 0) goOn();
    // Behind everything that the slice does without waiting.
    else queueMicrotask(() => process.nextTick(goOn));
  }
}

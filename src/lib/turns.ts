// Long work in slices: one slice in each turn of the event loop, whoever asked first, so that what is short never waits for more than one.

/** Gives turns, one after the other. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #later: (run: () => void) => void;
  #scheduled = false;

  /** `later` runs something in another turn of the event loop; tests pass their own. */
  constructor(later: (run: () => void) => void = setImmediate) {
    this.#later = later;
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
    this.#later(() => {
      this.#scheduled = false;
      this.#waiting.shift()?.();
      this.#schedule();
    });
  }
}

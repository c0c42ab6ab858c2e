// How much of a turn of the event loop the calls of a port may take. A client may send a hundred at once, and many clients may: what else the
// server does has its turn in between, and connections take theirs one call at a time, in the order of coming.

/** The most of one turn, in ms. */
const sliceMs = 3;

/** What time it is, and how something is run in another turn of the event loop. */
export interface EventLoop {
  /** In ms, from any beginning. */
  readonly now: () => number;
  readonly later: (run: () => void) => void;
}

const ownLoop: EventLoop = { now: () => performance.now(), later: (run) => void setImmediate(run) };

/** Gives the calls of a port their turns. */
export class CallTurns {
  readonly #loop: EventLoop;
  readonly #waiting: (() => void)[] = [];
  #endMs: number | undefined;

  constructor(loop: EventLoop = ownLoop) {
    this.#loop = loop;
  }

  /** Whether another call has to `wait` for its turn. */
  isOver(): boolean {
    if (this.#endMs !== undefined) return this.#waiting.length > 0 || this.#loop.now() >= this.#endMs;
    this.#begin();
    return false;
  }

  /** Runs one call in another turn, after all that came before. `run` does not throw. */
  wait(run: () => void): void {
    this.#waiting.push(run);
  }

  #begin(): void {
    this.#endMs = this.#loop.now() + sliceMs;
    this.#loop.later(() => this.#next());
  }

  #next(): void {
    if (this.#waiting.length === 0) {
      this.#endMs = undefined;
      return;
    }
    this.#begin();
    do this.#waiting.shift()?.();
    while (this.#waiting.length > 0 && this.#loop.now() < this.#endMs!);
  }
}

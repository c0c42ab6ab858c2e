// How many calls of a port may be under way, and what becomes of more (CallQueueManager of hadoop-common): their connections are read again
// when there is room, or the clients are told to come again.

/** What the settings say of it. */
export interface CallQueueOptions {
  /** How many calls of all connections may be under way. */
  readonly limit: number;
  /** Whether clients whose calls are more than that are told to come again, and closed. */
  readonly backsOff: boolean;
}

/** Counts the calls of a port. */
export class CallQueue {
  readonly #options: CallQueueOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: CallQueueOptions) {
    this.#options = options;
  }

  /** Whether a client has to `wait` before more of it is read. */
  holdsBack(): boolean {
    return this.#isFull() && !this.#options.backsOff;
  }

  /** Whether a call that came is refused. */
  refuses(): boolean {
    return this.#isFull() && this.#options.backsOff;
  }

  /** Runs when there is room, after those who came before. `run` does not throw, and begins as many calls as it may. */
  wait(run: () => void): void {
    this.#waiting.push(run);
  }

  /** A call is under way. */
  begin(): void {
    this.#running++;
  }

  /** It was answered. */
  end(): void {
    this.#running--;
    while (this.#waiting.length > 0 && !this.#isFull()) this.#waiting.shift()?.();
  }

  #isFull(): boolean {
    return this.#running >= this.#options.limit;
  }
}

// Time is passed in: servers use systemClock, tests step a ManualClock by hand. What is waited for goes by a clock that nobody sets
// (docs/protocol.md, P8).

/** A running timer; `cancel` is harmless after it fired. */
export interface Timer {
  cancel(): void;
}

/** The only source of time of every component. */
export interface Clock {
  /**
   * Milliseconds since the epoch, as the machine has it: what is shown, kept over restarts, or compared with what others say. It can be set, forwards
   * and back, while a process runs.
   */
  now(): number;
  /** Milliseconds since some moment; goes on evenly whatever the time is set to. How long something takes or is silent is measured by it, as timers are. */
  steadyMs(): number;
  /** Runs `run` once, `delayMs` from now; never keeps the process alive by itself. */
  setTimer(delayMs: number, run: () => void): Timer;
}

const longestTimeoutMs = 2_147_483_647;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steadyMs: () => performance.now(),
  setTimer(delayMs, run) {
    const handle = setTimeout(run, Math.max(0, Math.min(delayMs, longestTimeoutMs)));
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** A clock that stands still until `advance` moves it; timers fire in order of their times. */
export class ManualClock implements Clock {
  #nowMs: number;
  #setByMs = 0;
  #timers: { atMs: number; order: number; run: () => void }[] = [];
  #order = 0;

  constructor(startMs = 1_700_000_000_000) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs + this.#setByMs;
  }

  steadyMs(): number {
    return this.#nowMs;
  }

  /** The machine's time is set, forwards or back; nothing falls due by that. */
  set(byMs: number): void {
    this.#setByMs += byMs;
  }

  setTimer(delayMs: number, run: () => void): Timer {
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, run };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      },
    };
  }

  /** Moves time forward by `byMs`, firing what falls due on the way. */
  advance(byMs: number): void {
    const endMs = this.#nowMs + byMs;
    for (;;) {
      const next = this.#timers.filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#nowMs = next.atMs;
      next.run();
    }
    this.#nowMs = endMs;
  }
}

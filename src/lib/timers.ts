// Named timers of one owner: setting a name again replaces it, closing cancels all.
import type { Clock, Timer } from './clock.ts';

/** A set of named one-shot timers. */
export class Timers {
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #timers = new Map<string, Timer>();
  #closed = false;

  constructor(clock: Pick<Clock, 'setTimer'>) {
    this.#clock = clock;
  }

  /** Runs `run` once after `delayMs`, instead of what that name waited for. */
  set(name: string, delayMs: number, run: () => void): void {
    this.cancel(name);
    if (this.#closed) return;
    this.#timers.set(
      name,
      this.#clock.setTimer(delayMs, () => {
        this.#timers.delete(name);
        run();
      }),
    );
  }

  /** Whether that name waits. */
  has(name: string): boolean {
    return this.#timers.has(name);
  }

  cancel(name: string): void {
    const timer = this.#timers.get(name);
    if (!timer) return;
    timer.cancel();
    this.#timers.delete(name);
  }

  /** Cancels all; nothing is set any more. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }
}

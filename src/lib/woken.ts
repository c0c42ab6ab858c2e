// Waiting for somebody's word with an end to it: the core of every long poll.
import type { Clock } from './clock.ts';

/** How one caller waits. */
export interface Wait {
  readonly waitMs: number;
  readonly clock: Clock;
  /** Fires when the caller leaves. */
  readonly signal: AbortSignal;
}

/**
 * Resolves when it is woken, after `waitMs`, when the caller leaves, and at once where that has left. `register` is given what wakes; what it answers is
 * called in the end, to take it out again.
 */
export async function woken({ waitMs, clock, signal }: Wait, register: (wake: () => void) => () => void): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      timer.cancel();
      takeOut();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimer(waitMs, done);
    const takeOut = register(done);
    signal.addEventListener('abort', done, { once: true });
  });
}

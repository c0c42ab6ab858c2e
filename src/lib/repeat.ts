// Work that is done again and again: monitors, retention, watches of files. One run at a time; the pause begins when a run has ended.
import type { Clock, Timer } from './clock.ts';

/** What is repeated, and how often. */
export interface RepeatOptions {
  readonly clock: Clock;
  /** From the end of a run to the start of the next, ms; Infinity: there is one run only. */
  readonly intervalMs: number;
  /** From now to the start of the first run, ms; 0: it starts within this call. Default: `intervalMs`. */
  readonly firstMs?: number;
  /** The signal is aborted when the repetition is closed: a long run ends early then. */
  readonly run: (closing: AbortSignal) => void | Promise<void>;
  /** Hears why a run failed; the next one comes nevertheless. Not called for a run that ends while the repetition closes. */
  readonly failed: (error: unknown) => void;
}

/** A repetition that goes on until it is closed. */
export interface Repetition {
  /** No run starts from now on; resolves when the one in progress has ended. */
  close(): Promise<void>;
}

/** Starts a repetition. Runs that return no promise are followed by the next timer at once, so that a stepped clock sees them all. */
export function repeat({ clock, intervalMs, firstMs = intervalMs, run, failed }: RepeatOptions): Repetition {
  const closing = new AbortController();
  let timer: Timer | undefined;
  let inProgress: Promise<void> | undefined;
  const wait = (delayMs: number): void => {
    if (!closing.signal.aborted && delayMs !== Number.POSITIVE_INFINITY) timer = clock.setTimer(delayMs, start);
  };
  const tell = (error: unknown): void => {
    if (!closing.signal.aborted) failed(error);
  };
  const start = (): void => {
    let running: Promise<void> | undefined;
    try {
      running = run(closing.signal) ?? undefined;
    } catch (error) {
      tell(error);
    }
    if (!running) return wait(intervalMs);
    inProgress = running.catch(tell).then(() => {
      inProgress = undefined;
      wait(intervalMs);
    });
  };
  if (firstMs === 0) start();
  else wait(firstMs);
  return {
    async close() {
      closing.abort();
      timer?.cancel();
      await inProgress;
    },
  };
}

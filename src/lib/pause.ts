// Long work gives way to what came in meanwhile.
import { Turns } from './turns.ts';

/** Slices that are over before share a turn of the event loop. */
const sharedMs = 1;
const turns = new Turns({ sharedMs });

/**
 * Resolves after what waits in the event loop has had its turn. Of all long work of a thread one goes on in each turn, in the order of asking: so what
 * is short waits for one slice, however many long answers are under way. Short slices share a turn, for a millisecond.
 */
export const pause = (): Promise<void> => turns.next();

/** Long work of which a slice is over after so many milliseconds. */
export class Slices {
  readonly #sliceMs: number;
  #sinceMs = performance.now();

  constructor(sliceMs: number) {
    this.#sliceMs = sliceMs;
  }

  get isOver(): boolean {
    return performance.now() - this.#sinceMs >= this.#sliceMs;
  }

  /** Gives way; resolves when the next slice begins. */
  async next(): Promise<void> {
    await pause();
    this.#sinceMs = performance.now();
  }
}

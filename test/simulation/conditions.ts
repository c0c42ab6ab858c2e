// How well the network and the disk do in a history: each has its own mind, so that some things are common in it and others never happen.
import type { Random } from '../../src/lib/random.ts';

/** Times in ms. */
export interface Conditions {
  /** Of one message from process to process. */
  latencyMs(): number;
  /** Until a lost connection is tried again, or an unanswered call made again; undefined: not by itself. */
  retryMs(): number | undefined;
  /** Until a side finds out that nothing comes any more (it pings every 5 s and gives up after twice that). */
  noticeMs(): number;
  /** A call, or the answer to one, never arrives. */
  losesCall(): boolean;
  /** A call is carried out twice at once. */
  repeatsCall(): boolean;
}

/** Everything arrives at once, and nobody comes back by himself. */
export const perfect: Conditions = {
  latencyMs: () => 0,
  retryMs: () => undefined,
  noticeMs: () => 0,
  losesCall: () => false,
  repeatsCall: () => false,
};

/** What a history may meet; `calm` ends it. */
export class Weather implements Conditions {
  readonly #random: Random;
  #usualMs: number;
  /** One message in so many takes up to 20 s. */
  #stalls: number;
  #loses: number;
  #repeats: number;

  constructor(random: Random) {
    this.#random = random;
    this.#usualMs = [1, 4, 50, 400][random.int(4)]!;
    this.#stalls = [0, 0, 200, 40][random.int(4)]!;
    this.#loses = [0, 30, 6][random.int(3)]!;
    this.#repeats = [0, 0, 3][random.int(3)]!;
  }

  calm(): void {
    this.#usualMs = 2;
    this.#stalls = this.#loses = this.#repeats = 0;
  }

  latencyMs(): number {
    return this.#oneIn(this.#stalls) ? this.#random.int(20_000) : this.#random.int(this.#usualMs);
  }
  retryMs(): number {
    return 50 + this.#random.int(this.#oneIn(4) ? 1000 : 50);
  }
  noticeMs(): number {
    return this.#random.int(10_000);
  }
  losesCall(): boolean {
    return this.#oneIn(this.#loses);
  }
  repeatsCall(): boolean {
    return this.#oneIn(this.#repeats);
  }

  #oneIn(many: number): boolean {
    return many > 0 && this.#random.int(many) === 0;
  }
}

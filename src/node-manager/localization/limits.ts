// Bounds of what is brought to a container: how large, how many, how fast. What comes from elsewhere is never trusted to end by itself.
import type { Clock, Timer } from '../../lib/clock.ts';
import { LocalizationFailure } from './errors.ts';

/** The bounds of one resource. */
export interface LocalizationLimits {
  /** Longest single resource, packed or unpacked. */
  readonly maximumBytes: number;
  /** Most entries of an archive or files of a folder. */
  readonly maximumEntries: number;
  /** How many times larger than packed an archive may become; small ones are not judged. */
  readonly maximumRatio: number;
  /** Longest silence of a server. */
  readonly stallMs: number;
  /** Longest time of one fetch. */
  readonly totalMs: number;
}

/** What an archive may become before its ratio is looked at. */
const judgedFromBytes = 64 * 1024 * 1024;

/** Counts what an archive unpacks to, or a folder holds (`packedBytes` undefined). Its methods throw LocalizationFailure where it is too much. */
export class UnpackBudget {
  readonly #limits: LocalizationLimits;
  readonly #packedBytes: number | undefined;
  readonly #what: string;
  #bytes = 0;
  #entries = 0;

  constructor(limits: LocalizationLimits, packedBytes: number | undefined, what: string) {
    this.#limits = limits;
    this.#packedBytes = packedBytes;
    this.#what = what;
  }

  /** One more entry. */
  entry(): void {
    if (++this.#entries > this.#limits.maximumEntries)
      throw new LocalizationFailure(`${this.#what} has more than ${this.#limits.maximumEntries} entries`);
  }

  /** So many more bytes, before they are written. */
  bytes(count: number): void {
    this.#bytes += count;
    const { maximumBytes, maximumRatio } = this.#limits;
    if (this.#bytes > maximumBytes)
      throw new LocalizationFailure(
        `${this.#what} is larger than ${maximumBytes} bytes${this.#packedBytes === undefined ? '' : ' unpacked'}`,
      );
    if (this.#packedBytes !== undefined && this.#bytes > judgedFromBytes && this.#bytes > this.#packedBytes * maximumRatio)
      throw new LocalizationFailure(`${this.#what} becomes more than ${maximumRatio} times larger when it is unpacked`);
  }
}

/** Ends a fetch that stands still or takes too long. Close it in the end. */
export class FetchWatch {
  readonly #aborting = new AbortController();
  readonly #clock: Clock;
  readonly #stallMs: number;
  readonly #what: string;
  readonly #outer: AbortSignal;
  readonly #leave: () => void;
  readonly #total: Timer;
  #stall: Timer;
  #movedMs: number;

  constructor(clock: Clock, limits: LocalizationLimits, what: string, outer: AbortSignal) {
    this.#clock = clock;
    this.#stallMs = limits.stallMs;
    this.#what = what;
    this.#outer = outer;
    this.#leave = () => this.#aborting.abort(outer.reason);
    if (outer.aborted) this.#leave();
    else outer.addEventListener('abort', this.#leave, { once: true });
    this.#total = clock.setTimer(limits.totalMs, () => this.#end(`did not end within ${limits.totalMs / 1000} seconds`));
    this.#movedMs = clock.steadyMs();
    this.#stall = clock.setTimer(limits.stallMs, () => this.#look());
  }

  /** Aborted when the fetch shall end. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  /** Something came. */
  moved(): void {
    this.#movedMs = this.#clock.steadyMs();
  }

  #look(): void {
    const leftMs = this.#movedMs + this.#stallMs - this.#clock.steadyMs();
    if (leftMs <= 0) this.#end(`Read timed out: nothing came for ${this.#stallMs / 1000} seconds`);
    else this.#stall = this.#clock.setTimer(leftMs, () => this.#look());
  }

  #end(why: string): void {
    this.#aborting.abort(new LocalizationFailure(`${this.#what}: ${why}`, 'java.net.SocketTimeoutException'));
  }

  close(): void {
    this.#outer.removeEventListener('abort', this.#leave);
    this.#total.cancel();
    this.#stall.cancel();
  }
}

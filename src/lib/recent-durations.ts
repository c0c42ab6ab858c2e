// Quantiles of what was lately measured, as Hadoop's metrics show them (MutableQuantiles): those of the last whole window of ten seconds.
import type { Clock } from './clock.ts';

const windowMs = 10_000;
/** Of more values in one window every second one is left out, then every second of those left. */
const mostValues = 4096;

/** Durations in windows of ten seconds. */
export class RecentDurations {
  readonly #clock: Pick<Clock, 'steadyMs'>;
  #window: number;
  #current: number[] = [];
  #count = 0;
  /** One of so many is kept. */
  #stride = 1;
  #shown: { readonly count: number; readonly sorted: readonly number[] } = { count: 0, sorted: [] };

  constructor(clock: Pick<Clock, 'steadyMs'>) {
    this.#clock = clock;
    this.#window = this.#windowNow();
  }

  /** Something took so long, ms. */
  add(durationMs: number): void {
    this.#turn();
    if (this.#count++ % this.#stride !== 0) return;
    this.#current.push(durationMs);
    if (this.#current.length < mostValues) return;
    this.#current = this.#current.filter((_, index) => index % 2 === 0);
    this.#stride *= 2;
  }

  /** How many the last whole window had. */
  get count(): number {
    this.#turn();
    return this.#shown.count;
  }

  /** What so many percent of the last whole window did not go beyond, ms; 0 where it had none. */
  percentile(percent: number): number {
    this.#turn();
    const { sorted } = this.#shown;
    return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
  }

  #windowNow(): number {
    return Math.floor(this.#clock.steadyMs() / windowMs);
  }

  #turn(): void {
    const now = this.#windowNow();
    if (now === this.#window) return;
    const isLast = now === this.#window + 1;
    this.#shown = isLast ? { count: this.#count, sorted: this.#current.sort((a, b) => a - b) } : { count: 0, sorted: [] };
    this.#window = now;
    this.#current = [];
    this.#count = 0;
    this.#stride = 1;
  }
}

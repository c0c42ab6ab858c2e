// How often something happened in the last second, in fixed space: counts of short slices of time.

const sliceMs = 20;
const slices = 50;

/** Counts events of the last second, to within a slice of 20 ms. */
export class EventRate {
  readonly #counts = new Float64Array(slices);
  /** Number of the slice that each count is of. */
  readonly #numbers = new Float64Array(slices).fill(-1);

  /** `count` events happened at `nowMs`, which never goes back by more than a second. */
  add(count: number, nowMs: number): void {
    const number = Math.floor(nowMs / sliceMs);
    const at = number % slices;
    if (this.#numbers[at] !== number) {
      this.#numbers[at] = number;
      this.#counts[at] = 0;
    }
    this.#counts[at]! += count;
  }

  /** Events in the second before `nowMs`. */
  perSecond(nowMs: number): number {
    const last = Math.floor(nowMs / sliceMs);
    let sum = 0;
    for (let at = 0; at < slices; at++) {
      const number = this.#numbers[at]!;
      if (number > last - slices && number <= last) sum += this.#counts[at]!;
    }
    return sum;
  }
}

/** How often something happened, and how long it took on the average, ms. */
export class DurationFigure {
  #count = 0;
  #sumMs = 0;

  add(durationMs: number): void {
    this.#count += 1;
    this.#sumMs += Math.max(0, durationMs);
  }

  get count(): number {
    return this.#count;
  }

  get averageMs(): number {
    return this.#count === 0 ? 0 : this.#sumMs / this.#count;
  }
}

// What bringing the local resources of one container was like, as the container is told (ContainerImpl.localizationCountersAsString).
import type { Clock } from '../../lib/clock.ts';

/** The count of one container. */
export class LocalizationCounts {
  readonly #clock: Clock;
  readonly #missed = { files: 0, bytes: 0 };
  readonly #cached = { files: 0, bytes: 0 };
  #tookMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A resource was wanted; `isHit`: it was on the node already. */
  wanted(isHit: boolean, bytes: number): void {
    const figures = isHit ? this.#cached : this.#missed;
    figures.files += 1;
    figures.bytes += bytes;
  }

  /** Measures what brings the resources. */
  async during<T>(bring: () => Promise<T>): Promise<T> {
    const begunMs = this.#clock.steadyMs();
    try {
      return await bring();
    } finally {
      this.#tookMs = Math.max(0, this.#clock.steadyMs() - begunMs);
    }
  }

  /** Bytes fetched and found, resources fetched and found, milliseconds: `LOCALIZATION_COUNTERS`. */
  get text(): string {
    return [this.#missed.bytes, this.#cached.bytes, this.#missed.files, this.#cached.files, this.#tookMs].join(',');
  }
}

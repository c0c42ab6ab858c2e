// Ids of applications: the time of this start and a sequence.
import { type ApplicationIdParts, formatApplicationId } from '../../model/ids.ts';

/** How far ahead a submitted id may be and still move the sequence. */
const longestJump = 1_000_000;

/** Gives ids, none twice. */
export class ApplicationIds {
  readonly #clusterTimestamp: number;
  #sequence = 0;
  /** The highest that was submitted; unlike the sequence it follows every jump. */
  #submitted = 0;

  constructor(clusterTimestamp: number) {
    this.#clusterTimestamp = clusterTimestamp;
  }

  next(): string {
    return formatApplicationId({ clusterTimestamp: this.#clusterTimestamp, sequence: ++this.#sequence });
  }

  /** The id that is given next, if no other is named before. */
  upcoming(): string {
    return formatApplicationId({ clusterTimestamp: this.#clusterTimestamp, sequence: this.#sequence + 1 });
  }

  /** Whether nothing was submitted under an id for certain: it is of this start and above all that were. */
  isFresh({ clusterTimestamp, sequence }: ApplicationIdParts): boolean {
    return clusterTimestamp === this.#clusterTimestamp && sequence > this.#submitted;
  }

  /** An id that is submitted. Of this start, and chosen by the client itself: all that will be given are above it. */
  reserve(clusterTimestamp: number, sequence: number): void {
    if (clusterTimestamp !== this.#clusterTimestamp) return;
    this.#submitted = Math.max(this.#submitted, sequence);
    if (sequence > this.#sequence && sequence < this.#sequence + longestJump) this.#sequence = sequence;
  }
}

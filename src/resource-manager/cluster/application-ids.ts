// Ids of applications: the time of this start and a sequence.
import { formatApplicationId } from '../../model/ids.ts';

/** How far ahead a submitted id may be and still move the sequence. */
const longestJump = 1_000_000;

/** Gives ids, none twice. */
export class ApplicationIds {
  readonly #clusterTimestamp: number;
  #sequence = 0;

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

  /** An id of this start that a client chose itself: all that will be given are above it. */
  reserve(clusterTimestamp: number, sequence: number): void {
    if (clusterTimestamp !== this.#clusterTimestamp) return;
    if (sequence > this.#sequence && sequence < this.#sequence + longestJump) this.#sequence = sequence;
  }
}

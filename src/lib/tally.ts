// How many there are of each of what comes and goes, or how much: what there is none of takes no room.

export class Tally<Key> {
  readonly #counts = new Map<Key, number>();

  /** How many different ones there are. */
  get size(): number {
    return this.#counts.size;
  }

  has(key: Key): boolean {
    return this.#counts.has(key);
  }

  /** How many, or how much, there is of one. */
  of(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }

  /** One more came, or so much; answers what there is. */
  add(key: Key, amount = 1): number {
    const count = this.of(key) + amount;
    this.#counts.set(key, count);
    return count;
  }

  /** One that came is gone, or so much. */
  remove(key: Key, amount = 1): void {
    const left = this.of(key) - amount;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}

// How many there are of each of what comes and goes: what there is none of takes no room.

export class Tally<Key> {
  readonly #counts = new Map<Key, number>();

  /** How many different ones there are. */
  get size(): number {
    return this.#counts.size;
  }

  has(key: Key): boolean {
    return this.#counts.has(key);
  }

  /** One more came; answers how many there are. */
  add(key: Key): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }

  /** One that came is gone. */
  remove(key: Key): void {
    const left = (this.#counts.get(key) ?? 1) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}

// What is remembered of things that others choose, and so may not grow without end.

/** A map of at most so many keys: one more makes it forget the one that was set first. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;
  /** Goes on where it stopped: looked for from the front, the first key lies behind the places of all that were forgotten. */
  #oldest: Iterator<Key> | undefined;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: Key, value: Value): this {
    if (this.size >= this.#most && !this.has(key)) {
      this.#oldest ??= this.keys();
      this.delete(this.#oldest.next().value!);
    }
    return super.set(key, value);
  }
}

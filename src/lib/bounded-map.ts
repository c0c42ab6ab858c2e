// What is remembered of things that others choose, and so may not grow without end.

/** A map of at most so many keys: one more makes it forget the one that was set first. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: Key, value: Value): this {
    if (this.size >= this.#most && !this.has(key)) this.delete(this.keys().next().value!);
    return super.set(key, value);
  }
}

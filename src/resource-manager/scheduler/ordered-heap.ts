// A binary heap whose members know their place, so that one whose key changed moves in logarithmic time.

/** A member keeps its index per heap in `places`, under the heap's slot; -1 or undefined is outside. */
export interface Member {
  places: number[];
}

/** The first member by `before`; a member is in it at most once. */
export class OrderedHeap<T extends Member> {
  readonly #items: T[] = [];
  readonly #slot: number;
  readonly #before: (a: T, b: T) => boolean;

  constructor(slot: number, before: (a: T, b: T) => boolean) {
    this.#slot = slot;
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  has(item: T): boolean {
    return (item.places[this.#slot] ?? -1) >= 0;
  }

  first(): T | undefined {
    return this.#items[0];
  }

  /** Adds the member, or moves it to where its key belongs now. */
  put(item: T): void {
    const place = item.places[this.#slot] ?? -1;
    if (place >= 0) {
      this.#down(this.#up(place));
      return;
    }
    while (item.places.length <= this.#slot) item.places.push(-1);
    this.#items.push(item);
    item.places[this.#slot] = this.#items.length - 1;
    this.#up(this.#items.length - 1);
  }

  remove(item: T): boolean {
    const place = item.places[this.#slot] ?? -1;
    if (place < 0) return false;
    item.places[this.#slot] = -1;
    const last = this.#items.pop()!;
    if (last !== item) {
      this.#items[place] = last;
      last.places[this.#slot] = place;
      this.#down(this.#up(place));
    }
    return true;
  }

  clear(): void {
    for (const item of this.#items) item.places[this.#slot] = -1;
    this.#items.length = 0;
  }

  /** Members in no particular order. */
  items(): readonly T[] {
    return this.#items;
  }

  #up(place: number): number {
    const items = this.#items;
    const item = items[place]!;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = items[parent]!;
      if (!this.#before(item, above)) break;
      items[place] = above;
      above.places[this.#slot] = place;
      place = parent;
    }
    items[place] = item;
    item.places[this.#slot] = place;
    return place;
  }

  #down(place: number): number {
    const items = this.#items;
    const count = items.length;
    const item = items[place]!;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= count) break;
      if (child + 1 < count && this.#before(items[child + 1]!, items[child]!)) child++;
      if (!this.#before(items[child]!, item)) break;
      items[place] = items[child]!;
      items[place]!.places[this.#slot] = place;
      place = child;
    }
    items[place] = item;
    item.places[this.#slot] = place;
    return place;
  }
}

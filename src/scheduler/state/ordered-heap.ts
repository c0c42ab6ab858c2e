// A binary heap whose members know their place, so that one whose key changed moves in logarithmic time.

/** A member keeps its index per heap in `places`, under the heap's slot; -1 or undefined is outside. */
export interface Member {
  places: number[];
}

/**
 * The first member by `before`; a member is in it at most once. `keyOf`: a number that decides wherever it differs. It is kept beside the
 * member as of its last `put`, so that most comparisons touch no member: in a large cluster each of those is a wait for memory.
 */
export class OrderedHeap<T extends Member> {
  readonly #items: T[] = [];
  readonly #keys: number[] = [];
  readonly #slot: number;
  readonly #before: (a: T, b: T) => boolean;
  readonly #keyOf: (item: T) => number;

  constructor(slot: number, before: (a: T, b: T) => boolean, keyOf: (item: T) => number = () => 0) {
    this.#slot = slot;
    this.#before = before;
    this.#keyOf = keyOf;
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
      this.#keys[place] = this.#keyOf(item);
      this.#down(this.#up(place));
      return;
    }
    while (item.places.length <= this.#slot) item.places.push(-1);
    this.#items.push(item);
    this.#keys.push(this.#keyOf(item));
    item.places[this.#slot] = this.#items.length - 1;
    this.#up(this.#items.length - 1);
  }

  remove(item: T): boolean {
    const place = item.places[this.#slot] ?? -1;
    if (place < 0) return false;
    item.places[this.#slot] = -1;
    const last = this.#items.pop()!;
    const key = this.#keys.pop()!;
    if (last !== item) {
      this.#items[place] = last;
      this.#keys[place] = key;
      last.places[this.#slot] = place;
      this.#down(this.#up(place));
    }
    return true;
  }

  clear(): void {
    for (const item of this.#items) item.places[this.#slot] = -1;
    this.#items.length = 0;
    this.#keys.length = 0;
  }

  /** After what the order depends on changed for many members. */
  reorder(): void {
    for (const [place, item] of this.#items.entries()) this.#keys[place] = this.#keyOf(item);
    for (let place = (this.#items.length >> 1) - 1; place >= 0; place--) this.#down(place);
  }

  /** Members in no particular order. */
  items(): readonly T[] {
    return this.#items;
  }

  #up(place: number): number {
    const items = this.#items;
    const keys = this.#keys;
    const item = items[place]!;
    const key = keys[place]!;
    const from = place;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = items[parent]!;
      if (keys[parent] !== key ? !(key < keys[parent]!) : !this.#before(item, above)) break;
      this.#set(place, above, keys[parent]!);
      place = parent;
    }
    if (place !== from) this.#set(place, item, key);
    return place;
  }

  #down(place: number): number {
    const items = this.#items;
    const keys = this.#keys;
    const count = items.length;
    const item = items[place]!;
    const key = keys[place]!;
    const from = place;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= count) break;
      if (child + 1 < count && this.#isBefore(child + 1, child)) child++;
      if (keys[child] !== key ? !(keys[child]! < key) : !this.#before(items[child]!, item)) break;
      this.#set(place, items[child]!, keys[child]!);
      place = child;
    }
    if (place !== from) this.#set(place, item, key);
    return place;
  }

  #isBefore(a: number, b: number): boolean {
    const keys = this.#keys;
    return keys[a] !== keys[b] ? keys[a]! < keys[b]! : this.#before(this.#items[a]!, this.#items[b]!);
  }

  #set(place: number, item: T, key: number): void {
    this.#items[place] = item;
    this.#keys[place] = key;
    item.places[this.#slot] = place;
  }
}

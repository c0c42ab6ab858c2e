// Events by time; those of one time in the order in which they were put.

interface Entry<Event> {
  readonly atMs: number;
  readonly order: number;
  readonly event: Event;
}

/** A binary heap. */
export class EventQueue<Event> {
  readonly #heap: Entry<Event>[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** Time of the first event. */
  get nextMs(): number | undefined {
    return this.#heap[0]?.atMs;
  }

  put(atMs: number, event: Event): void {
    const heap = this.#heap;
    const entry = { atMs, order: this.#order++, event };
    let place = heap.length;
    heap.push(entry);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!before(entry, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = entry;
  }

  take(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first?.event;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return first.event;
  }
}

const before = (a: Entry<unknown>, b: Entry<unknown>): boolean => (a.atMs !== b.atMs ? a.atMs < b.atMs : a.order < b.order);

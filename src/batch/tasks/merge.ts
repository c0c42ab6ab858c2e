// Merging sorted runs: a heap of cursors ordered by raw key bytes.
import { compareKeys, type KeyComparator } from './record-sort.ts';
import type { RecordCursor } from './segment.ts';

/** One sorted stream out of several. Equal keys come in the order of `sources`. */
export class MergedCursor implements RecordCursor {
  readonly #heap: { cursor: RecordCursor; order: number }[] = [];
  readonly #all: readonly RecordCursor[];
  readonly #compare: KeyComparator;
  #started = false;
  buffer: Buffer = Buffer.alloc(0);
  recordStart = -1;
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;

  constructor(sources: readonly RecordCursor[], compare: KeyComparator = compareKeys) {
    this.#all = sources;
    this.#compare = compare;
  }

  #less(a: number, b: number): boolean {
    const left = this.#heap[a]!;
    const right = this.#heap[b]!;
    const [one, other] = [left.cursor, right.cursor];
    const order = this.#compare(one.buffer, one.keyStart, one.keyEnd, other.buffer, other.keyStart, other.keyEnd);
    return order < 0 || (order === 0 && left.order < right.order);
  }

  #sink(at: number): void {
    const heap = this.#heap;
    for (;;) {
      let least = at;
      const left = 2 * at + 1;
      if (left < heap.length && this.#less(left, least)) least = left;
      if (left + 1 < heap.length && this.#less(left + 1, least)) least = left + 1;
      if (least === at) return;
      [heap[at], heap[least]] = [heap[least]!, heap[at]!];
      at = least;
    }
  }

  next(): boolean {
    if (!this.#started) {
      this.#started = true;
      this.#all.forEach((cursor, order) => {
        if (cursor.next()) this.#heap.push({ cursor, order });
      });
      for (let i = (this.#heap.length >> 1) - 1; i >= 0; i--) this.#sink(i);
    } else if (this.#heap.length > 0 && !this.#heap[0]!.cursor.next()) {
      const last = this.#heap.pop()!;
      if (this.#heap.length > 0) this.#heap[0] = last;
      this.#sink(0);
    } else this.#sink(0);
    if (this.#heap.length === 0) return false;
    const top = this.#heap[0]!.cursor;
    this.buffer = top.buffer;
    this.recordStart = top.recordStart;
    this.keyStart = top.keyStart;
    this.keyEnd = top.keyEnd;
    this.valueStart = top.valueStart;
    this.valueEnd = top.valueEnd;
    return true;
  }

  get bytesLeft(): number {
    return this.#all.reduce((sum, { bytesLeft = 0 }) => sum + bytesLeft, 0);
  }

  close(): void {
    for (const cursor of this.#all) cursor.close();
  }
}

/** One stream out of several that are sorted by `compare`, usually by key bytes; a single one is passed through. */
export function merge(sources: readonly RecordCursor[], compare?: KeyComparator): RecordCursor {
  return sources.length === 1 ? sources[0]! : new MergedCursor(sources, compare);
}

/** Walks a sorted cursor group by group: `nextGroup`, then `nextValue` until false. Values that were not asked for are skipped. */
export class Groups {
  readonly #cursor: RecordCursor;
  /** Which keys are equal; undefined: those of equal bytes. */
  readonly #compare: KeyComparator | undefined;
  #keyBytes = Buffer.alloc(256);
  #keyLength = -1;
  /** The group's first value has not been asked for yet. */
  #firstUnread = false;
  /** The cursor already stands on the first record of the next group. */
  #ahead = false;
  #ended = false;
  /** Groups and records seen so far. */
  groups = 0;
  records = 0;

  constructor(cursor: RecordCursor, compare?: KeyComparator) {
    this.#cursor = cursor;
    this.#compare = compare;
  }

  /** The key of the group's first record; the bytes are valid until the next group. */
  get key(): Buffer {
    return this.#keyBytes.subarray(0, this.#keyLength);
  }
  get cursor(): RecordCursor {
    return this.#cursor;
  }

  #step(): boolean {
    if (this.#ended) return false;
    if (this.#cursor.next()) {
      this.records++;
      return true;
    }
    this.#ended = true;
    return false;
  }

  #sameKey(): boolean {
    const { buffer, keyStart, keyEnd } = this.#cursor;
    const length = this.#keyLength;
    if (this.#compare !== undefined) {
      const order = this.#compare(this.#keyBytes, 0, length, buffer, keyStart, keyEnd);
      if (order > 0) throw new TypeError('compare contradicts itself: by what it says now the keys are not in order');
      return order === 0;
    }
    return keyEnd - keyStart === length && compareKeys(buffer, keyStart, keyEnd, this.#keyBytes, 0, length) === 0;
  }

  /** Steps to the next group; its first value is then current. */
  nextGroup(): boolean {
    this.#firstUnread = false;
    if (!this.#ahead) {
      do if (!this.#step()) return false;
      while (this.#keyLength >= 0 && this.#sameKey());
    }
    const { buffer, keyStart, keyEnd } = this.#cursor;
    const length = keyEnd - keyStart;
    if (length > this.#keyBytes.length) this.#keyBytes = Buffer.alloc(length * 2);
    buffer.copy(this.#keyBytes, 0, keyStart, keyEnd);
    this.#keyLength = length;
    this.#ahead = false;
    this.#firstUnread = true;
    this.groups++;
    return true;
  }

  /** True while the cursor stands on a value of this group: call before each value, the first included. */
  nextValue(): boolean {
    if (this.#firstUnread) {
      this.#firstUnread = false;
      return true;
    }
    if (this.#ahead || !this.#step()) return false;
    this.#ahead = !this.#sameKey();
    return !this.#ahead;
  }
}

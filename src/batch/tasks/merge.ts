// Merging sorted runs: a tournament of cursors ordered by raw key bytes.
import { largestKeptBytes } from './byte-pieces.ts';
import { compareKeys, type KeyComparator } from './record-sort.ts';
import type { RecordCursor } from './segment.ts';

/** What stands for the key of a run that has ended. */
const ended = Number.POSITIVE_INFINITY;

/** A key's first six bytes as a number, filled with zeros: where those of two keys differ, so do the keys, and in the same way. */
function firstBytes(bytes: Buffer, start: number, end: number): number {
  if (end - start >= 6)
    return (
      (((bytes[start]! << 24) | (bytes[start + 1]! << 16) | (bytes[start + 2]! << 8) | bytes[start + 3]!) >>> 0) * 65_536 +
      ((bytes[start + 4]! << 8) | bytes[start + 5]!)
    );
  let number = 0;
  for (let i = 0; i < 6; i++) number = number * 256 + (start + i < end ? bytes[start + i]! : 0);
  return number;
}

type ShownKey = Pick<RecordCursor, 'buffer' | 'keyStart' | 'keyEnd' | 'shortAt' | 'keyPieces'>;

/** Whether all of a key is read, if perhaps not all of its record. */
const isKeyRead = ({ keyEnd, shortAt }: ShownKey): boolean => shortAt === undefined || keyEnd <= shortAt;

/** All bytes of a key, piece by piece. */
const piecesOf = (key: ShownKey): Iterator<Buffer> =>
  isKeyRead(key) || key.keyPieces === undefined ? [key.buffer.subarray(key.keyStart, key.keyEnd)].values() : key.keyPieces();

/** The order of two keys that come in pieces: neither ever lies in memory as a whole. */
function orderOfPieces(one: Iterator<Buffer>, other: Iterator<Buffer>): number {
  let [left, right]: (Buffer | undefined)[] = [one.next().value, other.next().value];
  while (left !== undefined && right !== undefined) {
    const common = Math.min(left.length, right.length);
    const order = left.compare(right, 0, common, 0, common);
    if (order !== 0) return order;
    left = left.length > common ? left.subarray(common) : one.next().value;
    right = right.length > common ? right.subarray(common) : other.next().value;
  }
  return left === undefined ? (right === undefined ? 0 : -1) : 1;
}

/** The order of two keys by as much as is read of both; zero where that does not tell. */
function orderOfBeginnings(one: ShownKey, other: ShownKey): number {
  const readOf = ({ keyStart, keyEnd, shortAt }: ShownKey) => Math.min(keyEnd, shortAt ?? keyEnd) - keyStart;
  const common = Math.min(readOf(one), readOf(other));
  return compareKeys(one.buffer, one.keyStart, one.keyStart + common, other.buffer, other.keyStart, other.keyStart + common);
}

/** The order of two keys of which not all may be read. */
function orderOfLong(one: ShownKey, other: ShownKey): number {
  const order = orderOfBeginnings(one, other);
  if (order !== 0) return order;
  return isKeyRead(one) && isKeyRead(other)
    ? one.keyEnd - one.keyStart - (other.keyEnd - other.keyStart)
    : orderOfPieces(piecesOf(one), piecesOf(other));
}

/**
 * One sorted stream out of several. Equal keys come in the order of `sources`. Each record runs against those that lost on its source's way
 * to the top (a tree of losers): one comparison for each doubling of the sources, mostly of two numbers.
 */
export class MergedCursor implements RecordCursor {
  readonly #sources: readonly RecordCursor[];
  /** Undefined: the order of the bytes. */
  readonly #compare: KeyComparator | undefined;
  /** Of each source's current key, by the order of bytes; 0 where another order counts. */
  readonly #firstBytes: Float64Array;
  /** Who lost at each knot; knot 0 has who won. The sources lie below the knots, the first at the place that is their number. */
  readonly #losers: Int32Array;
  #started = false;
  #isShortening = false;
  #kept: RecordCursor | undefined;
  shortAt: number | undefined = undefined;
  buffer: Buffer = Buffer.alloc(0);
  recordStart = -1;
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;

  constructor(sources: readonly RecordCursor[], compare?: KeyComparator) {
    this.#sources = sources;
    this.#compare = compare;
    this.#firstBytes = new Float64Array(sources.length);
    this.#losers = new Int32Array(sources.length).fill(-1);
    for (const source of sources) source.shorten?.();
  }

  #less(a: number, b: number): boolean {
    const [left, right] = [this.#firstBytes[a]!, this.#firstBytes[b]!];
    if (left !== right) return left < right;
    if (left === ended) return a < b;
    const [one, other] = [this.#sources[a]!, this.#sources[b]!];
    const compare = this.#compare ?? compareKeys;
    if (one.shortAt !== undefined || other.shortAt !== undefined) return this.#lessOfLong(a, b);
    const order = compare(one.buffer, one.keyStart, one.keyEnd, other.buffer, other.keyStart, other.keyEnd);
    return order < 0 || (order === 0 && a < b);
  }

  /** Of long records no more is read for it than the order of the bytes needs; a function that compares is given whole keys. */
  #lessOfLong(a: number, b: number): boolean {
    const [one, other] = [this.#sources[a]!, this.#sources[b]!];
    if (this.#compare !== undefined) for (const cursor of [one, other]) if (!isKeyRead(cursor)) cursor.complete?.();
    const order =
      this.#compare === undefined
        ? orderOfLong(one, other)
        : this.#compare(one.buffer, one.keyStart, one.keyEnd, other.buffer, other.keyStart, other.keyEnd);
    return order < 0 || (order === 0 && a < b);
  }

  #step(source: number): void {
    const cursor = this.#sources[source]!;
    if (!cursor.next()) this.#firstBytes[source] = ended;
    else if (this.#compare === undefined) this.#firstBytes[source] = firstBytes(cursor.buffer, cursor.keyStart, cursor.keyEnd);
  }

  /** Lets a source run to the top; in the first round it waits where nobody has come yet. */
  #run(source: number): void {
    const losers = this.#losers;
    let winner = source;
    for (let knot = (source + losers.length) >> 1; knot > 0; knot >>= 1) {
      const other = losers[knot]!;
      if (other === -1) {
        losers[knot] = winner;
        return;
      }
      if (this.#less(other, winner)) {
        losers[knot] = winner;
        winner = other;
      }
    }
    losers[0] = winner;
  }

  next(): boolean {
    const count = this.#sources.length;
    if (count === 0) return false;
    if (!this.#started) {
      this.#started = true;
      for (let source = 0; source < count; source++) {
        this.#step(source);
        this.#run(source);
      }
    } else if (this.#firstBytes[this.#losers[0]!] !== ended) {
      const source = this.#losers[0]!;
      this.#step(source);
      this.#run(source);
    }
    const winner = this.#losers[0]!;
    if (this.#firstBytes[winner] === ended) return false;
    const top = this.#sources[winner]!;
    if (top.shortAt !== undefined && !this.#isShortening) top.complete?.();
    this.#stand(top);
    return true;
  }

  #stand(top: RecordCursor): void {
    this.buffer = top.buffer;
    this.shortAt = top.shortAt;
    this.recordStart = top.recordStart;
    this.keyStart = top.keyStart;
    this.keyEnd = top.keyEnd;
    this.valueStart = top.valueStart;
    this.valueEnd = top.valueEnd;
  }

  shorten(): void {
    this.#isShortening = true;
  }

  complete(): void {
    const top = this.#sources[this.#losers[0]!]!;
    top.complete?.();
    this.#stand(top);
  }

  *keyPieces(): Generator<Buffer, void, undefined> {
    yield* { [Symbol.iterator]: () => piecesOf(this.#sources[this.#losers[0]!]!) };
  }

  keepBuffer(): void {
    this.#kept = this.#sources[this.#losers[0]!];
    this.#kept?.keepBuffer?.();
  }

  letBufferGo(): void {
    this.#kept?.letBufferGo?.();
    this.#kept = undefined;
  }

  get bytesLeft(): number {
    return this.#sources.reduce((sum, { bytesLeft = 0 }) => sum + bytesLeft, 0);
  }

  close(): void {
    for (const cursor of this.#sources) cursor.close();
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
  #keyBytes: Buffer = Buffer.alloc(256);
  #keyStart = 0;
  /** The key's bytes are those of a record that was read: they are not written over. */
  #lies = false;
  #keyLength = -1;
  /** The group's first value has not been asked for yet. */
  #firstUnread = false;
  /** The cursor already stands on the first record of the next group. */
  #ahead = false;
  #ended = false;
  /** From so many records on no further group is begun. */
  #mostRecords = Number.POSITIVE_INFINITY;
  /** The last group was not the last one of all: {@link slice} goes on. */
  isCut = false;
  /** Groups and records seen so far. */
  groups = 0;
  records = 0;

  constructor(cursor: RecordCursor, compare?: KeyComparator) {
    this.#cursor = cursor;
    this.#compare = compare;
    cursor.shorten?.();
  }

  /** The key of the group's first record; the bytes are valid until the next group. */
  get key(): Buffer {
    return this.#keyBytes.subarray(this.#keyStart, this.#keyStart + this.#keyLength);
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
    const cursor = this.#cursor;
    if (this.#compare !== undefined && !isKeyRead(cursor)) cursor.complete?.();
    const isSame = this.#isEqual();
    if (isSame) cursor.complete?.();
    return isSame;
  }

  #isEqual(): boolean {
    const [start, length] = [this.#keyStart, this.#keyLength];
    const { buffer, keyStart, keyEnd, shortAt } = this.#cursor;
    if (this.#compare !== undefined) {
      const order = this.#compare(this.#keyBytes, start, start + length, buffer, keyStart, keyEnd);
      if (order > 0) throw new TypeError('compare contradicts itself: by what it says now the keys are not in order');
      return order === 0;
    }
    if (keyEnd - keyStart !== length) return false;
    if (shortAt !== undefined) return orderOfLong(this.#cursor, { buffer: this.#keyBytes, keyStart: start, keyEnd: start + length }) === 0;
    return compareKeys(buffer, keyStart, keyEnd, this.#keyBytes, start, start + length) === 0;
  }

  /** Ends the groups, as far as who walks them sees, with the one in which the next `records` are over. */
  slice(records: number): void {
    this.#mostRecords = this.records + records;
    this.isCut = false;
  }

  /**
   * Keeps the key of the record that the cursor stands on: a long one where it lies, for a copy would take as much memory again. The one before is let
   * go first.
   */
  #takeKey(): void {
    const cursor = this.#cursor;
    if (this.#lies) {
      cursor.letBufferGo?.();
      this.#keyBytes = Buffer.alloc(256);
    }
    cursor.complete?.();
    const { buffer, keyStart, keyEnd } = cursor;
    const length = keyEnd - keyStart;
    this.#keyLength = length;
    this.#lies = length > largestKeptBytes && cursor.keepBuffer !== undefined;
    this.#keyStart = this.#lies ? keyStart : 0;
    if (this.#lies) {
      cursor.keepBuffer!();
      this.#keyBytes = buffer;
      return;
    }
    if (length > this.#keyBytes.length) this.#keyBytes = Buffer.alloc(length * 2);
    buffer.copy(this.#keyBytes, 0, keyStart, keyEnd);
  }

  /** Steps to the next group; its first value is then current. */
  nextGroup(): boolean {
    if (this.records >= this.#mostRecords) {
      this.isCut = true;
      return false;
    }
    this.#firstUnread = false;
    if (!this.#ahead) {
      do if (!this.#step()) return false;
      while (this.#keyLength >= 0 && this.#sameKey());
    }
    this.#takeKey();
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

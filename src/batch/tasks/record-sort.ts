// Sorting record numbers by raw key bytes: eight-byte words of (some key bytes, place of the record) are sorted natively, equal prefixes again by the
// next bytes.

/** Keys of the records to sort: bytes of record `i` are `bytes[starts[i] .. starts[i] + lengths[i])`. */
export interface KeyTable {
  readonly bytes: Buffer;
  readonly starts: Int32Array | Float64Array;
  readonly lengths: Int32Array;
}

/** The order of two keys: negative, zero or positive; zero makes them one group. */
export type KeyComparator = (
  left: Buffer,
  leftStart: number,
  leftEnd: number,
  right: Buffer,
  rightStart: number,
  rightEnd: number,
) => number;

/** Sorting that goes on step by step, with others having their turn in between. */
export type Sorting = Generator<undefined, void, undefined>;

/** Sorts all at once. */
export function finish(sorting: Sorting): void {
  while (sorting.next().done !== true);
}

/** What a step sorts: some hundredths of a second. */
const recordsOfStep = 1 << 18;
/** Of an order that is a function's: that takes longer. */
const comparedOfStep = 1 << 14;

/** Sorts the record numbers in place by an order other than that of the bytes; records with equal keys keep the order they came in. */
export function* sortByComparator(
  records: Uint32Array,
  { bytes, starts, lengths }: KeyTable,
  compare: KeyComparator,
  step = comparedOfStep,
): Sorting {
  const endOf = (record: number) => starts[record]! + lengths[record]!;
  const order = (a: number, b: number) => compare(bytes, starts[a]!, endOf(a), bytes, starts[b]!, endOf(b)) || a - b;
  for (let from = 0; from < records.length; from += step) {
    records.subarray(from, from + step).sort(order);
    if (records.length > step) yield;
  }
  // Runs that are in order become half as many, each twice as long.
  let source = records;
  let target: Uint32Array = new Uint32Array(records.length > step ? records.length : 0);
  for (let length = step; length < records.length; length *= 2) {
    let steps = 0;
    for (let from = 0; from < records.length; from += 2 * length) {
      const middle = Math.min(from + length, records.length);
      const end = Math.min(middle + length, records.length);
      let [left, right] = [from, middle];
      for (let at = from; at < end; at++) {
        const takesLeft = right === end || (left < middle && order(source[left]!, source[right]!) < 0);
        target[at] = takesLeft ? source[left++]! : source[right++]!;
        if (++steps % step === 0) yield;
      }
    }
    [source, target] = [target, source];
  }
  if (source !== records) records.set(source);
}

const smallRun = 12;
/** So many words are merged before others have their turn. */
const wordsOfStep = 1 << 21;
/** Beside five bytes of a key a word has so many bits for the place of its record. */
const placeBits = 24;
const mostWithFifthByte = 2 ** placeBits;
/** So many keys tell whether it is worth it to look what all have in common, which is so from so many bytes on. */
const sampledKeys = 16;
const worthSkipping = 3;

/** Sorts the record numbers in place by unsigned key bytes; records with equal keys keep the order of their numbers if they came in it. */
export function sortByKey(records: Uint32Array, keys: KeyTable, step = recordsOfStep): Sorting {
  return new WordSort(records, keys).sorting(step);
}

/** Merges two neighbours among words that are in order each; halves of a word lie low half first. */
function* mergeWords(source: Uint32Array, target: Uint32Array, from: number, middle: number, end: number): Sorting {
  for (let at = from, left = from, right = middle; at < end; ) {
    const stop = Math.min(end, at + wordsOfStep);
    for (; at < stop; at++) {
      let takesLeft = right === end;
      if (!takesLeft && left < middle) {
        const [one, other] = [source[2 * left + 1]!, source[2 * right + 1]!];
        takesLeft = one < other || (one === other && source[2 * left]! <= source[2 * right]!);
      }
      const next = takesLeft ? left++ : right++;
      target[2 * at] = source[2 * next]!;
      target[2 * at + 1] = source[2 * next + 1]!;
    }
    yield;
  }
}

/** Its scratch space is made once: what sorts a part of the records uses that part of it, for the words of a part are of no use once it is in order. */
class WordSort {
  readonly #records: Uint32Array;
  readonly #keys: KeyTable;
  readonly #words: BigUint64Array;
  /** The words' halves; little-endian: low half first. */
  readonly #halves: Uint32Array;
  /** What stood at each place before, or the next bytes of its key. */
  readonly #beside: Uint32Array;

  constructor(records: Uint32Array, keys: KeyTable) {
    const isSmall = records.length <= smallRun;
    this.#records = records;
    this.#keys = keys;
    this.#words = new BigUint64Array(isSmall ? 0 : records.length);
    this.#halves = new Uint32Array(this.#words.buffer);
    this.#beside = new Uint32Array(records.length);
  }

  /** Sorts all, step by step. */
  *sorting(step: number): Sorting {
    const to = this.#records.length;
    if (to <= step || to <= smallRun) return this.sort(0, to, 0);
    const start = this.#skipCommon(0, to, 0);
    yield;
    const hasFifth = to <= mostWithFifthByte;
    const isSorted = this.#fillWords(0, to, start, hasFifth);
    yield;
    if (!isSorted) {
      yield* this.#sortWordsInSteps(step);
      this.#moveRecords(0, to, hasFifth);
      yield;
    }
    yield* this.#sortEqualRuns(0, to, start, hasFifth, step);
  }

  /** Sorts the words of so many records at a time, and merges what is in order until all is. */
  *#sortWordsInSteps(step: number): Sorting {
    const count = this.#records.length;
    for (let from = 0; from < count; from += step) {
      this.#words.subarray(from, from + step).sort();
      yield;
    }
    let source: Uint32Array = this.#halves;
    let target: Uint32Array = new Uint32Array(source.length);
    for (let length = step; length < count; length *= 2) {
      for (let from = 0; from < count; from += 2 * length)
        yield* mergeWords(source, target, from, Math.min(from + length, count), Math.min(from + 2 * length, count));
      [source, target] = [target, source];
    }
    if (source !== this.#halves) this.#halves.set(source);
  }

  /** Sorts `from` to `to`, whose keys have their first `depth` bytes (filled with zeros) in common. */
  sort(from: number, to: number, depth: number): void {
    if (to - from <= smallRun) return this.#insertionSort(from, to, depth);
    const start = this.#skipCommon(from, to, depth);
    const hasFifth = to - from <= mostWithFifthByte;
    if (!this.#fillWords(from, to, start, hasFifth)) {
      this.#words.subarray(from, to).sort();
      this.#moveRecords(from, to, hasFifth);
    }
    let first = from;
    while (first < to) first = this.#sortEqualRun(first, to, start, hasFifth);
  }

  /** Sorts by what follows where words are in order and the first of some have the same bytes; answers where those of other bytes begin. */
  #sortEqualRun(first: number, to: number, start: number, hasFifth: boolean): number {
    const halves = this.#halves;
    const high = halves[2 * first + 1];
    const low = halves[2 * first]!;
    let end = first + 1;
    // The whole lower half is the record's place where the fifth byte is not in it.
    while (end < to && halves[2 * end + 1] === high && (!hasFifth || (halves[2 * end]! ^ low) >>> placeBits === 0)) end++;
    if (end - first > 1) this.#sortEqual(first, end, start + (hasFifth ? 5 : 4));
    return end;
  }

  *#sortEqualRuns(from: number, to: number, start: number, hasFifth: boolean, step: number): Sorting {
    for (let first = from, pausedAt = from; first < to; ) {
      first = this.#sortEqualRun(first, to, start, hasFifth);
      if (first - pausedAt < step / 16) continue;
      pausedAt = first;
      yield;
    }
  }

  /** Makes a word of each key's next bytes, filled with zeros, and the record's place; answers whether they are in order already. */
  #fillWords(from: number, to: number, depth: number, hasFifth: boolean): boolean {
    const { bytes, starts, lengths } = this.#keys;
    const [records, halves] = [this.#records, this.#halves];
    let isSorted = true;
    let lastHigh = 0;
    let lastLow = 0;
    for (let i = from; i < to; i++) {
      const record = records[i]!;
      const start = starts[record]! + depth;
      const left = lengths[record]! - depth;
      const high = prefixAt(bytes, start, left);
      const low = hasFifth && left > 4 ? ((bytes[start + 4]! << 24) | (i - from)) >>> 0 : i - from;
      if (high < lastHigh || (high === lastHigh && low < lastLow)) isSorted = false;
      halves[2 * i] = low;
      halves[2 * i + 1] = high;
      lastHigh = high;
      lastLow = low;
    }
    return isSorted;
  }

  /** Brings the records in the order of their words. */
  #moveRecords(from: number, to: number, hasFifth: boolean): void {
    const [records, halves, before] = [this.#records, this.#halves, this.#beside];
    const places = hasFifth ? mostWithFifthByte - 1 : -1;
    for (let i = from; i < to; i++) before[i] = records[i]!;
    for (let i = from; i < to; i++) records[i] = before[from + ((halves[2 * i]! & places) >>> 0)]!;
  }

  /** How many bytes all these keys have in common, of which so many are known to be: some keys tell whether it is worth it to look at all. */
  #skipCommon(from: number, to: number, known: number): number {
    const sampled = this.#commonBytes(from, to, known, Math.ceil((to - from) / sampledKeys));
    return sampled - known < worthSkipping ? known : this.#commonBytes(from, to, known, 1);
  }

  /** How many bytes each `step`th of these keys has in common with the first. */
  #commonBytes(from: number, to: number, known: number, step: number): number {
    const { bytes, starts, lengths } = this.#keys;
    const first = this.#records[from]!;
    let common = lengths[first]!;
    for (let i = from + step; i < to && common > known; i += step) {
      const record = this.#records[i]!;
      const most = Math.min(common, lengths[record]!);
      const [one, other] = [starts[first]!, starts[record]!];
      let same = known;
      while (same < most && bytes[one + same] === bytes[other + same]) same++;
      common = same;
    }
    return Math.max(known, common);
  }

  /** Keys that end within the bytes that are equal come first, by length, then longer ones by what follows. */
  #sortEqual(from: number, to: number, depth: number): void {
    if (to - from <= smallRun) return this.#insertionSort(from, to, depth);
    const { lengths } = this.#keys;
    const records = this.#records;
    let ended = 0;
    let isOneLength = true;
    const firstLength = lengths[records[from]!]!;
    for (let i = from; i < to; i++) {
      const length = lengths[records[i]!]!;
      if (length <= depth) ended++;
      if (length !== firstLength) isOneLength = false;
    }
    if (ended > 0 && !isOneLength) {
      const before = Array.from(records.subarray(from, to));
      const short = before.filter((record) => lengths[record]! <= depth).sort((a, b) => lengths[a]! - lengths[b]!);
      const long = before.filter((record) => lengths[record]! > depth);
      records.set(short, from);
      records.set(long, from + ended);
    }
    if (to - from - ended > 1) this.sort(from + ended, to, depth);
  }

  /** The next bytes of all keys are fetched before they are compared, for memory answers several questions at once. */
  #insertionSort(from: number, to: number, depth: number): void {
    const { bytes, starts, lengths } = this.#keys;
    const [records, prefixes] = [this.#records, this.#beside];
    for (let i = from; i < to; i++) {
      const record = records[i]!;
      prefixes[i] = prefixAt(bytes, starts[record]! + depth, lengths[record]! - depth);
    }
    for (let i = from + 1; i < to; i++) {
      const record = records[i]!;
      const prefix = prefixes[i]!;
      let j = i;
      for (; j > from && prefixes[j - 1]! >= prefix; j--) {
        const other = records[j - 1]!;
        if (prefixes[j - 1] === prefix && this.#compare(other, record, depth) <= 0) break;
        records[j] = other;
        prefixes[j] = prefixes[j - 1]!;
      }
      records[j] = record;
      prefixes[j] = prefix;
    }
  }

  /** By what follows the first `depth` bytes, of which a key may have fewer: of such a one its length alone counts. */
  #compare(one: number, other: number, depth: number): number {
    const { bytes, starts, lengths } = this.#keys;
    const [start, otherStart] = [starts[one]!, starts[other]!];
    return compareKeys(bytes, start + depth, start + lengths[one]!, bytes, otherStart + depth, otherStart + lengths[other]!);
  }
}

/** Up to four of the `left` bytes from `start` on, as an unsigned number, filled with zeros. */
function prefixAt(bytes: Buffer, start: number, left: number): number {
  if (left >= 4) return ((bytes[start]! << 24) | (bytes[start + 1]! << 16) | (bytes[start + 2]! << 8) | bytes[start + 3]!) >>> 0;
  let prefix = 0;
  for (let b = 0; b < left; b++) prefix |= bytes[start + b]! << (24 - 8 * b);
  return prefix >>> 0;
}

/** So many bytes are compared here; keys mostly differ early, and a call into native code takes as long as all of these. */
const comparedHere = 32;

/** Negative, zero or positive: the order of two keys by their unsigned bytes. */
export function compareKeys(left: Buffer, leftStart: number, leftEnd: number, right: Buffer, rightStart: number, rightEnd: number): number {
  const common = Math.min(leftEnd - leftStart, rightEnd - rightStart, comparedHere);
  for (let i = 0; i < common; i++) {
    const difference = left[leftStart + i]! - right[rightStart + i]!;
    if (difference !== 0) return difference;
  }
  if (common < comparedHere) return leftEnd - leftStart - (rightEnd - rightStart);
  return left.compare(right, rightStart + common, rightEnd, leftStart + common, leftEnd);
}

// Sorting record numbers by raw key bytes: eight-byte words of (four key bytes, record number) are sorted natively, equal prefixes again by the next four bytes.

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

/** Sorts the record numbers in place by an order other than that of the bytes; records with equal keys keep the order they came in. */
export function sortByComparator(records: Uint32Array, { bytes, starts, lengths }: KeyTable, compare: KeyComparator): void {
  const endOf = (record: number) => starts[record]! + lengths[record]!;
  records.sort((a, b) => compare(bytes, starts[a]!, endOf(a), bytes, starts[b]!, endOf(b)) || a - b);
}

const smallRun = 12;

/** Sorts the record numbers in place by unsigned key bytes; records with equal keys keep the order of their numbers if they came in it. */
export function sortByKey(records: Uint32Array, keys: KeyTable, depth = 0): void {
  const count = records.length;
  if (count < 2) return;
  if (count <= smallRun) {
    insertionSort(records, keys, depth);
    return;
  }
  const words = new BigUint64Array(count);
  const halves = new Uint32Array(words.buffer); // little-endian: low half first
  const { bytes, starts, lengths } = keys;
  for (let i = 0; i < count; i++) {
    const record = records[i]!;
    const start = starts[record]! + depth;
    const left = lengths[record]! - depth;
    let prefix = 0;
    if (left >= 4) prefix = (bytes[start]! << 24) | (bytes[start + 1]! << 16) | (bytes[start + 2]! << 8) | bytes[start + 3]!;
    else for (let b = 0; b < left; b++) prefix |= bytes[start + b]! << (24 - 8 * b);
    halves[2 * i] = i;
    halves[2 * i + 1] = prefix >>> 0;
  }
  words.sort();
  const before = records.slice();
  for (let i = 0; i < count; i++) records[i] = before[halves[2 * i]!]!;
  for (let from = 0; from < count; ) {
    const prefix = halves[2 * from + 1]!;
    let to = from + 1;
    while (to < count && halves[2 * to + 1] === prefix) to++;
    if (to - from > 1) sortEqualPrefix(records.subarray(from, to), keys, depth + 4);
    from = to;
  }
}

/** Records whose first `depth` bytes (filled with zeros) are equal: the keys that end there come first, by length, then the longer ones by what follows. */
function sortEqualPrefix(records: Uint32Array, keys: KeyTable, depth: number): void {
  const { lengths } = keys;
  let ended = 0;
  for (let i = 0; i < records.length; i++) if (lengths[records[i]!]! <= depth) ended++;
  if (ended > 0) {
    const before = Array.from(records);
    const short = before.filter((record) => lengths[record]! <= depth).sort((a, b) => lengths[a]! - lengths[b]!);
    const long = before.filter((record) => lengths[record]! > depth);
    records.set(short);
    records.set(long, ended);
  }
  if (records.length - ended > 1) sortByKey(records.subarray(ended), keys, depth);
}

function insertionSort(records: Uint32Array, { bytes, starts, lengths }: KeyTable, depth: number): void {
  for (let i = 1; i < records.length; i++) {
    const record = records[i]!;
    const start = starts[record]! + depth;
    const end = starts[record]! + lengths[record]!;
    let j = i;
    for (; j > 0; j--) {
      const other = records[j - 1]!;
      const otherStart = starts[other]!;
      if (compareKeys(bytes, otherStart + depth, otherStart + lengths[other]!, bytes, start, end) <= 0) break;
      records[j] = other;
    }
    records[j] = record;
  }
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

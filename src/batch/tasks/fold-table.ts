// Integer records combined while they are collected: a hash table from key to the folded value, given back partition by partition in key
// order. What it brings stands in docs/decisions/0017-fold-table.md.
import { finish, sortByKey } from './record-sort.ts';
import { checkPartitions, type Fold, type Partitioner, partitionOfKey, type RecordTable } from './record-table.ts';
import type { RecordCursor } from './segment.ts';
import { hashBytes } from './writables.ts';

/** Bytes a record costs beside its key. */
const bookkeepingBytes = 24;

/** Spreads Java's hash over the table's slots: its low bits alone follow the last letters. */
function spread(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return hash ^ (hash >>> 15);
}

/** Keys with one folded integer each. */
export class FoldTable implements RecordTable {
  readonly #partitions: number;
  readonly #partitioner: Partitioner;
  readonly #fold: Fold;
  #bytes = Buffer.allocUnsafe(1 << 16);
  #used = 0;
  #count = 0;
  /** Slot → record + 1. */
  #slots = new Int32Array(1 << 13);
  #hashes = new Int32Array(1 << 12);
  #starts = new Int32Array(1 << 12);
  #lengths = new Int32Array(1 << 12);
  #values = new Int32Array(1 << 12);
  #partitionOf = new Uint16Array(1 << 12);
  added = 0;

  constructor(partitions: number, partitioner: Partitioner, fold: Fold) {
    this.#partitions = partitions;
    this.#partitioner = partitioner;
    this.#fold = fold;
    checkPartitions(partitions);
  }

  get records(): number {
    return this.#count;
  }
  get usedBytes(): number {
    return this.#used + this.#count * bookkeepingBytes;
  }

  /** Folds the value into the key's. @throws RangeError for a value that is no integer of four bytes, or a partition that does not exist */
  add(key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number): void {
    if (valueEnd - valueStart !== 4) throw new RangeError(`a value of ${valueEnd - valueStart} bytes is no integer of 32 bits`);
    this.addInteger(key, keyStart, keyEnd, value.readInt32BE(valueStart));
  }

  addInteger(key: Buffer, start: number, end: number, value: number): void {
    const hash = hashBytes(key, start, end);
    const length = end - start;
    const mask = this.#slots.length - 1;
    const bytes = this.#bytes;
    let slot = spread(hash) & mask;
    for (;;) {
      const record = this.#slots[slot]! - 1;
      if (record < 0) break;
      if (this.#hashes[record] === hash && this.#lengths[record] === length) {
        const at = this.#starts[record]!;
        let i = 0;
        while (i < length && bytes[at + i] === key[start + i]) i++;
        if (i === length) {
          this.#values[record] = this.#fold(this.#values[record]!, value);
          this.added++;
          return;
        }
      }
      slot = (slot + 1) & mask;
    }
    this.#insert(slot, key, start, end, value, hash);
  }

  #insert(slot: number, key: Buffer, start: number, end: number, value: number, hash: number): void {
    const partition = partitionOfKey(this.#partitioner, key, start, end, this.#partitions);
    const length = end - start;
    if (this.#used + length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + length));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    const record = this.#count++;
    this.added++;
    this.#partitionOf[record] = partition;
    key.copy(this.#bytes, this.#used, start, end);
    this.#hashes[record] = hash;
    this.#starts[record] = this.#used;
    this.#lengths[record] = length;
    this.#values[record] = value;
    this.#used += length;
    this.#slots[slot] = record + 1;
    if (this.#count === this.#hashes.length) this.#grow();
  }

  #grow(): void {
    const grow = (old: Int32Array) => {
      const larger = new Int32Array(old.length * 2);
      larger.set(old);
      return larger;
    };
    this.#hashes = grow(this.#hashes);
    this.#starts = grow(this.#starts);
    this.#lengths = grow(this.#lengths);
    this.#values = grow(this.#values);
    const partitionOf = new Uint16Array(this.#partitionOf.length * 2);
    partitionOf.set(this.#partitionOf);
    this.#partitionOf = partitionOf;
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let record = 0; record < this.#count; record++) {
      let slot = spread(this.#hashes[record]!) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = record + 1;
    }
  }

  sorted(partition: number): RecordCursor {
    let count = 0;
    const all = new Uint32Array(this.#count);
    for (let record = 0; record < this.#count; record++) if (this.#partitionOf[record] === partition) all[count++] = record;
    const order = all.slice(0, count);
    finish(sortByKey(order, { bytes: this.#bytes, starts: this.#starts, lengths: this.#lengths }));
    return new FoldCursor(order, this.#bytes, this.#starts, this.#lengths, this.#values);
  }

  clear(): void {
    this.#used = 0;
    this.#count = 0;
    this.added = 0;
    this.#slots.fill(0);
  }
}

/** Keys lie in the table, values in the four bytes before a copy of the key. */
class FoldCursor implements RecordCursor {
  buffer: Buffer = Buffer.allocUnsafe(1 << 10);
  readonly recordStart = -1;
  readonly keyStart = 4;
  keyEnd = 4;
  readonly valueStart = 0;
  readonly valueEnd = 4;
  readonly #order: Uint32Array;
  readonly #bytes: Buffer;
  readonly #starts: Int32Array;
  readonly #lengths: Int32Array;
  readonly #values: Int32Array;
  #at = 0;

  constructor(order: Uint32Array, bytes: Buffer, starts: Int32Array, lengths: Int32Array, values: Int32Array) {
    this.#order = order;
    this.#bytes = bytes;
    this.#starts = starts;
    this.#lengths = lengths;
    this.#values = values;
  }

  next(): boolean {
    if (this.#at >= this.#order.length) return false;
    const record = this.#order[this.#at++]!;
    const start = this.#starts[record]!;
    const length = this.#lengths[record]!;
    if (length + 4 > this.buffer.length) this.buffer = Buffer.allocUnsafe(length * 2);
    this.buffer.writeInt32BE(this.#values[record]!);
    this.#bytes.copy(this.buffer, 4, start, start + length);
    this.keyEnd = 4 + length;
    return true;
  }

  close(): void {}
}

// Records in memory in the order they came, given back partition by partition in key order.
import { sortByKey } from './record-sort.ts';
import { checkPartitions, type Partitioner, partitionOfKey, type RecordTable } from './record-table.ts';
import type { RecordCursor } from './segment.ts';

/** Bytes of bookkeeping a record costs beside its content, as in Hadoop's buffer. */
const bookkeepingBytes = 16;

/** Raw records of all partitions, one after the other. */
export class SortBuffer implements RecordTable {
  readonly #partitions: number;
  readonly #partitioner: Partitioner;
  #bytes = Buffer.allocUnsafe(1 << 16);
  #used = 0;
  #count = 0;
  #starts = new Int32Array(1 << 10);
  #keyLengths = new Int32Array(1 << 10);
  #valueLengths = new Int32Array(1 << 10);
  #partitionOf = new Uint16Array(1 << 10);

  constructor(partitions: number, partitioner: Partitioner) {
    this.#partitions = partitions;
    this.#partitioner = partitioner;
    checkPartitions(partitions);
  }

  get records(): number {
    return this.#count;
  }
  get added(): number {
    return this.#count;
  }
  get usedBytes(): number {
    return this.#used + this.#count * bookkeepingBytes;
  }

  add(key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number): void {
    const keyLength = keyEnd - keyStart;
    const valueLength = valueEnd - valueStart;
    const size = keyLength + valueLength;
    if (this.#used + size > this.#bytes.length) this.#growBytes(size);
    if (this.#count === this.#starts.length) this.#growRecords();
    const partition = partitionOfKey(this.#partitioner, key, keyStart, keyEnd, this.#partitions);
    const at = this.#used;
    key.copy(this.#bytes, at, keyStart, keyEnd);
    if (valueLength > 0) value.copy(this.#bytes, at + keyLength, valueStart, valueEnd);
    this.#starts[this.#count] = at;
    this.#keyLengths[this.#count] = keyLength;
    this.#valueLengths[this.#count] = valueLength;
    this.#partitionOf[this.#count++] = partition;
    this.#used = at + size;
  }

  readonly #integer = Buffer.alloc(4);
  addInteger(key: Buffer, keyStart: number, keyEnd: number, value: number): void {
    this.#integer.writeInt32BE(value | 0);
    this.add(key, keyStart, keyEnd, this.#integer, 0, 4);
  }

  #growBytes(size: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + size));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }

  #growRecords(): void {
    const grow = <T extends Int32Array | Uint16Array>(old: T, make: (length: number) => T): T => {
      const larger = make(old.length * 2);
      larger.set(old);
      return larger;
    };
    this.#starts = grow(this.#starts, (length) => new Int32Array(length));
    this.#keyLengths = grow(this.#keyLengths, (length) => new Int32Array(length));
    this.#valueLengths = grow(this.#valueLengths, (length) => new Int32Array(length));
    this.#partitionOf = grow(this.#partitionOf, (length) => new Uint16Array(length));
  }

  sorted(partition: number): RecordCursor {
    let count = 0;
    for (let i = 0; i < this.#count; i++) if (this.#partitionOf[i] === partition) count++;
    const records = new Uint32Array(count);
    count = 0;
    for (let i = 0; i < this.#count; i++) if (this.#partitionOf[i] === partition) records[count++] = i;
    sortByKey(records, { bytes: this.#bytes, starts: this.#starts, lengths: this.#keyLengths });
    return new TableCursor(records, this.#bytes, this.#starts, this.#keyLengths, this.#valueLengths);
  }

  clear(): void {
    this.#used = 0;
    this.#count = 0;
  }
}

class TableCursor implements RecordCursor {
  readonly buffer: Buffer;
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  readonly #records: Uint32Array;
  readonly #starts: Int32Array;
  readonly #keyLengths: Int32Array;
  readonly #valueLengths: Int32Array;
  #at = 0;

  constructor(records: Uint32Array, buffer: Buffer, starts: Int32Array, keyLengths: Int32Array, valueLengths: Int32Array) {
    this.#records = records;
    this.buffer = buffer;
    this.#starts = starts;
    this.#keyLengths = keyLengths;
    this.#valueLengths = valueLengths;
  }

  next(): boolean {
    if (this.#at >= this.#records.length) return false;
    const record = this.#records[this.#at++]!;
    this.keyStart = this.#starts[record]!;
    this.keyEnd = this.valueStart = this.keyStart + this.#keyLengths[record]!;
    this.valueEnd = this.valueStart + this.#valueLengths[record]!;
    return true;
  }

  close(): void {}
}

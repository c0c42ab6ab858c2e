// Records in memory in the order they came, each as a segment holds it, given back partition by partition in key order.

import { readVariableInteger, variableIntegerSizeAt } from '../../wire/files/writables.ts';
import { finish, type KeyComparator, type Sorting, sortByComparator, sortByKey } from './record-sort.ts';
import { checkPartitions, type Partitioner, partitionOfKey, type RecordTable } from './record-table.ts';
import { copyBytes, largestRecordHead, type RecordCursor, writeRecordHead } from './segment.ts';
import { prefixSizeAt, type WritableKind, writePrefix } from './writables.ts';

/** Bytes of bookkeeping a record costs beside its content, as in Hadoop's buffer. */
const bookkeepingBytes = 16;

export interface SortBufferOptions {
  readonly keyKind: WritableKind;
  readonly valueKind: WritableKind;
  /** So many bytes are set aside; a record that is larger still makes the buffer larger until it is cleared. */
  readonly bytes: number;
  /** The order of keys; undefined: that of their bytes. */
  readonly compare?: KeyComparator | undefined;
}

/** Raw records of all partitions, one after the other. */
export class SortBuffer implements RecordTable {
  readonly #partitions: number;
  readonly #partitioner: Partitioner;
  readonly #options: SortBufferOptions;
  /** Set aside as a whole: the system gives the pages as they are written, and nothing is ever copied to grow. */
  #bytes: Buffer;
  #used = 0;
  #count = 0;
  #keyStarts = new Int32Array(1 << 10);
  #keyLengths = new Int32Array(1 << 10);
  /** How many bytes of a record lie before its key. */
  #headLengths = new Uint8Array(1 << 10);
  #partitionOf = new Uint16Array(1 << 10);
  /** Records by partition, and where each partition begins among them; undefined until they are asked for. */
  #byPartition: { readonly records: Uint32Array; readonly begins: Uint32Array } | undefined;

  /** 1 for each partition whose records are in order. */
  readonly #isSorted: Uint8Array;

  constructor(partitions: number, partitioner: Partitioner, options: SortBufferOptions) {
    this.#partitions = partitions;
    this.#partitioner = partitioner;
    this.#options = options;
    this.#bytes = Buffer.allocUnsafeSlow(options.bytes);
    checkPartitions(partitions);
    this.#isSorted = new Uint8Array(partitions);
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
    const { keyKind, valueKind } = this.#options;
    const keyLength = keyEnd - keyStart;
    const valueLength = valueEnd - valueStart;
    const size = keyLength + valueLength + largestRecordHead;
    const partition = partitionOfKey(this.#partitioner, key, keyStart, keyEnd, this.#partitions);
    if (this.#used + size > this.#bytes.length) this.#growBytes(size);
    if (this.#count === this.#keyStarts.length) this.#growRecords();
    const bytes = this.#bytes;
    const recordAt = this.#used;
    const keyAt = writeRecordHead(bytes, recordAt, keyKind, valueKind, keyLength, valueLength);
    const keyCopied = copyBytes(key, keyStart, keyEnd, bytes, keyAt);
    const valueAt = writePrefix(bytes, keyCopied, valueKind, valueLength);
    this.#used = copyBytes(value, valueStart, valueEnd, bytes, valueAt);
    this.#keyStarts[this.#count] = keyAt;
    this.#keyLengths[this.#count] = keyLength;
    this.#headLengths[this.#count] = keyAt - recordAt;
    this.#partitionOf[this.#count++] = partition;
  }

  readonly #integer = Buffer.alloc(4);
  addInteger(key: Buffer, keyStart: number, keyEnd: number, value: number): void {
    this.#integer.writeInt32BE(value | 0);
    this.add(key, keyStart, keyEnd, this.#integer, 0, 4);
  }

  #growBytes(size: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.ceil((this.#used + size) * 1.25));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }

  #growRecords(): void {
    const grow = <T extends Int32Array | Uint16Array | Uint8Array>(old: T, make: (length: number) => T): T => {
      const larger = make(old.length * 2);
      larger.set(old);
      return larger;
    };
    this.#keyStarts = grow(this.#keyStarts, (length) => new Int32Array(length));
    this.#keyLengths = grow(this.#keyLengths, (length) => new Int32Array(length));
    this.#headLengths = grow(this.#headLengths, (length) => new Uint8Array(length));
    this.#partitionOf = grow(this.#partitionOf, (length) => new Uint16Array(length));
  }

  /** Counts the records of each partition, then gives each its place: one pass for all partitions. */
  #divide(): { readonly records: Uint32Array; readonly begins: Uint32Array } {
    const partitionOf = this.#partitionOf;
    const begins = new Uint32Array(this.#partitions + 1);
    for (let i = 0; i < this.#count; i++) begins[partitionOf[i]! + 1]!++;
    for (let partition = 0; partition < this.#partitions; partition++) begins[partition + 1]! += begins[partition]!;
    const next = begins.slice();
    const records = new Uint32Array(this.#count);
    for (let i = 0; i < this.#count; i++) records[next[partitionOf[i]!]!++] = i;
    return { records, begins };
  }

  #recordsOf(partition: number): Uint32Array {
    if (this.#byPartition?.records.length !== this.#count) {
      this.#byPartition = this.#divide();
      this.#isSorted.fill(0);
    }
    const { records, begins } = this.#byPartition;
    return records.subarray(begins[partition], begins[partition + 1]);
  }

  *sort(partition: number): Sorting {
    const own = this.#recordsOf(partition);
    if (this.#isSorted[partition] === 1) return;
    const keys = { bytes: this.#bytes, starts: this.#keyStarts, lengths: this.#keyLengths };
    const { compare } = this.#options;
    yield* compare === undefined ? sortByKey(own, keys) : sortByComparator(own, keys, compare);
    this.#isSorted[partition] = 1;
  }

  sorted(partition: number): RecordCursor {
    finish(this.sort(partition));
    const own = this.#recordsOf(partition);
    return new TableCursor(own, this.#bytes, this.#keyStarts, this.#headLengths, this.#options);
  }

  clear(): void {
    this.#used = 0;
    this.#count = 0;
    this.#byPartition = undefined;
    if (this.#bytes.length > this.#options.bytes) this.#bytes = Buffer.allocUnsafeSlow(this.#options.bytes);
  }
}

/** So many records are looked at together before they are given: they lie anywhere, and memory answers several questions at once. */
const recordsAhead = 64;
const cacheLineBytes = 64;

class TableCursor implements RecordCursor {
  readonly buffer: Buffer;
  recordStart = 0;
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  readonly #records: Uint32Array;
  readonly #keyStarts: Int32Array;
  readonly #headLengths: Uint8Array;
  readonly #keyKind: WritableKind;
  readonly #valueKind: WritableKind;
  #at = 0;
  /** Of the records that were looked at: where each begins, and its first bytes' last one, which is fetched with all others of its line. */
  readonly #recordStarts = new Int32Array(recordsAhead);
  readonly #fetched = new Uint8Array(recordsAhead);

  constructor(
    records: Uint32Array,
    buffer: Buffer,
    keyStarts: Int32Array,
    headLengths: Uint8Array,
    { keyKind, valueKind }: Pick<SortBufferOptions, 'keyKind' | 'valueKind'>,
  ) {
    this.#records = records;
    this.buffer = buffer;
    this.#keyStarts = keyStarts;
    this.#headLengths = headLengths;
    this.#keyKind = keyKind;
    this.#valueKind = valueKind;
  }

  #lookAhead(): void {
    const [records, buffer, recordStarts, fetched] = [this.#records, this.buffer, this.#recordStarts, this.#fetched];
    const last = buffer.length - 1;
    const count = Math.min(recordsAhead, records.length - this.#at);
    for (let i = 0; i < count; i++) {
      const record = records[this.#at + i]!;
      const start = this.#keyStarts[record]! - this.#headLengths[record]!;
      recordStarts[i] = start;
      fetched[i] = buffer[start]! ^ buffer[Math.min(start + cacheLineBytes, last)]!;
    }
  }

  next(): boolean {
    if (this.#at >= this.#records.length) return false;
    const ahead = this.#at % recordsAhead;
    if (ahead === 0) this.#lookAhead();
    this.#at++;
    const { buffer } = this;
    const start = this.#recordStarts[ahead]!;
    const lengthAt = start + variableIntegerSizeAt(buffer, start);
    const keyAt = lengthAt + variableIntegerSizeAt(buffer, lengthAt);
    const valueAt = keyAt + readVariableInteger(buffer, start);
    this.recordStart = start;
    this.keyStart = keyAt + prefixSizeAt(this.#keyKind, buffer, keyAt);
    this.keyEnd = valueAt;
    this.valueStart = valueAt + prefixSizeAt(this.#valueKind, buffer, valueAt);
    this.valueEnd = valueAt + readVariableInteger(buffer, lengthAt);
    return true;
  }

  close(): void {}
}

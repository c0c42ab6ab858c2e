// One sorted run of records of one partition, in the form Hadoop calls IFile: (key length, value length, key, value)*, two end marks, CRC-32.
import { readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { readVariableInteger, variableIntegerSize, variableIntegerSizeAt, writeVariableInteger } from '../../wire/files/writables.ts';
import { prefixSize, prefixSizeAt, serializedSize, type WritableKind, writePrefix } from './writables.ts';

const endMark = 0xff; // variable-length −1
export const checksumBytes = 4;
const writeBufferBytes = 1 << 20;
const readBufferBytes = 1 << 17;

/** Thrown when a segment's bytes are not what was written. */
export class CorruptSegment extends Error {
  override readonly name = 'CorruptSegment';
}

/** Where one partition's segment lies in a map output or spill file. */
export interface SegmentPlace {
  readonly offset: number;
  /** Bytes of records and end marks. */
  readonly rawLength: number;
  /** Bytes in the file: records, end marks and checksum. */
  readonly partLength: number;
}

/** Writes segments one after the other to an open file. */
export class SegmentWriter {
  readonly #file: number;
  readonly #keyKind: WritableKind;
  readonly #valueKind: WritableKind;
  #buffer = Buffer.allocUnsafe(writeBufferBytes);
  #used = 0;
  #checksum = 0;
  #segmentStart = 0;
  #position = 0;
  /** Records written since the writer was made. */
  records = 0;

  constructor(file: number, keyKind: WritableKind, valueKind: WritableKind) {
    this.#file = file;
    this.#keyKind = keyKind;
    this.#valueKind = valueKind;
  }

  /** Bytes written so far. */
  get position(): number {
    return this.#position + this.#used;
  }

  #flush(): void {
    this.#checksum = crc32(this.#buffer.subarray(0, this.#used), this.#checksum);
    this.#writeOut();
  }

  #writeOut(): void {
    for (let done = 0; done < this.#used; ) done += writeSync(this.#file, this.#buffer, done, this.#used - done);
    this.#position += this.#used;
    this.#used = 0;
  }

  #ensure(bytes: number): void {
    if (this.#used + bytes <= this.#buffer.length) return;
    this.#flush();
    if (bytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(bytes);
  }

  /** Appends one record given by raw content. */
  append(key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number): void {
    const keyLength = keyEnd - keyStart;
    const valueLength = valueEnd - valueStart;
    this.#ensure(keyLength + valueLength + largestRecordHead);
    const at = writeRecordHead(this.#buffer, this.#used, this.#keyKind, this.#valueKind, keyLength, valueLength);
    const keyCopied = copyBytes(key, keyStart, keyEnd, this.#buffer, at);
    const valueAt = writePrefix(this.#buffer, keyCopied, this.#valueKind, valueLength);
    this.#used = copyBytes(value, valueStart, valueEnd, this.#buffer, valueAt);
    this.records++;
  }

  /** Appends the record that a cursor stands on. */
  appendFrom(cursor: RecordCursor): void {
    const { buffer, recordStart, valueEnd } = cursor;
    if (recordStart < 0) return this.append(buffer, cursor.keyStart, cursor.keyEnd, buffer, cursor.valueStart, valueEnd);
    this.#ensure(valueEnd - recordStart);
    buffer.copy(this.#buffer, this.#used, recordStart, valueEnd);
    this.#used += valueEnd - recordStart;
    this.records++;
  }

  /** Ends the segment and answers its place; the next record starts another one. */
  endSegment(): SegmentPlace {
    this.#ensure(2 + checksumBytes);
    this.#buffer[this.#used++] = endMark;
    this.#buffer[this.#used++] = endMark;
    this.#flush();
    this.#buffer.writeUInt32BE(this.#checksum >>> 0, 0);
    this.#used = checksumBytes;
    this.#writeOut();
    const partLength = this.#position - this.#segmentStart;
    const place = { offset: this.#segmentStart, rawLength: partLength - checksumBytes, partLength };
    this.#segmentStart = this.#position;
    this.#checksum = 0;
    return place;
  }
}

/** A record takes at most so many bytes beside its raw key and value. */
export const largestRecordHead = 40;

/** Writes what comes before a record's raw key, as segments hold it; answers the place of the key. */
export function writeRecordHead(
  target: Buffer,
  at: number,
  keyKind: WritableKind,
  valueKind: WritableKind,
  keyLength: number,
  valueLength: number,
): number {
  at = writeVariableInteger(target, at, serializedSize(keyKind, keyLength));
  at = writeVariableInteger(target, at, serializedSize(valueKind, valueLength));
  return writePrefix(target, at, keyKind, keyLength);
}

/** Size of what {@link writeRecordHead} writes. */
export function recordHeadSize(keyKind: WritableKind, valueKind: WritableKind, keyLength: number, valueLength: number): number {
  const keyPrefix = prefixSize(keyKind, keyLength);
  return variableIntegerSize(keyPrefix + keyLength) + variableIntegerSize(serializedSize(valueKind, valueLength)) + keyPrefix;
}

/** Copies bytes; answers the place behind them. Few are faster copied one by one than by a call into native code. */
export function copyBytes(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  const length = end - start;
  if (length <= 24) for (let i = 0; i < length; i++) target[at + i] = source[start + i]!;
  else source.copy(target, at, start, end);
  return at + length;
}

/** A sorted stream of records: what merging works on. After `next()` the raw key and value lie in `buffer`. */
export interface RecordCursor {
  next(): boolean;
  readonly buffer: Buffer;
  /** Where the record begins as segments hold it, with its lengths, up to `valueEnd`; −1 where it does not lie there so. */
  readonly recordStart: number;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  close(): void;
}

/** Reads a segment from memory or, in pieces, from an open file. The checksum is checked when the end is reached. */
export class SegmentReader implements RecordCursor {
  buffer: Buffer;
  recordStart = 0;
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  readonly #file: number | undefined;
  readonly #keyKind: WritableKind;
  readonly #valueKind: WritableKind;
  readonly #close: () => void;
  #at: number;
  #end: number;
  #filePosition: number;
  #fileLeft: number;
  #checksum = 0;
  #finished = false;

  private constructor(
    source: { buffer: Buffer; file?: number; position: number; left: number; close: () => void },
    keyKind: WritableKind,
    valueKind: WritableKind,
  ) {
    this.buffer = source.buffer;
    this.#file = source.file;
    this.#filePosition = source.position;
    this.#fileLeft = source.left;
    this.#at = 0;
    this.#end = source.file === undefined ? source.buffer.length - checksumBytes : 0;
    this.#keyKind = keyKind;
    this.#valueKind = valueKind;
    this.#close = source.close;
  }

  /** A segment that lies wholly in memory, checksum included. @throws CorruptSegment */
  static inMemory(bytes: Buffer, keyKind: WritableKind, valueKind: WritableKind): SegmentReader {
    if (bytes.length < 2 + checksumBytes) throw new CorruptSegment('segment is shorter than its end marks');
    const end = bytes.length - checksumBytes;
    if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) throw new CorruptSegment('checksum of a segment in memory is wrong');
    return new SegmentReader({ buffer: bytes, position: 0, left: 0, close: () => {} }, keyKind, valueKind);
  }

  /** A segment of an open file; `close` runs when the reader is closed. */
  static inFile(
    file: number,
    place: SegmentPlace,
    keyKind: WritableKind,
    valueKind: WritableKind,
    close: () => void = () => {},
  ): SegmentReader {
    const buffer = Buffer.allocUnsafe(Math.min(readBufferBytes, place.rawLength));
    return new SegmentReader({ buffer, file, position: place.offset, left: place.rawLength, close }, keyKind, valueKind);
  }

  /** Makes at least `bytes` bytes (or all that is left) available at the read position. */
  #fill(bytes: number): void {
    if (this.#end - this.#at >= bytes || this.#file === undefined || this.#fileLeft === 0) return;
    const rest = this.#end - this.#at;
    if (bytes > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(bytes, this.buffer.length * 2));
      this.buffer.copy(larger, 0, this.#at, this.#end);
      this.buffer = larger;
    } else this.buffer.copyWithin(0, this.#at, this.#end);
    this.#at = 0;
    this.#end = rest;
    while (this.#end < this.buffer.length && this.#fileLeft > 0) {
      const got = readSync(
        this.#file,
        this.buffer,
        this.#end,
        Math.min(this.buffer.length - this.#end, this.#fileLeft),
        this.#filePosition,
      );
      if (got === 0) throw new CorruptSegment('segment ends before its end marks');
      this.#checksum = crc32(this.buffer.subarray(this.#end, this.#end + got), this.#checksum);
      this.#end += got;
      this.#filePosition += got;
      this.#fileLeft -= got;
    }
  }

  #finish(): false {
    this.#finished = true;
    if (this.#file !== undefined) {
      const written = Buffer.alloc(checksumBytes);
      readSync(this.#file, written, 0, checksumBytes, this.#filePosition);
      if (this.#fileLeft > 0 || written.readUInt32BE() !== this.#checksum >>> 0)
        throw new CorruptSegment('checksum of a segment on disk is wrong');
    }
    return false;
  }

  /** Reads a length and steps behind it. What lies behind the segment's bytes is never looked at. @throws CorruptSegment */
  #length(): number {
    const at = this.#at;
    if (at >= this.#end || at + variableIntegerSizeAt(this.buffer, at) > this.#end)
      throw new CorruptSegment('segment ends before its end marks');
    this.#at = at + variableIntegerSizeAt(this.buffer, at);
    return readVariableInteger(this.buffer, at);
  }

  /** Steps to the next record; false at the end. @throws CorruptSegment */
  next(): boolean {
    if (this.#finished) return false;
    this.#fill(20);
    const before = this.#at;
    const keyLength = this.#length();
    if (keyLength === -1) return this.#finish();
    const valueLength = this.#length();
    if (keyLength < 0 || valueLength < 0) throw new CorruptSegment('record with a negative length');
    if (keyLength + valueLength > this.#end - this.#at + this.#fileLeft) throw new CorruptSegment('record reaches beyond its segment');
    const head = this.#at - before;
    // From the record's beginning on, so that it lies in the buffer as a whole.
    this.#at = before;
    this.#fill(head + keyLength + valueLength);
    this.recordStart = this.#at;
    const at = this.#at + head;
    this.keyStart = at + prefixSizeAt(this.#keyKind, this.buffer, at);
    this.keyEnd = at + keyLength;
    const valueAt = this.keyEnd;
    this.valueEnd = valueAt + valueLength;
    this.valueStart = valueLength === 0 ? valueAt : valueAt + prefixSizeAt(this.#valueKind, this.buffer, valueAt);
    this.#at = this.valueEnd;
    return true;
  }

  close(): void {
    this.#close();
  }
}

const indexEntryBytes = 24;

/** The index beside a map output file: offset, raw length, part length of each partition (8 bytes each), then a checksum (Hadoop's SpillRecord). */
export function encodeIndex(places: readonly SegmentPlace[]): Buffer {
  const bytes = Buffer.alloc(places.length * indexEntryBytes + 8);
  places.forEach((place, i) => {
    bytes.writeBigInt64BE(BigInt(place.offset), i * indexEntryBytes);
    bytes.writeBigInt64BE(BigInt(place.rawLength), i * indexEntryBytes + 8);
    bytes.writeBigInt64BE(BigInt(place.partLength), i * indexEntryBytes + 16);
  });
  bytes.writeBigInt64BE(BigInt(crc32(bytes.subarray(0, bytes.length - 8))), bytes.length - 8);
  return bytes;
}

/** Reads {@link encodeIndex}'s form. @throws CorruptSegment */
export function decodeIndex(bytes: Buffer): SegmentPlace[] {
  return Array.from({ length: countInIndex(bytes) }, (_, i) => placeInIndex(bytes, i));
}

/** How many partitions an index of {@link encodeIndex}'s form has, its checksum checked. @throws CorruptSegment */
export function countInIndex(bytes: Buffer): number {
  const count = (bytes.length - 8) / indexEntryBytes;
  if (!Number.isInteger(count) || count < 0) throw new CorruptSegment('index of a map output has an odd length');
  if (BigInt(crc32(bytes.subarray(0, bytes.length - 8))) !== bytes.readBigInt64BE(bytes.length - 8))
    throw new CorruptSegment('checksum of an index is wrong');
  return count;
}

/** One partition's entry in an index of that form. */
export function placeInIndex(bytes: Buffer, partition: number): SegmentPlace {
  const at = partition * indexEntryBytes;
  return {
    offset: Number(bytes.readBigInt64BE(at)),
    rawLength: Number(bytes.readBigInt64BE(at + 8)),
    partLength: Number(bytes.readBigInt64BE(at + 16)),
  };
}

// One sorted run of records of one partition, in the form Hadoop calls IFile: (key length, value length, key, value)*, two end marks, CRC-32.
import { crc32 } from 'node:zlib';
import { writeWhole } from '../../lib/whole-writes.ts';
import { readVariableInteger, variableIntegerSizeAt, writeVariableInteger } from '../../wire/files/writables.ts';
import type { BlockCodec } from './block-codec.ts';
import { largestKeptBytes, regrown, release } from './byte-pieces.ts';
import { type ByteSource, CorruptSegment, FileBytes, MemoryBytes, PackedBytes, packBlocks } from './segment-bytes.ts';
import { prefixSizeAt, serializedSize, type WritableKind, writePrefix } from './writables.ts';

const endMark = 0xff; // variable-length −1
export const checksumBytes = 4;
const writeBufferBytes = 1 << 20;
const readBufferBytes = 1 << 17;

/** Where one partition's segment lies in a map output or spill file. */
export interface SegmentPlace {
  readonly offset: number;
  /** Bytes of records and end marks, before they were compressed. */
  readonly rawLength: number;
  /** Bytes in the file: records, end marks (both perhaps compressed) and checksum. */
  readonly partLength: number;
}

/** Writes segments one after the other to an open file. */
export class SegmentWriter {
  readonly #file: number;
  readonly #keyKind: WritableKind;
  readonly #valueKind: WritableKind;
  readonly #codec: BlockCodec | undefined;
  #buffer = Buffer.allocUnsafe(writeBufferBytes);
  #used = 0;
  #checksum = 0;
  #segmentStart = 0;
  /** Bytes of this segment before they were compressed. */
  #plainBytes = 0;
  /** Bytes written to the file. */
  position = 0;
  /** Records written since the writer was made. */
  records = 0;

  /** With a codec the segments are compressed (`mapreduce.map.output.compress`). */
  constructor(file: number, keyKind: WritableKind, valueKind: WritableKind, codec?: BlockCodec) {
    this.#file = file;
    this.#keyKind = keyKind;
    this.#valueKind = valueKind;
    this.#codec = codec;
  }

  #flush(): void {
    const plain = this.#buffer.subarray(0, this.#used);
    const bytes = this.#codec === undefined ? plain : packBlocks(plain, this.#codec);
    this.#checksum = crc32(bytes, this.#checksum);
    this.#plainBytes += this.#used;
    this.#used = 0;
    this.#writeOut(bytes);
  }

  #writeOut(bytes: Buffer): void {
    writeWhole(this.#file, bytes);
    this.position += bytes.length;
  }

  /** Makes room for a few bytes, or for a record that is no longer than the buffer. */
  #ensure(bytes: number): void {
    if (this.#used + bytes > this.#buffer.length) this.#flush();
  }

  /** What is longer than the buffer goes through it in pieces. */
  #through(bytes: Buffer, start: number, end: number): void {
    this.#used = copyThrough(bytes, start, end, this.#buffer, this.#used, () => {
      this.#used = this.#buffer.length;
      this.#flush();
    });
  }

  /** Appends one record given by raw content. */
  append(key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number): void {
    const keyLength = keyEnd - keyStart;
    const valueLength = valueEnd - valueStart;
    const isLong = keyLength + valueLength + largestRecordHead > this.#buffer.length;
    this.#ensure(isLong ? largestRecordHead : keyLength + valueLength + largestRecordHead);
    const at = writeRecordHead(this.#buffer, this.#used, this.#keyKind, this.#valueKind, keyLength, valueLength);
    this.records++;
    if (isLong) {
      this.#used = at;
      this.#through(key, keyStart, keyEnd);
      this.#ensure(largestRecordHead);
      this.#used = writePrefix(this.#buffer, this.#used, this.#valueKind, valueLength);
      return this.#through(value, valueStart, valueEnd);
    }
    const keyCopied = copyBytes(key, keyStart, keyEnd, this.#buffer, at);
    const valueAt = writePrefix(this.#buffer, keyCopied, this.#valueKind, valueLength);
    this.#used = copyBytes(value, valueStart, valueEnd, this.#buffer, valueAt);
  }

  /** Appends the record that a cursor stands on. */
  appendFrom(cursor: RecordCursor): void {
    const { buffer, recordStart, valueEnd } = cursor;
    if (recordStart < 0) return this.append(buffer, cursor.keyStart, cursor.keyEnd, buffer, cursor.valueStart, valueEnd);
    this.records++;
    this.#ensure(valueEnd - recordStart);
    if (valueEnd - recordStart > this.#buffer.length) return this.#through(buffer, recordStart, valueEnd);
    buffer.copy(this.#buffer, this.#used, recordStart, valueEnd);
    this.#used += valueEnd - recordStart;
  }

  /** Ends the segment and answers its place; the next record starts another one. */
  endSegment(): SegmentPlace {
    this.#ensure(2);
    this.#buffer[this.#used++] = endMark;
    this.#buffer[this.#used++] = endMark;
    this.#flush();
    const sum = Buffer.allocUnsafe(checksumBytes);
    sum.writeUInt32BE(this.#checksum >>> 0, 0);
    this.#writeOut(sum);
    const place = { offset: this.#segmentStart, rawLength: this.#plainBytes, partLength: this.position - this.#segmentStart };
    this.#segmentStart = this.position;
    this.#plainBytes = 0;
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

/** Copies bytes; answers the place behind them. Few are faster copied one by one than by a call into native code. */
export function copyBytes(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  const length = end - start;
  if (length <= 24) for (let i = 0; i < length; i++) target[at + i] = source[start + i]!;
  else source.copy(target, at, start, end);
  return at + length;
}

/** Copies bytes of any number through a buffer: `full` writes it out each time it is. Answers the place behind the last of them. */
export function copyThrough(source: Buffer, start: number, end: number, target: Buffer, at: number, full: () => void): number {
  for (let from = start; from < end; ) {
    if (at === target.length) {
      full();
      at = 0;
    }
    const taken = Math.min(end - from, target.length - at);
    source.copy(target, at, from, from + taken);
    at += taken;
    from += taken;
  }
  return at;
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
  /** About how many bytes of segments are still to come; of records that lie in tables it is not told. */
  readonly bytesLeft?: number;
  /** Has long records read up to their first bytes alone, until {@link RecordCursor.complete} reads on. */
  shorten?(): void;
  /** Where in `buffer` the bytes end that are read of a record whose rest is still to come; undefined of a whole one. */
  readonly shortAt?: number | undefined;
  complete?(): void;
  /** All bytes of the key, piece by piece, also those that are not read yet; each piece is valid until the next one. */
  keyPieces?(): Generator<Buffer, void, undefined>;
  /** Leaves the record's bytes as they are when others are read, so that who looks at them longer needs no copy, until they are let go. */
  keepBuffer?(): void;
  letBufferGo?(): void;
  close(): void;
}

/** How a segment in memory is compressed, and its length without that. */
export interface PackedSegment {
  readonly codec: BlockCodec;
  readonly rawLength: number;
}

/** So much of a long record tells most of them apart. */
const shortBytes = 1 << 16;

const readBuffer = (rawLength: number): Buffer => Buffer.allocUnsafe(Math.min(readBufferBytes, rawLength));

/** Reads a segment from memory or, in pieces, from an open file. The checksum is checked when the end is reached. */
export class SegmentReader implements RecordCursor {
  buffer: Buffer;
  recordStart = 0;
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  readonly #source: ByteSource;
  readonly #keyKind: WritableKind;
  readonly #valueKind: WritableKind;
  readonly #close: () => void;
  #at = 0;
  /** Where what was read into the buffer ends. */
  #end: number;
  #finished = false;
  #isShortening = false;
  /** Somebody still looks at what was read: the next bytes go to another buffer. */
  #isKept = false;
  /** That, once the next bytes have gone to another one. */
  #kept: Buffer | undefined;
  /** Of the record whose rest is still to come: how long its lengths, its key and its value are. */
  #short: { readonly head: number; readonly keyLength: number; readonly valueLength: number } | undefined;
  shortAt: number | undefined = undefined;

  /** `end`: how much of the buffer is there already. */
  private constructor(
    source: { bytes: ByteSource; buffer: Buffer; end: number; close: () => void },
    keyKind: WritableKind,
    valueKind: WritableKind,
  ) {
    this.buffer = source.buffer;
    this.#source = source.bytes;
    this.#end = source.end;
    this.#keyKind = keyKind;
    this.#valueKind = valueKind;
    this.#close = source.close;
  }

  /** A segment that lies wholly in memory, checksum included; `packed` says how it is compressed. @throws CorruptSegment */
  static inMemory(bytes: Buffer, keyKind: WritableKind, valueKind: WritableKind, packed?: PackedSegment): SegmentReader {
    if (bytes.length < 2 + checksumBytes) throw new CorruptSegment('segment is shorter than its end marks');
    const end = bytes.length - checksumBytes;
    const content = bytes.subarray(0, end);
    if (crc32(content) !== bytes.readUInt32BE(end)) throw new CorruptSegment('checksum of a segment in memory is wrong');
    const close = () => {};
    if (packed === undefined)
      return new SegmentReader({ bytes: new MemoryBytes(bytes.subarray(end, end)), buffer: bytes, end, close }, keyKind, valueKind);
    const plain = new PackedBytes(new MemoryBytes(content), packed.codec, packed.rawLength);
    return new SegmentReader({ bytes: plain, buffer: readBuffer(packed.rawLength), end: 0, close }, keyKind, valueKind);
  }

  /** A segment of an open file; `close` runs when the reader is closed. */
  static inFile(
    file: number,
    { offset, rawLength, partLength }: SegmentPlace,
    keyKind: WritableKind,
    valueKind: WritableKind,
    close: () => void = () => {},
    codec?: BlockCodec,
  ): SegmentReader {
    const inFile = new FileBytes(file, offset, codec === undefined ? rawLength : partLength - checksumBytes);
    const bytes = codec === undefined ? inFile : new PackedBytes(inFile, codec, rawLength);
    return new SegmentReader({ bytes, buffer: readBuffer(rawLength), end: 0, close }, keyKind, valueKind);
  }

  /** Makes at least `bytes` bytes (or all that is left) available at the read position. */
  #fill(bytes: number): void {
    if (this.#end - this.#at >= bytes || this.#source.left === 0) return;
    const rest = this.#end - this.#at;
    if (this.#isKept) {
      this.#isKept = false;
      const own = Buffer.allocUnsafeSlow(Math.max(bytes, readBufferBytes));
      this.buffer.copy(own, 0, this.#at, this.#end);
      this.#kept = this.buffer;
      this.buffer = own;
    } else {
      this.buffer.copyWithin(0, this.#at, this.#end);
      // What a long record made larger is not kept for short ones.
      const isTooLarge = this.buffer.length > 4 * largestKeptBytes && bytes < this.buffer.length / 4 && rest < largestKeptBytes;
      if (isTooLarge || bytes > this.buffer.length)
        this.buffer = regrown(
          this.buffer,
          rest,
          Math.max(bytes, rest, isTooLarge ? readBufferBytes : Math.min(this.buffer.length * 2, largestKeptBytes)),
        );
    }
    this.#at = 0;
    this.#end = rest;
    while (this.#end < this.buffer.length && this.#source.left > 0) this.#end += this.#source.read(this.buffer, this.#end);
  }

  get bytesLeft(): number {
    return this.#source.left + this.#end - this.#at;
  }

  #finish(): false {
    this.#finished = true;
    this.#source.check();
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
    this.complete();
    this.#fill(20);
    const before = this.#at;
    const keyLength = this.#length();
    if (keyLength === -1) return this.#finish();
    const valueLength = this.#length();
    if (keyLength < 0 || valueLength < 0) throw new CorruptSegment('record with a negative length');
    if (keyLength + valueLength > this.#end - this.#at + this.#source.left) throw new CorruptSegment('record reaches beyond its segment');
    const head = this.#at - before;
    // From the record's beginning on, so that it lies in the buffer as a whole.
    this.#at = before;
    if (this.#isShortening && keyLength + valueLength > largestKeptBytes && keyLength + valueLength > this.#end - this.#at)
      this.#beginShort(head, keyLength, valueLength);
    else {
      this.#fill(head + keyLength + valueLength);
      this.#stand(head, keyLength, valueLength);
    }
    return true;
  }

  /** The whole record lies in the buffer. */
  #stand(head: number, keyLength: number, valueLength: number): void {
    this.recordStart = this.#at;
    const at = this.#at + head;
    this.keyStart = at + prefixSizeAt(this.#keyKind, this.buffer, at);
    this.keyEnd = at + keyLength;
    const valueAt = this.keyEnd;
    this.valueEnd = valueAt + valueLength;
    this.valueStart = valueLength === 0 ? valueAt : valueAt + prefixSizeAt(this.#valueKind, this.buffer, valueAt);
    this.#at = this.valueEnd;
  }

  #beginShort(head: number, keyLength: number, valueLength: number): void {
    this.#fill(Math.min(shortBytes, head + keyLength + valueLength));
    this.#short = { head, keyLength, valueLength };
    const at = this.#at + head;
    this.keyStart = at + prefixSizeAt(this.#keyKind, this.buffer, at);
    this.keyEnd = at + keyLength;
    this.shortAt = this.#end;
  }

  shorten(): void {
    this.#isShortening = true;
  }

  /** Reads the rest of the record. @throws CorruptSegment */
  complete(): void {
    if (this.#short === undefined) return;
    const { head, keyLength, valueLength } = this.#short;
    this.#short = this.shortAt = undefined;
    this.#fill(head + keyLength + valueLength);
    this.#stand(head, keyLength, valueLength);
  }

  *keyPieces(): Generator<Buffer, void, undefined> {
    const readEnd = Math.min(this.keyEnd, this.shortAt ?? this.keyEnd);
    yield this.buffer.subarray(this.keyStart, readEnd);
    let left = this.keyEnd - readEnd;
    if (left === 0) return;
    const ahead = this.#source.fork();
    const piece = Buffer.allocUnsafe(readBufferBytes);
    while (left > 0) {
      const got = ahead.read(piece.subarray(0, left), 0);
      left -= got;
      yield piece.subarray(0, got);
    }
  }

  keepBuffer(): void {
    this.#isKept = true;
  }

  letBufferGo(): void {
    this.#isKept = false;
    if (this.#kept !== undefined) release(this.#kept);
    this.#kept = undefined;
  }

  close(): void {
    this.#close();
  }
}

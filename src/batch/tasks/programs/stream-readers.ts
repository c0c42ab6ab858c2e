// Records out of what a command writes, in each form that it may have.
import { largestKeptBytes, regrown } from '../byte-pieces.ts';
import { LineSplitter } from './line-splitter.ts';
import type { StreamForm } from './stream-forms.ts';
import { TypedBytesScanner } from './typed-bytes.ts';

/** Takes one record; the bytes are valid during the call. */
type ConsumeRecord = (key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number) => void;

/** Takes what a command writes, as it comes. */
export interface StreamReader {
  push(piece: Buffer): void;
  /** The command has written all. @throws Error where it ends in the midst of a record */
  end(): void;
}

export interface StreamReaderOptions {
  /** What stands between fields of a line, and how many of them are the key. */
  readonly separator: Buffer;
  readonly keyFields: number;
  /** The longest record, bytes, and what is thrown for a longer one. */
  readonly longest: number;
  readonly tooLong: () => Error;
}

/** Thrown where what a command writes is not in the form that its job names. */
class BadStream extends Error {
  override readonly name = 'java.io.IOException';
}

/** Length of the next key or value with all that belongs to it; undefined where more has to come. */
interface Scan {
  lengthOf(buffer: Buffer, start: number, end: number): number | undefined;
}

const lengthBytes = 4;
const rawScan: Scan = {
  lengthOf(buffer, start, end) {
    if (end - start < lengthBytes) return undefined;
    const length = buffer.readInt32BE(start);
    if (length < 0) throw new BadStream(`the command wrote a length of ${length}`);
    return end - start - lengthBytes < length ? undefined : lengthBytes + length;
  },
};

/** Records whose keys and values say themselves how long they are; `head` bytes of each are not their content. */
class FramedReader implements StreamReader {
  readonly #scan: Scan;
  readonly #head: number;
  readonly #consume: ConsumeRecord;
  readonly #options: StreamReaderOptions;
  /** What is not read yet, from where the record under way begins. */
  #buffer: Buffer = Buffer.alloc(0);
  #used = 0;
  /** Length of the key of the record under way. */
  #keyLength: number | undefined;

  constructor(scan: Scan, head: number, consume: ConsumeRecord, options: StreamReaderOptions) {
    this.#scan = scan;
    this.#head = head;
    this.#consume = consume;
    this.#options = options;
  }

  push(piece: Buffer): void {
    if (this.#used === 0) {
      const rest = this.#read(piece, piece.length);
      this.#keep(piece, rest, piece.length);
      return;
    }
    this.#room(piece.length);
    piece.copy(this.#buffer, this.#used);
    this.#used += piece.length;
    const rest = this.#read(this.#buffer, this.#used);
    if (rest > 0) this.#buffer.copyWithin(0, rest, this.#used);
    this.#used -= rest;
    if (rest > largestKeptBytes) this.#buffer = regrown(this.#buffer, this.#used, this.#used * 2);
    if (this.#used > this.#options.longest) throw this.#options.tooLong();
  }

  /** Hands on the records that are complete; answers where the next one begins. */
  #read(buffer: Buffer, end: number): number {
    let at = 0;
    for (;;) {
      this.#keyLength ??= this.#scan.lengthOf(buffer, at, end);
      if (this.#keyLength === undefined) return at;
      const keyEnd = at + this.#keyLength;
      const valueLength = this.#scan.lengthOf(buffer, keyEnd, end);
      if (valueLength === undefined) return at;
      this.#consume(buffer, at + this.#head, keyEnd, buffer, keyEnd + this.#head, keyEnd + valueLength);
      at = keyEnd + valueLength;
      this.#keyLength = undefined;
    }
  }

  #keep(piece: Buffer, start: number, end: number): void {
    if (end - start > this.#options.longest) throw this.#options.tooLong();
    this.#room(end - start);
    this.#used = piece.copy(this.#buffer, 0, start, end);
  }

  #room(more: number): void {
    if (this.#used + more <= this.#buffer.length) return;
    this.#buffer = regrown(this.#buffer, this.#used, Math.max(this.#used + more, this.#buffer.length * 2));
  }

  end(): void {
    if (this.#used > 0) throw new BadStream(`the command’s output ends in the midst of a record: ${this.#used} bytes are left`);
  }
}

/** Where the separator lies in a line, −1 where it does not. Of one byte it is looked for here: keys are short. */
function indexInLine(buffer: Buffer, from: number, end: number, separator: Buffer): number {
  if (separator.length !== 1) {
    const found = buffer.subarray(from, end).indexOf(separator);
    return found < 0 ? found : from + found;
  }
  const byte = separator[0];
  for (let at = from; at < end; at++) if (buffer[at] === byte) return at;
  return -1;
}

/** Lines with a key of so many fields, and the rest as value. */
function keyAndValue(consume: ConsumeRecord, { separator, keyFields }: StreamReaderOptions) {
  return (buffer: Buffer, start: number, end: number) => {
    let at = start;
    let found = -1;
    for (let field = 0; field < keyFields; field++) {
      found = indexInLine(buffer, at, end, separator);
      if (found < 0) break;
      at = found + separator.length;
    }
    if (found < 0) consume(buffer, start, end, buffer, end, end);
    else consume(buffer, start, found, buffer, at, end);
  };
}

/** A reader of what a command writes in this form. */
export function streamReader(form: StreamForm, consume: ConsumeRecord, options: StreamReaderOptions): StreamReader {
  switch (form) {
    case 'rawbytes':
      return new FramedReader(rawScan, lengthBytes, consume, options);
    case 'typedbytes':
      return new FramedReader(new TypedBytesScanner(), 0, consume, options);
    case 'keyonlytext':
      return new LineSplitter((buffer, start, end) => consume(buffer, start, end, buffer, end, end), options.longest, options.tooLong);
    case 'text':
      return new LineSplitter(keyAndValue(consume, options), options.longest, options.tooLong);
  }
}

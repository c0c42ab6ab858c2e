// The records of a split of a sequence file (SequenceFileRecordReader): those behind the first mark that begins in the split, up to the first mark
// that does not. Each is handed on as one piece: four bytes with the length of its key, its key and its value, both as text.
import { EndsTooEarly, markBytes, NotSequenceFile, type SequenceHead, sequenceHead } from '../../../wire/files/sequence-reader.ts';
import { readVariableInteger, variableIntegerSizeAt } from '../../../wire/files/writables.ts';
import { RecordTooLong } from '../container-memory.ts';
import { type Unpack, unpackerOf } from './compression.ts';
import type { InputSplit } from './input-split.ts';
import type { LineConsumer } from './line-reader.ts';
import { BadSequenceFile, type BytesShown, type TextOf, textOfClass } from './sequence-values.ts';
import { type ReadElsewhere, SplitSource } from './split-source.ts';

export interface SequenceOptions {
  readonly bytes: BytesShown;
  /** Longer records, and blocks of them, fail the reading, bytes. */
  readonly longestBytes: number;
  /** Bytes read at a time. */
  readonly chunkBytes?: number;
  /** What reads files of other machines. */
  readonly elsewhere?: ReadElsewhere;
}

const integerBytes = 4;
/** Stands before a mark, where else the length of a record does. */
const markEscape = -1;
const partsOfBlock = 4;

/** Numbers and bytes one after the other, in what is there of a file; undefined where that is not all of them. */
class Window {
  readonly bytes: Buffer;
  at: number;
  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }
  take(length: number): Buffer | undefined {
    if (this.at + length > this.bytes.length) return undefined;
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  integer(): number | undefined {
    return this.take(integerBytes)?.readInt32BE();
  }
  variableInteger(): number | undefined {
    if (this.at >= this.bytes.length) return undefined;
    const written = this.take(variableIntegerSizeAt(this.bytes, this.at));
    return written && readVariableInteger(written, 0);
  }
}

/** What becomes of the bytes that are there: they are passed, more have to come, or the split ends before them. */
type Step = 'passed' | 'more' | 'end';

/** Reads the records of one split, a chunk at a time. */
export class SequenceReader {
  readonly #split: InputSplit;
  readonly #options: SequenceOptions;
  readonly #end: number;
  #source: SplitSource | undefined;
  #head: SequenceHead | undefined;
  #keyText!: TextOf;
  #valueText!: TextOf;
  #unpack: Unpack | undefined;
  /** The first mark is still to be found. */
  #isSearching = false;
  #headBytes = 0;
  #piece = Buffer.allocUnsafe(1 << 12);
  #finished = false;

  constructor(split: InputSplit, options: SequenceOptions) {
    this.#split = split;
    this.#options = options;
    this.#end = split.start + split.length;
  }

  get bytesRead(): number {
    return this.#headBytes + (this.#source?.bytesRead ?? 0);
  }

  get progress(): number {
    return this.#finished ? 1 : (this.#source?.progress ?? 0);
  }

  /** Reads one chunk and hands on the records that are complete; false when the split is read to its end. @throws BadSequenceFile, InputNotSeen, RecordTooLong */
  async readChunk(consume: LineConsumer): Promise<boolean> {
    if (this.#finished) return false;
    try {
      this.#head ??= await this.#open();
      const source = this.#source!;
      await source.more();
      const window = new Window(source.buffer.subarray(0, source.used), 0);
      let step: Step = this.#isSearching ? this.#search(this.#head, window) : 'passed';
      while (step === 'passed') step = this.#step(this.#head, window, consume);
      source.drop(window.at);
      this.#finished = step === 'end';
    } catch (error) {
      if (error instanceof BadSequenceFile || error instanceof NotSequenceFile)
        throw new BadSequenceFile(`${this.#split.path}: ${error.message}`);
      throw error;
    }
    return !this.#finished;
  }

  #sourceFrom(start: number): SplitSource {
    const { chunkBytes, elsewhere } = this.#options;
    return new SplitSource({ ...this.#split, start, length: Math.max(0, this.#end - start) }, { chunkBytes, elsewhere, asIs: true });
  }

  /** Reads the head of the file, and leaves its reader where records of the split can begin. */
  async #open(): Promise<SequenceHead> {
    const source = this.#sourceFrom(0);
    this.#source = source;
    let head: SequenceHead | undefined;
    while (head === undefined) {
      await source.more();
      head = this.#readHead(source);
    }
    this.#keyText = textOfClass(head.keyClass, this.#options.bytes);
    this.#valueText = textOfClass(head.valueClass, this.#options.bytes);
    try {
      this.#unpack = head.codec === undefined ? undefined : unpackerOf(head.codec);
    } catch (error) {
      throw new BadSequenceFile((error as Error).message);
    }
    if (this.#split.start <= head.length) {
      source.drop(head.length);
      return head;
    }
    source.close();
    this.#headBytes = source.bytesRead;
    this.#source = this.#sourceFrom(this.#split.start);
    this.#isSearching = true;
    return head;
  }

  #readHead(source: SplitSource): SequenceHead | undefined {
    try {
      return sequenceHead(source.buffer.subarray(0, source.used));
    } catch (error) {
      if (!(error instanceof EndsTooEarly) || source.ended) throw error;
      if (source.used > this.#options.longestBytes)
        throw new RecordTooLong(`the head of ${source.path}`, this.#options.longestBytes, 'MAP');
      return undefined;
    }
  }

  /** Steps to the first mark. */
  #search({ mark }: SequenceHead, window: Window): Step {
    const source = this.#source!;
    const found = window.bytes.indexOf(mark, integerBytes);
    window.at = found < 0 ? Math.max(0, window.bytes.length - integerBytes - markBytes + 1) : found - integerBytes;
    if (source.position + window.at >= this.#end) return 'end';
    if (found < 0) return source.ended ? 'end' : 'more';
    this.#isSearching = false;
    return 'passed';
  }

  /** Passes a mark, a record or a block of records, and no part of them. */
  #step(head: SequenceHead, window: Window, consume: LineConsumer): Step {
    const source = this.#source!;
    const { at } = window;
    const position = source.position + at;
    if (at === window.bytes.length && source.ended) return 'end';
    const length = window.integer();
    let step: Step;
    if (length === markEscape) step = this.#passMark(head, window, position, consume);
    else if (head.compression === 'block' && length !== undefined) throw new BadSequenceFile(`there is no mark at position ${position}`);
    // A split that ends within the head has no record.
    else if (position >= this.#end && position === head.length) step = 'end';
    else step = length === undefined ? 'more' : this.#passRecord(window, length, position, consume);
    if (step === 'more') {
      window.at = at;
      if (source.ended) throw new EndsTooEarly();
    }
    return step;
  }

  #passMark(head: SequenceHead, window: Window, position: number, consume: LineConsumer): Step {
    const mark = window.take(markBytes);
    if (mark === undefined) return 'more';
    if (!mark.equals(head.mark)) throw new BadSequenceFile(`File is corrupt! There is another mark at position ${position}`);
    if (position >= this.#end) return 'end';
    return head.compression === 'block' ? this.#passBlock(window, position, consume) : 'passed';
  }

  #passRecord(window: Window, length: number, position: number, consume: LineConsumer): Step {
    const keyLength = window.integer();
    if (keyLength === undefined) return 'more';
    if (length < 0 || keyLength < 0 || keyLength > length) throw new BadSequenceFile(`a length at position ${position} is wrong`);
    this.#checkLength(length, position);
    const record = window.take(length);
    if (record === undefined) return 'more';
    const value = record.subarray(keyLength);
    const plain = this.#unpack === undefined ? value : this.#unpacked(value, position);
    this.#handOn(record.subarray(0, keyLength), plain, position, consume);
    return 'passed';
  }

  /** Lengths of keys, keys, lengths of values, values: each compressed by itself. */
  #passBlock(window: Window, position: number, consume: LineConsumer): Step {
    const records = window.variableInteger();
    const packed: Buffer[] = [];
    for (let part = 0; part < partsOfBlock; part++) {
      const length = window.variableInteger();
      if (length === undefined) return 'more';
      if (length < 0) throw new BadSequenceFile(`a length at position ${position} is wrong`);
      this.#checkLength(length, position);
      const bytes = window.take(length);
      if (bytes === undefined) return 'more';
      packed.push(bytes);
    }
    const [keyLengths, keys, valueLengths, values] = packed.map((part) => new Window(this.#unpacked(part, position), 0));
    for (let record = 0; record < records!; record++) {
      const [keyLength, valueLength] = [keyLengths!.variableInteger() ?? -1, valueLengths!.variableInteger() ?? -1];
      const key = keyLength < 0 ? undefined : keys!.take(keyLength);
      const value = valueLength < 0 ? undefined : values!.take(valueLength);
      if (key === undefined || value === undefined) throw new BadSequenceFile(`the block at position ${position} ends too early`);
      this.#handOn(key, value, position, consume);
    }
    return 'passed';
  }

  #checkLength(bytes: number, position: number): void {
    const { longestBytes } = this.#options;
    if (bytes > longestBytes) throw new RecordTooLong(`the record at position ${position} of ${this.#split.path}`, longestBytes, 'MAP');
  }

  #unpacked(packed: Buffer, position: number): Buffer {
    const { longestBytes } = this.#options;
    try {
      return this.#unpack!(packed, longestBytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') this.#checkLength(longestBytes + 1, position);
      throw new BadSequenceFile(`what is compressed at position ${position} cannot be read: ${(error as Error).message}`);
    }
  }

  #handOn(key: Buffer, value: Buffer, position: number, consume: LineConsumer): void {
    const [keyText, valueText] = [this.#keyText(key), this.#valueText(value)];
    const length = integerBytes + keyText.length + valueText.length;
    if (this.#piece.length < length) this.#piece = Buffer.allocUnsafe(Math.max(length, this.#piece.length * 2));
    const valueStart = this.#piece.writeUInt32BE(keyText.length) + keyText.copy(this.#piece, integerBytes);
    valueText.copy(this.#piece, valueStart);
    consume(this.#piece, 0, length, position);
  }

  close(): void {
    this.#source?.close();
  }
}

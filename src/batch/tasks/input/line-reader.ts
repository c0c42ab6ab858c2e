// Lines of a split: Hadoop's LineRecordReader. A split that does not begin its file drops its first line; every split reads on until the line that
// starts at or before its end is complete. So each line is read exactly once.
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { hostname } from 'node:os';
import { RecordTooLong } from '../container-memory.ts';
import { Bzip2Reader } from './bzip2.ts';
import { decompressorOf, splitsWhole } from './compression.ts';
import type { InputSplit } from './input-split.ts';

/** Receives one line: bytes `start` to `end` of `buffer` (valid during the call) and the line's position in the file. */
export type LineConsumer = (buffer: Buffer, start: number, end: number, position: number) => void;
/** Receives `lines` lines with a line feed between each two. */
export type LinesConsumer = (buffer: Buffer, start: number, end: number, lines: number) => void;

export interface LineOptions {
  /** `textinputformat.record.delimiter` as bytes; undefined = line feed, carriage return or both. */
  readonly delimiter?: Buffer;
  /** Lines of at least this many bytes are skipped (`mapreduce.input.linerecordreader.line.maxlength`). */
  readonly maximumLineBytes?: number;
  readonly onSkipped?: (position: number, length: number) => void;
  /** Lines of more bytes, where they are not skipped, fail the reading. */
  readonly longestLineBytes?: number;
  readonly chunkBytes?: number;
}

const lineFeed = 10;
const carriageReturn = 13;
const defaultChunkBytes = 1 << 18;

/** Thrown where a task does not see its input, or may not read it. */
export class InputNotSeen extends Error {
  override readonly name = 'FileNotFoundException';
}

function openInput(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw inputFailure(error as NodeJS.ErrnoException, path);
  }
}

function inputFailure(error: NodeJS.ErrnoException, path: string): Error {
  if (error.code === 'EACCES' || error.code === 'EPERM') return new InputNotSeen(`file:${path} (Permission denied) on ${hostname()}`);
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') return error;
  return new InputNotSeen(`File file:${path} does not exist on ${hostname()}: the input of a job has to lie where all nodes see it`);
}

/** Reads the lines of one split, a chunk at a time. */
export class LineReader {
  readonly #split: InputSplit;
  readonly #delimiter: Buffer | undefined;
  readonly #maximumLineBytes: number;
  readonly #longestLineBytes: number;
  readonly #onSkipped: (position: number, length: number) => void;
  readonly #chunkBytes: number;
  #end: number;
  /** Where the lines of a part of a compressed file end, as soon as that is known. */
  #ownEnd: () => number | undefined = () => undefined;
  #file: number | undefined;
  #stream: AsyncIterator<Buffer> | undefined;
  #closeSource: () => void = () => {};
  #rawBytes: () => number = () => this.#plainBytes;
  #plainBytes = 0;
  #buffer: Buffer;
  #used = 0;
  /** File position of the buffer's first byte. */
  #position: number;
  /** What is read belongs to the last line of the split before. */
  #skipFirst: boolean;
  /** Where the line began of which bytes were dropped already, because it is to be skipped anyway. */
  #droppedFrom: number | undefined;
  /** Up to here the line that is not complete has no end. */
  #searched = 0;
  /** The next carriage return and line feed from the search on, or where the buffer's content ends; −1 where they are to be looked for. */
  #nextReturn = -1;
  #nextFeed = -1;
  #sourceEnded = false;
  #finished = false;

  constructor(split: InputSplit, options: LineOptions = {}) {
    this.#split = split;
    this.#delimiter = options.delimiter;
    this.#maximumLineBytes = options.maximumLineBytes ?? Number.MAX_SAFE_INTEGER;
    this.#longestLineBytes = options.longestLineBytes ?? Number.MAX_SAFE_INTEGER;
    this.#onSkipped = options.onSkipped ?? (() => {});
    this.#chunkBytes = options.chunkBytes ?? defaultChunkBytes;
    this.#buffer = Buffer.allocUnsafe(this.#chunkBytes);
    this.#position = split.start;
    const decompressor = decompressorOf(split.path, split);
    if (decompressor === undefined) {
      this.#file = openInput(split.path);
      this.#end = split.start + split.length;
    } else {
      if (split.start !== 0 && splitsWhole(split.path)) throw new Error(`Cannot seek in ${split.path}: it is compressed`);
      const source = createReadStream(split.path, { start: split.start });
      this.#closeSource = () => void source.destroy();
      source.on('error', (error) => decompressor.destroy(inputFailure(error, split.path)));
      this.#stream = source.pipe(decompressor)[Symbol.asyncIterator]();
      this.#rawBytes = () => source.bytesRead;
      this.#end = Number.MAX_SAFE_INTEGER;
      this.#position = 0;
      if (decompressor instanceof Bzip2Reader) this.#ownEnd = () => decompressor.ownEnd;
    }
    this.#skipFirst = split.start > 0;
  }

  /** Bytes read from the file so far (compressed bytes of a compressed one). */
  get bytesRead(): number {
    return this.#rawBytes();
  }

  /** 0 to 1. */
  get progress(): number {
    if (this.#finished) return 1;
    const done = this.#stream === undefined ? this.#position - this.#split.start : this.bytesRead;
    return this.#split.length === 0 ? 0 : Math.min(1, done / this.#split.length);
  }

  #grow(bytes: number): void {
    if (this.#used + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#used + bytes, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#used);
    this.#buffer = larger;
  }

  async #more(): Promise<void> {
    if (this.#stream !== undefined) {
      const next = await this.#stream.next();
      this.#end = this.#ownEnd() ?? this.#end;
      if (next.done) this.#sourceEnded = true;
      else {
        this.#grow(next.value.length);
        this.#used += next.value.copy(this.#buffer, this.#used);
      }
      return;
    }
    this.#grow(this.#chunkBytes);
    // Beyond the split's end only the rest of one line is wanted: small reads.
    const beyond = this.#position + this.#used - this.#end;
    const wanted = beyond > 0 ? Math.min(this.#chunkBytes, 4096) : Math.min(this.#chunkBytes, Math.max(4096, -beyond));
    const got = readSync(this.#file!, this.#buffer, this.#used, wanted, this.#position + this.#used);
    if (got === 0) this.#sourceEnded = true;
    this.#used += got;
    this.#plainBytes += got;
  }

  /**
   * Reads one chunk and hands on the lines that are complete; false when the split is read to its end. With `together` lines go there, many at
   * a time, where nothing has to be done to them.
   * @throws RecordTooLong
   */
  async readChunk(consume: LineConsumer, together?: LinesConsumer): Promise<boolean> {
    if (this.#finished) return false;
    if (this.#position > this.#end && this.#isBetweenLines) return this.#finish();
    await this.#more();
    const view = this.#buffer.subarray(0, this.#used);
    this.#nextReturn = this.#nextFeed = -1;
    let at = together === undefined ? 0 : this.#deliverTogether(together, view);
    while (at < this.#used || this.#sourceEnded) {
      if (at >= this.#used) return this.#finish();
      if (this.#position + at > this.#end && this.#isBetweenLines) return this.#finish();
      const { lineEnd, next } = this.#findEnd(view, at);
      if (next < 0) break;
      if (this.#skipFirst) this.#skipFirst = false;
      else this.#deliver(consume, at, lineEnd);
      at = next;
    }
    this.#keepFrom(at);
    return true;
  }

  /** No bytes were dropped of a line whose end is still to be found. */
  get #isBetweenLines(): boolean {
    return !this.#skipFirst && this.#droppedFrom === undefined;
  }

  /** Keeps the line that is not complete, or, where it is to be skipped, no more of it than shows its end. */
  #keepFrom(at: number): void {
    const open = this.#searched - at;
    let from = at;
    if (!this.#isBetweenLines || open >= this.#maximumLineBytes) {
      if (!this.#skipFirst) this.#droppedFrom ??= this.#position + at;
      from = Math.max(at, this.#searched);
    } else if (open > this.#longestLineBytes)
      throw new RecordTooLong(`the line at position ${this.#position + at} of ${this.#split.path}`, this.#longestLineBytes);
    if (from > 0) this.#buffer.copyWithin(0, from, this.#used);
    this.#used -= from;
    this.#position += from;
    this.#searched = Math.max(0, this.#searched - from);
  }

  /** Hands on all complete lines at once where each begins inside the split and ends with a line feed alone; answers where the rest begins. */
  #deliverTogether(together: LinesConsumer, view: Buffer): number {
    const isPlain =
      this.#delimiter === undefined &&
      this.#maximumLineBytes >= this.#buffer.length &&
      this.#isBetweenLines &&
      this.#position > 0 &&
      this.#position + this.#used <= this.#end;
    if (!isPlain) return 0;
    const unsearched = view.subarray(this.#searched);
    const last = unsearched.lastIndexOf(lineFeed);
    if (last < 0 || unsearched.includes(carriageReturn)) return 0;
    let lines = 1;
    for (let found = unsearched.indexOf(lineFeed); found < last; found = unsearched.indexOf(lineFeed, found + 1)) lines++;
    const end = this.#searched + last;
    together(this.#buffer, 0, end, lines);
    this.#searched = 0;
    return end + 1;
  }

  #deliver(consume: LineConsumer, start: number, end: number): void {
    const from = this.#droppedFrom;
    this.#droppedFrom = undefined;
    if (from !== undefined) return this.#onSkipped(from, this.#position + end - from);
    const position = this.#position + start;
    if (
      position === 0 &&
      end - start >= 3 &&
      this.#buffer[start] === 0xef &&
      this.#buffer[start + 1] === 0xbb &&
      this.#buffer[start + 2] === 0xbf
    )
      start += 3;
    if (end - start >= this.#maximumLineBytes) this.#onSkipped(position, end - start);
    else consume(this.#buffer, start, end, position);
  }

  /** End of the line that starts at `from` and start of the next one; `next` is −1 where more bytes are needed. */
  #findEnd(view: Buffer, from: number): { lineEnd: number; next: number } {
    const used = view.length;
    const start = Math.max(from, this.#searched);
    this.#searched = 0;
    if (this.#delimiter !== undefined) {
      const found = view.indexOf(this.#delimiter, start);
      if (found >= 0) return { lineEnd: found, next: found + this.#delimiter.length };
      return this.#unterminated(Math.max(from, used - this.#delimiter.length + 1), used);
    }
    if (this.#nextReturn < start) {
      const found = view.indexOf(carriageReturn, start);
      this.#nextReturn = found < 0 ? used : found;
    }
    if (this.#nextFeed < start) {
      const found = view.indexOf(lineFeed, start);
      this.#nextFeed = found < 0 ? used : found;
    }
    const feed = this.#nextFeed;
    if (this.#nextReturn > feed) return { lineEnd: feed, next: feed + 1 };
    if (this.#nextReturn === used) return this.#unterminated(used, used);
    const end = this.#nextReturn;
    // Whether a line feed follows is not known yet.
    if (end + 1 === used && !this.#sourceEnded) return this.#unterminated(end, used);
    return { lineEnd: end, next: feed === end + 1 ? end + 2 : end + 1 };
  }

  #unterminated(searched: number, used: number): { lineEnd: number; next: number } {
    if (this.#sourceEnded) return { lineEnd: used, next: used };
    this.#searched = searched;
    return { lineEnd: used, next: -1 };
  }

  #finish(): false {
    if (this.#droppedFrom !== undefined) this.#onSkipped(this.#droppedFrom, this.#position + this.#used - this.#droppedFrom);
    this.#droppedFrom = undefined;
    this.#finished = true;
    return false;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    void this.#stream?.return?.();
    this.#closeSource();
  }
}

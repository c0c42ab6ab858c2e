// Lines of a split: Hadoop's LineRecordReader. A split that does not begin its file drops its first line; every split reads on until the line that
// starts at or before its end is complete. So each line is read exactly once.
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { hostname } from 'node:os';
import { decompressorOf } from './compression.ts';
import type { InputSplit } from './input-split.ts';

/** Receives one line: bytes `start` to `end` of `buffer` (valid during the call) and the line's position in the file. */
export type LineConsumer = (buffer: Buffer, start: number, end: number, position: number) => void;

export interface LineOptions {
  /** `textinputformat.record.delimiter` as bytes; undefined = line feed, carriage return or both. */
  readonly delimiter?: Buffer;
  /** Lines of at least this many bytes are skipped (`mapreduce.input.linerecordreader.line.maxlength`). */
  readonly maximumLineBytes?: number;
  readonly onSkipped?: (position: number, length: number) => void;
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
  readonly #onSkipped: (position: number, length: number) => void;
  readonly #chunkBytes: number;
  readonly #end: number;
  #file: number | undefined;
  #stream: AsyncIterator<Buffer> | undefined;
  #rawBytes: () => number = () => this.#plainBytes;
  #plainBytes = 0;
  #buffer: Buffer;
  #used = 0;
  /** File position of the buffer's first byte. */
  #position: number;
  #skipFirst: boolean;
  #sourceEnded = false;
  #finished = false;

  constructor(split: InputSplit, options: LineOptions = {}) {
    this.#split = split;
    this.#delimiter = options.delimiter;
    this.#maximumLineBytes = options.maximumLineBytes ?? Number.MAX_SAFE_INTEGER;
    this.#onSkipped = options.onSkipped ?? (() => {});
    this.#chunkBytes = options.chunkBytes ?? defaultChunkBytes;
    this.#buffer = Buffer.allocUnsafe(this.#chunkBytes);
    this.#position = split.start;
    const decompressor = decompressorOf(split.path);
    if (decompressor === undefined) {
      this.#file = openInput(split.path);
      this.#end = split.start + split.length;
    } else {
      if (split.start !== 0) throw new Error(`Cannot seek in ${split.path}: it is compressed`);
      const source = createReadStream(split.path);
      source.on('error', (error) => decompressor.destroy(inputFailure(error, split.path)));
      this.#stream = source.pipe(decompressor)[Symbol.asyncIterator]();
      this.#rawBytes = () => source.bytesRead;
      this.#end = Number.MAX_SAFE_INTEGER;
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

  /** Reads one chunk and hands on the lines that are complete; false when the split is read to its end. */
  async readChunk(consume: LineConsumer): Promise<boolean> {
    if (this.#finished) return false;
    if (this.#position > this.#end && !this.#skipFirst) return this.#finish();
    await this.#more();
    let at = 0;
    while (at < this.#used || this.#sourceEnded) {
      if (at >= this.#used) return this.#finish();
      if (!this.#skipFirst && this.#position + at > this.#end) return this.#finish();
      const { lineEnd, next } = this.#findEnd(at);
      if (next < 0) break;
      if (this.#skipFirst) this.#skipFirst = false;
      else this.#deliver(consume, at, lineEnd);
      at = next;
    }
    this.#buffer.copyWithin(0, at, this.#used);
    this.#used -= at;
    this.#position += at;
    return true;
  }

  #deliver(consume: LineConsumer, start: number, end: number): void {
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
  #findEnd(from: number): { lineEnd: number; next: number } {
    const buffer = this.#buffer;
    const used = this.#used;
    const unterminated = { lineEnd: used, next: this.#sourceEnded ? used : -1 };
    if (this.#delimiter !== undefined) {
      const found = buffer.subarray(0, used).indexOf(this.#delimiter, from);
      return found < 0 ? unterminated : { lineEnd: found, next: found + this.#delimiter.length };
    }
    for (let i = from; i < used; i++) {
      const byte = buffer[i];
      if (byte === lineFeed) return { lineEnd: i, next: i + 1 };
      if (byte === carriageReturn) {
        if (i + 1 < used) return { lineEnd: i, next: buffer[i + 1] === lineFeed ? i + 2 : i + 1 };
        return this.#sourceEnded ? { lineEnd: i, next: i + 1 } : { lineEnd: i, next: -1 };
      }
    }
    return unterminated;
  }

  #finish(): false {
    this.#finished = true;
    return false;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    void this.#stream?.return?.();
  }
}

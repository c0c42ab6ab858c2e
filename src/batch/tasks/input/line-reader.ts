// Lines of a split: Hadoop's LineRecordReader. A split that does not begin its file drops its first line; every split reads on until the line that
// starts at or before its end is complete. So each line is read exactly once.
import { RecordTooLong } from '../container-memory.ts';
import type { InputSplit } from './input-split.ts';
import { type ReadElsewhere, SplitSource } from './split-source.ts';

/** Receives one line: bytes `start` to `end` of `buffer` and the line's position in the file. Of a {@link LineReader} they are valid until the next chunk is read, elsewhere during the call. */
export type LineConsumer = (buffer: Buffer, start: number, end: number, position: number) => void;
/** Receives `lines` lines with a line feed between each two. */
export type LinesConsumer = (buffer: Buffer, start: number, end: number, lines: number) => void;

export interface LineOptions {
  /** `textinputformat.record.delimiter` as bytes; undefined = line feed, carriage return or both. */
  readonly delimiter?: Buffer;
  /** Lines of at least this many bytes, with what ends them, are skipped (`mapreduce.input.linerecordreader.line.maxlength`). */
  readonly maximumLineBytes?: number;
  readonly onSkipped?: (position: number, length: number) => void;
  /** Lines of more bytes, where they are not skipped, fail the reading. */
  readonly longestLineBytes?: number;
  readonly chunkBytes?: number;
  /** What reads files of other machines. */
  readonly elsewhere?: ReadElsewhere;
}

const lineFeed = 10;
const carriageReturn = 13;

/** Reads the lines of one split, a chunk at a time. */
export class LineReader {
  readonly #source: SplitSource;
  readonly #delimiter: Buffer | undefined;
  readonly #maximumLineBytes: number;
  readonly #longestLineBytes: number;
  readonly #onSkipped: (position: number, length: number) => void;
  /** What is read belongs to the last line of the split before. */
  #skipFirst: boolean;
  /** Where the line began of which bytes were dropped already, because it is to be skipped anyway. */
  #droppedFrom: number | undefined;
  /** Up to here the line that is not complete has no end. */
  #searched = 0;
  /** The next carriage return and line feed from the search on, or where the buffer's content ends; −1 where they are to be looked for. */
  #nextReturn = -1;
  #nextFeed = -1;
  #finished = false;
  /** So many bytes at the beginning of the buffer are handed on: they stay there until the next chunk is read. */
  #handedOn = 0;

  /** @throws InputNotSeen */
  constructor(split: InputSplit, options: LineOptions = {}) {
    this.#source = new SplitSource(split, { ...options, longestBytes: options.longestLineBytes });
    this.#delimiter = options.delimiter;
    this.#maximumLineBytes = options.maximumLineBytes ?? Number.MAX_SAFE_INTEGER;
    this.#longestLineBytes = options.longestLineBytes ?? Number.MAX_SAFE_INTEGER;
    this.#onSkipped = options.onSkipped ?? (() => {});
    this.#skipFirst = split.start > 0;
  }

  get bytesRead(): number {
    return this.#source.bytesRead;
  }

  get progress(): number {
    return this.#finished ? 1 : this.#source.progressBeyond(this.#handedOn);
  }

  /**
   * Reads one chunk and hands on the lines that are complete; false when the split is read to its end. With `together` lines go there, many at
   * a time, where nothing has to be done to them.
   * @throws RecordTooLong
   */
  async readChunk(consume: LineConsumer, together?: LinesConsumer): Promise<boolean> {
    if (this.#finished) return false;
    this.#keepFrom(this.#handedOn);
    this.#handedOn = 0;
    if (this.#source.position > this.#source.end && this.#isBetweenLines) return this.#finish();
    await this.#source.more();
    const view = this.#source.buffer.subarray(0, this.#source.used);
    this.#nextReturn = this.#nextFeed = -1;
    let at = together === undefined ? 0 : this.#deliverTogether(together, view);
    while (at < this.#source.used || this.#source.ended) {
      if (at >= this.#source.used) return this.#finish();
      if (this.#source.position + at > this.#source.end && this.#isBetweenLines) return this.#finish();
      const { lineEnd, next } = this.#findEnd(view, at);
      if (next < 0) break;
      if (this.#skipFirst) this.#skipFirst = false;
      else this.#deliver(consume, at, lineEnd, next);
      at = next;
    }
    this.#handedOn = at;
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
      if (!this.#skipFirst) this.#droppedFrom ??= this.#source.position + at;
      from = Math.max(at, this.#searched);
    } else if (open > this.#longestLineBytes)
      throw new RecordTooLong(`the line at position ${this.#source.position + at} of ${this.#source.path}`, this.#longestLineBytes, 'MAP');
    this.#source.drop(from);
    this.#searched = Math.max(0, this.#searched - from);
  }

  /** Hands on all complete lines at once where each begins inside the split and ends with a line feed alone; answers where the rest begins. */
  #deliverTogether(together: LinesConsumer, view: Buffer): number {
    const isPlain =
      this.#delimiter === undefined &&
      this.#maximumLineBytes > this.#source.buffer.length &&
      this.#isBetweenLines &&
      this.#source.position > 0 &&
      this.#source.position + this.#source.used <= this.#source.end;
    if (!isPlain) return 0;
    const unsearched = view.subarray(this.#searched);
    const last = unsearched.lastIndexOf(lineFeed);
    if (last < 0 || unsearched.includes(carriageReturn)) return 0;
    let lines = 1;
    for (let found = unsearched.indexOf(lineFeed); found < last; found = unsearched.indexOf(lineFeed, found + 1)) lines++;
    const end = this.#searched + last;
    together(this.#source.buffer, 0, end, lines);
    this.#searched = 0;
    return end + 1;
  }

  /** `next` is where the line after it begins: what ends a line counts to its length. */
  #deliver(consume: LineConsumer, start: number, end: number, next: number): void {
    const from = this.#droppedFrom;
    this.#droppedFrom = undefined;
    if (from !== undefined) return this.#onSkipped(from, this.#source.position + next - from);
    const position = this.#source.position + start;
    if (
      position === 0 &&
      end - start >= 3 &&
      this.#source.buffer[start] === 0xef &&
      this.#source.buffer[start + 1] === 0xbb &&
      this.#source.buffer[start + 2] === 0xbf
    ) {
      start += 3;
      // Nothing else is in the file: it has no line.
      if (start === next) return;
    }
    if (next - start >= this.#maximumLineBytes) this.#onSkipped(position, next - start);
    else consume(this.#source.buffer, start, end, position);
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
    if (end + 1 === used && !this.#source.ended) return this.#unterminated(end, used);
    return { lineEnd: end, next: feed === end + 1 && feed < used ? end + 2 : end + 1 };
  }

  #unterminated(searched: number, used: number): { lineEnd: number; next: number } {
    if (this.#source.ended) return { lineEnd: used, next: used };
    this.#searched = searched;
    return { lineEnd: used, next: -1 };
  }

  #finish(): false {
    if (this.#droppedFrom !== undefined) this.#onSkipped(this.#droppedFrom, this.#source.position + this.#source.used - this.#droppedFrom);
    this.#droppedFrom = undefined;
    this.#finished = true;
    return false;
  }

  close(): void {
    this.#source.close();
  }
}

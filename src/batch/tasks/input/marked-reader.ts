// Records between two marks (StreamXmlRecordReader): from the first mark to the end of the next second one. A record belongs to the split in which
// it begins; what lies between records is passed over, and one that has no end is no record.
import { RecordTooLong } from '../container-memory.ts';
import type { InputSplit } from './input-split.ts';
import type { LineConsumer } from './line-reader.ts';
import { type ReadElsewhere, SplitSource } from './split-source.ts';

export interface Marks {
  readonly begin: Buffer;
  readonly end: Buffer;
  /** Longer records fail the reading, bytes. */
  readonly longestBytes: number;
  /** Bytes read at a time. */
  readonly chunkBytes?: number;
  /** What reads files of other machines. */
  readonly elsewhere?: ReadElsewhere;
}

/** Reads the records of one split, a chunk at a time. */
export class MarkedReader {
  readonly #source: SplitSource;
  readonly #marks: Marks;
  /** The buffer begins with a record whose end is still to be found. */
  #isInside = false;
  /** Up to here the buffer has no end of it. */
  #searched = 0;
  #finished = false;

  /** @throws InputNotSeen */
  constructor(split: InputSplit, marks: Marks) {
    this.#source = new SplitSource(split, marks);
    this.#marks = marks;
  }

  get bytesRead(): number {
    return this.#source.bytesRead;
  }

  get progress(): number {
    return this.#finished ? 1 : this.#source.progress;
  }

  /** Reads one chunk and hands on the records that are complete; false when the split is read to its end. @throws RecordTooLong */
  async readChunk(consume: LineConsumer): Promise<boolean> {
    const source = this.#source;
    if (this.#finished) return false;
    await source.more();
    const { begin, end } = this.#marks;
    const view = source.buffer.subarray(0, source.used);
    let at = 0;
    for (;;) {
      if (!this.#isInside) {
        const found = view.indexOf(begin, at);
        at = found < 0 ? Math.max(at, view.length - begin.length + 1) : found;
        if (source.position + at >= source.end || (found < 0 && source.ended)) return this.#finish();
        if (found < 0) break;
        this.#isInside = true;
        this.#searched = at;
      }
      const found = view.indexOf(end, this.#searched);
      if (found < 0) {
        if (source.ended) return this.#finish();
        this.#searched = Math.max(at, view.length - end.length + 1);
        break;
      }
      consume(source.buffer, at, found + end.length, source.position + at);
      at = found + end.length;
      this.#isInside = false;
    }
    source.drop(at);
    this.#searched = Math.max(0, this.#searched - at);
    const { longestBytes } = this.#marks;
    if (source.used > longestBytes)
      throw new RecordTooLong(`the record at position ${source.position} of ${source.path}`, longestBytes, 'MAP');
    return true;
  }

  #finish(): false {
    this.#finished = true;
    return false;
  }

  close(): void {
    this.#source.close();
  }
}

// Sequence files as Hadoop writes them without compression (SequenceFile, version 6): a head, then records, with marks between them.
import { closeSync, openSync, writeSync } from 'node:fs';
import { withLength } from './writables.ts';

const bufferedBytes = 1 << 16;
/** So far apart lie marks, by which a reader that begins anywhere finds the next record (SequenceFile.SYNC_INTERVAL of the older versions). */
const markIntervalBytes = 2000;
const markEscape = -1;

const integer = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
};

/** Writes one sequence file. */
export class SequenceWriter {
  readonly #file: number;
  readonly #mark: Buffer;
  #pieces: Buffer[];
  #waitingBytes = 0;
  #unmarkedBytes = 0;

  /** Classes are Java’s; `mark`: 16 bytes that stand nowhere else in the file. */
  constructor(
    path: string,
    { keyClass, valueClass, mark }: { readonly keyClass: string; readonly valueClass: string; readonly mark: Buffer },
  ) {
    this.#file = openSync(path, 'w', 0o640);
    this.#mark = mark;
    const isCompressed = Buffer.from([0, 0]);
    this.#pieces = [Buffer.from('SEQ\u0006', 'latin1'), withLength(keyClass), withLength(valueClass), isCompressed, integer(0), mark];
  }

  /** Adds a record; key and value as their classes write them. */
  append(key: Buffer, value: Buffer): void {
    if (this.#unmarkedBytes >= markIntervalBytes) {
      this.#pieces.push(integer(markEscape), this.#mark);
      this.#unmarkedBytes = 0;
    }
    const bytes = Buffer.concat([integer(key.length + value.length), integer(key.length), key, value]);
    this.#pieces.push(bytes);
    this.#unmarkedBytes += bytes.length;
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= bufferedBytes) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#pieces);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    this.#pieces = [];
    this.#waitingBytes = 0;
  }

  /** Writes the rest and closes the file. */
  close(): void {
    this.#flush();
    closeSync(this.#file);
  }
}

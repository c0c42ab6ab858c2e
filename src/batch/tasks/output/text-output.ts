// Text output: key, separator, value, line feed (TextOutputFormat of both of Hadoop's APIs).
import { closeSync, openSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../../lib/make-folder.ts';
import { writeWhole } from '../../../lib/whole-writes.ts';
import { compressorOf } from '../input/compression.ts';
import type { RecordSink } from '../records.ts';
import { copyBytes, copyThrough } from '../segment.ts';
import type { BlockCompressor } from './block-compressors.ts';
import { ChecksumFile } from './checksum-file.ts';

const bufferBytes = 1 << 18;
const lineFeed = 10;

export interface TextOutputOptions {
  readonly path: string;
  /** Values without bytes and kind `null` drop the separator. */
  readonly valueless?: boolean;
  readonly separator: Buffer;
  /** Whether a hidden file of checksums lies beside it, as with Hadoop's local file system; default true. */
  readonly checksums?: boolean;
  /** Class name of the codec, undefined = plain. Its suffix is added to the path. */
  readonly codec?: string;
}

/** Writes records as lines of one file; the file is made when this is made. */
export class TextOutput implements RecordSink {
  readonly full = false;
  readonly #file: number;
  readonly #separator: Buffer;
  readonly #valueless: boolean;
  readonly #compressor: BlockCompressor | undefined;
  readonly #checksums: ChecksumFile | undefined;
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  #used = 0;
  /** Records written. */
  records = 0;
  #dataBytes = 0;

  constructor(options: TextOutputOptions) {
    const codec = options.codec === undefined ? undefined : compressorOf(options.codec);
    this.#compressor = codec?.compress();
    this.#separator = options.separator;
    this.#valueless = options.valueless ?? false;
    makeFolder(dirname(options.path));
    const path = options.path + (codec?.suffix ?? '');
    this.#file = openSync(path, 'w');
    this.#checksums = options.checksums === false ? undefined : new ChecksumFile(join(dirname(path), `.${basename(path)}.crc`));
  }

  /** Bytes written to the file and its checksums. */
  get bytesWritten(): number {
    return this.#dataBytes + (this.#checksums?.bytesWritten ?? 0);
  }

  collect(key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number): void {
    if (this.#valueless) this.#append(key, keyStart, keyEnd);
    else if (key === value && this.#isSeparated(key, keyEnd, valueStart)) this.#append(key, keyStart, valueEnd);
    else {
      this.#append(key, keyStart, keyEnd);
      this.#append(this.#separator, 0, this.#separator.length);
      this.#append(value, valueStart, valueEnd);
    }
    if (this.#used === this.#buffer.length) this.#flush();
    this.#buffer[this.#used++] = lineFeed;
    this.records++;
  }

  collectInteger(key: Buffer, keyStart: number, keyEnd: number, value: number): void {
    const text = Buffer.from(String(value), 'latin1');
    this.collect(key, keyStart, keyEnd, text, 0, text.length);
  }

  async drain(): Promise<void> {}

  /** Whether key and value lie behind each other as a line has them. */
  #isSeparated(bytes: Buffer, keyEnd: number, valueStart: number): boolean {
    const separator = this.#separator;
    if (valueStart - keyEnd !== separator.length) return false;
    for (let i = 0; i < separator.length; i++) if (bytes[keyEnd + i] !== separator[i]) return false;
    return true;
  }

  /** What is longer than the buffer goes through it in pieces. */
  #append(bytes: Buffer, start: number, end: number): void {
    if (this.#used + end - start <= this.#buffer.length) {
      this.#used = copyBytes(bytes, start, end, this.#buffer, this.#used);
      return;
    }
    this.#used = copyThrough(bytes, start, end, this.#buffer, this.#used, () => {
      this.#used = this.#buffer.length;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#used === 0) return;
    const bytes = this.#buffer.subarray(0, this.#used);
    this.#write(this.#compressor === undefined ? bytes : this.#compressor.update(bytes));
    this.#used = 0;
  }

  #write(bytes: Buffer): void {
    writeWhole(this.#file, bytes);
    this.#checksums?.update(bytes);
    this.#dataBytes += bytes.length;
  }

  /** Writes the rest and closes the file. */
  close(): void {
    this.#flush();
    if (this.#compressor !== undefined) this.#write(this.#compressor.end());
    closeSync(this.#file);
    this.#checksums?.close();
  }
}

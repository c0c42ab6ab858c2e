// The bytes of a split, decompressed where its file is compressed, in a buffer that its reader looks for records in.
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { hostname } from 'node:os';
import { Readable, type Transform } from 'node:stream';
import { regrown } from '../byte-pieces.ts';
import { isRemote } from '../remote/store.ts';
import { BadBlocks } from './block-framing.ts';
import { BadBzip2, Bzip2Reader } from './bzip2.ts';
import { decompressorOf, endsWithStream, splitsWhole } from './compression.ts';
import type { InputSplit } from './input-split.ts';

const defaultChunkBytes = 1 << 18;
/** A buffer out of which more than this was taken at once is not kept for what follows. */
const mostKeptBytes = 1 << 23;

/** A buffer of more than this is at once made as large as the longest record may be. */
const mostDoubledBytes = 1 << 26;

/** Reads a file of another machine from a place on. */
export type ReadElsewhere = (address: string, start: number) => AsyncIterable<Buffer>;

export interface SourceOptions {
  /** Bytes read at a time. */
  readonly chunkBytes?: number | undefined;
  /** What reads files of other machines. */
  readonly elsewhere?: ReadElsewhere | undefined;
  /** No record is longer. */
  readonly longestBytes?: number | undefined;
  /** That the file is read as it lies, whatever its name says of compression. */
  readonly asIs?: boolean;
}

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

/** Thrown where a compressed file is damaged, or none: it names the file. */
export class BadCompressedFile extends Error {
  override readonly name = 'java.io.IOException';
}

/** Thrown where a file of another machine does not have the bytes any more that its split was made of. */
export class ShorterInput extends Error {
  override readonly name = 'java.io.EOFException';
}

/** What a decompressor says of bytes that it cannot read names no file. */
function decompressionFailure(error: unknown, path: string): unknown {
  const isOfBytes =
    error instanceof BadBzip2 ||
    error instanceof BadBlocks ||
    (error instanceof Error && /^Z(STD)?_/.test(String((error as NodeJS.ErrnoException).code)));
  return isOfBytes ? new BadCompressedFile(`${path} cannot be decompressed: ${error.message}`) : error;
}

/** Reads on from where a split begins, also beyond its end: where the reading stops is for who reads records. */
export class SplitSource {
  readonly #split: InputSplit;
  readonly #chunkBytes: number;
  readonly #longestBytes: number | undefined;
  /** What is read and not dropped lies here, `used` bytes of it. */
  buffer: Buffer;
  used = 0;
  /** Where the buffer begins, in the file (of a compressed one: in what was decompressed). */
  position: number;
  /** Where the split ends, in the same bytes. */
  end: number;
  /** The file is read to its end. */
  ended = false;
  /** Where the lines of a part of a compressed file end, as soon as that is known. */
  #ownEnd: () => number | undefined = () => undefined;
  #file: number | undefined;
  #stream: AsyncIterator<Buffer> | undefined;
  #closeSource: () => void = () => {};
  readonly #readElsewhere: ReadElsewhere | undefined;
  /** Up to where the file was decompressed, where that can end before the file does. */
  #takenBytes: () => number | undefined = () => undefined;
  #rawBytes: () => number = () => this.#plainBytes;
  #plainBytes = 0;

  /** @throws InputNotSeen */
  constructor(split: InputSplit, { chunkBytes = defaultChunkBytes, elsewhere, longestBytes, asIs = false }: SourceOptions = {}) {
    this.#split = split;
    this.#longestBytes = longestBytes;
    this.#readElsewhere = elsewhere;
    this.#chunkBytes = chunkBytes;
    this.buffer = Buffer.allocUnsafe(chunkBytes);
    this.position = split.start;
    const decompressor = asIs ? undefined : decompressorOf(split.path, split);
    const remote = isRemote(split.path) ? this.#elsewhere(elsewhere, split.start) : undefined;
    if (decompressor === undefined && remote !== undefined) {
      this.#stream = remote[Symbol.asyncIterator]();
      this.#rawBytes = () => this.#plainBytes;
      this.end = split.start + split.length;
      return;
    }
    if (decompressor === undefined) {
      this.#file = openInput(split.path);
      this.end = split.start + split.length;
      return;
    }
    if (split.start !== 0 && splitsWhole(split.path)) throw new Error(`Cannot seek in ${split.path}: it is compressed`);
    this.#decompress(decompressor, remote, split.start);
    this.end = Number.MAX_SAFE_INTEGER;
    this.position = 0;
    if (decompressor instanceof Bzip2Reader) this.#ownEnd = () => decompressor.ownEnd;
  }

  /** Decompresses what lies in the file from a place on. */
  #decompress(decompressor: Transform, remote: AsyncIterable<Buffer> | undefined, start: number): void {
    const { path } = this.#split;
    const file = remote === undefined ? createReadStream(path, { start }) : undefined;
    const source = file ?? Readable.from(remote!);
    this.#closeSource = () => void source.destroy();
    source.on('error', (error) => decompressor.destroy(file === undefined ? error : inputFailure(error, path)));
    this.#stream = source.pipe(decompressor)[Symbol.asyncIterator]();
    // What was read ahead of an earlier stream's end is read again, and counts once.
    const before = start - this.#split.start;
    this.#plainBytes = before;
    this.#rawBytes = () => (file === undefined ? this.#plainBytes : before + file.bytesRead);
    if (endsWithStream(path)) this.#takenBytes = () => start + (decompressor as Transform & { readonly bytesWritten: number }).bytesWritten;
  }

  /** Goes on with the next of several compressed streams; false at the end of the file. Bytes that are no such stream fail the reading. */
  #nextStream(): boolean {
    const { path, length } = this.#split;
    const taken = this.#takenBytes();
    if (taken === undefined || taken >= length) return false;
    this.#closeSource();
    const remote = isRemote(path) ? this.#elsewhere(this.#readElsewhere, taken) : undefined;
    this.#decompress(decompressorOf(path, this.#split)!, remote, taken);
    return true;
  }

  /** The bytes of a file of another machine, counted. */
  async *#elsewhere(read: ReadElsewhere | undefined, start: number): AsyncGenerator<Buffer> {
    if (read === undefined) throw new InputNotSeen(`${this.#split.path} lies with another machine`);
    let at = start;
    for await (const piece of read(this.#split.path, start)) {
      this.#plainBytes += piece.length;
      at += piece.length;
      yield piece;
    }
    const { path, start: from, length } = this.#split;
    if (at < from + length)
      throw new ShorterInput(`${path} ends after ${at} bytes, though it had ${from + length} at least when the job was submitted`);
  }

  get path(): string {
    return this.#split.path;
  }

  /** Bytes read from the file so far (compressed bytes of a compressed one). */
  get bytesRead(): number {
    return this.#rawBytes();
  }

  get progress(): number {
    return this.progressBeyond(0);
  }

  /** How far the reading is, 0 to 1, where so many bytes of the buffer are of no more use. */
  progressBeyond(bytes: number): number {
    const done = this.#stream === undefined ? this.position + bytes - this.#split.start : this.bytesRead;
    return this.#split.length === 0 ? 0 : Math.min(1, done / this.#split.length);
  }

  #grow(bytes: number): void {
    if (this.used + bytes <= this.buffer.length) return;
    const doubled = Math.max(this.used + bytes, this.buffer.length * 2);
    // What is not written to takes no memory; to copy again and again what has become long takes twice as much of it each time.
    const isLong = this.#longestBytes !== undefined && doubled > mostDoubledBytes;
    this.buffer = regrown(
      this.buffer,
      this.used,
      isLong ? Math.max(this.used + bytes, this.#longestBytes + 2 * this.#chunkBytes) : doubled,
    );
  }

  /** Reads another piece behind what there is. @throws InputNotSeen, BadCompressedFile */
  async more(): Promise<void> {
    if (this.#stream !== undefined) {
      let next: IteratorResult<Buffer>;
      try {
        next = await this.#stream.next();
        while (next.done && this.#nextStream()) next = await this.#stream.next();
      } catch (error) {
        throw decompressionFailure(error, this.path);
      }
      this.end = this.#ownEnd() ?? this.end;
      if (next.done) this.ended = true;
      else {
        this.#grow(next.value.length);
        this.used += next.value.copy(this.buffer, this.used);
      }
      return;
    }
    this.#grow(this.#chunkBytes);
    // Beyond the split's end only the rest of one record is wanted: small reads.
    const beyond = this.position + this.used - this.end;
    const wanted = beyond > 0 ? Math.min(this.#chunkBytes, 4096) : Math.min(this.#chunkBytes, Math.max(4096, -beyond));
    const got = readSync(this.#file!, this.buffer, this.used, wanted, this.position + this.used);
    if (got === 0) this.ended = true;
    this.used += got;
    this.#plainBytes += got;
  }

  /** Forgets the first bytes of the buffer, and gives back what a long record made it larger. */
  drop(bytes: number): void {
    if (bytes > 0) this.buffer.copyWithin(0, bytes, this.used);
    this.used -= bytes;
    if (bytes > mostKeptBytes) this.buffer = regrown(this.buffer, this.used, Math.max(this.#chunkBytes, this.used * 2));
    this.position += bytes;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    void this.#stream?.return?.();
    this.#closeSource();
  }
}

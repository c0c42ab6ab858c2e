// Hadoop's files of LZ4 and Snappy: blocks of (length of the plain bytes, then pieces of (length, compressed bytes) until they are all there), all
// lengths four bytes, big-endian (BlockCompressorStream). The two formats of the pieces are small enough to be had here.
import { Transform, type TransformCallback } from 'node:stream';

/** Thrown where the bytes are not of the format. */
export class BadBlocks extends Error {
  override readonly name = 'java.io.IOException';
}

const largestBlock = 1 << 28;
const shortestMatch = 4;

/** A piece of bytes to plain ones: reads `from`, writes to `to` from `at` on and answers where that ends. */
type Decode = (from: Buffer, to: Buffer, at: number) => number;

const bad = (format: string): never => {
  throw new BadBlocks(`a block of ${format} makes no sense`);
};

/** Repeats what was written `distance` bytes ago; the two may overlap. */
function repeat(to: Buffer, at: number, distance: number, length: number, format: string): number {
  if (distance === 0 || distance > at || at + length > to.length) bad(format);
  for (let i = 0; i < length; i++) to[at + i] = to[at + i - distance]!;
  return at + length;
}

function byteAt(bytes: Buffer, at: number, format: string): number {
  const byte = bytes[at];
  return byte === undefined ? bad(format) : byte;
}

// Both lengths are read in place: of a function inside that counted `read` on, the compiler of Node 26.10 (Maglev) made wrong code at times.
/** The block format of LZ4. */
export const decodeLz4: Decode = (from, to, at) => {
  let read = 0;
  while (read < from.length) {
    const token = from[read++]!;
    let literals = token >> 4;
    let matched = token & 15;
    if (literals === 15) {
      let more = byteAt(from, read++, 'LZ4');
      literals += more;
      while (more === 255) {
        more = byteAt(from, read++, 'LZ4');
        literals += more;
      }
    }
    if (read + literals > from.length || at + literals > to.length) bad('LZ4');
    from.copy(to, at, read, read + literals);
    read += literals;
    at += literals;
    if (read === from.length) break;
    if (read + 2 > from.length) bad('LZ4');
    const distance = from.readUInt16LE(read);
    read += 2;
    if (matched === 15) {
      let more = byteAt(from, read++, 'LZ4');
      matched += more;
      while (more === 255) {
        more = byteAt(from, read++, 'LZ4');
        matched += more;
      }
    }
    at = repeat(to, at, distance, matched + shortestMatch, 'LZ4');
  }
  return at;
};

/** The format of Snappy. */
export const decodeSnappy: Decode = (from, to, at) => {
  let read = 0;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = from[read++] ?? bad('Snappy');
    if (shift > 28) bad('Snappy');
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  const end = at + length;
  if (end > to.length) bad('Snappy');
  while (read < from.length) {
    const tag = from[read++]!;
    const kind = tag & 3;
    if (kind === 0) {
      let literals = (tag >> 2) + 1;
      if (literals > 60) {
        const bytes = literals - 60;
        if (read + bytes > from.length) bad('Snappy');
        literals = from.readUIntLE(read, bytes) + 1;
        read += bytes;
      }
      if (read + literals > from.length || at + literals > end) bad('Snappy');
      from.copy(to, at, read, read + literals);
      read += literals;
      at += literals;
      continue;
    }
    const bytes = kind === 3 ? 4 : kind;
    if (read + bytes > from.length) bad('Snappy');
    const copied = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const distance = kind === 1 ? ((tag >> 5) << 8) | from[read]! : from.readUIntLE(read, bytes);
    read += bytes;
    if (at + copied > end) bad('Snappy');
    at = repeat(to, at, distance, copied, 'Snappy');
  }
  return at === end ? at : bad('Snappy');
};

/** The bytes of blocks that are all there, at most so many. @throws BadBlocks */
export function unpackBlocks(decode: Decode, packed: Buffer, mostBytes: number): Buffer {
  const blocks: Buffer[] = [];
  let at = 0;
  let allBytes = 0;
  const take = (length: number): Buffer => {
    if (at + length > packed.length) throw new BadBlocks('what is compressed ends in the middle of a block');
    at += length;
    return packed.subarray(at - length, at);
  };
  while (at < packed.length) {
    const length = take(4).readUInt32BE();
    allBytes += length;
    if (allBytes > mostBytes) throw new BadBlocks(`what is compressed has more than ${mostBytes} bytes`);
    const block = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length; ) filled = decode(take(take(4).readUInt32BE()), block, filled);
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

/** Decompresses a file of blocks. */
export class BlockReader extends Transform {
  readonly #decode: Decode;
  #input: Buffer = Buffer.alloc(0);
  /** The block under way, and how much of it is there. */
  #block: Buffer | undefined;
  #filled = 0;

  constructor(decode: Decode) {
    super();
    this.#decode = decode;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
    try {
      let at = 0;
      for (let next = this.#step(at); next !== undefined; next = this.#step(at)) at = next;
      this.#input = this.#input.subarray(at);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    done(this.#input.length === 0 && this.#block === undefined ? null : new BadBlocks('a compressed file ends in the middle of a block'));
  }

  /** Takes the next length or piece; answers what follows it, undefined where more has to come. */
  #step(at: number): number | undefined {
    const input = this.#input;
    if (input.length - at < 4) return undefined;
    const length = input.readUInt32BE(at);
    if (length > largestBlock) throw new BadBlocks(`a compressed file has a block of ${length} bytes`);
    if (this.#block === undefined) {
      if (length > 0) this.#block = Buffer.allocUnsafe(length);
      this.#filled = 0;
      return at + 4;
    }
    if (input.length - at - 4 < length) return undefined;
    this.#filled = this.#decode(input.subarray(at + 4, at + 4 + length), this.#block, this.#filled);
    if (this.#filled === this.#block.length) {
      this.push(this.#block);
      this.#block = undefined;
    }
    return at + 4 + length;
  }
}

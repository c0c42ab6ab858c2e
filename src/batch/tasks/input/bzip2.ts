// Reading bzip2, block by block. A block begins at any bit and needs nothing of those before it, so that a file can be read from any place on:
// a split has the blocks that begin in it.
import { Transform, type TransformCallback } from 'node:stream';
import { addToSum, firstSum } from '../bzip2-checksum.ts';

/** Thrown where the bytes are no bzip2. */
export class BadBzip2 extends Error {
  override readonly name = 'java.io.IOException';
}

const [blockHigh, blockLow] = [0x314159, 0x265359];
const [endHigh, endLow] = [0x177245, 0x385090];
const headerBits = 32;
const largestBlock = 900_000;
const longestCode = 20;
const symbolsOfGroup = 50;
/** A block of 900,000 bytes that cannot be compressed, with its tables. */
const longestBlockBytes = 1_000_000;
const pieceBytes = 1 << 18;

/** Bits of a buffer, the highest of each byte first. */
class Bits {
  readonly #bytes: Buffer;
  /** Place of the next bit. */
  at: number;
  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }
  get left(): number {
    return this.#bytes.length * 8 - this.at;
  }
  /** At most 24 bits. @throws BadBzip2 behind the end */
  read(count: number): number {
    if (count > this.left) throw new BadBzip2('a bzip2 file ends in the middle of a block');
    const bytes = this.#bytes;
    const byte = this.at >> 3;
    const word = ((bytes[byte]! << 24) | ((bytes[byte + 1] ?? 0) << 16) | ((bytes[byte + 2] ?? 0) << 8) | (bytes[byte + 3] ?? 0)) >>> 0;
    const value = (word << (this.at & 7)) >>> (32 - count);
    this.at += count;
    return value;
  }
  bit(): number {
    const { at } = this;
    const byte = this.#bytes[at >> 3];
    if (byte === undefined) throw new BadBzip2('a bzip2 file ends in the middle of a block');
    this.at = at + 1;
    return (byte >> (7 - (at & 7))) & 1;
  }
}

/** Canonical Huffman codes of one table, ready to be read. */
interface Codes {
  readonly shortest: number;
  /** By length: the largest code, and what takes a code to its place among the symbols. */
  readonly limits: Int32Array;
  readonly offsets: Int32Array;
  readonly symbols: Uint16Array;
}

function codesOf(lengths: Uint8Array): Codes {
  const symbols = new Uint16Array(lengths.length);
  const limits = new Int32Array(longestCode + 2).fill(-1);
  const offsets = new Int32Array(longestCode + 2);
  let place = 0;
  let code = 0;
  let shortest = longestCode + 1;
  for (let length = 1; length <= longestCode; length++) {
    const first = place;
    for (let symbol = 0; symbol < lengths.length; symbol++) if (lengths[symbol] === length) symbols[place++] = symbol;
    if (place > first) shortest = Math.min(shortest, length);
    offsets[length] = first - code;
    code += place - first;
    limits[length] = place > first ? code - 1 : -1;
    code <<= 1;
  }
  return { shortest, limits, offsets, symbols };
}

function readSymbol(bits: Bits, { shortest, limits, offsets, symbols }: Codes): number {
  let code = 0;
  let length = 0;
  while (length < shortest) {
    code = (code << 1) | bits.bit();
    length++;
  }
  while (length <= longestCode) {
    const limit = limits[length]!;
    if (code <= limit) return symbols[code + offsets[length]!]!;
    code = (code << 1) | bits.bit();
    length++;
  }
  throw new BadBzip2('a bzip2 block has a code that its tables do not know');
}

/** The bytes that occur in a block. */
function readAlphabet(bits: Bits): Uint8Array {
  const used: number[] = [];
  const sixteens = bits.read(16);
  for (let i = 0; i < 16; i++) {
    if ((sixteens & (0x8000 >> i)) === 0) continue;
    const present = bits.read(16);
    for (let j = 0; j < 16; j++) if (present & (0x8000 >> j)) used.push(i * 16 + j);
  }
  if (used.length === 0) throw new BadBzip2('a bzip2 block has no bytes');
  return Uint8Array.from(used);
}

/** Takes what is at a place to the front. */
function toFront(list: Uint8Array, place: number): number {
  const value = list[place]!;
  list.copyWithin(1, 0, place);
  list[0] = value;
  return value;
}

function readTables(bits: Bits, symbols: number): { readonly selectors: Uint8Array; readonly codes: readonly Codes[] } {
  const groups = bits.read(3);
  const count = bits.read(15);
  if (groups < 2 || groups > 6 || count === 0) throw new BadBzip2('a bzip2 block has no tables');
  const order = Uint8Array.from({ length: groups }, (_, i) => i);
  const selectors = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    let place = 0;
    while (bits.bit() === 1) if (++place >= groups) throw new BadBzip2('a bzip2 block names a table that it does not have');
    selectors[i] = toFront(order, place);
  }
  const codes = Array.from({ length: groups }, () => {
    const lengths = new Uint8Array(symbols);
    let length = bits.read(5);
    for (let symbol = 0; symbol < symbols; symbol++) {
      while (bits.bit() === 1) length += bits.bit() === 0 ? 1 : -1;
      if (length < 1 || length > longestCode) throw new BadBzip2('a bzip2 block has a code of an impossible length');
      lengths[symbol] = length;
    }
    return codesOf(lengths);
  });
  return { selectors, codes };
}

/** Bytes of a block before they were sorted back, by their place; how often each occurs. */
function readSorted(bits: Bits, bytes: Uint32Array): { readonly length: number; readonly counts: Uint32Array } {
  const front = readAlphabet(bits);
  const endOfBlock = front.length + 1;
  const { selectors, codes } = readTables(bits, front.length + 2);
  const counts = new Uint32Array(256);
  let length = 0;
  let run = 0;
  let weight = 1;
  const endRun = () => {
    const byte = front[0]!;
    if (length + run > largestBlock) throw new BadBzip2('a bzip2 block is too long');
    counts[byte]! += run;
    bytes.fill(byte, length, length + run);
    length += run;
    run = 0;
    weight = 1;
  };
  for (const selector of selectors) {
    const table = codes[selector]!;
    for (let i = 0; i < symbolsOfGroup; i++) {
      const symbol = readSymbol(bits, table);
      if (symbol <= 1) {
        run += weight << symbol;
        weight <<= 1;
        if (run > largestBlock) throw new BadBzip2('a bzip2 block is too long');
        continue;
      }
      if (run > 0) endRun();
      if (symbol === endOfBlock) return { length, counts };
      if (length >= largestBlock) throw new BadBzip2('a bzip2 block is too long');
      const byte = toFront(front, symbol - 1);
      counts[byte]!++;
      bytes[length++] = byte;
    }
  }
  throw new BadBzip2('a bzip2 block has no end');
}

/** Gathers bytes in pieces. */
class Pieces {
  readonly all: Buffer[] = [];
  #piece = Buffer.allocUnsafe(pieceBytes);
  #used = 0;
  #sum = firstSum;
  put(byte: number, times: number): void {
    this.#sum = addToSum(this.#sum, byte, times);
    for (; times > 0; times--) {
      if (this.#used === pieceBytes) this.#end();
      this.#piece[this.#used++] = byte;
    }
  }
  #end(): void {
    this.all.push(this.#piece.subarray(0, this.#used));
    this.#piece = Buffer.allocUnsafe(pieceBytes);
    this.#used = 0;
  }
  /** The checksum of all bytes. */
  finish(): number {
    this.#end();
    return ~this.#sum >>> 0;
  }
}

/** Decodes blocks; one for all blocks of a file. */
class BlockReader {
  readonly #bytes = new Uint32Array(largestBlock);

  /** What follows the magic number of a block. */
  read(bits: Bits): Buffer[] {
    const sum = bits.read(16) * 0x10000 + bits.read(16);
    if (bits.bit() !== 0) throw new BadBzip2('a bzip2 block is of a kind that nothing writes any more');
    const first = bits.read(24);
    const bytes = this.#bytes;
    const { length, counts } = readSorted(bits, bytes);
    if (first >= length) throw new BadBzip2('a bzip2 block begins behind its end');
    // Each byte's follower: where the byte with the same number among its equals stands in sorted order.
    let before = 0;
    for (let byte = 0; byte < 256; byte++) {
      const count = counts[byte]!;
      counts[byte] = before;
      before += count;
    }
    for (let i = 0; i < length; i++) {
      const place = counts[bytes[i]! & 0xff]!++;
      bytes[place]! |= i << 8;
    }
    const pieces = new Pieces();
    let at = bytes[first]! >>> 8;
    let previous = -1;
    let equal = 0;
    for (let left = length; left > 0; left--) {
      const entry = bytes[at]!;
      at = entry >>> 8;
      const byte = entry & 0xff;
      if (equal === 4) {
        // After four equal bytes comes how many more there are.
        pieces.put(previous, byte);
        equal = 0;
        previous = -1;
        continue;
      }
      equal = byte === previous ? equal + 1 : 1;
      previous = byte;
      pieces.put(byte, 1);
    }
    if (pieces.finish() !== sum) throw new BadBzip2('the checksum of a bzip2 block is wrong');
    return pieces.all;
  }
}

/** Kept from one call to the next: it has room for the largest block. */
let blockReader: BlockReader | undefined;

/** The bytes of a whole small file, one stream. @throws BadBzip2, also where they are more than `mostBytes` */
export function decompressBzip2(bytes: Buffer, mostBytes = Number.MAX_SAFE_INTEGER): Buffer {
  const bits = new Bits(bytes, 0);
  if (bits.read(24) !== 0x425a68) throw new BadBzip2('this is no bzip2 file');
  bits.read(8);
  blockReader ??= new BlockReader();
  const pieces: Buffer[] = [];
  let length = 0;
  for (;;) {
    const [high, low] = [bits.read(24), bits.read(24)];
    if (high === endHigh && low === endLow) return Buffer.concat(pieces);
    if (high !== blockHigh || low !== blockLow) throw new BadBzip2('a bzip2 file goes on with something that is no block');
    for (const piece of blockReader.read(bits)) {
      length += piece.length;
      if (length > mostBytes) throw new BadBzip2(`a bzip2 stream has more than ${mostBytes} bytes`);
      pieces.push(piece);
    }
  }
}

/** Decompresses the part of a file that is written to it, from the byte `start` of the file on. */
export class Bzip2Reader extends Transform {
  readonly #blocks = new BlockReader();
  #input: Buffer = Buffer.alloc(0);
  /** Of the next bit to read in `#input`; and the bit of the file with which `#input` begins. */
  #bit = 0;
  #firstBit: number;
  readonly #endBit: number;
  #inStream: boolean;
  #searching: boolean;
  #written = 0;
  /** Where in what comes out the part of the file ends that was asked for, as soon as that is known: the next line's beginning belongs to it. */
  ownEnd: number | undefined;

  constructor(start: number, length: number) {
    super({ readableHighWaterMark: pieceBytes, writableHighWaterMark: pieceBytes });
    this.#firstBit = start * 8;
    this.#endBit = (start + length) * 8;
    this.#searching = start > 0;
    this.#inStream = start > 0;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
    this.#run(false, done);
  }

  override _flush(done: TransformCallback): void {
    this.#run(true, done);
  }

  #run(isLast: boolean, done: TransformCallback): void {
    try {
      while (this.#step(isLast)) this.#drop();
      this.#drop();
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  /** Forgets what was read. */
  #drop(): void {
    const bytes = this.#bit >> 3;
    if (bytes < pieceBytes && bytes < this.#input.length) return;
    this.#input = this.#input.subarray(bytes);
    this.#firstBit += bytes * 8;
    this.#bit -= bytes * 8;
  }

  /** Reads the next block or the end of a stream; false where more bytes have to come first, or there are none. */
  #step(isLast: boolean): boolean {
    const bits = new Bits(this.#input, this.#bit);
    if (this.#searching) return this.#search(bits);
    if (!isLast && bits.left < longestBlockBytes * 8) return false;
    if (!this.#inStream) {
      if (bits.left < headerBits) {
        // A file of no bytes has no records.
        if (bits.left > 0) throw new BadBzip2('this is no bzip2 file');
        return false;
      }
      if (bits.read(24) !== 0x425a68) throw new BadBzip2('this is no bzip2 file');
      bits.read(8);
      this.#inStream = true;
    }
    const began = this.#firstBit + bits.at;
    const [high, low] = [bits.read(24), bits.read(24)];
    if (high === endHigh && low === endLow) {
      bits.read(16);
      bits.read(16);
      bits.at = Math.ceil(bits.at / 8) * 8;
      this.#inStream = false;
    } else {
      if (high !== blockHigh || low !== blockLow) throw new BadBzip2('a bzip2 file goes on with something that is no block');
      if (began >= this.#endBit) this.ownEnd ??= this.#written;
      for (const piece of this.#blocks.read(bits)) {
        this.#written += piece.length;
        this.push(piece);
      }
    }
    this.#bit = bits.at;
    return true;
  }

  /** Looks for the first block; where none begins in this part of the file nothing comes out. */
  #search(bits: Bits): boolean {
    let high = 0;
    let low = 0;
    let seen = 0;
    while (bits.left > 0) {
      high = ((high << 1) | (low >>> 23)) & 0xffffff;
      low = ((low << 1) | bits.bit()) & 0xffffff;
      if (++seen >= 48 && high === blockHigh && low === blockLow) {
        this.#searching = false;
        this.#bit = bits.at - 48;
        return true;
      }
    }
    // The last bits may be the beginning of one.
    this.#bit = Math.max(this.#bit, bits.at - 47);
    return false;
  }
}

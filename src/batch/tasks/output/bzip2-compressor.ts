// Writing bzip2: blocks of up to 900,000 bytes, each sorted by its rotations, moved to front, and coded by up to six Huffman tables in turns.
import { addToSum, firstSum } from '../bzip2-checksum.ts';
import type { BlockCompressor } from './block-compressors.ts';
import { canonicalCodes, codeLengths } from './huffman-lengths.ts';
import { leastRotation, suffixArray } from './suffix-array.ts';

/** What a block may have: the size that the head of the file names, less what bzip2 itself leaves free. */
const blockBytes = 900_000 - 19;
/** A run of 4 to 255 equal bytes is four of them and how many more there are. */
const [shortRun, longestRun] = [4, 255];
const longestCode = 17;
const symbolsOfGroup = 50;
const rounds = 4;
const fileHead = Buffer.from('BZh9', 'latin1');

/** Bits one after the other, the highest of each byte first. */
class BitWriter {
  #bytes = Buffer.allocUnsafe(1 << 20);
  #used = 0;
  #rest = 0;
  #restBits = 0;

  /** At most 24 bits. */
  put(count: number, value: number): void {
    this.#rest = (this.#rest << count) | value;
    this.#restBits += count;
    while (this.#restBits >= 8) {
      this.#restBits -= 8;
      if (this.#used === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.allocUnsafe(this.#bytes.length)]);
      this.#bytes[this.#used++] = this.#rest >>> this.#restBits;
      this.#rest &= (1 << this.#restBits) - 1;
    }
  }

  put32(value: number): void {
    this.put(16, value >>> 16);
    this.put(16, value & 0xffff);
  }

  /** The whole bytes so far; with `fill` the last one is filled with zeros. */
  take(fill: boolean): Buffer {
    if (fill && this.#restBits > 0) this.put(8 - this.#restBits, 0);
    const bytes = Buffer.from(this.#bytes.subarray(0, this.#used));
    this.#used = 0;
    return bytes;
  }
}

/** The last column of a block's sorted rotations, and in which row the block itself stands. */
function sortRotations(block: Buffer): { readonly column: Buffer; readonly row: number } {
  const { length } = block;
  const shift = leastRotation(block, length);
  const turned = shift === 0 ? block : Buffer.concat([block.subarray(shift), block.subarray(0, shift)]);
  const sorted = suffixArray(turned);
  const column = Buffer.allocUnsafe(length);
  const own = (length - shift) % length;
  let row = 0;
  for (let i = 0; i < length; i++) {
    const place = sorted[i]!;
    if (place === own) row = i;
    column[i] = turned[place === 0 ? length - 1 : place - 1]!;
  }
  return { column, row };
}

/** What is coded of a block. */
interface Symbols {
  readonly present: Uint8Array;
  /** 0 and 1: digits of the length of a run of the first byte; then places moved to the front, 2 for the second; the last is the end. */
  readonly symbols: Uint16Array;
  /** How many different ones there may be. */
  readonly kinds: number;
}

/** Moves each byte to the front of a list and says where it stood. */
function moveToFront(column: Buffer): Symbols {
  const present = new Uint8Array(256);
  for (let i = 0; i < column.length; i++) present[column[i]!] = 1;
  const front = Uint8Array.from(present.keys().filter((byte) => present[byte] === 1));
  const symbols = new Uint16Array(column.length + 1);
  let count = 0;
  let run = 0;
  // Digits 1 and 2 of base two, the lowest first.
  const endRun = () => {
    for (; run > 0; run = (run - 1) >> 1) symbols[count++] = (run & 1) ^ 1;
  };
  for (let i = 0; i < column.length; i++) {
    const byte = column[i]!;
    if (front[0] === byte) {
      run++;
      continue;
    }
    endRun();
    let place = 1;
    let before = front[0]!;
    while (front[place] !== byte) {
      const next = front[place]!;
      front[place++] = before;
      before = next;
    }
    front[place] = before;
    front[0] = byte;
    symbols[count++] = place + 1;
  }
  endRun();
  symbols[count++] = front.length + 1;
  return { present, symbols: symbols.subarray(0, count), kinds: front.length + 2 };
}

interface Tables {
  readonly lengths: readonly Uint8Array[];
  /** Which table each group of symbols is coded by. */
  readonly selectors: Uint8Array;
}

const tableCount = (symbols: number) => (symbols < 200 ? 2 : symbols < 600 ? 3 : symbols < 1200 ? 4 : symbols < 2400 ? 5 : 6);

/** Tables to begin with: each is good for its share of the symbols by number. */
function firstTables(symbols: Uint16Array, kinds: number): Uint8Array[] {
  const frequencies = new Uint32Array(kinds);
  for (let i = 0; i < symbols.length; i++) frequencies[symbols[i]!]!++;
  const count = tableCount(symbols.length);
  let kind = 0;
  let left = symbols.length;
  return Array.from({ length: count }, (_, table) => {
    const lengths = new Uint8Array(kinds).fill(15);
    for (let share = left / (count - table); kind < kinds && share > 0; kind++) {
      lengths[kind] = 1;
      share -= frequencies[kind]!;
      left -= frequencies[kind]!;
    }
    return lengths;
  });
}

/** Gives each group to the table that codes it in the fewest bits, and fits the tables to their groups; a few times. */
function fitTables({ symbols, kinds }: Symbols): Tables {
  const selectors = new Uint8Array(Math.ceil(symbols.length / symbolsOfGroup));
  let lengths = firstTables(symbols, kinds);
  for (let round = 0; round < rounds; round++) {
    const frequencies = lengths.map(() => new Uint32Array(kinds));
    for (let group = 0; group < selectors.length; group++) {
      const start = group * symbolsOfGroup;
      const end = Math.min(start + symbolsOfGroup, symbols.length);
      let [best, least] = [0, Number.POSITIVE_INFINITY];
      for (let table = 0; table < lengths.length; table++) {
        const bits = lengths[table]!;
        let sum = 0;
        for (let i = start; i < end; i++) sum += bits[symbols[i]!]!;
        if (sum < least) [best, least] = [table, sum];
      }
      selectors[group] = best;
      const counted = frequencies[best]!;
      for (let i = start; i < end; i++) counted[symbols[i]!]!++;
    }
    lengths = frequencies.map((counted) => codeLengths(counted, longestCode));
  }
  return { lengths, selectors };
}

function writeAlphabet(bits: BitWriter, present: Uint8Array): void {
  const sixteens = Array.from({ length: 16 }, (_, i) => present.subarray(i * 16, i * 16 + 16));
  const mask = (flags: ArrayLike<number | boolean>) => Array.from(flags).reduce<number>((sum, flag) => sum * 2 + Number(flag), 0);
  bits.put(16, mask(sixteens.map((flags) => flags.includes(1))));
  for (const flags of sixteens) if (flags.includes(1)) bits.put(16, mask(flags));
}

function writeTables(bits: BitWriter, { lengths, selectors }: Tables): void {
  bits.put(3, lengths.length);
  bits.put(15, selectors.length);
  const order = lengths.map((_, table) => table);
  for (const selector of selectors) {
    const place = order.indexOf(selector);
    for (let i = 0; i < place; i++) bits.put(1, 1);
    bits.put(1, 0);
    order.unshift(...order.splice(place, 1));
  }
  for (const table of lengths) {
    let length = table[0]!;
    bits.put(5, length);
    for (const wanted of table) {
      for (; length < wanted; length++) bits.put(2, 2);
      for (; length > wanted; length--) bits.put(2, 3);
      bits.put(1, 0);
    }
  }
}

function writeBlock(bits: BitWriter, block: Buffer, sum: number): void {
  bits.put(24, 0x314159);
  bits.put(24, 0x265359);
  bits.put32(sum);
  bits.put(1, 0);
  const { column, row } = sortRotations(block);
  bits.put(24, row);
  const coded = moveToFront(column);
  writeAlphabet(bits, coded.present);
  const tables = fitTables(coded);
  writeTables(bits, tables);
  const codes = tables.lengths.map(canonicalCodes);
  const { symbols } = coded;
  for (let i = 0; i < symbols.length; i++) {
    const table = tables.selectors[Math.floor(i / symbolsOfGroup)]!;
    const symbol = symbols[i]!;
    bits.put(tables.lengths[table]![symbol]!, codes[table]![symbol]!);
  }
}

class Bzip2Compressor implements BlockCompressor {
  readonly #bits = new BitWriter();
  readonly #block = Buffer.allocUnsafe(blockBytes);
  #used = 0;
  #sum = firstSum;
  /** Of all blocks. */
  #total = 0;
  #run = 0;
  #runByte = -1;
  #head = fileHead;

  update(bytes: Buffer): Buffer {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (byte === this.#runByte && this.#run < longestRun) this.#run++;
      else {
        this.#endRun();
        this.#runByte = byte;
        this.#run = 1;
      }
    }
    return this.#take(false);
  }

  end(): Buffer {
    this.#endRun();
    this.#endBlock();
    this.#bits.put(24, 0x177245);
    this.#bits.put(24, 0x385090);
    this.#bits.put32(this.#total);
    return this.#take(true);
  }

  #take(fill: boolean): Buffer {
    const bytes = this.#bits.take(fill);
    if (this.#head.length === 0) return bytes;
    const first = Buffer.concat([this.#head, bytes]);
    this.#head = Buffer.alloc(0);
    return first;
  }

  #endRun(): void {
    const [byte, run] = [this.#runByte, this.#run];
    if (run === 0) return;
    this.#run = 0;
    if (this.#used + shortRun + 1 > blockBytes) this.#endBlock();
    this.#sum = addToSum(this.#sum, byte, run);
    for (let i = Math.min(run, shortRun); i > 0; i--) this.#block[this.#used++] = byte;
    if (run >= shortRun) this.#block[this.#used++] = run - shortRun;
  }

  #endBlock(): void {
    if (this.#used === 0) return;
    const sum = ~this.#sum >>> 0;
    this.#total = (((this.#total << 1) | (this.#total >>> 31)) ^ sum) >>> 0;
    writeBlock(this.#bits, this.#block.subarray(0, this.#used), sum);
    this.#used = 0;
    this.#sum = firstSum;
  }
}

/** A bzip2 file of one stream, with blocks of the largest size, as `bzip2 -9` and Hadoop write it. */
export const bzip2Compressor = (): BlockCompressor => new Bzip2Compressor();

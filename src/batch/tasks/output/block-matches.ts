// Compressing to LZ4 and Snappy, in blocks as Hadoop's files have them: what was seen within the last 64 KiB is named by its distance.
import type { BlockCompressor } from './block-compressors.ts';

/** Hadoop's readers have buffers of 256 KiB, for a block and for what it is compressed to. */
const blockBytes = 1 << 17;
const shortestMatch = 4;
const largestDistance = 0xffff;
const hashBits = 14;

/** Compressed bytes as they grow. */
class Output {
  readonly bytes: Buffer;
  at = 0;
  constructor(plainLength: number) {
    this.bytes = Buffer.allocUnsafe(plainLength + Math.ceil(plainLength / 6) + 64);
  }
  byte(value: number): void {
    this.bytes[this.at++] = value;
  }
  copy(from: Buffer, start: number, end: number): void {
    this.at += from.copy(this.bytes, this.at, start, end);
  }
  get filled(): Buffer {
    return this.bytes.subarray(0, this.at);
  }
}

/** How a format says what lies between two matches, and a match; `length` 0: there is none, the bytes end. */
type Say = (output: Output, bytes: Buffer, literals: number, end: number, length: number, distance: number) => void;

/** Finds repetitions greedily. The last `tail` bytes are never part of one. */
function compressBlock(bytes: Buffer, output: Output, tail: number, say: Say): Buffer {
  const seen = new Int32Array(1 << hashBits).fill(-1);
  const lastStart = bytes.length - Math.max(tail, shortestMatch);
  const lastEnd = bytes.length - tail;
  let literals = 0;
  let at = 0;
  let misses = 0;
  while (at <= lastStart) {
    const word = bytes.readInt32LE(at);
    const slot = Math.imul(word, -1640531535) >>> (32 - hashBits);
    const before = seen[slot]!;
    seen[slot] = at;
    if (before < 0 || at - before > largestDistance || bytes.readInt32LE(before) !== word) {
      // What does not repeat is passed over faster and faster.
      at += 1 + (misses++ >> 6);
      continue;
    }
    misses = 0;
    let end = at + shortestMatch;
    while (end < lastEnd && bytes[end] === bytes[before + end - at]) end++;
    say(output, bytes, literals, at, end - at, at - before);
    at = literals = end;
  }
  say(output, bytes, literals, bytes.length, 0, 0);
  return output.filled;
}

function lz4Length(output: Output, length: number): void {
  let left = length - 15;
  for (; left >= 255; left -= 255) output.byte(255);
  output.byte(left);
}

const sayLz4: Say = (output, bytes, literals, end, length, distance) => {
  const count = end - literals;
  const more = length - shortestMatch;
  output.byte((Math.min(count, 15) << 4) | (length === 0 ? 0 : Math.min(more, 15)));
  if (count >= 15) lz4Length(output, count);
  output.copy(bytes, literals, end);
  if (length === 0) return;
  output.byte(distance & 0xff);
  output.byte(distance >> 8);
  if (more >= 15) lz4Length(output, more);
};

const saySnappy: Say = (output, bytes, literals, end, length, distance) => {
  const count = end - literals;
  if (count > 0) {
    const last = count - 1;
    if (last < 60) output.byte(last << 2);
    else {
      const size = last < 1 << 8 ? 1 : last < 1 << 16 ? 2 : 3;
      output.byte((59 + size) << 2);
      for (let i = 0; i < size; i++) output.byte((last >> (8 * i)) & 0xff);
    }
    output.copy(bytes, literals, end);
  }
  for (let left = length; left > 0; ) {
    const copied = Math.min(left, 64);
    output.byte(((copied - 1) << 2) | 2);
    output.byte(distance & 0xff);
    output.byte(distance >> 8);
    left -= copied;
  }
};

/** LZ4 ends with at least five literals, and its last match begins twelve bytes before the end (lz4_Block_format, "End of block restrictions"). */
const lz4Tail = 12;

/** A block of the format of LZ4. */
export const encodeLz4 = (bytes: Buffer): Buffer => compressBlock(bytes, new Output(bytes.length), lz4Tail, sayLz4);

/** A block of the format of Snappy. */
export function encodeSnappy(bytes: Buffer): Buffer {
  const output = new Output(bytes.length);
  let left = bytes.length;
  for (; left >= 0x80; left >>>= 7) output.byte((left & 0x7f) | 0x80);
  output.byte(left);
  return compressBlock(bytes, output, 0, saySnappy);
}

const framed = (encode: (bytes: Buffer) => Buffer) => (): BlockCompressor => ({
  update(bytes) {
    const parts: Buffer[] = [];
    for (let start = 0; start < bytes.length; start += blockBytes) {
      const plain = bytes.subarray(start, start + blockBytes);
      const packed = encode(plain);
      const head = Buffer.alloc(8);
      head.writeUInt32BE(plain.length, 0);
      head.writeUInt32BE(packed.length, 4);
      parts.push(head, packed);
    }
    return Buffer.concat(parts);
  },
  end: () => Buffer.alloc(0),
});

/** A file of Hadoop's Lz4Codec. */
export const lz4Compressor = framed(encodeLz4);
/** A file of Hadoop's SnappyCodec. */
export const snappyCompressor = framed(encodeSnappy);

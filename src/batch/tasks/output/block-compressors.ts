// Compressing a file block by block, in memory that does not grow with the file. What the blocks give is one ordinary file of its format.
import { constants, crc32, deflateRawSync, zstdCompressSync } from 'node:zlib';

/** Compresses what it is given in pieces; the results, one after the other, are the file. */
export interface BlockCompressor {
  update(bytes: Buffer): Buffer;
  /** What ends the file. */
  end(): Buffer;
}

/** Each block ends at a byte and refers to none before it, so blocks that follow one another are one stream of deflate (RFC 1951, 3.2.4). */
const deflateBlock = (bytes: Buffer) => deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
/** An empty last block. */
const deflateEnd = Buffer.from([3, 0]);

/** No name, no time, unknown system (RFC 1952). */
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** A gzip file with one member. */
export function gzipCompressor(): BlockCompressor {
  let sum = 0;
  let length = 0;
  let head = gzipHead;
  return {
    update(bytes) {
      sum = crc32(bytes, sum);
      length += bytes.length;
      const block = Buffer.concat([head, deflateBlock(bytes)]);
      head = Buffer.alloc(0);
      return block;
    },
    end() {
      const tail = Buffer.alloc(8);
      tail.writeUInt32LE(sum >>> 0, 0);
      tail.writeUInt32LE(length % 2 ** 32, 4);
      return Buffer.concat([head, deflateEnd, tail]);
    },
  };
}

const adlerModulus = 65521;
/** So many bytes can be added before the sums have to be reduced to stay exact in 32 bits (zlib's NMAX). */
const adlerRun = 5552;

/** Adler-32 of the bytes after those that `before` is the sum of; 1 begins (RFC 1950). */
export function adler32(bytes: Buffer, before: number): number {
  let low = before & 0xffff;
  let high = before >>> 16;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(at + adlerRun, bytes.length);
    for (; at < end; at++) {
      low += bytes[at]!;
      high += low;
    }
    low %= adlerModulus;
    high %= adlerModulus;
  }
  return high * 65536 + low;
}

/** A zlib stream, which Hadoop writes as `.deflate`. */
export function zlibCompressor(): BlockCompressor {
  let sum = 1;
  let head: Buffer = Buffer.from([0x78, 0x9c]);
  return {
    update(bytes) {
      sum = adler32(bytes, sum);
      const block = Buffer.concat([head, deflateBlock(bytes)]);
      head = Buffer.alloc(0);
      return block;
    },
    end() {
      const tail = Buffer.alloc(4);
      tail.writeUInt32BE(sum);
      return Buffer.concat([head, deflateEnd, tail]);
    },
  };
}

/** Frames of zstd; readers take frames that follow one another as one (RFC 8878, 3). */
export function zstdCompressor(): BlockCompressor {
  let empty = true;
  return {
    update(bytes) {
      empty = false;
      return zstdCompressSync(bytes);
    },
    end: () => (empty ? zstdCompressSync(Buffer.alloc(0)) : Buffer.alloc(0)),
  };
}

// The bytes of a segment, from where they lie to the reader of its records: from a file or from memory, as they are or compressed in blocks.
import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { BlockCodec } from './block-codec.ts';

/** Thrown when a segment's bytes are not what was written. */
export class CorruptSegment extends Error {
  override readonly name = 'CorruptSegment';
}

/** Bytes that come one after the other. */
export interface ByteSource {
  /** How many are still to come. */
  readonly left: number;
  /** Puts some into `target` from `at` on, at least one where there is room and some are left. @throws CorruptSegment */
  read(target: Buffer, at: number): number;
  /** Whether all was read, and was what was written. @throws CorruptSegment */
  check(): void;
  /** The bytes that are still to come, for who looks ahead: this source goes on as if nothing had been read of them. */
  fork(): ByteSource;
}

const checksumBytes = 4;

/** Bytes of an open file with a checksum behind them. */
export class FileBytes implements ByteSource {
  readonly #file: number;
  #position: number;
  #sum = 0;
  left: number;

  constructor(file: number, position: number, length: number) {
    this.#file = file;
    this.#position = position;
    this.left = length;
  }

  read(target: Buffer, at: number): number {
    const got = readSync(this.#file, target, at, Math.min(target.length - at, this.left), this.#position);
    if (got === 0) throw new CorruptSegment('segment ends before its end marks');
    this.#sum = crc32(target.subarray(at, at + got), this.#sum);
    this.#position += got;
    this.left -= got;
    return got;
  }

  fork(): FileBytes {
    return new FileBytes(this.#file, this.#position, this.left);
  }

  check(): void {
    const written = Buffer.alloc(checksumBytes);
    readSync(this.#file, written, 0, checksumBytes, this.#position);
    if (this.left > 0 || written.readUInt32BE() !== this.#sum >>> 0) throw new CorruptSegment('checksum of a segment on disk is wrong');
  }
}

/** Bytes in memory, whose checksum was looked at before. */
export class MemoryBytes implements ByteSource {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }
  get left(): number {
    return this.#bytes.length - this.#at;
  }
  read(target: Buffer, at: number): number {
    const got = this.#bytes.copy(target, at, this.#at);
    this.#at += got;
    return got;
  }
  fork(): MemoryBytes {
    return new MemoryBytes(this.#bytes.subarray(this.#at));
  }
  check(): void {}
}

/** What a block of compressed bytes has at most, plain: every reader of a segment holds one. */
export const packedBlockBytes = 1 << 16;
/** Before each block: how long it is, plain and compressed, four bytes each. */
const blockHead = 8;

/** Bytes as blocks that are compressed one by one, each behind its two lengths. */
export function packBlocks(bytes: Buffer, codec: BlockCodec): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += packedBlockBytes) {
    const plain = bytes.subarray(start, start + packedBlockBytes);
    const packed = codec.compress(plain);
    const head = Buffer.allocUnsafe(blockHead);
    head.writeUInt32BE(plain.length, 0);
    head.writeUInt32BE(packed.length, 4);
    parts.push(head, packed);
  }
  return Buffer.concat(parts);
}

/** The plain bytes of what {@link packBlocks} wrote, `left` of them. */
export class PackedBytes implements ByteSource {
  readonly #packed: ByteSource;
  readonly #codec: BlockCodec;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  left: number;

  constructor(packed: ByteSource, codec: BlockCodec, plainLength: number) {
    this.#packed = packed;
    this.#codec = codec;
    this.left = plainLength;
  }

  read(target: Buffer, at: number): number {
    if (this.#at === this.#block.length) this.#next();
    const got = this.#block.copy(target, at, this.#at);
    this.#at += got;
    this.left -= got;
    return got;
  }

  #take(length: number): Buffer {
    if (length > this.#packed.left) throw new CorruptSegment('a compressed segment ends in the middle of a block');
    const bytes = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length; ) filled += this.#packed.read(bytes, filled);
    return bytes;
  }

  #next(): void {
    const head = this.#take(blockHead);
    const plainLength = head.readUInt32BE(0);
    if (plainLength === 0 || plainLength > packedBlockBytes || plainLength > this.left)
      throw new CorruptSegment(`a compressed segment has a block of ${plainLength} bytes`);
    const packed = this.#take(head.readUInt32BE(4));
    try {
      this.#block = this.#codec.decompress(packed, plainLength);
    } catch (cause) {
      throw new CorruptSegment('a block of a segment cannot be decompressed', { cause });
    }
    if (this.#block.length !== plainLength) throw new CorruptSegment('a block of a segment has another length than it says');
    this.#at = 0;
  }

  fork(): PackedBytes {
    const fork = new PackedBytes(this.#packed.fork(), this.#codec, this.left);
    fork.#block = this.#block;
    fork.#at = this.#at;
    return fork;
  }

  check(): void {
    if (this.left > 0 || this.#packed.left > 0) throw new CorruptSegment('a compressed segment is longer than its records');
    this.#packed.check();
  }
}

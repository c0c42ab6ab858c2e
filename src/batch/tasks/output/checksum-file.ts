// The hidden file of checksums that Hadoop's local file system keeps beside each file it writes, and checks when it reads it.
import { writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const chunkBytes = 512;
const headerBytes = 8;

/** Checksums of a file that is being written: `crc\0`, bytes per checksum, a CRC-32 for each chunk (ChecksumFileSystem). */
export class ChecksumFile {
  readonly #path: string;
  readonly #sums: number[] = [];
  #sum = 0;
  #filled = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Bytes of the file so far. */
  get bytesWritten(): number {
    return headerBytes + 4 * (this.#sums.length + (this.#filled > 0 ? 1 : 0));
  }

  update(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const taken = Math.min(chunkBytes - this.#filled, bytes.length - at);
      this.#sum = crc32(bytes.subarray(at, at + taken), this.#sum);
      this.#filled += taken;
      at += taken;
      if (this.#filled === chunkBytes) this.#endChunk();
    }
  }

  #endChunk(): void {
    this.#sums.push(this.#sum >>> 0);
    this.#sum = 0;
    this.#filled = 0;
  }

  /** Writes the file. */
  close(): void {
    if (this.#filled > 0) this.#endChunk();
    const bytes = Buffer.alloc(headerBytes + 4 * this.#sums.length);
    bytes.write('crc\0', 'latin1');
    bytes.writeUInt32BE(chunkBytes, 4);
    this.#sums.forEach((sum, i) => bytes.writeUInt32BE(sum, headerBytes + 4 * i));
    writeFileSync(this.#path, bytes);
  }
}

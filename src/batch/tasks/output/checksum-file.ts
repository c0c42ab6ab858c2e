// The hidden file of checksums that Hadoop's local file system keeps beside each file it writes, and checks when it reads it.
import { closeSync, openSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeWhole } from '../../../lib/whole-writes.ts';

const chunkBytes = 512;
const headerBytes = 8;
const bufferBytes = 1 << 14;

/** Checksums of a file that is being written: `crc\0`, bytes per checksum, a CRC-32 for each chunk (ChecksumFileSystem). */
export class ChecksumFile {
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  #used = headerBytes;
  #written = 0;
  #sum = 0;
  #filled = 0;

  /** The file is made when this is made. */
  constructor(path: string) {
    this.#file = openSync(path, 'w');
    this.#buffer.write('crc\0', 'latin1');
    this.#buffer.writeUInt32BE(chunkBytes, 4);
  }

  /** Bytes of the file so far, those included that are still to be written. */
  get bytesWritten(): number {
    return this.#written + this.#used + (this.#filled > 0 ? 4 : 0);
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
    if (this.#used === bufferBytes) this.#flush();
    this.#used = this.#buffer.writeUInt32BE(this.#sum >>> 0, this.#used);
    this.#sum = 0;
    this.#filled = 0;
  }

  #flush(): void {
    writeWhole(this.#file, this.#buffer.subarray(0, this.#used));
    this.#written += this.#used;
    this.#used = 0;
  }

  /** Writes the rest and closes the file. */
  close(): void {
    if (this.#filled > 0) this.#endChunk();
    this.#flush();
    closeSync(this.#file);
  }
}

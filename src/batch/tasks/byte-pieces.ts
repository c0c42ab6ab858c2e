// Bytes of records that are longer than ordinary buffers: kept in pieces, and given back to the system as soon as they are of no use, for the
// collector of garbage comes when it comes and a record of a third of the container's memory cannot lie about three times.

/**
 * So much is more than the C library ever keeps for itself when it is freed (DEFAULT_MMAP_THRESHOLD_MAX, 32 MiB). What of it is not written to takes
 * no memory.
 */
const pieceBytes = 33 << 20;
/** Buffers that a record made larger than this are not kept for others. */
export const largestKeptBytes = 1 << 20;

/** Gives a buffer's memory back now, where all of that is its own: from then on it is empty, and every view of it. */
export function release(buffer: Buffer): void {
  const memory = buffer.buffer as ArrayBuffer;
  if (buffer.length >= largestKeptBytes && buffer.length === memory.byteLength) memory.transfer(0);
}

/** A larger buffer with the first `used` bytes of `buffer`, which is given back. */
export function regrown(buffer: Buffer, used: number, bytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(bytes);
  buffer.copy(larger, 0, 0, used);
  release(buffer);
  return larger;
}

/** Some of the bytes of a record. */
export interface BytePiece {
  readonly bytes: Buffer;
  /** That they are another one's, and are not to be {@link release}d. */
  readonly isLent: boolean;
}

/** Bytes that come one after the other, in large pieces. */
export class BytePieces {
  #full: BytePiece[] = [];
  #fullBytes = 0;
  #last = Buffer.alloc(0);
  #used = 0;

  get length(): number {
    return this.#fullBytes + this.#used;
  }

  append(bytes: Buffer, start: number, end: number): void {
    while (start < end) {
      if (this.#used === this.#last.length) {
        this.#endLast();
        this.#last = Buffer.allocUnsafeSlow(pieceBytes);
      }
      const taken = Math.min(end - start, pieceBytes - this.#used);
      bytes.copy(this.#last, this.#used, start, start + taken);
      this.#used += taken;
      start += taken;
    }
  }

  /** Bytes that are not copied: they have to stay as they are until their pieces are of no more use. */
  lend(bytes: Buffer, start: number, end: number): void {
    this.#endLast();
    for (let from = start; from < end; from += pieceBytes)
      this.#full.push({ bytes: bytes.subarray(from, Math.min(end, from + pieceBytes)), isLent: true });
    this.#fullBytes += end - start;
  }

  #endLast(): void {
    if (this.#used > 0)
      this.#full.push({ bytes: this.#used === pieceBytes ? this.#last : this.#last.subarray(0, this.#used), isLent: false });
    this.#fullBytes += this.#used;
    this.#last = Buffer.alloc(0);
    this.#used = 0;
  }

  /** The pieces, whose receiver may {@link release} those that are not lent; none are left here. */
  take(): BytePiece[] {
    this.#endLast();
    const pieces = this.#full;
    this.#full = [];
    this.#fullBytes = 0;
    return pieces;
  }

  /** All bytes as one; each piece is given back as it is copied. */
  joined(): Buffer {
    const whole = Buffer.allocUnsafeSlow(this.length);
    let at = 0;
    for (const { bytes, isLent } of this.take()) {
      at += bytes.copy(whole, at);
      if (!isLent) release(bytes);
    }
    return whole;
  }
}

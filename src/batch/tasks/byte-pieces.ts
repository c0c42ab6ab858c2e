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

/** Bytes that come one after the other, in large pieces. */
export class BytePieces {
  #full: Buffer[] = [];
  #last = Buffer.alloc(0);
  #used = 0;

  get length(): number {
    return this.#full.length * pieceBytes + this.#used;
  }

  append(bytes: Buffer, start: number, end: number): void {
    while (start < end) {
      if (this.#used === this.#last.length) {
        if (this.#used > 0) this.#full.push(this.#last);
        this.#last = Buffer.allocUnsafeSlow(pieceBytes);
        this.#used = 0;
      }
      const taken = Math.min(end - start, pieceBytes - this.#used);
      bytes.copy(this.#last, this.#used, start, start + taken);
      this.#used += taken;
      start += taken;
    }
  }

  /** The pieces, whose receiver may {@link release} them; none are left here. */
  take(): Buffer[] {
    const pieces = this.#used === 0 ? this.#full : [...this.#full, this.#last.subarray(0, this.#used)];
    this.#full = [];
    this.#last = Buffer.alloc(0);
    this.#used = 0;
    return pieces;
  }

  /** All bytes as one; each piece is given back as it is copied. */
  joined(): Buffer {
    const whole = Buffer.allocUnsafeSlow(this.length);
    let at = 0;
    for (const piece of this.take()) {
      at += piece.copy(whole, at);
      release(piece);
    }
    return whole;
  }
}

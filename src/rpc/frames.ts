// The stream of a connection cut into its parts: seven bytes, then frames, each after its length (Server.Connection.readAndProcess of
// hadoop-common). Nothing is set aside for a length that was only announced: memory grows with what has arrived.

/** Bytes of a connection before its first frame: `hrpc`, version, service class, kind of authentication. */
export const preambleBytes = 7;
/** Bytes that say how long a frame is. */
export const lengthBytes = 4;

/** The length of a frame is negative or above the limit: the connection is closed without a word, as Hadoop does. */
export class FrameLengthRefused extends Error {
  override readonly name = 'FrameLengthRefused';
}

/** Collects what arrives and gives it out in whole pieces. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;

  /** Bytes that arrived and are not yet given out. */
  get waitingBytes(): number {
    return this.#size;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** Exactly so many bytes, or undefined until they are there. */
  take(bytes: number): Buffer | undefined {
    if (this.#size < bytes) return undefined;
    const all = this.#joined(bytes);
    this.#size -= bytes;
    const rest = all.subarray(bytes);
    this.#chunks[0] = rest;
    if (rest.length === 0) this.#chunks.shift();
    return all.subarray(0, bytes);
  }

  /**
   * The next frame without its length, or undefined until it is whole.
   * @throws FrameLengthRefused
   */
  frame(limitBytes: number): Buffer | undefined {
    if (this.#size < lengthBytes) return undefined;
    const length = this.#joined(lengthBytes).readInt32BE(0);
    if (length < 0 || length > limitBytes) throw new FrameLengthRefused(`a frame of ${length} bytes was announced`);
    if (this.#size < lengthBytes + length) return undefined;
    return this.take(lengthBytes + length)!.subarray(lengthBytes);
  }

  /** The first chunk, made at least so long; only what is needed is copied, and each byte once for each frame. */
  #joined(bytes: number): Buffer {
    const first = this.#chunks[0];
    if (first && first.length >= bytes) return first;
    let count = 0;
    let size = 0;
    while (size < bytes) size += this.#chunks[count++]!.length;
    const joined = Buffer.concat(this.#chunks.splice(0, count), size);
    this.#chunks.unshift(joined);
    return joined;
  }
}

/** A frame with its length before it. */
export function framed(bytes: Uint8Array): Buffer {
  const whole = Buffer.allocUnsafe(lengthBytes + bytes.length);
  whole.writeInt32BE(bytes.length, 0);
  whole.set(bytes, lengthBytes);
  return whole;
}

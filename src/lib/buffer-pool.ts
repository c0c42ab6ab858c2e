// Buffers that are filled again and again. New memory of some hundred kilobytes costs more than what is written there: the system gives
// it page by page, and the collector is called for it.

/** Buffers of one size. */
export class BufferPool {
  readonly #bytes: number;
  readonly #mostFree: number;
  readonly #free: ArrayBuffer[] = [];

  /** `bytes`: how long each is; `mostFree`: how many are kept while nobody has them. */
  constructor({ bytes, mostFree }: { readonly bytes: number; readonly mostFree: number }) {
    this.#bytes = bytes;
    this.#mostFree = mostFree;
  }

  /** A buffer with anything in it; a longer one than the pool's is not the pool's. */
  lend(bytes: number): Buffer<ArrayBuffer> {
    if (bytes > this.#bytes) return Buffer.allocUnsafeSlow(bytes);
    return Buffer.from(this.#free.pop() ?? new ArrayBuffer(this.#bytes), 0, bytes);
  }

  /** Takes a buffer back that was lent once, and that nobody reads or writes any more. */
  giveBack({ buffer }: Buffer<ArrayBuffer>): void {
    if (buffer.byteLength === this.#bytes && this.#free.length < this.#mostFree) this.#free.push(buffer);
  }
}

// Lines of a byte stream that arrives in pieces: ends are line feed, carriage return or both; the last line may lack one.

const lineFeed = 10;
const carriageReturn = 13;

/** Feeds `consume` with each line. The bytes are valid during the call. */
export class LineSplitter {
  readonly #consume: (buffer: Buffer, start: number, end: number) => void;
  readonly #longest: number;
  /** Beginning of a line whose end has not come. */
  #open: Buffer[] = [];
  #openBytes = 0;
  #skipLineFeed = false;

  /** Lines of more than `longest` bytes are cut into several. */
  constructor(consume: (buffer: Buffer, start: number, end: number) => void, longest = Number.MAX_SAFE_INTEGER) {
    this.#consume = consume;
    this.#longest = longest;
  }

  push(piece: Buffer): void {
    let start = 0;
    if (this.#skipLineFeed && piece.length > 0) {
      this.#skipLineFeed = false;
      if (piece[0] === lineFeed) start = 1;
    }
    for (let i = start; i < piece.length; i++) {
      const byte = piece[i];
      if (byte !== lineFeed && byte !== carriageReturn) continue;
      this.#line(piece, this.#cut(piece, start, i), i);
      if (byte === carriageReturn) {
        if (i + 1 === piece.length) this.#skipLineFeed = true;
        else if (piece[i + 1] === lineFeed) i++;
      }
      start = i + 1;
    }
    start = this.#cut(piece, start, piece.length);
    if (start >= piece.length) return;
    this.#open.push(piece.subarray(start));
    this.#openBytes += piece.length - start;
  }

  /** Hands on what is too long; answers where the rest begins. */
  #cut(piece: Buffer, start: number, end: number): number {
    while (end - start + this.#openBytes > this.#longest) {
      const next = start + this.#longest - this.#openBytes;
      this.#line(piece, start, next);
      start = next;
    }
    return start;
  }

  #line(piece: Buffer, start: number, end: number): void {
    if (this.#open.length === 0) return this.#consume(piece, start, end);
    const whole = Buffer.concat([...this.#open, piece.subarray(start, end)]);
    this.#open = [];
    this.#openBytes = 0;
    this.#consume(whole, 0, whole.length);
  }

  /** The stream has ended. */
  end(): void {
    if (this.#open.length > 0) this.#line(Buffer.alloc(0), 0, 0);
  }
}

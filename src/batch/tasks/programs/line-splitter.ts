// Lines of a byte stream that arrives in pieces: ends are line feed, carriage return or both; the last line may lack one.

const lineFeed = 10;
const carriageReturn = 13;

/** Feeds `consume` with each line. The bytes are valid during the call. */
export class LineSplitter {
  readonly #consume: (buffer: Buffer, start: number, end: number) => void;
  #rest: Buffer | undefined;
  #skipLineFeed = false;

  constructor(consume: (buffer: Buffer, start: number, end: number) => void) {
    this.#consume = consume;
  }

  push(piece: Buffer): void {
    if (this.#skipLineFeed && piece.length > 0) {
      this.#skipLineFeed = false;
      if (piece[0] === lineFeed) piece = piece.subarray(1);
    }
    const from = this.#rest?.length ?? 0;
    const buffer = this.#rest === undefined ? piece : Buffer.concat([this.#rest, piece]);
    let start = 0;
    for (let i = from; i < buffer.length; i++) {
      const byte = buffer[i];
      if (byte !== lineFeed && byte !== carriageReturn) continue;
      this.#consume(buffer, start, i);
      if (byte === carriageReturn) {
        if (i + 1 === buffer.length) this.#skipLineFeed = true;
        else if (buffer[i + 1] === lineFeed) i++;
      }
      start = i + 1;
    }
    this.#rest = start < buffer.length ? buffer.subarray(start) : undefined;
  }

  /** The stream has ended. */
  end(): void {
    if (this.#rest !== undefined) this.#consume(this.#rest, 0, this.#rest.length);
    this.#rest = undefined;
  }
}

// Lines of a byte stream that arrives in pieces: ends are line feed, carriage return or both; the last line may lack one.

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

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
      if (piece[0] === LINE_FEED) piece = piece.subarray(1);
    }
    const from = this.#rest?.length ?? 0;
    const buffer = this.#rest === undefined ? piece : Buffer.concat([this.#rest, piece]);
    let start = 0;
    for (let i = from; i < buffer.length; i++) {
      const byte = buffer[i];
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) continue;
      this.#consume(buffer, start, i);
      if (byte === CARRIAGE_RETURN) {
        if (i + 1 === buffer.length) this.#skipLineFeed = true;
        else if (buffer[i + 1] === LINE_FEED) i++;
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

// Lines of a byte stream that arrives in pieces: ends are line feed, carriage return or both; the last line may lack one.

import { BytePieces, largestKeptBytes, release } from '../byte-pieces.ts';

const lineFeed = 10;
const carriageReturn = 13;

/** The place of the next such byte, or the end of the bytes. */
function nextOf(bytes: Buffer, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}

/** Feeds `consume` with each line. The bytes are valid during the call. */
export class LineSplitter {
  readonly #consume: (buffer: Buffer, start: number, end: number) => void;
  readonly #longest: number;
  readonly #tooLong: (() => Error) | undefined;
  /** Beginning of a line whose end has not come. */
  #open: Buffer[] = [];
  #openBytes = 0;
  /** Where that is long it lies here. */
  readonly #long = new BytePieces();
  #skipLineFeed = false;

  /** Lines of more than `longest` bytes are cut into several, or, where `tooLong` is given, what that makes is thrown. */
  constructor(
    consume: (buffer: Buffer, start: number, end: number) => void,
    longest = Number.MAX_SAFE_INTEGER,
    tooLong: (() => Error) | undefined = undefined,
  ) {
    this.#consume = consume;
    this.#longest = longest;
    this.#tooLong = tooLong;
  }

  push(piece: Buffer): void {
    let start = 0;
    if (this.#skipLineFeed && piece.length > 0) {
      this.#skipLineFeed = false;
      if (piece[0] === lineFeed) start = 1;
    }
    let end = nextOf(piece, lineFeed, start);
    let back = nextOf(piece, carriageReturn, start);
    while (end < piece.length || back < piece.length) {
      const at = Math.min(end, back);
      this.#line(piece, this.#cut(piece, start, at), at);
      start = at + 1;
      if (at === back) {
        if (start === piece.length) this.#skipLineFeed = true;
        else if (end === start) start++;
        back = nextOf(piece, carriageReturn, start);
      }
      if (end < start) end = nextOf(piece, lineFeed, start);
    }
    start = this.#cut(piece, start, piece.length);
    if (start >= piece.length) return;
    this.#openBytes += piece.length - start;
    if (this.#openBytes <= largestKeptBytes) {
      this.#open.push(piece.subarray(start));
      return;
    }
    for (const open of this.#open) this.#long.append(open, 0, open.length);
    this.#open = [];
    this.#long.append(piece, start, piece.length);
  }

  /** Hands on what is too long; answers where the rest begins. */
  #cut(piece: Buffer, start: number, end: number): number {
    while (end - start + this.#openBytes > this.#longest) {
      if (this.#tooLong !== undefined) throw this.#tooLong();
      const next = start + this.#longest - this.#openBytes;
      this.#line(piece, start, next);
      start = next;
    }
    return start;
  }

  #line(piece: Buffer, start: number, end: number): void {
    if (this.#openBytes === 0) return this.#consume(piece, start, end);
    const isLong = this.#long.length > 0;
    if (isLong) this.#long.append(piece, start, end);
    const whole = isLong ? this.#long.joined() : Buffer.concat([...this.#open, piece.subarray(start, end)]);
    this.#open = [];
    this.#openBytes = 0;
    this.#consume(whole, 0, whole.length);
    release(whole);
  }

  /** The stream has ended. */
  end(): void {
    if (this.#openBytes > 0) this.#line(Buffer.alloc(0), 0, 0);
  }
}

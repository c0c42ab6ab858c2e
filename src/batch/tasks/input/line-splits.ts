// Splits of so many lines each (NLineInputFormat).
import { closeSync, openSync, readSync } from 'node:fs';
import { isCompressed } from './compression.ts';
import type { InputSplit } from './input-split.ts';
import type { InputFile } from './splits.ts';

const chunkBytes = 1 << 20;
const lineFeed = 10;
const carriageReturn = 13;

/** Finds where every `lines`th line of a file ends, piece by piece; the last of these positions is the end of the file. */
class LineEnds {
  readonly #lines: number;
  #position = 0;
  #counted = 0;
  #told = 0;
  #afterReturn = false;

  constructor(lines: number) {
    this.#lines = lines;
  }

  *of(piece: Buffer): Generator<number> {
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i]!;
      // A carriage return ends a line together with a line feed behind it.
      if (this.#afterReturn && byte !== lineFeed && ++this.#counted % this.#lines === 0) yield (this.#told = this.#position + i);
      this.#afterReturn = byte === carriageReturn;
      if (byte === lineFeed && ++this.#counted % this.#lines === 0) yield (this.#told = this.#position + i + 1);
    }
    this.#position += piece.length;
  }

  *atEnd(): Generator<number> {
    if (this.#position > this.#told) yield this.#position;
  }
}

function* endsInFile(path: string, lines: number): Generator<number> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const file = openSync(path, 'r');
  try {
    const ends = new LineEnds(lines);
    for (let got = readSync(file, chunk, 0, chunkBytes, null); got > 0; got = readSync(file, chunk, 0, chunkBytes, null))
      yield* ends.of(chunk.subarray(0, got));
    yield* ends.atEnd();
  } finally {
    closeSync(file);
  }
}

/** Whether a file is one split, whatever lines it has. */
const isOneSplit = ({ path, whole }: InputFile): boolean => whole === true || isCompressed(path);

/** The file of another machine with where every `lines`th of its lines ends, which `read` is asked for. */
export async function withLineEnds(file: InputFile, lines: number, read: (path: string) => AsyncIterable<Buffer>): Promise<InputFile> {
  if (isOneSplit(file)) return file;
  const ends = new LineEnds(lines);
  const lineEnds: number[] = [];
  for await (const piece of read(file.path)) for (const end of ends.of(piece)) lineEnds.push(end);
  lineEnds.push(...ends.atEnd());
  return { ...file, lineEnds };
}

/**
 * Cuts files after every `lines` lines; compressed ones, and those that can be read from their beginnings alone, are one split. A split that
 * does not begin its file begins with the last byte of the line before, because readers drop what they begin in the middle of
 * (NLineInputFormat.createFileSplit).
 */
export function cutByLines(files: readonly InputFile[], lines: number): InputSplit[] {
  const splits: InputSplit[] = [];
  for (const file of files) {
    const { path, length } = file;
    if (isOneSplit(file)) {
      splits.push({ path, start: 0, length, hosts: [] });
      continue;
    }
    let start = 0;
    for (const end of file.lineEnds ?? endsInFile(path, lines)) {
      splits.push(start === 0 ? { path, start, length: end - 1, hosts: [] } : { path, start: start - 1, length: end - start, hosts: [] });
      start = end;
    }
  }
  return splits;
}

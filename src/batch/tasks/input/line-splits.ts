// Splits of so many lines each (NLineInputFormat).
import { closeSync, openSync, readSync } from 'node:fs';
import { isCompressed } from './compression.ts';
import type { InputSplit } from './input-split.ts';

const chunkBytes = 1 << 20;
const lineFeed = 10;
const carriageReturn = 13;

/** Positions behind every `lines`th line of a file; the last is that of its end. */
function* ends(path: string, lines: number): Generator<number> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const file = openSync(path, 'r');
  try {
    let position = 0;
    let counted = 0;
    let told = 0;
    let afterReturn = false;
    for (let got = readSync(file, chunk, 0, chunkBytes, 0); got > 0; got = readSync(file, chunk, 0, chunkBytes, position)) {
      for (let i = 0; i < got; i++) {
        const byte = chunk[i]!;
        // A carriage return ends a line together with a line feed behind it.
        if (afterReturn && byte !== lineFeed && ++counted % lines === 0) yield (told = position + i);
        afterReturn = byte === carriageReturn;
        if (byte === lineFeed && ++counted % lines === 0) yield (told = position + i + 1);
      }
      position += got;
    }
    if (position > told) yield position;
  } finally {
    closeSync(file);
  }
}

/**
 * Cuts files after every `lines` lines; compressed ones are one split. A split that does not begin its file begins with the last byte of
 * the line before, because readers drop what they begin in the middle of (NLineInputFormat.createFileSplit).
 */
export function cutByLines(files: readonly { readonly path: string; readonly length: number }[], lines: number): InputSplit[] {
  const splits: InputSplit[] = [];
  for (const { path, length } of files) {
    if (isCompressed(path)) {
      splits.push({ path, start: 0, length, hosts: [] });
      continue;
    }
    let start = 0;
    for (const end of ends(path, lines)) {
      splits.push(start === 0 ? { path, start, length: end - 1, hosts: [] } : { path, start: start - 1, length: end - start, hosts: [] });
      start = end;
    }
  }
  return splits;
}

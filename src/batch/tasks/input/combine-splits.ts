// Splits of several files each (CombineFileInputFormat): many small files need not be many maps.
import { splitsWhole } from './compression.ts';
import type { InputSplit } from './input-split.ts';
import type { InputFile } from './splits.ts';

type Part = NonNullable<InputSplit['parts']>[number];

/** Pieces of one file: its blocks, those of more than `maximumBytes` cut again; what is left of a block and below twice that is halved. */
function* piecesOf({ path, length, whole }: InputFile, rules: CombineRules): Generator<Part> {
  if (length === 0 || whole === true || splitsWhole(path)) {
    yield { path, start: 0, length };
    return;
  }
  const { blockSizeBytes, maximumBytes } = rules;
  for (let block = 0; block < length; block += blockSizeBytes) {
    let left = Math.min(blockSizeBytes, length - block);
    for (let start = block; left > 0; ) {
      const piece = left > maximumBytes && left < 2 * maximumBytes ? Math.floor(left / 2) : Math.min(maximumBytes, left);
      yield { path, start, length: piece };
      start += piece;
      left -= piece;
    }
  }
}

/** Sizes in bytes. */
export interface CombineRules {
  readonly blockSizeBytes: number;
  /** A split is complete when it has so many (`mapreduce.input.fileinputformat.split.maxsize`; none: all input is one split). */
  readonly maximumBytes: number;
}

/** Pieces of one file that follow one another are one piece. */
function joined(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last !== undefined && last.path === part.path && last.start + last.length === part.start)
      all[all.length - 1] = { ...last, length: last.length + part.length };
    else all.push(part);
  }
  return all;
}

/** Cuts files into splits that have `maximumBytes` or a little more, in the order of the files; what is left is the last one. */
export function combineSplits(files: readonly InputFile[], rules: CombineRules, hosts: readonly string[]): InputSplit[] {
  const splits: InputSplit[] = [];
  let parts: Part[] = [];
  let bytes = 0;
  const end = () => {
    if (parts.length > 0) splits.push({ path: parts[0]!.path, start: 0, length: bytes, hosts, parts: joined(parts) });
    parts = [];
    bytes = 0;
  };
  for (const file of files)
    for (const piece of piecesOf(file, rules)) {
      parts.push(piece);
      bytes += piece.length;
      if (bytes >= rules.maximumBytes) end();
    }
  end();
  return splits;
}

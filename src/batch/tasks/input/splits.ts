// Which files a job reads and how they are cut into splits: FileInputFormat of both of Hadoop's APIs.
import { readdirSync, type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { localPath } from '../paths.ts';
import { splitsWhole } from './compression.ts';
import { expandGlob, hasGlob } from './glob.ts';
import type { InputSplit } from './input-split.ts';

/** Rules of FileInputFormat; sizes in bytes. */
export interface SplitRules {
  /** `mapred` is the old API: the number of maps asked for sets a goal size. */
  readonly api: 'mapred' | 'mapreduce';
  readonly blockSizeBytes: number;
  readonly minimumBytes: number;
  readonly maximumBytes: number;
  /** `mapreduce.job.maps`, old API only. */
  readonly mapsHint: number;
  readonly recursive: boolean;
  readonly ignoreSubfolders: boolean;
  readonly hosts: readonly string[];
  readonly workingFolder?: string;
  /** Files are sequence files: they are cut whatever their names say of compression, and a folder in a folder is a MapFile. */
  readonly sequences?: boolean;
}

/** Raised when the input cannot be listed; the message has one line for each bad path (InvalidInputException). */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInputException';
}

/** The file of a MapFile, which is a folder, that has its records (MapFile.DATA_FILE_NAME). */
export const mapFileData = 'data';

/** While more than this many split sizes remain, one is cut off (FileInputFormat.SPLIT_SLOP). */
const splitSlop = 1.1;

/** One file of a job's input; of another machine's by its address. */
export interface InputFile {
  readonly path: string;
  readonly length: number;
  /** It can be read from its beginning alone. */
  readonly whole?: boolean;
  /** Where lines end at which it is cut, of another machine's, where it is cut by lines. */
  readonly lineEnds?: readonly number[];
}

/** Whether a file is passed over by its name. */
export const hidden = (name: string) => name.startsWith('_') || name.startsWith('.');

/** Splits a comma separated list of paths; `\,` is a comma of a name, and commas inside `{…}` belong to the glob. */
export function splitPathList(text: string): string[] {
  const paths: string[] = [];
  let path = '';
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === '\\' && text[i + 1] === ',') path += text[++i];
    else if (char === ',' && depth === 0) {
      paths.push(path);
      path = '';
    } else {
      if (char === '{') depth++;
      if (char === '}') depth = Math.max(0, depth - 1);
      path += char;
    }
  }
  paths.push(path);
  return paths.filter((one) => one !== '');
}

function describe(text: string, path: string): string {
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) ? text : `file:${path}`;
}

/** What was found at addresses of other machines. */
export type RemoteInput = ReadonlyMap<string, readonly InputFile[]>;

/** Lists the input files in Hadoop's order; `remote` has those of other machines. @throws InvalidInput */
export function listInput(inputPaths: readonly string[], rules: SplitRules, remote: RemoteInput = new Map()): InputFile[] {
  if (inputPaths.length === 0) throw new InvalidInput('No input paths specified in job');
  const files: InputFile[] = [];
  const errors: string[] = [];
  const addMapFile = (folder: string): void => {
    const path = join(folder, mapFileData);
    const data = statSync(path, { throwIfNoEntry: false });
    if (data === undefined) throw new InvalidInput(`File file:${path} does not exist`);
    files.push({ path, length: data.size });
  };
  const addFolder = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      if (hidden(name)) continue;
      const path = join(folder, name);
      const stats = statSync(path);
      if (!stats.isDirectory()) files.push({ path, length: stats.size });
      else if (rules.recursive) addFolder(path);
      else if (rules.sequences) addMapFile(path);
      else if (!rules.ignoreSubfolders) throw new InvalidInput(`Not a file: file:${path}`);
    }
  };
  for (const text of inputPaths) {
    const elsewhere = remote.get(text);
    if (elsewhere !== undefined) {
      files.push(...elsewhere);
      continue;
    }
    const path = localPath(text, rules.workingFolder);
    // A backslash takes what follows it as it is, also where nothing else is a pattern.
    const matches = hasGlob(path) || path.includes('\\') ? expandGlob(path) : [path];
    const found = matches.filter((match) => !hidden(basename(match))).flatMap((match) => statOrNothing(match));
    if (found.length === 0) {
      errors.push(
        hasGlob(path) ? `Input Pattern ${describe(text, path)} matches 0 files` : `Input path does not exist: ${describe(text, path)}`,
      );
    }
    for (const one of found) {
      if (one.stats.isDirectory()) addFolder(one.path);
      else files.push({ path: one.path, length: one.stats.size });
    }
  }
  if (errors.length > 0) throw new InvalidInput(errors.join('\n'));
  return files;
}

function statOrNothing(path: string): { path: string; stats: Stats }[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? [] : [{ path, stats }];
}

/** Cuts the files into splits, in the order of the files. */
export function cutIntoSplits(files: readonly InputFile[], rules: SplitRules): InputSplit[] {
  const total = files.reduce((sum, file) => sum + file.length, 0);
  const goal = rules.api === 'mapred' ? Math.floor(total / Math.max(1, rules.mapsHint)) : rules.maximumBytes;
  const splitBytes = Math.max(1, rules.minimumBytes, Math.min(goal, rules.blockSizeBytes));
  const splits: InputSplit[] = [];
  for (const { path, length, whole } of files) {
    if (length === 0) {
      splits.push({ path, start: 0, length: 0, hosts: [] });
      continue;
    }
    let left = length;
    if (whole !== true && (rules.sequences || !splitsWhole(path))) {
      while (left / splitBytes > splitSlop) {
        splits.push({ path, start: length - left, length: splitBytes, hosts: rules.hosts });
        left -= splitBytes;
      }
    }
    if (left > 0) splits.push({ path, start: length - left, length: left, hosts: rules.hosts });
  }
  return splits;
}

/** Splits in the order of their map numbers: largest first, equal ones in the order of the input (JobSubmitter). */
export function orderSplits(splits: readonly InputSplit[]): InputSplit[] {
  return [...splits].sort((a, b) => b.length - a.length);
}

// `heddle up --detach`: the same cluster in a process of its own, whose output goes to a file that does not grow for ever.

import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fullDisk } from '../lib/full-disk.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { type ClusterFile, makeDataFolder, readClusterFile } from './cluster-file.ts';
import { CommandFailure } from './failure.ts';
import { printNote } from './output.ts';

/** The option by which the process is told that what it writes goes to a file, which it keeps small. */
const keptLogOption = '--kept-log';
const lookMs = 100;
const longestStartMs = 120_000;
const shownBytes = 4000;

/** Where the output of a detached cluster goes, unless told otherwise. */
export const usualLogFile = (dataDir: string): string => join(dataDir, 'logs', 'heddle.log');

/** A cluster that was started. */
export interface Detached {
  readonly pid: number;
  readonly addresses: ClusterFile['addresses'];
}

/**
 * Starts this program again, without `--detach`, in a session of its own, and waits until its roles answer.
 * @throws CommandFailure with the end of what it wrote where it ends instead
 */
export async function startDetached(dataDir: string, logFile: string, isPassedThrough: boolean): Promise<Detached> {
  const { log, before } = openLog(logFile, dataDir, isPassedThrough);
  const args = process.argv.slice(2).filter((word) => word !== '--detach');
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...args, keptLogOption, logFile], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const found = await answerOf(child, dataDir);
  if (found === undefined) {
    const said = readFileSync(logFile).subarray(before).subarray(-shownBytes).toString();
    printNote(
      said
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('{'))
        .map((line) => `${line}\n`)
        .join(''),
    );
    const full = said === '' && fullDisk(dirname(logFile)) !== undefined;
    throw full
      ? new CommandFailure(
          `the cluster did not start: the disk of ${dirname(logFile)} is full`,
          'Make room there, or choose another place with --data.',
        )
      : new CommandFailure('the cluster did not start', `All that it wrote is in ${logFile}.`);
  }
  child.unref();
  return found;
}

/** The file to append to, and how long it was. It may lie in the data folder, which is made as the cluster itself would make it. */
export function openLog(path: string, dataDir: string, isPassedThrough: boolean): { readonly log: number; readonly before: number } {
  try {
    makeDataFolder(dataDir, isPassedThrough);
    makeFolder(dirname(path), 0o700, 0o755);
    const log = openSync(path, 'a', 0o600);
    return { log, before: fstatSync(log).size };
  } catch (error) {
    throw new CommandFailure(
      `${path} cannot be written: ${systemErrorText(error)}`,
      'Name another file with --log-file, or another folder with --data.',
    );
  }
}

/** What the process leaves in its data folder once it answers; undefined where it ended before. */
async function answerOf(child: ChildProcess, dataDir: string): Promise<Detached | undefined> {
  const { promise: ended, resolve } = Promise.withResolvers<'ended'>();
  child.once('exit', () => resolve('ended'));
  child.once('error', () => resolve('ended'));
  const endMs = performance.now() + longestStartMs;
  for (;;) {
    const file = readClusterFile(dataDir);
    if (file && file.pid === child.pid && Object.keys(file.addresses).length > 0) return { pid: file.pid, addresses: file.addresses };
    if ((await Promise.race([ended, new Promise((wake) => setTimeout(wake, lookMs))])) === 'ended') return undefined;
    if (performance.now() > endMs)
      throw new CommandFailure(`the cluster (process ${child.pid}) does not come up`, 'Look at what it writes; "heddle down" ends it.');
  }
}

/** How much is kept of what is written. */
export interface KeptLog {
  readonly path: string;
  readonly maximumBytes: number;
  /** Older files beside it, `.1` the youngest. */
  readonly files: number;
}

/**
 * Begins the file anew where it has become too long; what was in it is in `.1` then. Whoever writes keeps the file open and appends to it, so
 * it is copied and emptied: what is written between the two is lost, some microseconds of it.
 */
export function rotate({ path, maximumBytes, files }: KeptLog): boolean {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= maximumBytes) return false;
  for (let number = files - 1; number >= 1; number--)
    if (existsSync(`${path}.${number}`)) renameSync(`${path}.${number}`, `${path}.${number + 1}`);
  if (files > 0) {
    copyFileSync(path, `${path}.new`);
    truncateSync(path);
    renameSync(`${path}.new`, `${path}.1`);
  } else truncateSync(path);
  rmSync(`${path}.${files + 1}`, { force: true });
  return true;
}

const rotationMs = 5000;

/** Keeps the log of this process small for as long as it runs. A full disk leaves it as it is. */
export function keepLog(kept: KeptLog): void {
  const timer = setInterval(() => {
    try {
      rotate(kept);
    } catch (error) {
      printNote(`heddle: ${kept.path} cannot be begun anew: ${systemErrorText(error)}\n`);
    }
  }, rotationMs);
  timer.unref();
}

// DATA/cluster.json: where the cluster that uses this data folder answers, so that other commands find it.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailure } from './failure.ts';

/** What `heddle up` and `heddle start` leave in the data folder while they run. */
export interface ClusterFile {
  readonly pid: number;
  /** Clock ticks from boot to the start of that process, so that another one with its number is told apart. */
  readonly processStart: string | undefined;
  readonly startedAt: string;
  /** Base URLs by role and name. */
  readonly addresses: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const fileName = 'cluster.json';

function processStartOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function isRunning(file: ClusterFile): boolean {
  try {
    process.kill(file.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return file.processStart === undefined || processStartOf(file.pid) === file.processStart;
}

/** The cluster that runs on a data folder, or undefined. */
export function readClusterFile(dataDir: string, name = fileName): ClusterFile | undefined {
  let file: ClusterFile;
  try {
    file = JSON.parse(readFileSync(join(dataDir, name), 'utf8')) as ClusterFile;
  } catch {
    return undefined;
  }
  return typeof file?.pid === 'number' && isRunning(file) ? file : undefined;
}

const startMs = 30_000;
const lookMs = 50;

/**
 * The cluster that runs on a data folder, once it says where it answers: one that is starting is waited for. Blocks.
 * @throws CommandFailure when it has not started after half a minute
 */
export function awaitClusterFile(dataDir: string): ClusterFile | undefined {
  const endMs = performance.now() + startMs;
  for (;;) {
    const file = readClusterFile(dataDir);
    if (!file || Object.keys(file.addresses ?? {}).length > 0) return file;
    if (performance.now() > endMs)
      throw new CommandFailure(`the cluster on ${dataDir} (process ${file.pid}) does not come up`, 'Look at what it has printed.');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookMs);
  }
}

/**
 * Claims the data folder for this process; `write` completes the file, `remove` gives the folder back.
 * @throws CommandFailure when a running process has it.
 */
export function claimDataDirectory(dataDir: string, name = fileName): { write(addresses: ClusterFile['addresses']): void; remove(): void } {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new CommandFailure(`${dataDir} cannot be used: ${(error as Error).message}`, 'Give --data a folder that you may write to.');
  }
  const other = readClusterFile(dataDir, name);
  if (other && other.pid !== process.pid) {
    throw new CommandFailure(`a cluster already runs on ${dataDir} (process ${other.pid})`, 'Stop it, or give another folder with --data.');
  }
  const path = join(dataDir, name);
  const write = (addresses: ClusterFile['addresses']): void => {
    const content: ClusterFile = {
      pid: process.pid,
      processStart: processStartOf(process.pid),
      startedAt: new Date().toISOString(),
      addresses,
    };
    writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`);
    renameSync(`${path}.new`, path);
  };
  try {
    write({});
  } catch (error) {
    throw new CommandFailure(`${dataDir} cannot be used: ${(error as Error).message}`, 'Give --data a folder that you may write to.');
  }
  return { write, remove: () => rmSync(path, { force: true }) };
}

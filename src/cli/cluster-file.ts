// DATA/cluster.json: where the cluster that uses this data folder answers, so that other commands find it.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checked, fields, type JsonOf, mapOf, optional, text, whole } from '../lib/json-shape.ts';
import { readStat } from '../lib/process-stat.ts';
import { CommandFailure } from './failure.ts';

/** What `heddle up` and `heddle start` leave in the data folder while they run. */
const clusterFile = fields({
  pid: whole({ minimum: 1 }),
  /** Clock ticks from boot to the start of that process, so that another one with its number is told apart. */
  processStart: optional(text()),
  startedAt: text(),
  /** Base URLs by role and name. */
  addresses: mapOf(mapOf(text())),
});
export type ClusterFile = JsonOf<typeof clusterFile>;

const fileName = 'cluster.json';

/** What was killed and only waits for its parent to take note runs no more. */
function processStartOf(pid: number): string | undefined {
  const stat = readStat(pid);
  return stat && !stat.zombie ? String(stat.startTicks) : undefined;
}

function isRunning(file: ClusterFile): boolean {
  try {
    process.kill(file.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return file.processStart === undefined || processStartOf(file.pid) === file.processStart;
}

/** What the file says, whichever process wrote it; undefined where there is none that can be read. */
function readFile(dataDir: string, name: string): ClusterFile | undefined {
  try {
    return checked(clusterFile, JSON.parse(readFileSync(join(dataDir, name), 'utf8'))).value;
  } catch {
    return undefined;
  }
}

/** The cluster that runs on a data folder, or undefined. */
export function readClusterFile(dataDir: string, name = fileName): ClusterFile | undefined {
  const file = readFile(dataDir, name);
  return file && isRunning(file) ? file : undefined;
}

/** Roles that were started one by one on the folder, as if they were one cluster: what `heddle start` left of those that commands talk to. */
function readRoleFiles(dataDir: string): ClusterFile | undefined {
  const manager = readClusterFile(dataDir, 'resource-manager.json');
  const others = ['history.json', 'timeline.json'].map((name) => readClusterFile(dataDir, name)?.addresses);
  return manager && { ...manager, addresses: Object.assign({}, ...others, manager.addresses) as ClusterFile['addresses'] };
}

const startMs = 60_000;
const lookMs = 50;

/**
 * The cluster that runs on a data folder, once it says where it answers: one that is starting is waited for. Blocks.
 * @throws CommandFailure when it has not started after a minute
 */
export function awaitClusterFile(dataDir: string): ClusterFile | undefined {
  const endMs = performance.now() + startMs;
  for (;;) {
    const file = readClusterFile(dataDir) ?? readRoleFiles(dataDir);
    if (!file || Object.keys(file.addresses).length > 0) return file;
    if (performance.now() > endMs)
      throw new CommandFailure(`the cluster on ${dataDir} (process ${file.pid}) does not come up`, 'Look at what it has printed.');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookMs);
  }
}

const killBit = 1n << 8n;
const endingMs = 5000;

/** Whether a process was killed and is not gone yet: its threads, and with them its ports, end a little later. */
function isEnding(pid: number, start: string): boolean {
  const stat = readStat(pid);
  if (!stat || String(stat.startTicks) !== start) return false;
  try {
    if (stat.zombie) return readdirSync(`/proc/${pid}/task`).length > 1;
    const pending = /^ShdPnd:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return pending !== undefined && (BigInt(`0x${pending}`) & killBit) !== 0n;
  } catch {
    return false;
  }
}

/** Waits, some seconds at most, until a process that had the data folder and was killed just now is gone. */
export async function waitForKilled(dataDir: string, name = fileName): Promise<void> {
  const file = readFile(dataDir, name);
  const endMs = performance.now() + endingMs;
  while (file?.processStart !== undefined && isEnding(file.pid, file.processStart) && performance.now() < endMs)
    await new Promise((wake) => setTimeout(wake, lookMs));
}

/** Makes a folder and those above it. Node's own way never ends where the system says of a folder that is there that it is not (/proc). */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o755 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o755 });
  }
}

/**
 * Claims the data folder for this process; `write` completes the file, `remove` gives the folder back.
 * @throws CommandFailure when a running process has it.
 */
export function claimDataDirectory(dataDir: string, name = fileName): { write(addresses: ClusterFile['addresses']): void; remove(): void } {
  try {
    makeFolder(dataDir);
  } catch (error) {
    throw new CommandFailure(`${dataDir} cannot be used: ${(error as Error).message}`, 'Give --data a folder that you may write to.');
  }
  const other = readClusterFile(dataDir, name);
  if (other && other.pid !== process.pid) {
    const what = name === fileName ? 'cluster' : name.replace(/\.json$/, '').replace('-', ' ');
    throw new CommandFailure(`a ${what} already runs on ${dataDir} (process ${other.pid})`, 'Stop it, or give another folder with --data.');
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

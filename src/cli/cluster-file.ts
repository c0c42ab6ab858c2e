// DATA/cluster.json: where the cluster that uses this data folder answers, so that other commands find it, and each role runs once there
// (docs/protocol.md, P14).
import { readdirSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FileLock, lockFile } from '../lib/file-lock.ts';
import { checked, fields, type JsonOf, mapOf, optional, text, whole } from '../lib/json-shape.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { readStat } from '../lib/process-stat.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { CommandFailure } from './failure.ts';

/** What `heddle up` and `heddle start` leave in the data folder while they run. */
const clusterFile = fields({
  pid: whole({ minimum: 1 }),
  /** Clock ticks from boot to the start of that process, so that another one with its number is told apart. */
  processStart: optional(text()),
  startedAt: text(),
  /** Which command it is. */
  command: optional(text()),
  /** PEM file with the authorities of its certificates, where it speaks TLS. */
  authorityFile: optional(text()),
  /** Base URLs by role and name. */
  addresses: mapOf(mapOf(text())),
});
export type ClusterFile = JsonOf<typeof clusterFile>;

const wholeCluster = 'cluster';
const fileOf = (role: string): string => `${role}.json`;
const fileName = fileOf(wholeCluster);

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

/** The processes that left `NAME.json` of these names on a data folder and still run, in the order of the names. */
export function runningOn(dataDir: string, names: readonly string[]): ClusterFile[] {
  return names.flatMap((name) => readClusterFile(dataDir, fileOf(name)) ?? []);
}

/** Roles that were started one by one on the folder, as if they were one cluster: what `heddle start` left of those that commands talk to. */
function readRoleFiles(dataDir: string): ClusterFile | undefined {
  const manager = readClusterFile(dataDir, 'resource-manager.json');
  const others = ['history.json', 'timeline.json'].map((name) => readClusterFile(dataDir, name)?.addresses);
  return manager && { ...manager, addresses: Object.assign({}, ...others, manager.addresses) as ClusterFile['addresses'] };
}

/** The cluster that runs on a data folder, as far as it is. */
export const startedClusterFile = (dataDir: string): ClusterFile | undefined => readClusterFile(dataDir) ?? readRoleFiles(dataDir);

const startMs = 60_000;
const lookMs = 50;

/**
 * The cluster that runs on a data folder, once it says where it answers: one that is starting is waited for. Blocks.
 * @throws CommandFailure when it has not started after a minute
 */
export function awaitClusterFile(dataDir: string): ClusterFile | undefined {
  const endMs = performance.now() + startMs;
  for (;;) {
    const file = startedClusterFile(dataDir);
    if (!file || Object.keys(file.addresses).length > 0) return file;
    if (performance.now() > endMs)
      throw new CommandFailure(`the cluster on ${dataDir} (process ${file.pid}) does not come up`, 'Look at what it has printed.');
    waitHere();
  }
}

/** Until the next look, without letting anything else of this process go on. */
const waitHere = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookMs);

const killBit = 1n << 8n;
const endingMs = 5000;
const goneMs = 1000;

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

/** Waits, some seconds at most, until processes that had one of the roles on the data folder, or all, and were killed just now are gone. */
export async function waitForKilled(dataDir: string, roles: readonly string[]): Promise<void> {
  const endMs = performance.now() + endingMs;
  for (const name of [fileName, ...roles.map(fileOf)]) {
    const file = readFile(dataDir, name);
    while (file?.processStart !== undefined && isEnding(file.pid, file.processStart) && performance.now() < endMs)
      await new Promise((wake) => setTimeout(wake, lookMs));
  }
}

/** What a process does on a data folder. */
export interface Claim {
  /** `heddle up`, `heddle start timeline`, as others are told who has the folder. */
  readonly command: string;
  /** Roles that run in it. */
  readonly roles: readonly string[];
  /** Whether it is a whole cluster, of which there is one on a folder. */
  readonly isCluster: boolean;
  /** Containers run as other users, who go through the folder to their own where it is made now. */
  readonly isPassedThrough?: boolean;
}

/** A data folder that is this process's. */
export interface ClaimedDirectory {
  /** Completes the file. */
  write(addresses: ClusterFile['addresses'], authorityFile?: string): void;
  /** Gives the folder back. */
  remove(): void;
}

function cannotBeUsed(dataDir: string, error: unknown): CommandFailure {
  const { code, errcode } = error as { code?: string; errcode?: number };
  // The lock is an empty database, for which there is no room either.
  if (code === 'ENOSPC' || code === 'EDQUOT' || errcode === sqliteFull)
    return new CommandFailure(`${dataDir} cannot be used: its disk is full`, 'Make room there, or choose another place with --data.');
  if (code === 'EEXIST') return new CommandFailure(`${dataDir} cannot be used: it is a file`, 'Give --data a folder.');
  return new CommandFailure(`${dataDir} cannot be used: ${systemErrorText(error)}`, 'Give --data a folder that you may write to.');
}
const sqliteFull = 13;

/** Makes the data folder where there is none: its owner's alone, but for containers of others where these go through it to their own. */
export const makeDataFolder = (dataDir: string, isPassedThrough: boolean): void =>
  makeFolder(dataDir, isPassedThrough ? 0o711 : 0o700, 0o755);

/**
 * Claims the data folder for the roles of this process: each has a lock there, which ends with the process however that ends, so that no role
 * ever runs twice on a folder.
 * @throws CommandFailure when a running process has one of them, naming it
 */
export function claimDataDirectory(dataDir: string, { command, roles, isCluster, isPassedThrough = false }: Claim): ClaimedDirectory {
  const locks: FileLock[] = [];
  const release = () => {
    for (const lock of locks) lock.release();
  };
  try {
    makeDataFolder(dataDir, isPassedThrough);
    for (const name of isCluster ? [wholeCluster, ...roles] : roles) {
      const lock = lockFile(join(dataDir, `${name}.lock`));
      if (!lock) throw alreadyRuns(dataDir, name);
      locks.push(lock);
      // Who has removed the file of a lock has not ended who holds it.
      if (isHeldWithoutLock(dataDir, name)) throw alreadyRuns(dataDir, name);
    }
    const path = join(dataDir, isCluster ? fileName : fileOf(roles[0] ?? wholeCluster));
    const write = (addresses: ClusterFile['addresses'], authorityFile?: string): void => {
      const content: ClusterFile = {
        pid: process.pid,
        processStart: processStartOf(process.pid),
        startedAt: new Date().toISOString(),
        command,
        authorityFile,
        addresses,
      };
      writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`);
      renameSync(`${path}.new`, path);
    };
    write({});
    const remove = () => {
      rmSync(path, { force: true });
      release();
    };
    return { write, remove };
  } catch (error) {
    release();
    throw error instanceof CommandFailure ? error : cannotBeUsed(dataDir, error);
  }
}

/** Whether another process that runs says that it has the role, and goes on running: one that was killed gives up its lock a moment before it is gone. */
function isHeldWithoutLock(dataDir: string, name: string): boolean {
  const isOther = (file: ClusterFile | undefined) =>
    file?.processStart !== undefined && file.pid !== process.pid && usesFolder(file.pid, dataDir);
  const isHeld = () => {
    const whole = readClusterFile(dataDir);
    return isOther(readClusterFile(dataDir, fileOf(name))) || (isOther(whole) && name in (whole?.addresses ?? {}));
  };
  for (const endMs = performance.now() + goneMs; isHeld(); waitHere()) if (performance.now() > endMs) return true;
  return false;
}

/** Whether a process has files of the folder open, under whatever names: what it says of itself may lie in a copy of its folder. */
function usesFolder(pid: number, folder: string): boolean {
  try {
    const files = `/proc/${pid}/fd`;
    const within = `${realpathSync(folder)}/`;
    return readdirSync(files).some((name) => linkOf(join(files, name)).startsWith(within));
  } catch {
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Says who has it, by the files that running processes leave. */
function alreadyRuns(dataDir: string, name: string): CommandFailure {
  const holder = readClusterFile(dataDir, fileOf(name)) ?? readClusterFile(dataDir);
  const who = holder ? `process ${holder.pid}${holder.command === undefined ? '' : `, "${holder.command}"`}` : 'a process that just starts';
  return new CommandFailure(
    `a ${name.replace('-', ' ')} already runs on ${dataDir} (${who})`,
    'Stop it, or give another folder with --data.',
  );
}

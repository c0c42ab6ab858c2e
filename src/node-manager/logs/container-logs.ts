// The log files of containers on this node's disks: which there are, and reading them (ContainerLogsUtils).
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isForeignLink } from '../../lib/foreign-link.ts';
import { failure } from '../../model/errors.ts';
import type { ContainerState } from '../containers/container-states.ts';
import type { NodeFolders } from '../folders.ts';

/** A log file. */
export interface LogFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** How much of it lies on the disk: less than its length where it has holes. */
  readonly storedBytes: number;
  readonly modifiedMs: number;
  /** The same as long as it is the same file, however it is named. */
  readonly identity: string;
  readonly folder: boolean;
  /** The folder in which it has to be found when it is opened, without links. */
  readonly below: string;
}

/** Size and kind of what a name in a log folder stands for; links count as long as they stay inside it. */
async function factsInside(folder: string, path: string): Promise<Stats | undefined> {
  const facts = await lstat(path).catch(() => undefined);
  if (!facts?.isSymbolicLink()) return facts;
  const [root, target] = await Promise.all([realpath(folder), realpath(path)]).catch(() => ['', '']);
  return target.startsWith(`${root}${sep}`) ? stat(path).catch(() => undefined) : undefined;
}

const identityOf = ({ ino, birthtimeMs }: Stats): string => `${ino}:${birthtimeMs}`;

/** The files (and folders) directly in a container's log folders, in the file system's order. */
export async function listLogs(folders: NodeFolders, applicationId: string, containerId: string): Promise<LogFile[]> {
  const found: LogFile[] = [];
  for (const folder of folders.containerLogs(applicationId, containerId)) {
    // A container may have put a link in the place of its log folder.
    using held = await folders.hold(folder).catch(() => undefined);
    const names = held ? await readdir(held.path).catch(() => []) : [];
    const owner = held && names.length > 0 ? await stat(held.path).catch(() => undefined) : undefined;
    if (!held || !owner) continue;
    const below = await folders.realOf(folder);
    for (const name of names) {
      const path = join(folder, name);
      const facts = await factsInside(held.path, join(held.path, name));
      if (facts && ((facts.isFile() && !isForeignLink(facts, owner)) || facts.isDirectory()))
        found.push({
          name,
          path,
          bytes: facts.size,
          storedBytes: facts.blocks * 512,
          modifiedMs: Math.floor(facts.mtimeMs),
          identity: identityOf(facts),
          folder: facts.isDirectory(),
          below,
        });
    }
  }
  return found;
}

/** Why logs of a container in this state cannot be shown; nothing for all other states. @throws Failure */
export function checkLogState(state: ContainerState | undefined): void {
  if (state === 'NEW' || state === 'LOCALIZING' || state === 'SCHEDULED') throw failure('NODE_LOGS_NOT_YET', { state });
  if (state === 'LOCALIZATION_FAILED') throw failure('NODE_LOGS_NOT_LOCALIZED');
}

/** An open log file. Read with `read`, close it in the end. */
export interface OpenLog {
  readonly name: string;
  readonly path: string;
  /** See LogFile. */
  readonly identity: string;
  /** Length and time when it was opened. */
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Bytes from `start` on, at most `length`. */
  read(start: number, length: number): AsyncGenerator<Buffer>;
  /** The length now. */
  currentBytes(): Promise<number>;
  close(): Promise<void>;
}

const chunkBytes = 64 * 1024;

/** Whether what was opened lies in the log folder and belongs to the container. @throws the file system's errors, as where the folder is gone by now */
async function isOwnLog(handle: FileHandle, folders: NodeFolders, folder: string, path: string): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => path);
  return opened.startsWith((await folders.realOf(folder)) + sep) && !isForeignLink(await handle.stat(), await stat(folder));
}

/** Opens a log file of a container; `name` may lie in a folder below. Links are not followed out of the log folder. @throws Failure */
export async function openLog(folders: NodeFolders, applicationId: string, containerId: string, name: string): Promise<OpenLog> {
  if (name === '' || name.includes('\0') || name.split('/').some((part) => part === '..' || part === '.'))
    throw failure('NODE_LOG_NOT_FOUND');
  for (const folder of folders.containerLogs(applicationId, containerId)) {
    const path = join(folder, name);
    let facts: Stats;
    try {
      facts = await stat(path);
      const [root, target] = await Promise.all([folders.realOf(folder), realpath(path)]);
      if (!target.startsWith(root + sep)) continue;
    } catch {
      continue;
    }
    if (!facts.isFile()) throw failure('NODE_LOG_UNREADABLE', { file: name });
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => {
      throw failure('NODE_LOG_UNREADABLE', { file: name });
    });
    // The container may have put a link there meanwhile, or one of the hard kind before.
    if (!(await isOwnLog(handle, folders, folder, path).catch(() => false))) {
      await handle.close();
      throw failure('NODE_LOG_UNREADABLE', { file: name });
    }
    return {
      name,
      path,
      identity: identityOf(facts),
      bytes: facts.size,
      modifiedMs: Math.floor(facts.mtimeMs),
      async *read(start, length) {
        for (let done = 0; done < length; ) {
          const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, length - done));
          const { bytesRead } = await handle.read(buffer, 0, buffer.length, start + done);
          if (bytesRead === 0) return;
          done += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      },
      currentBytes: async () => (await handle.stat()).size,
      close: () => handle.close(),
    };
  }
  throw failure('NODE_LOG_NOT_FOUND');
}

/** Which part of a file of `bytes` a size asks for: the first, with a minus the last ones. */
export function partOf(bytes: number, size: number): { start: number; length: number } {
  if (size >= 0) return { start: 0, length: Math.min(size, bytes) };
  const length = Math.min(-size, bytes);
  return { start: bytes - length, length };
}

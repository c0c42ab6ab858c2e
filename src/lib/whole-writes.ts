// Writing whatever there is, and naming the file where that fails: Node's errors of files that are open name the call alone. One call may write less
// than it was given without an error, as where the rest does not fit on the disk.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readlinkSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Where an open file lies; undefined where the system does not tell. */
function pathOf(file: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return undefined;
  }
}

/** The error of a write, with the file that it was for where it names none. */
export function withPlace(error: unknown, path: string | undefined): unknown {
  if (error instanceof Error && path !== undefined) (error as NodeJS.ErrnoException).path ??= path;
  return error;
}

/** Writes all of the bytes to an open file. @throws the file system's error, which names the file */
export function writeWhole(file: number, bytes: Buffer): void {
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  } catch (error) {
    throw withPlace(error, pathOf(file));
  }
}

/** Writes a new file, or replaces what it holds. @throws the file system's error, which names the file */
export function writeNamedFile(path: string, text: string, options: { readonly mode?: number } = {}): void {
  try {
    writeFileSync(path, text, options);
  } catch (error) {
    throw withPlace(error, path);
  }
}

/** How a file is made; `wx`: one that is there already is not touched. */
export interface NewFileOptions {
  readonly mode?: number;
  readonly flag?: 'w' | 'wx';
}

/** Writes a new file, or replaces what it holds: that is on the disk when this is over, its name may not be yet. @throws the file system's error, which names the file */
export function writeSynced(path: string, text: string, { mode, flag = 'w' }: NewFileOptions = {}): void {
  const file = openSync(path, flag, mode);
  try {
    writeWhole(file, Buffer.from(text));
    fsyncSync(file);
  } catch (error) {
    throw withPlace(error, path);
  } finally {
    closeSync(file);
  }
}

/** The same, and with its name. @throws the same */
export function writeDurably(path: string, text: string, options: NewFileOptions = {}): void {
  writeSynced(path, text, options);
  syncFolderNow(dirname(path));
}

/** Puts a file in the place of another one: after any death of the machine it is the one or the other. @throws the file system's error, which names the file */
export function replaceDurably(path: string, text: string, options: { readonly mode?: number } = {}): void {
  const coming = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeSynced(coming, text, { ...options, flag: 'wx' });
    renameSync(coming, path);
  } catch (error) {
    rmSync(coming, { force: true });
    throw error;
  }
  syncFolderNow(dirname(path));
}

/** Writes all of the bytes at the place where the file stands. @throws the file system's error */
export async function appendWhole(
  file: { write(bytes: Uint8Array, offset: number): Promise<{ readonly bytesWritten: number }> },
  bytes: Uint8Array,
): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten;
}

/** What a file system says that does not bring folders to the disk, or whose folder may be passed through only. */
const notOffered: ReadonlySet<unknown> = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EROFS']);

function exceptNotOffered(error: unknown): void {
  if (!notOffered.has((error as NodeJS.ErrnoException).code)) throw error;
}

/**
 * Makes names in a folder durable, where the file system does that: a file that is on the disk may still be lost with its name.
 * @throws the file system's error, also where the folder is not there
 */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    exceptNotOffered(error);
  }
}

/** The same at once, for what is made once. @throws the same */
export function syncFolderNow(folder: string): void {
  let handle: number | undefined;
  try {
    handle = openSync(folder, 'r');
    fsyncSync(handle);
  } catch (error) {
    exceptNotOffered(error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

// Removes the folder of a container, which mostly holds a few files and an empty folder: one look and one call for each of them. What Node's `rm`
// does for each entry before it removes it costs a node that runs short containers more than their start. What is found otherwise is left to `rm`.
import { lstat, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { folderBelow, type HeldFolder } from '../lib/folder-inside.ts';

/** Removes a folder with all that it holds; links are removed, not followed. Nothing happens where it is not there. */
export async function removeFolder(path: string): Promise<void> {
  try {
    if (!(await lstat(path)).isDirectory()) return await rm(path, { force: true });
    const entries = await readdir(path, { withFileTypes: true });
    await Promise.all(entries.map((entry) => (entry.isDirectory() ? rmdir : unlink)(join(path, entry.name))));
    await rmdir(path);
  } catch {
    await rm(path, { recursive: true, force: true });
  }
}

/** How much of a folder is removed here: entries of each folder in it, and folders on the way down. */
const mostEntries = 200;
const mostDepth = 5;

/**
 * Removes what stands under a name in a folder that is held, with all that it holds. Each folder in it is held while it is emptied, so that no
 * link, wherever it is put meanwhile, leads to anything else. False where more is there, or something changes meanwhile: then much of it is left.
 */
export async function removeBelow(above: HeldFolder, name: string, depth = 0): Promise<boolean> {
  const path = join(above.path, name);
  // Many are empty.
  if (await isDone(rmdir(path))) return true;
  try {
    if (!(await emptied(above, name, depth))) return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    return (code === 'ENOTDIR' || code === 'ELOOP') && isDone(unlink(path));
  }
  return isDone(rmdir(path));
}

async function emptied(above: HeldFolder, name: string, depth: number): Promise<boolean> {
  using held = await folderBelow(above, name);
  const entries = await readdir(held.path, { withFileTypes: true });
  if (entries.length > mostEntries || depth >= mostDepth) return false;
  const gone = await Promise.all(
    entries.map((entry) => (entry.isDirectory() ? removeBelow(held, entry.name, depth + 1) : isDone(unlink(join(held.path, entry.name))))),
  );
  return !gone.includes(false);
}

/** Whether it is gone by the call, or was already. */
const isDone = (call: Promise<void>): Promise<boolean> =>
  call.then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );

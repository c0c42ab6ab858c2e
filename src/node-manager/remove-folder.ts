// Removes the folder of a container, which mostly holds a few files and an empty folder: one look and one call for each of them. What Node's `rm`
// does for each entry before it removes it costs a node that runs short containers more than their start. What is found otherwise is left to `rm`.
import { lstat, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

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

// Brings a file, or a folder with all in it, to the disk.
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { holdPlace } from './held-place.ts';
import { syncFolder } from './whole-writes.ts';

/** Waits until the files below `path` are on the disk, and their names. Links are not followed. @throws the file system's errors */
export async function syncTree(path: string): Promise<void> {
  await using place = await holdPlace(path);
  if (place.facts.isDirectory()) {
    for (const name of await readdir(place.path)) await syncTree(join(place.path, name));
    // Waited for here: as a mere result it would be opened when the place is no longer held.
    await syncFolder(place.path);
  }
  if (!place.facts.isFile()) return;
  const file = await open(place.path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

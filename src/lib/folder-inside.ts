// Goes down into a folder without following a link, and stays there: what is put there afterwards lands in the folder that was found, whatever
// its path leads to by then. For trees in which others may own folders, or swap one for a link while something is written.
import { constants, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder that is held. `path` leads to it until it is disposed of; a part of it that follows is looked up in the folder itself. */
export interface HeldFolder extends AsyncDisposable {
  readonly path: string;
}

/** How the way down is gone. */
export interface FolderInsideOptions {
  /** Mode of folders that are made where they are absent; absent: they have to be there. */
  readonly make?: number;
  /** Folders below the root have to belong to this process's user, to root, or to who has the root folder. */
  readonly ownersOnly?: boolean;
}

const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Linux: names below a descriptor (what openat(2) is for) can be given by its path. */
const descriptors = '/proc/self/fd';

/**
 * Opens `root/…names`, a folder at a time. The root itself may be reached over links, nothing below it.
 * @throws the file system's error: ELOOP or ENOTDIR for a link, ENOENT for what is absent; Error where a folder is a stranger's
 */
export async function folderInside(
  root: string,
  names: readonly string[],
  { make, ownersOnly }: FolderInsideOptions = {},
): Promise<HeldFolder> {
  const hasDescriptors = existsSync(descriptors);
  let held = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  let path = root;
  try {
    const owners = ownersOnly ? [0, process.geteuid?.(), (await held.stat()).uid] : undefined;
    for (const name of names) {
      if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) throw new Error(`${JSON.stringify(name)} names no folder`);
      const below = await openBelow(join(hasDescriptors ? `${descriptors}/${held.fd}` : path, name), make);
      // Each step down costs one way to the disk: nothing is waited for that the next one does not need.
      held.close().catch(() => undefined);
      held = below;
      path = join(path, name);
      if (owners === undefined) continue;
      const { uid } = await held.stat();
      if (!owners.includes(uid)) throw new Error(`${path} belongs to another user (${uid})`);
    }
  } catch (error) {
    await held.close();
    throw error;
  }
  return { path: hasDescriptors ? `${descriptors}/${held.fd}` : path, [Symbol.asyncDispose]: () => held.close() };
}

/** Most folders are there: one is made when it is not found. */
async function openBelow(path: string, make: number | undefined): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    if (make === undefined || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await mkdir(path, { mode: make }).catch(ignoreExisting);
  return open(path, flags);
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

// Goes down into a folder without following a link, and stays there: what is put there afterwards lands in the folder that was found, whatever
// its path leads to by then. For trees in which others may own folders, or swap one for a link while something is written.
import { closeSync, constants, existsSync, fstatSync, openSync, readlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder that is held. `path` leads to it until it is disposed of; a part of it that follows is looked up in the folder itself. */
export interface HeldFolder extends Disposable {
  readonly path: string;
}

/** How the way down is gone. */
export interface FolderInsideOptions {
  /** Mode of folders that are made where they are absent; absent: they have to be there. */
  readonly make?: number | undefined;
  /** The last of them is most likely absent. */
  readonly isNew?: boolean;
  /** Folders below the root have to belong to this process's user, to root, or to who has the root folder. */
  readonly ownersOnly?: boolean;
  /** Where the root really lies, as far as is known: then a folder that is there is opened in one step, unless owners are looked at. */
  readonly realRoot?: string;
}

// Folders are opened by the dozen for each container. The system finds those in memory that are in use: it takes them a tenth of what the way to
// another thread and back does, and letting one go waits for no disk either. What is written (`mkdir`) may have to wait for the disk.
const folder = constants.O_RDONLY | constants.O_DIRECTORY;
const noLink = folder | constants.O_NOFOLLOW;
/** Linux: names below a descriptor (what openat(2) is for) can be given by its path. */
const descriptors = '/proc/self/fd';
const hasDescriptors = existsSync(descriptors);

class Descriptor implements HeldFolder {
  readonly fd: number;
  readonly path: string;

  constructor(fd: number, path: string) {
    this.fd = fd;
    this.path = hasDescriptors ? `${descriptors}/${fd}` : path;
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

/**
 * Opens `root/…names`. The root itself may be reached over links, nothing below it.
 * @throws the file system's error: ELOOP or ENOTDIR for a link, ENOENT for what is absent; Error where a folder is a stranger's
 */
export async function folderInside(
  root: string,
  names: readonly string[],
  { make, isNew = false, ownersOnly = false, realRoot }: FolderInsideOptions = {},
): Promise<HeldFolder> {
  for (const name of names)
    if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) throw new Error(`${JSON.stringify(name)} names no folder`);
  const looks = realRoot !== undefined && !ownersOnly && hasDescriptors;
  // What is there already, as deep as it goes; where it has to be there whole, one look is enough.
  let depth = isNew ? names.length - 1 : names.length;
  let held: Descriptor | undefined;
  for (; looks && depth > 0; depth--) {
    held = straightDown(root, realRoot, names.slice(0, depth));
    if (held || make === undefined) break;
  }
  if (!held) {
    depth = 0;
    held = new Descriptor(openSync(root, folder), root);
  }
  try {
    const owners = ownersOnly ? [0, process.geteuid?.(), fstatSync(held.fd).uid] : undefined;
    for (; depth < names.length; depth++) {
      const below = await openBelow(held.path, names[depth]!, { make, isAbsent: looks });
      held[Symbol.dispose]();
      held = below;
      if (owners === undefined) continue;
      const { uid } = fstatSync(held.fd);
      if (!owners.includes(uid)) throw new Error(`${join(root, ...names.slice(0, depth + 1))} belongs to another user (${uid})`);
    }
    return held;
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
}

/** Opens a folder in one that is held, made where it is absent and `make` is a mode. @throws the file system's error: ELOOP or ENOTDIR for what is a link or no folder */
export function folderBelow(above: HeldFolder, name: string, make?: number): Promise<HeldFolder> {
  return openBelow(above.path, name, { make, isAbsent: false });
}

/** Opens the folder over whatever stands on the way and asks the system where that is: only what is in its place is taken. */
function straightDown(root: string, realRoot: string, names: readonly string[]): Descriptor | undefined {
  const path = join(root, ...names);
  let found: Descriptor;
  try {
    found = new Descriptor(openSync(path, noLink), path);
  } catch {
    return undefined;
  }
  if (isAt(found.fd, join(realRoot, ...names))) return found;
  found[Symbol.dispose]();
  return undefined;
}

function isAt(fd: number, place: string): boolean {
  try {
    return readlinkSync(`${descriptors}/${fd}`) === place;
  } catch {
    return false;
  }
}

/** Most folders are there: one is made when it is not found. `isAbsent`: it was looked for a moment ago. */
async function openBelow(
  above: string,
  name: string,
  { make, isAbsent }: Pick<FolderInsideOptions, 'make'> & { readonly isAbsent: boolean },
): Promise<Descriptor> {
  const path = join(above, name);
  if (make === undefined || !isAbsent) {
    try {
      return new Descriptor(openSync(path, noLink), path);
    } catch (error) {
      if (make === undefined || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  await mkdir(path, { mode: make }).catch(ignoreExisting);
  return new Descriptor(openSync(path, noLink), path);
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

// Making a folder with those above it. Node's own way (`recursive: true`) goes on without end, and takes the whole process, where the file system
// says of a name in a folder that is there that it is not, as /proc does, or a working folder that was removed.
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The error where the folder cannot be made for want of the one above it; undefined once the folder is there. @throws any other error of the file system */
function lacking(path: string, mode: number | undefined): Error | undefined {
  try {
    mkdirSync(path, mode);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return error as Error;
    if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
    throw error;
  }
}

/** Makes a folder, and those above it that are not there, of `modeAbove`; nothing happens where it is. @throws the file system's error */
export function makeFolder(path: string, mode?: number, modeAbove = mode): void {
  if (lacking(path, mode) === undefined) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above, modeAbove);
  const error = lacking(path, mode);
  if (error !== undefined) throw error;
}

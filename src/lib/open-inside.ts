// Opens files in folders that others may write to: a link that leads out of the folder, or a pipe, is not opened.
import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

/** A descriptor for reading the plain file `path`, which must really lie below `folder`. @throws Error when it does not, or is none. */
export function openInside(folder: string, path: string): number {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    // What was opened is looked at, not what the name leads to by now.
    const opened = readlinkSync(`/proc/self/fd/${file}`);
    if (!opened.startsWith(realpathSync(folder) + sep)) throw new Error(`${path} leads out of its folder`);
    if (!fstatSync(file).isFile()) throw new Error(`${path} is not a plain file`);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

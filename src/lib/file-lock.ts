// A lock that ends with its process, however that ends: the system holds it, no file has to be tidied up. Node has none of its own; that of
// SQLite on an empty database is one (fcntl on Linux and macOS, LockFileEx on Windows).
import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A lock that is held. */
export interface FileLock {
  release(): void;
}

/** SQLite's code for a lock that another one holds. */
const busy = 5;

/**
 * Takes the lock of a file, which is made where it is missing and stays empty. Undefined where another process, or another part of this one,
 * has it. The file is not to be opened by anything else: closing it would give the lock up.
 * @throws an error of the system where the file cannot be made
 */
export function lockFile(path: string): FileLock | undefined {
  // SQLite would make it as the umask says: whoever may read it could keep everybody out.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === busy) return undefined;
    throw error;
  }
}

// A file or folder that is held while something is done with it, so that a link which stands in its place by then is not followed, and neither
// is one in the place of a folder above.
import { existsSync, type Stats } from 'node:fs';
import { lstat, open } from 'node:fs/promises';

/** O_PATH and O_NOFOLLOW of Linux: a descriptor of what has the name itself, also of what may not be read. */
const placeFlags = 0o10000000 | 0o400000;
const hasPlaces = process.platform === 'linux' && existsSync('/proc/self/fd');

/** What is held. */
export interface HeldPlace extends AsyncDisposable {
  readonly facts: Stats;
  /** Leads to it, whatever its name leads to by now. */
  readonly path: string;
}

/** Holds what has a name now; a link itself. @throws the file system's errors */
export async function holdPlace(path: string): Promise<HeldPlace> {
  if (!hasPlaces) return { facts: await lstat(path), path, [Symbol.asyncDispose]: async () => undefined };
  const handle = await open(path, placeFlags);
  try {
    return { facts: await handle.stat(), path: `/proc/self/fd/${handle.fd}`, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

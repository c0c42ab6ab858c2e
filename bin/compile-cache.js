// Compiled code is kept between starts in a folder of its own for each user: who could write there could make Heddle run anything.
import { lstatSync, mkdirSync } from 'node:fs';
// As a whole: an older Node.js, which hands over, has none of it.
import nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Turns the cache on, for this process and those that it starts; does without where the folder is not the user's alone. */
export function useCompileCache() {
  if (process.env.NODE_COMPILE_CACHE === undefined) {
    const user = process.getuid?.() ?? 'user';
    const folder = join(tmpdir(), `heddle-compiled-${user}`);
    try {
      mkdirSync(folder, { mode: 0o700, recursive: true });
      const { uid, mode } = lstatSync(folder);
      if (process.getuid !== undefined && (uid !== user || (mode & 0o077) !== 0)) return;
    } catch {
      return;
    }
    process.env.NODE_COMPILE_CACHE = folder;
  }
  nodeModule.enableCompileCache?.();
}

// Writing whatever there is, and naming the file where that fails: Node's errors of files that are open name the call alone.
import { readlinkSync, writeFileSync, writeSync } from 'node:fs';

/** Where an open file lies; undefined where the system does not tell. */
function pathOf(file: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return undefined;
  }
}

/** The error, with the place that it is about. */
function withPlace(error: unknown, path: string | undefined): unknown {
  if (error instanceof Error && path !== undefined) (error as NodeJS.ErrnoException).path ??= path;
  return error;
}

/** Writes all of the bytes to an open file. @throws the file system's error, which names the file */
export function writeWhole(file: number, bytes: Buffer): void {
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  } catch (error) {
    throw withPlace(error, pathOf(file));
  }
}

/** Writes a new file, or replaces what it holds. @throws the file system's error, which names the file */
export function writeNamedFile(path: string, text: string, options: { readonly mode?: number } = {}): void {
  try {
    writeFileSync(path, text, options);
  } catch (error) {
    throw withPlace(error, path);
  }
}

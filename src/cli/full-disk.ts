// Whether there is room left for what a cluster keeps: roles answer and are ready on a full disk, and take no changes.
import { statfsSync } from 'node:fs';

/** Less room than a change and its log need is none. */
const leastBytes = 1024 * 1024;

/** Says that the disk of a folder is full; undefined where it is not, or where that cannot be told. `statfs`: what the machine says of a folder. */
export function fullDisk(folder: string, statfs: (path: string) => { bavail: number; bsize: number } = statfsSync): string | undefined {
  try {
    const { bavail, bsize } = statfs(folder);
    return bavail * bsize < leastBytes ? `the disk of ${folder} is full: changes are refused, and nodes start nothing` : undefined;
  } catch {
    return undefined;
  }
}

// Whether there is room left for what a cluster keeps: roles answer on a full disk, and take no changes.
import { statfsSync } from 'node:fs';

/** Less room than a change and its log need is none. */
const leastBytes = 1024 * 1024;

/** What a machine says of the file system of a folder, in its blocks. */
type Statfs = (path: string) => { readonly blocks: number; readonly bfree: number; readonly bavail: number; readonly bsize: number };

/**
 * Says that the disk of a folder is full; undefined where it is not, or where that cannot be told: some file systems say nothing of their
 * size. `statfs`: what the machine says of a folder; `isRoot`: who asks may use what is kept free for root.
 */
export function fullDisk(folder: string, statfs: Statfs = statfsSync, isRoot = process.getuid?.() === 0): string | undefined {
  try {
    const { blocks, bfree, bavail, bsize } = statfs(folder);
    if (blocks === 0 || (isRoot ? bfree : bavail) * bsize >= leastBytes) return undefined;
    return `the disk of ${folder} is full: changes are refused, and nodes start nothing`;
  } catch {
    return undefined;
  }
}

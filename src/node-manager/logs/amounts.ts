// How much of what lies in log folders is gathered: containers can make files long at no cost, and write without end.
import type { LogFile } from './container-logs.ts';

/** Files that are no longer are gathered whole: small ones may have no blocks of their own. */
const surelyWholeBytes = 16 * 1024 * 1024;
/** A file system that compresses keeps logs in fewer blocks than they are long. */
const mostCompression = 64;

/** A file and from which byte on it is to be taken. */
export interface Amount {
  readonly file: Pick<LogFile, 'bytes' | 'storedBytes'>;
  readonly start: number;
}

/**
 * What of the files is gathered, at most `maximumBytes` of all: the ends of those that are too long. Of a file that is longer than what lies of it on the
 * disk can be (`truncate -s 30G`), only as much counts as can be there.
 */
export function gatheredAmounts<One extends Amount>(amounts: readonly One[], maximumBytes: number): { kept: One[]; leftOutBytes: number } {
  let left = maximumBytes;
  let leftOutBytes = 0;
  const kept = amounts.flatMap((amount): One[] => {
    const { file, start } = amount;
    const present = Math.max(surelyWholeBytes, mostCompression * file.storedBytes);
    const taken = Math.min(file.bytes - start, present, left);
    left -= taken;
    leftOutBytes += file.bytes - start - taken;
    return taken === 0 && file.bytes > start ? [] : [{ ...amount, start: file.bytes - taken }];
  });
  return { kept, leftOutBytes };
}

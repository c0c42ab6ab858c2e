// How many tasks a finished job had: the name of its file counts those that succeeded, its first events tell all of them.
import { open } from 'node:fs/promises';
import { parseHistory } from '../../wire/files/job-history.ts';

/** Tasks of a job, also those that failed, were killed or never began. */
export interface JobTotals {
  readonly maps: number;
  readonly reduces: number;
}

/** Where the event mostly lies, and where it is looked for at most, in bytes: schema, submission with its access lists, beginning. */
const headBytes = [24 * 1024, 512 * 1024] as const;

/** Reads the beginning of a history file; undefined where it does not tell: the job never began, or nothing can be read. */
export async function readJobTotals(path: string): Promise<JobTotals | undefined> {
  try {
    const file = await open(path);
    try {
      for (const length of headBytes) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
        // A file that breaks off where the piece ends is read up to there.
        for (const { type, event } of parseHistory(buffer.subarray(0, bytesRead), { deferCounters: true }))
          if (type === 'JOB_INITED') return { maps: Math.max(0, event.totalMaps), reduces: Math.max(0, event.totalReduces) };
        if (bytesRead < length) return undefined;
      }
    } finally {
      await file.close();
    }
  } catch {
    // A list shows what the name says.
  }
  return undefined;
}

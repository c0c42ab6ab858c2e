// What a submission says of leaving bad records out.
import { jobRules } from '../application-master/job-rules.ts';
import type { JobConfiguration } from '../tasks/job-configuration.ts';
import { localPath } from '../tasks/paths.ts';
import { isRemote } from '../tasks/remote/store.ts';
import { skipFolderOf, skipFolderSetting } from '../tasks/skipping/skipped-records.ts';

/** The attempt that finds where a record is that fails attempts, and the one that leaves it out. */
const attemptsOfSkipping = 2;

/** Why records that are left out cannot be kept where the job says; undefined where they can. */
export function skipFolderTrouble(settings: JobConfiguration, workingFolder: string): string | undefined {
  const folder = skipFolderOf(settings);
  if (folder === undefined) return undefined;
  if (/^https?:/i.test(folder)) return `${skipFolderSetting}: ${folder}: web servers take no output`;
  try {
    if (!isRemote(folder)) localPath(folder, workingFolder);
    return undefined;
  } catch (error) {
    return `${skipFolderSetting}: ${(error as Error).message}`;
  }
}

/** A sentence for each kind of tasks that may leave records out, but fails before it could. @throws BadSetting */
export function skippingNotes(settings: JobConfiguration): string[] {
  const { skipping, mapAttempts, reduceAttempts } = jobRules(settings);
  const kinds = [
    ['mapreduce.map.skip.maxrecords', skipping.MAP, 'mapreduce.map.maxattempts', mapAttempts],
    ['mapreduce.reduce.skip.maxgroups', skipping.REDUCE, 'mapreduce.reduce.maxattempts', reduceAttempts],
  ] as const;
  return kinds.flatMap(([most, rules, name, attempts]) => {
    const needed = (rules?.startAfterFailures ?? 0) + attemptsOfSkipping;
    return rules === undefined || attempts >= needed
      ? []
      : [
          `${most} leaves nothing out: with mapreduce.task.skip.start.attempts=${rules.startAfterFailures} a task needs at least ${needed} attempts; ${name}=${attempts}`,
        ];
  });
}

// How a master hands a finished job to the history server (JobHistoryEventHandler.processDoneFiles of Hadoop 3.4): summary,
// configuration and history are copied under their names with `_tmp`, then renamed in this order. Who sees the history file
// therefore finds the other two.
import { constants } from 'node:fs';
import { chmod, copyFile, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../lib/make-folder.ts';
import { syncFolder, withPlace } from '../../lib/whole-writes.ts';
import { writeUtf } from './java-data.ts';
import { configurationFileName, historyFileName, type JobIndex, summaryFileName } from './job-history-names.ts';
import { type JobSummary, summaryLine } from './job-summary.ts';

/** What is published. */
export interface JobPublication {
  /** `mapreduce.jobhistory.intermediate-done-dir`; the folder of the job's user lies in it. */
  readonly intermediateFolder: string;
  readonly index: JobIndex;
  /** The history file, complete and closed. */
  readonly historyPath: string;
  /** The configuration as XML, secrets hidden (`redactJobConfiguration`, `writeJobConfiguration`). */
  readonly configurationXml: string;
  readonly summary?: JobSummary;
  /** `mapreduce.jobhistory.jobname.limit`. */
  readonly jobNameLimit?: number;
  /** Mode of the user's folder (`mapreduce.jobhistory.intermediate-user-done-dir.permissions`); files get it without execution. */
  readonly folderMode?: number;
}

/** The name of a user as a folder; a user never leaves the intermediate folder. @throws Error for a name that would */
function userFolder(intermediateFolder: string, user: string): string {
  if (user === '' || user === '.' || user === '..' || /[/\0]/.test(user)) throw new Error(`${JSON.stringify(user)} is no name of a folder`);
  return join(intermediateFolder, user);
}

async function makeDurable(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Publishes a finished job; gives the path of its history file in the intermediate folder. May be repeated after a crash.
 * @throws the file system's error; then the history server does not see the job, and a second call may follow
 */
export async function publishJob(publication: JobPublication): Promise<string> {
  const { index, summary, folderMode = 0o770 } = publication;
  const folder = userFolder(publication.intermediateFolder, index.user);
  const fileMode = folderMode & 0o666;
  makeFolder(folder);
  await chmod(folder, folderMode).catch(() => undefined);
  const steps: { name: string; write: (path: string) => Promise<void> }[] = [];
  if (summary) steps.push({ name: summaryFileName(index.jobId), write: (path) => writeFile(path, writeUtf(summaryLine(summary))) });
  steps.push({ name: configurationFileName(index.jobId), write: (path) => writeFile(path, publication.configurationXml) });
  steps.push({
    name: historyFileName(index, publication.jobNameLimit),
    write: (path) => copyFile(publication.historyPath, path, constants.COPYFILE_FICLONE),
  });
  const temporary = (name: string) => join(folder, `${name}_tmp`);
  try {
    for (const { name, write } of steps) {
      await write(temporary(name)).catch((error: unknown) => {
        throw withPlace(error, temporary(name));
      });
      await chmod(temporary(name), fileMode);
      await makeDurable(temporary(name));
    }
    for (const { name } of steps) await rename(temporary(name), join(folder, name));
    await syncFolder(folder);
  } catch (error) {
    for (const { name } of steps) await rm(temporary(name), { force: true });
    throw error;
  }
  return join(folder, steps.at(-1)!.name);
}

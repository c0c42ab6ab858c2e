// The process inside a task's container: asks its master what to run, runs it, and ends.

import { systemClock } from '../../lib/clock.ts';
import { takeSecret } from '../../lib/handed-secret.ts';
import { reportOnQuit } from '../../lib/report-on-quit.ts';
import { places } from './describe-error.ts';
import { inputUri } from './paths.ts';
import { AttemptNotWanted } from './reporter.ts';
import { runTask } from './run-task.ts';
import { openTaskLog } from './task-log.ts';
import { exitMasterUnreachable, exitUnknownAttempt } from './umbilical.ts';
import { connectUmbilical, MasterUnreachable } from './umbilical-client.ts';

/** Variables the master puts into a task's environment. */
function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set: this program runs inside a task's container`);
  return value;
}

/**
 * A container whose task is not wanted any more is on its way to be stopped; a task that ended by itself before would look like one that failed.
 * Where nobody stops it (its master is gone) it ends after this, ms.
 */
const stopAwaitedMs = 15_000;

/** Says why the process ends where the user's code ends it: its master sees an exit code alone. */
function exitedByProgram(code: number): void {
  const where = places(new Error('exit'));
  if (where !== '') process.stderr.write(`The program ended its process with process.exit(${code}) before the task was done:${where}\n`);
}

async function main(): Promise<number> {
  const token = takeSecret('HEDDLE_JOB_TOKEN');
  if (token === undefined) throw new Error("HEDDLE_JOB_TOKEN_FILE is not set: this program runs inside a task's container");
  const log = openTaskLog(process.env['LOG_DIRS']?.split(',')[0], systemClock);
  const umbilical = connectUmbilical(environment('HEDDLE_JOB_MASTER'), token);
  try {
    const assignment = await umbilical.task({ containerId: environment('CONTAINER_ID') });
    if (!assignment) {
      log('the master has no task for this container');
      return 0;
    }
    const { split } = assignment;
    log(
      `Executing attempt ${assignment.attemptId}${split === undefined ? '' : `; processing split: ${inputUri(split.path)}:${split.start}+${split.length}`}`,
    );
    const localFolders = environment('LOCAL_DIRS').split(',');
    const succeeded = await runTask({
      jobId: environment('HEDDLE_JOB_ID'),
      assignment,
      umbilical,
      token: Buffer.from(token, 'base64url'),
      clock: systemClock,
      localFolder: localFolders[0]!,
      localFolders,
      onFailed: log,
    });
    log(`Task '${assignment.attemptId}' ${succeeded ? 'done' : 'failed'}.`);
    // The master has been told what failed (YarnChild).
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).stack}\n`);
    log(`the task ends early: ${(error as Error).message}`);
    if (error instanceof AttemptNotWanted) {
      await new Promise((wake) => setTimeout(wake, stopAwaitedMs));
      return exitUnknownAttempt;
    }
    return error instanceof MasterUnreachable ? exitMasterUnreachable : 1;
  } finally {
    umbilical.close();
  }
}

process.on('exit', exitedByProgram);
reportOnQuit();
const code = await main();
process.off('exit', exitedByProgram);
process.exit(code);

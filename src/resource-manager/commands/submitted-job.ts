// The command that Heddle's own master was given, where an application has that master.
import { type CommandJob, commandMaster, decodeJob } from '../../wire/cluster/command-job.ts';
import type { Submission } from '../applications/submission.ts';

/** The command that Heddle's own master would run; undefined for any other. */
export function jobOf({ type, launch }: Pick<Submission, 'type' | 'launch'>): CommandJob | undefined {
  const encoded = launch.environment[commandMaster.variable];
  if (type !== commandMaster.type || encoded === undefined) return undefined;
  try {
    return decodeJob(encoded);
  } catch {
    // Its master would say what is wrong with it.
    return undefined;
  }
}

// The command that Heddle's own master was given, where an application has that master.
import { type CommandJob, jobIn } from '../../wire/cluster/command-job.ts';
import type { Submission } from '../applications/submission.ts';

/** The command that Heddle's own master would run; undefined for any other. */
export const jobOf = ({ type, launch }: Pick<Submission, 'type' | 'launch'>): CommandJob | undefined => jobIn(type, launch.environment);

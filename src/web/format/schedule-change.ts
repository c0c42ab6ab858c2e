// What is left of a schedule's submission when its form was filled in again, as the server takes it.
import type { ScheduledSubmission } from '../../wire/cluster/schedules.ts';
import { type FormStart, formStartOf } from './submission.ts';

/** A form that changes what a schedule submits; undefined where that is no run. What nobody is shown is not asked for again: it stays. */
export function scheduleFormStart(submits: ScheduledSubmission | undefined): FormStart | undefined {
  const { work, name = '', masterMemoryMiB, ...others } = submits ?? { tags: [] };
  if (!work) return undefined;
  const master: Record<string, number> = masterMemoryMiB === undefined ? {} : { memoryMiB: masterMemoryMiB };
  return formStartOf({ ...others, name, master, run: work.run, hiddenVariables: work.hiddenVariables });
}

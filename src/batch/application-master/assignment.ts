// What a task's process is told when it asks what to run.
import type { TaskAssignment } from '../tasks/umbilical.ts';
import type { Attempt } from './attempt.ts';
import type { JobRecord } from './job-record.ts';
import type { Task } from './task.ts';

/** The assignment of an attempt. */
export function assignmentOf(job: JobRecord, task: Task, attempt: Attempt): TaskAssignment {
  return {
    attemptId: attempt.id,
    kind: task.kind,
    index: task.index,
    generation: job.generation,
    maps: job.ofKind('MAP').length,
    reduces: job.rules.reduces,
    split: task.split,
    configuration: Object.fromEntries(job.settings.entries()),
    user: job.user,
    ...(attempt.skipping === undefined ? {} : { skipping: attempt.skipping }),
  };
}

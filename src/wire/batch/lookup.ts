// Finding what a path of the batch interfaces names, with the refusals that both of them share.
import { failure } from '../../model/errors.ts';
import { InvalidId } from '../../model/ids.ts';
import { parseJobId, parseTaskAttemptId, parseTaskId } from '../../model/job-ids.ts';
import type { TaskAttemptFacts, TaskFacts } from './facts.ts';

/** Parses an id of a path. @throws Failure JOB_PART_ID_MALFORMED */
function parsed(parse: (text: string) => string, text: string): string {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('JOB_PART_ID_MALFORMED', { reason: error.message });
    throw error;
  }
}

/** The printed form of a job id. @throws Failure JOB_PART_ID_MALFORMED */
export const jobIdOf = (text: string): string => parsed(parseJobId, text);

/** A task by the id of a path. @throws Failure JOB_PART_ID_MALFORMED, TASK_NOT_FOUND */
export function findTask<Task extends TaskFacts>(job: { task(id: string): Task | undefined }, text: string): Task {
  const task = job.task(parsed(parseTaskId, text));
  if (!task) throw failure('TASK_NOT_FOUND', { id: text });
  return task;
}

/** An attempt at a task by the id of a path. @throws Failure JOB_PART_ID_MALFORMED, TASK_ATTEMPT_NOT_FOUND */
export function findAttempt<Attempt extends TaskAttemptFacts>(task: { readonly attempts: readonly Attempt[] }, text: string): Attempt {
  const id = parsed(parseTaskAttemptId, text);
  const attempt = task.attempts.find((candidate) => candidate.id === id);
  if (!attempt) throw failure('TASK_ATTEMPT_NOT_FOUND', { id: text });
  return attempt;
}

/**
 * The tasks of the kind that the parameter `type` names: `m`, `r`, or all where it is absent or empty.
 * @throws Failure TASK_TYPE_UNKNOWN where there is a task to compare it with
 */
export function tasksOfType<Task extends TaskFacts>(tasks: readonly Task[], type: string | undefined): readonly Task[] {
  if (type === undefined || type === '' || tasks.length === 0) return tasks;
  if (type !== 'm' && type !== 'r') throw failure('TASK_TYPE_UNKNOWN');
  return tasks.filter((task) => task.kind === (type === 'm' ? 'MAP' : 'REDUCE'));
}

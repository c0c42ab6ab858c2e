// An attempt by its task, and by its number where the task has several, which leads to the task with its attempts and their logs.
import type { PlainAttempt, PlainTask } from '../api/jobs.ts';
import { useSearchState } from '../app/address.ts';
import { attemptNumber, taskWord } from '../format/jobs.ts';

export function AttemptButton({ task, attempt }: { readonly task: PlainTask; readonly attempt: PlainAttempt }) {
  const [, setSearch] = useSearchState();
  return (
    <button type="button" className="ghost small" onClick={() => setSearch({ tab: undefined, task: task.id })}>
      {taskWord(task.id)}
      {task.attempts.length > 1 && `, attempt ${attemptNumber(attempt.id) + 1}`}
    </button>
  );
}

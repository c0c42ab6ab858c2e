// Why a job failed: what it says of itself, and the last lines of the attempt that failed first.
import { useQuery } from '@tanstack/react-query';
import { attemptsQuery, type Job, type JobSource, type PlainAttempt, type PlainTask, tasksQuery } from '../api/jobs.ts';
import { useSearchState } from '../app/address.ts';
import { attemptNumber, taskWord } from '../format/jobs.ts';
import { Ago } from '../parts/basics.tsx';
import { LogTail } from './attempt-log.tsx';

/** The attempt that failed first among tasks that failed, or among all. */
export function firstFailure(tasks: readonly PlainTask[]): { readonly task: PlainTask; readonly attempt: PlainAttempt } | undefined {
  const failed = tasks.flatMap((task) => task.attempts.filter(({ state }) => state === 'FAILED').map((attempt) => ({ task, attempt })));
  const fatal = failed.filter(({ task }) => task.state === 'FAILED');
  const among = fatal.length > 0 ? fatal : failed;
  return among.toSorted((a, b) => (a.attempt.finishTime ?? 0) - (b.attempt.finishTime ?? 0))[0];
}

export function FirstFailure({ source, job }: { readonly source: JobSource; readonly job: Job }) {
  const { data: tasks = [] } = useQuery(tasksQuery(source));
  const [, setSearch] = useSearchState();
  const found = firstFailure(tasks);
  const { data: attempts = [] } = useQuery({ ...attemptsQuery(source, found?.task.id ?? ''), enabled: found !== undefined });
  const told = attempts.find(({ id }) => id === found?.attempt.id);
  const isOver = job.state === 'FAILED' || job.state === 'KILLED' || job.state === 'ERROR';
  const diagnostics = job.diagnostics?.trim();
  if (!found && !diagnostics) return null;
  return (
    <section className={isOver ? 'problem failure' : 'notice failure'} aria-label="What went wrong">
      {isOver && diagnostics && <pre>{diagnostics}</pre>}
      {found && (
        <>
          <p>
            <strong>
              {isOver ? 'The first failure' : 'The first attempt that failed'}: {taskWord(found.task.id)}, attempt{' '}
              {attemptNumber(found.attempt.id) + 1}
            </strong>
            {found.attempt.node && <> on {found.attempt.node}</>}, <Ago ms={found.attempt.finishTime ?? 0} none="" />{' '}
            <button type="button" className="small" onClick={() => setSearch({ tab: undefined, task: found.task.id })}>
              Look at the task
            </button>
          </p>
          {told?.diagnostics && <pre className="log short">{told.diagnostics.trim()}</pre>}
          {!source.isRunning && found.attempt.containerId && <LogTail containerId={found.attempt.containerId} />}
        </>
      )}
    </section>
  );
}

// One task: each attempt with its phases, what it said, its logs, and what can be done to it while it runs.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { otherServer } from '../api/base.ts';
import { change } from '../api/http.ts';
import { type Attempt, attemptsQuery, type JobSource, type PlainTask } from '../api/jobs.ts';
import { useAnswer } from '../api/use-answer.ts';
import { percent } from '../format/amounts.ts';
import { attemptNumber, squareOfState, taskWord } from '../format/jobs.ts';
import { duration } from '../format/times.ts';
import { Ago, Copy, Facts, Panel, Span, Status } from '../parts/basics.tsx';
import { Question } from '../parts/dialog.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { LogTail } from './attempt-log.tsx';

interface Ending {
  readonly title: string;
  readonly words: string;
  readonly path: string;
  readonly state: 'KILLED' | 'FAILED';
}

export function TaskPanel({
  source,
  task,
  onClose,
}: {
  readonly source: JobSource;
  readonly task: PlainTask;
  readonly onClose: () => void;
}) {
  const { data: attempts, error } = useAnswer(attemptsQuery(source, task.id));
  const client = useQueryClient();
  const [ending, setEnding] = useState<Ending>();
  const path = `${source.ownPath}/tasks/${task.id}`;
  const isOpen = source.isRunning && (squareOfState(task.state) === 'running' || squareOfState(task.state) === 'waiting');
  return (
    <Panel
      title={`${taskWord(task.id)}`}
      aside={
        <span className="inline">
          <Status state={task.state} />
          <span className="id quiet">{task.id}</span>
          <Copy text={task.id} />
          {isOpen && (
            <button
              type="button"
              className="small danger"
              onClick={() =>
                setEnding({
                  title: `Kill ${taskWord(task.id)}?`,
                  words: 'The task is not tried again, which ends most jobs.',
                  path,
                  state: 'KILLED',
                })
              }
            >
              Kill the task
            </button>
          )}
          <button type="button" className="small" onClick={onClose}>
            Close
          </button>
        </span>
      }
    >
      {error && !attempts && <Problem error={error} />}
      {!attempts && !error && <Loading />}
      {attempts?.length === 0 && <p className="empty">Nothing was tried yet: the task waits for a container.</p>}
      {attempts?.toReversed().map((attempt) => (
        <OneAttempt
          key={attempt.id}
          source={source}
          attempt={attempt}
          path={path}
          onEnd={setEnding}
          isOpened={attempts.length === 1 || attempt === attempts.at(-1)}
        />
      ))}
      {ending && (
        <Question
          title={ending.title}
          action={ending.state === 'KILLED' ? 'Kill' : 'Let it fail'}
          isDangerous
          onClose={() => setEnding(undefined)}
          run={async () => {
            await change('PUT', `${ending.path}/state`, { state: ending.state });
            await client.invalidateQueries({ queryKey: ['application', source.applicationId] });
            return 'The master was told.';
          }}
        >
          <p>{ending.words}</p>
        </Question>
      )}
    </Panel>
  );
}

function OneAttempt({
  source,
  attempt,
  path,
  onEnd,
  isOpened,
}: {
  readonly source: JobSource;
  readonly attempt: Attempt;
  readonly path: string;
  readonly onEnd: (ending: Ending) => void;
  readonly isOpened: boolean;
}) {
  const number = attemptNumber(attempt.id) + 1;
  const isOpen = source.isRunning && ['RUNNING', 'STARTING', 'COMMIT_PENDING'].includes(attempt.state);
  const [showsLogs, setShowsLogs] = useState(isOpened && attempt.state === 'FAILED');
  const { assignedContainerId: containerId, nodeHttpAddress: node } = attempt;
  const phases = [
    ['shuffle', attempt.elapsedShuffleTime],
    ['merge', attempt.elapsedMergeTime],
    ['reduce', attempt.elapsedReduceTime],
  ] as const;
  const end = (state: Ending['state'], title: string, words: string) =>
    onEnd({ title, words, path: `${path}/attempts/${attempt.id}`, state });
  return (
    <article className="attempt" aria-label={`Attempt ${number}`}>
      <header className="inline">
        <h3>Attempt {number}</h3>
        <Status state={attempt.state} />
        {isOpen && <span className="quiet">{percent(attempt.progress / 100)}</span>}
        <span className="space" />
        {isOpen && (
          <>
            <button
              type="button"
              className="small"
              onClick={() =>
                end(
                  'FAILED',
                  `Let attempt ${number} fail?`,
                  'It counts as a failure of its task, which is tried again until it has failed too often.',
                )
              }
            >
              Let it fail
            </button>
            <button
              type="button"
              className="small"
              onClick={() => end('KILLED', `Kill attempt ${number}?`, 'The task is tried again; it does not count as a failure.')}
            >
              Kill
            </button>
          </>
        )}
        {containerId && !source.isRunning && (
          <button type="button" className="small" aria-expanded={showsLogs} onClick={() => setShowsLogs(!showsLogs)}>
            Logs
          </button>
        )}
        {containerId && source.isRunning && node && (
          <a className="button small" href={`${otherServer(`http://${node}`)}/ui/containers/${containerId}`}>
            Logs on its node
          </a>
        )}
      </header>
      <Facts
        rows={[
          ['Node', node || <span className="quiet">none yet</span>],
          ...(attempt.rack ? [['Rack', attempt.rack] as const] : []),
          ['Container', containerId ? <span className="id">{containerId}</span> : <span className="quiet">none yet</span>],
          ['Started', <Ago key="started" ms={Math.max(0, attempt.startTime)} />],
          [
            attempt.finishTime > 0 ? 'Took' : 'Has run for',
            <Span key="took" from={Math.max(0, attempt.startTime)} to={attempt.finishTime} />,
          ],
          ...phases.filter(([, ms]) => (ms ?? 0) > 0).map(([word, ms]) => [`of it ${word}`, duration(ms ?? 0)] as const),
          ...(attempt.status ? [['Says', attempt.status] as const] : []),
        ]}
      />
      {attempt.diagnostics?.trim() && <pre className="log short">{attempt.diagnostics.trim()}</pre>}
      {showsLogs && containerId && <LogTail containerId={containerId} isWhole />}
    </article>
  );
}

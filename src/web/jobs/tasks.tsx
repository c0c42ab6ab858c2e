// The tasks of a job: all of them as squares by state, a list that can be filtered, and one with its attempts.

import { useMemo } from 'react';
import { type Job, type JobSource, type PlainTask, tasksQuery } from '../api/jobs.ts';
import { useAnswer } from '../api/use-answer.ts';
import { oneOf, useSearchState } from '../app/address.ts';
import { count, counted, percent } from '../format/amounts.ts';
import { type Square, squareOfState, squares, squareWords, taskWord } from '../format/jobs.ts';
import { kindOf } from '../format/states.ts';
import { Ago, Panel, Shape, Span, Status } from '../parts/basics.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { TaskGrid } from './task-grid.tsx';
import { TaskPanel } from './task-panel.tsx';

export function Tasks({ source, job }: { readonly source: JobSource; readonly job: Job }) {
  const { data: tasks, error, refetch } = useAnswer(tasksQuery(source));
  const [search, setSearch] = useSearchState();
  const { task: chosen, squares: wanted = '', node = '', find = '' } = search;
  const kind = oneOf(search['kind'], ['', 'MAP', 'REDUCE']);
  const shown = useMemo(() => {
    const states = new Set(wanted.split(',').filter((part) => part !== ''));
    return (tasks ?? []).filter(
      (task) =>
        (states.size === 0 || states.has(squareOfState(task.state))) &&
        (kind === '' || task.kind === kind) &&
        (find === '' || taskWord(task.id).includes(find.toLowerCase()) || task.id.includes(find)) &&
        (node === '' || task.attempts.some((attempt) => attempt.node === node)),
    );
  }, [tasks, wanted, kind, node, find]);
  const nodes = useMemo(
    () => [...new Set((tasks ?? []).flatMap(({ attempts }) => attempts.flatMap((attempt) => attempt.node ?? [])))].toSorted(),
    [tasks],
  );
  if (error && !tasks) return <Problem error={error} retry={() => void refetch()} />;
  if (!tasks) return <Loading />;
  if (tasks.length === 0) return <p className="empty">{job.startTime > 0 ? 'The job has no tasks.' : 'The job has not begun.'}</p>;
  const choose = (id: string | undefined) => setSearch({ task: id });
  const passes = new Set(shown.map(({ id }) => id));
  const task = tasks.find(({ id }) => id === chosen);
  return (
    <>
      <Panel
        title="All tasks"
        aside={<StateChoice tasks={tasks} wanted={wanted} onChange={(next) => setSearch({ squares: next || undefined })} />}
      >
        {(['MAP', 'REDUCE'] as const).map((each) => {
          const own = tasks.filter((one) => one.kind === each);
          if (own.length === 0) return null;
          return (
            <TaskGrid
              key={each}
              label={each === 'MAP' ? 'Maps' : 'Reduces'}
              tasks={own}
              passes={passes}
              chosen={chosen}
              onChoose={choose}
            />
          );
        })}
      </Panel>
      {task && <TaskPanel source={source} task={task} onClose={() => choose(undefined)} />}
      <search className="filter">
        <fieldset className="choices">
          <legend className="unseen">Kind</legend>
          {(['', 'MAP', 'REDUCE'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={kind === each} onClick={() => setSearch({ kind: each || undefined })}>
              {each === '' ? 'all' : each === 'MAP' ? 'maps' : 'reduces'}
            </button>
          ))}
        </fieldset>
        <input
          type="search"
          aria-label="Number or id of a task"
          placeholder="Number or id of a task"
          value={find}
          maxLength={100}
          onChange={(event) => setSearch({ find: event.target.value || undefined })}
        />
        {nodes.length > 1 && (
          <select aria-label="Node" value={node} onChange={(event) => setSearch({ node: event.target.value || undefined })}>
            <option value="">all nodes</option>
            {nodes.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
        <span className="quiet" role="status">
          {shown.length === tasks.length ? counted(tasks.length, 'task') : `${count(shown.length)} of ${counted(tasks.length, 'task')}`}
        </span>
      </search>
      <Table label="Tasks" columns={columnsOf(choose)} rows={shown} rowKey={({ id }) => id} empty="No task passes the filter." />
    </>
  );
}

/** How many tasks are in each state; pressed: those alone are shown. */
function StateChoice({
  tasks,
  wanted,
  onChange,
}: {
  readonly tasks: readonly PlainTask[];
  readonly wanted: string;
  readonly onChange: (next: string) => void;
}) {
  const counts = new Map<Square, number>();
  for (const { state } of tasks) counts.set(squareOfState(state), (counts.get(squareOfState(state)) ?? 0) + 1);
  const chosen = wanted.split(',').filter((part) => part !== '');
  return (
    <fieldset className="legend">
      <legend className="unseen">States that are shown</legend>
      {squares
        .filter((square) => counts.has(square))
        .map((square) => (
          <button
            key={square}
            type="button"
            className="small"
            aria-pressed={chosen.includes(square)}
            onClick={() => onChange((chosen.includes(square) ? chosen.filter((each) => each !== square) : [...chosen, square]).join(','))}
          >
            <i className={`square is-${square}`} aria-hidden="true" />
            {squareWords[square]} <b>{count(counts.get(square) ?? 0)}</b>
          </button>
        ))}
    </fieldset>
  );
}

/** What is said of something that a task has not had: it never will where it ended without. */
const neverOr = (state: string, never: string, notYet: string): string =>
  ['waiting', 'running'].includes(squareOfState(state)) ? notYet : never;

const took = ({ startTime = 0, finishTime = 0 }: PlainTask) => (startTime > 0 && finishTime > 0 ? finishTime - startTime : 0);

const columnsOf = (choose: (id: string) => void): Column<PlainTask>[] => [
  {
    id: 'task',
    title: 'Task',
    cell: ({ id }) => (
      <button type="button" className="ghost small" title={id} onClick={() => choose(id)}>
        {taskWord(id)}
      </button>
    ),
  },
  {
    id: 'state',
    title: 'State',
    sort: (a, b) => a.state.localeCompare(b.state),
    cell: ({ state, progress }) => (
      <>
        <Status state={state} {...(squareOfState(state) === 'waiting' && { word: 'waiting', kind: 'waiting' as const })} />
        {state === 'RUNNING' && <span className="quiet"> {percent(progress)}</span>}
      </>
    ),
  },
  {
    id: 'attempts',
    title: 'Attempts',
    isNumber: true,
    gives: 'first',
    sort: (a, b) => a.attempts.length - b.attempts.length,
    cell: ({ attempts, state }) => (
      <span className="attempt-marks" title={attempts.map(({ state }) => state.toLowerCase()).join(', ')}>
        {attempts.length > 1 &&
          attempts.map(({ id, state }) => (
            <i key={id} className={`is-${kindOf(state)}`}>
              <Shape kind={kindOf(state)} />
            </i>
          ))}
        {attempts.length === 0 ? neverOr(state, 'none', 'none yet') : attempts.length}
      </span>
    ),
  },
  {
    id: 'node',
    title: 'Node',
    gives: 'soon',
    cell: ({ attempts, state }) => attempts.at(-1)?.node ?? <span className="quiet">{neverOr(state, 'none', 'none yet')}</span>,
  },
  {
    id: 'startTime',
    title: 'Started',
    gives: 'first',
    sort: (a, b) => (a.startTime ?? 0) - (b.startTime ?? 0),
    cell: ({ startTime = 0, state }) => <Ago ms={startTime} none={neverOr(state, 'never', 'not yet')} />,
  },
  {
    id: 'took',
    title: 'Took',
    isNumber: true,
    sort: (a, b) => took(a) - took(b),
    cell: ({ startTime = 0, finishTime, state }) =>
      squareOfState(state) === 'waiting' || startTime <= 0 ? (
        <span className="quiet">{neverOr(state, '–', 'not begun')}</span>
      ) : (
        <Span from={startTime} to={finishTime} />
      ),
  },
];

// The attempts of a job as a history: what began, and what ended how, in either order, narrowed to a stretch of time or to one way to end.
import { useMemo } from 'react';
import { type Job, type JobSource, tasksQuery } from '../api/jobs.ts';
import { useAnswer } from '../api/use-answer.ts';
import { oneOf, useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { type AttemptEvent, attemptEvents } from '../format/attempt-events.ts';
import { partsOf, within } from '../format/event-history.ts';
import { duration } from '../format/times.ts';
import { ClockTime, Status } from '../parts/basics.tsx';
import { Choice } from '../parts/choice.tsx';
import { EventStrip, mostParts } from '../parts/event-strip.tsx';
import { HistoryHead, useShownHistory } from '../parts/history-head.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { AttemptButton } from './attempt-button.tsx';

export function AttemptHistory({ source }: { readonly source: JobSource; readonly job: Job }) {
  const { data: tasks, error, refetch } = useAnswer(tasksQuery(source));
  const [search] = useSearchState();
  const history = useShownHistory();
  const { shows, order, stretch, zoom, change } = history;
  const choice = oneOf(search['ended'], ['all', 'FAILED', 'KILLED', 'SUCCEEDED']);
  const events = useMemo(() => attemptEvents(tasks ?? [], { choice, compact: shows === 'compact' }), [tasks, choice, shows]);
  const lines = useMemo(() => {
    const found = within(events, stretch);
    return order === 'latest' ? found.toReversed() : found;
  }, [events, stretch, order]);
  const parts = useMemo(() => partsOf(events, stretch, mostParts), [events, stretch]);
  if (error && !tasks) return <Problem error={error} retry={() => void refetch()} />;
  if (!tasks) return <Loading />;
  const many = counted(lines.length, 'line');
  return (
    <>
      <HistoryHead
        history={history}
        whole={many}
        ofStretch={many}
        choices={
          <Choice
            label="Attempts that"
            value={choice}
            options={[
              ['all', 'any'],
              ['FAILED', 'failed'],
              ['KILLED', 'were killed'],
              ['SUCCEEDED', 'succeeded'],
            ]}
            onChange={(next) => change({ ended: next === 'all' ? undefined : next, stretch: undefined })}
          />
        }
      />
      <EventStrip parts={parts} onChoose={zoom} />
      <Table
        label="Events of attempts"
        columns={columns}
        rows={lines}
        rowKey={({ id }) => id}
        empty={events.length > 0 ? 'Nothing in this stretch of time.' : choice === 'all' ? 'No attempt has begun.' : 'No attempt ended so.'}
      />
    </>
  );
}

/** How long it had run, and where. */
function Words({ isEnd, attempt: { startTime, finishTime, node, diagnostics } }: AttemptEvent) {
  const where = node === undefined ? 'without a node' : `on ${node}`;
  const took = isEnd && startTime !== undefined && finishTime !== undefined ? `after ${duration(finishTime - startTime)} ` : '';
  const why = isEnd && diagnostics ? `: ${diagnostics.split('\n')[0]}` : '';
  return (
    <span className="name" title={why === '' ? undefined : diagnostics}>
      {took}
      {where}
      {why}
    </span>
  );
}

const columns: readonly Column<AttemptEvent>[] = [
  { id: 'time', title: 'When', cell: ({ time }) => <ClockTime ms={time} /> },
  { id: 'attempt', title: 'Attempt', cell: ({ task, attempt }) => <AttemptButton task={task} attempt={attempt} /> },
  {
    id: 'what',
    title: 'What',
    cell: ({ isEnd, attempt }) => (isEnd ? <Status state={attempt.state} /> : <Status state="RUNNING" word="began" />),
  },
  { id: 'words', title: 'In words', gives: 'first', shortens: true, cell: Words },
];

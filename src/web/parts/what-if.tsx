// What other queues would do to what runs and waits now, before they are taken over.

import { Link } from '@tanstack/react-router';
import type { QueueWhatIf } from '../../wire/cluster/queue-what-if.ts';
import { queueWhatIfQuery } from '../api/queues.ts';
import { useAnswer } from '../api/use-answer.ts';
import { counted, memory, percent } from '../format/amounts.ts';
import { named } from '../format/names.ts';
import type { QueueChangeBody, QueueFileBody } from '../format/queue-change.ts';
import { queueText } from '../format/queue-tree.ts';
import { Problem } from './problem.tsx';
import { type Column, Table } from './table.tsx';
import './what-if.css';

type QueueLine = QueueWhatIf['queues'][number];

/** A value before and after; alone where nothing changes it. */
function Change({ before, after }: { readonly before: string | number | undefined; readonly after: string | number | undefined }) {
  if (before === after) return <>{after ?? '–'}</>;
  return (
    <>
      <span className="quiet">{before ?? 'not there'}</span> → <b>{after ?? 'not there'}</b>
    </>
  );
}

const shares = (share: number | undefined): string | undefined => (share === undefined ? undefined : percent(share / 100));
const used = (side: QueueLine['before'], of: 'used' | 'pending'): string | undefined => side && memory(side[of]['memoryMiB'] ?? 0);

/** The answer of the scheduler to a change: a sentence, the queues and the applications that would fare otherwise. */
export function WhatIf({ body }: { readonly body: QueueChangeBody | QueueFileBody }) {
  const { data: told, error } = useAnswer(queueWhatIfQuery(body));
  if (error) return <Problem error={error} />;
  if (!told) return <p className="quiet">The scheduler tries it on what runs and waits now …</p>;
  return (
    <section className="what-if" aria-label="What it would do now">
      <p>
        <b>What it would do now: </b>
        {told.sentence}
      </p>
      {told.queues.length > 0 && <Queues queues={told.queues} more={told.moreQueues} />}
      {told.applications.length > 0 && <Applications applications={told.applications} more={told.moreApplications} />}
    </section>
  );
}

const queueColumns: readonly Column<QueueLine>[] = [
  {
    id: 'queue',
    title: 'Queue',
    sort: (a, b) => a.path.localeCompare(b.path) || a.partition.localeCompare(b.partition),
    cell: ({ path, partition }) => (
      <>
        <span title={path}>{queueText(path)}</span>
        {partition !== '' && <span className="tag">{partition}</span>}
      </>
    ),
  },
  {
    id: 'guaranteed',
    title: 'Guaranteed',
    cell: ({ before, after }) => <Change before={shares(before?.guaranteedPercent)} after={shares(after?.guaranteedPercent)} />,
  },
  {
    id: 'maximum',
    title: 'At most',
    gives: 'first',
    cell: ({ before, after }) => <Change before={shares(before?.maximumPercent)} after={shares(after?.maximumPercent)} />,
  },
  { id: 'used', title: 'In use', cell: ({ before, after }) => <Change before={used(before, 'used')} after={used(after, 'used')} /> },
  {
    id: 'pending',
    title: 'Waits for',
    gives: 'first',
    cell: ({ before, after }) => <Change before={used(before, 'pending')} after={used(after, 'pending')} />,
  },
];

const Queues = ({ queues, more }: { readonly queues: readonly QueueLine[]; readonly more: number }) => (
  <>
    <Table
      label="Queues that would be others"
      columns={queueColumns}
      rows={queues}
      rowKey={({ path, partition }) => `${path} ${partition}`}
      empty="No queue would be another."
    />
    {more > 0 && <p className="quiet">and {counted(more, 'more queue')}</p>}
  </>
);

type Applications = QueueWhatIf['applications'];
type ApplicationLine = Applications[number];
type Amounts = 'running' | 'waiting' | 'preempted';

const amountColumn = (id: Amounts, title: string, gives?: 'first'): Column<ApplicationLine> => ({
  id,
  title,
  ...(gives && { gives }),
  sort: (a, b) => a.after[id] - b.after[id],
  isNumber: true,
  cell: ({ before, after }) => <Change before={before[id]} after={after[id]} />,
});
const applicationColumns: readonly Column<ApplicationLine>[] = [
  {
    id: 'application',
    title: 'Application',
    cell: ({ id, name, starts }) => (
      <>
        <Link to={`/applications/${id}`}>{named(name, id)}</Link>
        {starts && <span className="tag">would start</span>}
      </>
    ),
  },
  {
    id: 'queue',
    title: 'Queue',
    brief: ({ queue }) => queue,
    gives: 'first',
    cell: ({ queue }) => queueText(queue),
    sort: (a, b) => a.queue.localeCompare(b.queue),
  },
  amountColumn('running', 'Containers'),
  amountColumn('waiting', 'Waits for', 'first'),
  amountColumn('preempted', 'Taken back'),
];

const Applications = ({ applications, more }: { readonly applications: Applications; readonly more: number }) => (
  <>
    <Table
      label="Applications that would fare otherwise"
      columns={applicationColumns}
      rows={applications}
      rowKey={({ id }) => id}
      empty="No application would fare otherwise."
      leads
    />
    {more > 0 && <p className="quiet">and {counted(more, 'more application')}</p>}
  </>
);

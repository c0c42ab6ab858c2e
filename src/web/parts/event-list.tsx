// What happened to an application, the latest first.
import { useQuery } from '@tanstack/react-query';
import { eventsQuery, type ToldEvent } from '../api/application.ts';
import { vcores as cores, memory } from '../format/amounts.ts';
import { Ago } from './basics.tsx';
import { Loading, Problem } from './problem.tsx';
import { type Column, Table } from './table.tsx';

const words: Readonly<Record<string, (event: ToldEvent) => string>> = {
  'application.created': () => 'It was submitted.',
  'application.state': ({ from, to }) => `It went from ${String(from).toLowerCase()} to ${String(to).toLowerCase()}.`,
  'application.updated': ({ queue, priority }) => `Its queue is ${queue}, its priority ${priority}.`,
  'application.finished': ({ finalStatus, state }) => `It ended: ${String(state).toLowerCase()}, ${String(finalStatus).toLowerCase()}.`,
  'attempt.registered': ({ attemptId, host }) => `The master of ${attemptId} registered${host ? ` from ${host}` : ''}.`,
  'attempt.finished': ({ attemptId, state, exitStatus }) =>
    `${attemptId} ended: ${String(state).toLowerCase()}, exit status ${exitStatus}.`,
  'container.created': ({ containerId, nodeId, memoryMiB, vcores }) =>
    `${containerId} was given on ${nodeId}: ${memory(Number(memoryMiB))}, ${cores(Number(vcores))}.`,
  'container.finished': ({ containerId, exitStatus }) => `${containerId} ended with ${exitStatus}.`,
};

const columns: readonly Column<ToldEvent>[] = [
  { id: 'time', title: 'When', cell: ({ time }) => <Ago ms={time} /> },
  { id: 'kind', title: 'What', gives: 'first', cell: ({ kind }) => <code>{kind}</code> },
  { id: 'words', title: 'In words', cell: (event) => <span className="words">{(words[event.kind] ?? (() => event.kind))(event)}</span> },
];

export function EventList({ id }: { readonly id: string }) {
  const { data, error } = useQuery(eventsQuery(id));
  if (error) return <Problem error={error} />;
  if (!data) return <Loading />;
  return (
    <Table
      label="Events"
      columns={columns}
      rows={data.toReversed()}
      rowKey={(event) => event.id}
      empty="Nothing happened to it within the last hour."
    />
  );
}

// What happened to an application, the latest first.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { eventsQuery, type ToldEvent } from '../api/application.ts';
import { vcores as cores, memory } from '../format/amounts.ts';
import { Moment } from './basics.tsx';
import { Loading, Problem } from './problem.tsx';
import { type Column, Table } from './table.tsx';

const inWords = (state: unknown): string => String(state).toLowerCase().replaceAll('_', ' ');
const NodeLink = ({ nodeId }: ToldEvent) => <Link to={`/nodes/${encodeURIComponent(String(nodeId))}`}>{String(nodeId)}</Link>;
/** A container by the end of its id, with its logs. */
const ContainerLink = ({ containerId, applicationId }: ToldEvent) => (
  <Link to={`/applications/${applicationId}?tab=logs&container=${containerId}`} title={`Logs of ${containerId}`}>
    {String(containerId).split('_').slice(-2).join('_')}
  </Link>
);

const words: Readonly<Record<string, (event: ToldEvent) => ReactNode>> = {
  'application.created': () => 'It was submitted.',
  'application.state': ({ from, to }) => `It went from ${inWords(from)} to ${inWords(to)}.`,
  'application.updated': ({ queue, priority }) => `Its queue is ${queue}, its priority ${priority}.`,
  'application.finished': ({ finalStatus, state }) => `It ended: ${inWords(state)}, ${inWords(finalStatus)}.`,
  'attempt.registered': ({ attemptId, host }) => `The master of ${attemptId} registered${host ? ` from ${host}` : ''}.`,
  'attempt.finished': ({ attemptId, state, exitMeaning }) => `${attemptId} ended: ${inWords(state)}; its master: ${exitMeaning}.`,
  'container.created': (event) => (
    <>
      {event['isMaster'] === true ? 'Master' : 'Container'} <ContainerLink {...event} /> was given on <NodeLink {...event} />:{' '}
      {memory(Number(event['memoryMiB']))}, {cores(Number(event['vcores']))}.
    </>
  ),
  'container.finished': (event) => (
    <>
      {event['isMaster'] === true ? 'Master' : 'Container'} <ContainerLink {...event} /> ended: {String(event['exitMeaning'])}.
    </>
  ),
};

const columns: readonly Column<ToldEvent>[] = [
  { id: 'time', title: 'When', cell: ({ time }) => <Moment ms={time} /> },
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

// What happened, in words.

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ToldEvent } from '../api/application.ts';
import { vcores as cores, counted, memory } from '../format/amounts.ts';
import { roleText } from '../format/instance.ts';
import { ApplicationLink, Moment } from './basics.tsx';
import { type Column, Table } from './table.tsx';
import './event-list.css';

const inWords = (state: unknown): string => String(state).toLowerCase().replaceAll('_', ' ');
const NodeLink = ({ nodeId }: ToldEvent) => <Link to={`/nodes/${encodeURIComponent(String(nodeId))}`}>{String(nodeId)}</Link>;
/** A container by the end of its id, with its logs. */
const ContainerLink = ({ containerId, applicationId }: ToldEvent) => (
  <Link to={`/applications/${applicationId}?tab=logs&container=${containerId}`} title={`Logs of ${containerId}`}>
    {String(containerId).split('_').slice(-2).join('_')}
  </Link>
);

/** An attempt by its number. */
const attemptOf = ({ attemptId }: ToldEvent): string => `attempt ${Number(String(attemptId).split('_').at(-1))}`;

const words: Readonly<Record<string, (event: ToldEvent) => ReactNode>> = {
  'application.created': ({ name, queue }) => (
    <>
      It was submitted to {String(queue)}
      {name ? (
        <>
          : <bdi>{String(name)}</bdi>
        </>
      ) : null}
      .
    </>
  ),
  'application.state': ({ from, to }) => `It went from ${inWords(from)} to ${inWords(to)}.`,
  'application.updated': ({ queue, priority, instances }) =>
    `Its queue is ${queue}, its priority ${priority}${instances === undefined ? '' : `; it is to have ${counted(Number(instances), 'instance')}`}.`,
  'application.finished': ({ finalStatus, state }) => `It ended: ${inWords(state)}, ${inWords(finalStatus)}.`,
  'attempt.registered': (event) => `The master of ${attemptOf(event)} registered${event['host'] ? ` from ${String(event['host'])}` : ''}.`,
  'attempt.finished': (event) =>
    `${attemptOf(event).replace('a', 'A')} ended: ${inWords(event['state'])}; its master: ${String(event['exitMeaning'])}.`,
  'container.created': (event) => (
    <>
      {roleText(event)} <ContainerLink {...event} /> was given on <NodeLink {...event} />: {memory(Number(event['memoryMiB']))},{' '}
      {cores(Number(event['vcores']))}.
    </>
  ),
  'container.finished': (event) => (
    <>
      {roleText(event)} <ContainerLink {...event} /> ended: {String(event['exitMeaning'])}.
    </>
  ),
  'node.state': ({ from, to, healthReport }) =>
    `It ${from === undefined || from === 'NEW' ? 'came' : `went from ${inWords(from)}`} and is ${inWords(to)}${healthReport ? `: ${String(healthReport)}` : ''}.`,
};

/** What an event is about, with the user. */
function Of({ event }: { readonly event: ToldEvent }) {
  const { applicationId, nodeId, user } = event as ToldEvent & { readonly applicationId?: string; readonly user?: string };
  if (applicationId === undefined) return nodeId === undefined ? null : <NodeLink {...event} />;
  return (
    <>
      <ApplicationLink id={applicationId} short /> {user && <span className="quiet">{user}</span>}
    </>
  );
}

/** An event in words. */
export const inFull = (event: ToldEvent): ReactNode => (words[event.kind] ?? (() => event.kind))(event);
/** When an event came. */
export const timeColumn: Column<ToldEvent> = {
  id: 'time',
  title: 'When',
  cell: ({ time }) => (
    <span className="event-time">
      <Moment ms={time} />
    </span>
  ),
};
/** Which kind it is of. */
export const kindColumn: Column<ToldEvent> = { id: 'kind', title: 'What', gives: 'first', cell: ({ kind }) => <code>{kind}</code> };
const allColumns: readonly Column<ToldEvent>[] = [
  timeColumn,
  { id: 'of', title: 'Of', gives: 'first', cell: (event) => <Of event={event} /> },
  kindColumn,
  {
    id: 'words',
    title: 'In words',
    cell: (event) => (
      <span className="words">
        <span className="event-of">
          <Of event={event} />
        </span>
        <span className="event-words">{inFull(event)}</span>
      </span>
    ),
  },
];

/** Events of the whole cluster, the latest first: each says what it is about. */
export const EventTable = ({
  events,
  empty,
  label = 'Events',
}: {
  readonly events: readonly ToldEvent[];
  readonly empty: string;
  readonly label?: string;
}) => <Table label={label} columns={allColumns} rows={events.toReversed()} rowKey={(event) => event.id} empty={empty} />;

// Applications in a table.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PlainApplication } from '../../wire/cluster/own-answers.ts';
import { count, memory, orDash, percent } from '../format/amounts.ts';
import { named } from '../format/names.ts';
import { Ago, Amount, ApplicationLink, ApplicationStatus, Span } from './basics.tsx';
import { ContainerCounts } from './container-counts.tsx';
import { type Column, Table } from './table.tsx';

const columns: readonly Column<PlainApplication>[] = [
  { id: 'id', title: 'Application', sort: 'id', gives: 'first', cell: ({ id }) => <ApplicationLink id={id} short /> },
  { id: 'name', title: 'Name', sort: 'name', shortens: true, cell: (application) => <NameCell {...application} /> },
  {
    id: 'state',
    title: 'State',
    sort: 'state',
    cell: ({ state, finalStatus, progress, masterContainerId }) => (
      <span className="span">
        <ApplicationStatus state={state} finalStatus={finalStatus} hasMaster={masterContainerId !== undefined} />
        {state === 'RUNNING' && progress > 0 && <span className="quiet"> {percent(progress)}</span>}
      </span>
    ),
  },
  {
    id: 'user',
    title: 'User',
    brief: ({ user }) => user,
    sort: 'user',
    gives: 'first',
    cell: ({ user }) => <Link to={`/applications?user=${encodeURIComponent(user)}`}>{user}</Link>,
  },
  {
    id: 'queue',
    title: 'Queue',
    brief: ({ queue }) => queue,
    sort: 'queue',
    gives: 'soon',
    cell: ({ queue }) => <Link to={`/applications?queue=${encodeURIComponent(queue)}`}>{queue}</Link>,
  },
  { id: 'type', title: 'Type', gives: 'late', cell: ({ type }) => <span className="span">{type}</span> },
  {
    id: 'priority',
    title: 'Priority',
    sort: 'priority',
    isNumber: true,
    gives: 'room',
    cell: ({ priority }) => <Amount value={priority} show={count} unknown="default" />,
  },
  {
    id: 'containers',
    title: 'Containers',
    isNumber: true,
    gives: 'soon',
    cell: (application) => <ContainerCounts application={application} />,
  },
  {
    id: 'memory',
    title: 'Memory',
    isNumber: true,
    gives: 'soon',
    cell: ({ allocatedMemoryMiB }) => <Amount value={allocatedMemoryMiB} show={orDash(memory)} unknown="none" />,
  },
  { id: 'startedTime', title: 'Started', sort: 'startedTime', cell: ({ startedTime }) => <Ago ms={startedTime} /> },
  { id: 'took', title: 'Took', gives: 'late', cell: ({ startedTime, finishedTime }) => <Span from={startedTime} to={finishedTime} /> },
];

/** Where lists are ordered by it. */
const endedColumn: Column<PlainApplication> = {
  id: 'finishedTime',
  title: 'Ended',
  sort: 'finishedTime',
  cell: ({ finishedTime }) => <Ago ms={finishedTime} none="not yet" />,
};
const withEnd = columns.flatMap((column) =>
  column.id === 'startedTime' ? [{ ...column, gives: 'first' as const }, endedColumn] : [column],
);

const NameCell = ({ id, name, tags }: PlainApplication) => (
  <span className="name" title={name}>
    <Link to={`/applications/${id}`}>{named(name)}</Link>
    {tags.map((tag) => (
      <Link key={tag} className="tag" to={`/applications?applicationTags=${encodeURIComponent(tag)}`}>
        {tag}
      </Link>
    ))}
  </span>
);

/** A list of applications; see `Table` for the rest. */
export const ApplicationTable = ({
  applications,
  label,
  empty,
  choice,
  ...rest
}: {
  readonly applications: readonly PlainApplication[];
  readonly label: string;
  readonly empty: ReactNode;
  /** The column by which rows are chosen. */
  readonly choice?: Column<PlainApplication>;
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  readonly onEnd?: () => void;
  readonly total?: number;
}) => {
  const shown = /^-?finishedTime$/.test(rest.sort ?? '') ? withEnd : columns;
  return (
    <Table
      leads
      label={label}
      columns={choice ? [choice, ...shown] : shown}
      rows={applications}
      rowKey={({ id }) => id}
      empty={empty}
      {...rest}
    />
  );
};

// Applications that were, as the timeline server keeps them after the resource manager has forgotten them.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type PastApplication, pastApplicationsQuery } from '../api/timeline.ts';
import { useSearchState } from '../app/address.ts';
import { count, counted } from '../format/amounts.ts';
import { named } from '../format/names.ts';
import { outcomeOf } from '../format/states.ts';
import { Answered } from '../parts/answered.tsx';
import { Ago, PageHead, Span, Status } from '../parts/basics.tsx';
import { Filter } from '../parts/filter.tsx';
import { ownerColumns } from '../parts/owner-columns.ts';
import { type Column, Table } from '../parts/table.tsx';

/** Most that are looked at; the interface has no pages. */
const mostLookedAt = 2000;
const outcomes = [
  ['', 'all'],
  ['SUCCEEDED', 'succeeded'],
  ['FAILED', 'failed'],
  ['KILLED', 'killed'],
] as const;

const columns: readonly Column<PastApplication>[] = [
  {
    id: 'name',
    title: 'Application',
    shortens: true,
    sort: (a, b) => a.name.localeCompare(b.name),
    cell: ({ appId, name }) => (
      <span className="name" title={`${name}\n${appId}`}>
        <Link to={`/history/${appId}`}>{named(name)}</Link>
      </span>
    ),
  },
  { id: 'id', title: 'Id', gives: 'late', cell: ({ appId }) => <span className="id quiet">{appId.replace(/^application_/, '')}</span> },
  {
    id: 'state',
    title: 'State',
    sort: (a, b) => a.finalAppStatus.localeCompare(b.finalAppStatus),
    cell: ({ appState, finalAppStatus }) => <Status state={outcomeOf(appState, finalAppStatus)} />,
  },
  ...ownerColumns,
  {
    id: 'type',
    title: 'Type',
    gives: 'soon',
    sort: (a, b) => a.type.localeCompare(b.type),
    cell: ({ type }) => <span className="span">{type}</span>,
  },
  {
    id: 'took',
    title: 'Took',
    gives: 'first',
    isNumber: true,
    sort: (a, b) => a.finishedTime - a.startedTime - (b.finishedTime - b.startedTime),
    cell: ({ startedTime, finishedTime }) => <Span from={startedTime} to={finishedTime} />,
  },
  {
    id: 'startedTime',
    title: 'Started',
    sort: (a, b) => a.startedTime - b.startedTime,
    cell: ({ startedTime }) => <Ago ms={startedTime} />,
  },
];

export default function PastApplications() {
  const [search, setSearch] = useSearchState();
  const { find = '', user, queue, applicationTypes, finalStatus } = search;
  const filter = useMemo(() => ({ user, queue, applicationTypes, finalStatus }), [user, queue, applicationTypes, finalStatus]);
  const query = useQuery(pastApplicationsQuery(filter, mostLookedAt));
  const { data } = query;
  const shown = useMemo(
    () => (data ?? []).filter(({ name, appId }) => find === '' || name.toLowerCase().includes(find.toLowerCase()) || appId.includes(find)),
    [data, find],
  );
  return (
    <>
      <PageHead title="Application history" beside={data && <span className="quiet">{counted(shown.length, 'application')}</span>} />
      <Filter
        choices={{ name: 'finalStatus', label: 'Outcome', options: outcomes }}
        fields={[
          { name: 'find', label: 'Name or id', isSearch: true },
          { name: 'user', label: 'User' },
          { name: 'queue', label: 'Queue' },
          { name: 'applicationTypes', label: 'Type' },
        ]}
        values={search}
        onChange={setSearch}
      />
      <Answered query={query}>
        <Table
          label="Applications"
          columns={columns}
          rows={shown}
          rowKey={({ appId }) => appId}
          empty="No application passes the filter."
        />
      </Answered>
      {data && data.length >= mostLookedAt && <p className="quiet">The newest {count(mostLookedAt)} were looked at.</p>}
    </>
  );
}

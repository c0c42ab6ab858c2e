// Finished jobs: searched, sorted and paged by the history server, with filter and order in the address.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { type FinishedJob, type FinishedJobsPage, historyQuery } from '../api/jobs.ts';
import { useSearchState } from '../app/address.ts';
import { count, counted } from '../format/amounts.ts';
import { named } from '../format/names.ts';
import { Answered, useRows } from '../parts/answered.tsx';
import { Ago, PageHead, Span, Status } from '../parts/basics.tsx';
import { Facet } from '../parts/facet.tsx';
import { Filter } from '../parts/filter.tsx';
import { type Column, Table } from '../parts/table.tsx';

/** How many tasks succeeded, of how many where others did not. */
const done = (succeeded: number, total = succeeded): string =>
  total === succeeded ? count(succeeded) : `${count(succeeded)} of ${count(total)}`;

const states = [
  ['', 'all'],
  ['SUCCEEDED', 'succeeded'],
  ['FAILED', 'failed'],
  ['KILLED', 'killed'],
  ['ERROR', 'error'],
] as const;
const facets = [
  { name: 'user', label: 'User', of: 'users' },
  { name: 'queue', label: 'Queue', of: 'queues' },
] as const;
/** How many jobs each word of the states leaves. */
const numbersOf = ({ values }: NonNullable<FinishedJobsPage['facets']>['states']): Readonly<Record<string, number>> => {
  const all = values.reduce((sum, value) => sum + value.count, 0);
  return Object.fromEntries(
    states.map(([name, word]) => [word, name === '' ? all : (values.find((value) => value.name === name)?.count ?? 0)]),
  );
};
const usualSort = '-finishTime';
/** Times that people ask for, by how long ago, ms. */
const spans = [
  ['', 'ever'],
  ['3600000', 'the last hour'],
  ['86400000', 'the last day'],
  ['604800000', 'the last week'],
  ['2592000000', 'the last 30 days'],
] as const;

const jobsOf = ({ jobs }: FinishedJobsPage) => jobs;

export function JobSearch() {
  const [search, setSearch] = useSearchState();
  const { name, user, queue, state, sort = usualSort, since } = search;
  const [openedMs] = useState(() => performance.timeOrigin + performance.now());
  const filter = useMemo(
    () => ({ name, user, queue, state, sort, finishedTimeBegin: since && String(Math.trunc(openedMs - Number(since))) }),
    [name, user, queue, state, sort, since, openedMs],
  );
  const query = useInfiniteQuery(historyQuery(filter));
  const { data } = query;
  const { rows: jobs, more } = useRows(query, jobsOf);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const choose = useCallback(
    (id: string) => setChosen((before) => (before.includes(id) ? before.filter((each) => each !== id) : [...before, id].slice(-2))),
    [],
  );
  const columns = useMemo(() => columnsOf(chosen, choose), [chosen, choose]);
  const total = data?.pages[0]?.total;
  const counts = data?.pages[0]?.facets;
  const isFiltered = [name, user, queue, state, since].some((value) => value !== undefined);
  return (
    <>
      <PageHead title="Finished jobs" beside={total !== undefined && <span className="quiet">{counted(total, 'job')}</span>}>
        {chosen.length === 2 ? (
          <Link className="button primary" to="/compare" search={{ a: chosen[0], b: chosen[1] } as never}>
            Compare the two
          </Link>
        ) : (
          <span className="quiet">{chosen.length === 1 ? 'Choose another to compare' : 'Choose two to compare'}</span>
        )}
      </PageHead>
      <div className="inline">
        <Filter
          choices={{ name: 'state', label: 'State', options: states, counts: counts && numbersOf(counts.states) }}
          facets={{
            names: facets.map((kind) => kind.name),
            shown: facets.map((kind) => (
              <Facet
                key={kind.name}
                label={kind.label}
                chosen={search[kind.name]}
                values={counts?.[kind.of].values ?? []}
                more={counts?.[kind.of].more ?? 0}
                onChange={(next) => setSearch({ [kind.name]: next })}
              />
            )),
          }}
          fields={[{ name: 'name', label: 'Name or id', isSearch: true }]}
          values={search}
          onChange={setSearch}
        />
        <label className="inline">
          Finished within
          <select value={since ?? ''} onChange={(event) => setSearch({ since: event.target.value || undefined })}>
            {spans.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Answered query={query}>
        <Table
          label="Finished jobs"
          columns={columns}
          rows={jobs}
          rowKey={({ id }) => id}
          sort={sort}
          onSort={(next) => setSearch({ sort: next === usualSort ? undefined : next })}
          onEnd={more}
          {...(total !== undefined && { total })}
          empty={isFiltered ? 'No job passes the filter.' : 'No batch job has finished yet. Those that run are on the resource manager.'}
        />
      </Answered>
    </>
  );
}

const columnsOf = (chosen: readonly string[], choose: (id: string) => void): Column<FinishedJob>[] => [
  {
    id: 'choose',
    title: 'Compare',
    hidesTitle: true,
    cell: ({ id, name }) => (
      <input type="checkbox" checked={chosen.includes(id)} onChange={() => choose(id)} aria-label={`Compare ${named(name, id)}`} />
    ),
  },
  {
    id: 'name',
    title: 'Job',
    sort: 'name',
    shortens: true,
    cell: ({ id, name }) => (
      <span className="name" title={`${name}\n${id}`}>
        <Link to={`/jobs/${id}`}>{named(name)}</Link>
      </span>
    ),
  },
  { id: 'id', title: 'Id', gives: 'late', cell: ({ id }) => <span className="id quiet">{id.replace(/^job_/, '')}</span> },
  { id: 'state', title: 'State', sort: 'state', cell: ({ state }) => <Status state={state} /> },
  {
    id: 'user',
    title: 'User',
    brief: ({ user }) => user,
    sort: 'user',
    gives: 'first',
    cell: ({ user }) => (
      <Link to="/jobs" search={{ user } as never}>
        {user}
      </Link>
    ),
  },
  {
    id: 'queue',
    title: 'Queue',
    brief: ({ queue }) => queue,
    sort: 'queue',
    gives: 'soon',
    cell: ({ queue }) => (
      <Link to="/jobs" search={{ queue } as never}>
        {queue}
      </Link>
    ),
  },
  { id: 'maps', title: 'Maps done', sort: 'maps', isNumber: true, gives: 'soon', cell: ({ maps, mapsTotal }) => done(maps, mapsTotal) },
  {
    id: 'reduces',
    title: 'Reduces done',
    sort: 'reduces',
    isNumber: true,
    gives: 'soon',
    cell: ({ reduces, reducesTotal }) => done(reduces, reducesTotal),
  },
  {
    id: 'took',
    title: 'Took',
    sort: 'took',
    isNumber: true,
    gives: 'first',
    cell: ({ startTime, finishTime }) =>
      startTime && finishTime ? <Span from={startTime} to={finishTime} /> : <span className="quiet">never began</span>,
  },
  {
    id: 'finishTime',
    title: 'Finished',
    sort: 'finishTime',
    cell: ({ finishTime = 0 }) => <Ago ms={finishTime} none="not known" />,
  },
];

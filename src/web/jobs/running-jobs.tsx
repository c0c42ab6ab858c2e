// Batch jobs of the cluster: those that run or wait, and the last that ended, which the history server shows.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { PlainApplication } from '../../wire/cluster/own-answers.ts';
import { type ApplicationPage, applicationCountsQuery, fewApplicationsQuery } from '../api/cluster.ts';
import { useCaller } from '../api/frame.ts';
import { following } from '../api/query-client.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { count, memory, orDash, percent } from '../format/amounts.ts';
import { jobOfApplication } from '../format/jobs.ts';
import { named } from '../format/names.ts';
import { Ago, Amount, ApplicationStatus, Meter, PageHead, Panel, Span } from '../parts/basics.tsx';
import { Facet } from '../parts/facet.tsx';
import { ownerColumns } from '../parts/owner-columns.ts';
import { Loading, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { historyPages } from './history-link.ts';

const type = { applicationTypes: 'MAPREDUCE' };
const waitingStates = 'NEW,NEW_SAVING,SUBMITTED,ACCEPTED';
const running = { ...type, states: 'RUNNING', sort: '-startedTime' };
const waiting = { ...type, states: waitingStates, sort: '-startedTime' };
const over = { ...type, states: 'FINISHED,FAILED,KILLED', sort: '-finishedTime' };
const facets = [
  { name: 'user', label: 'User', of: 'users' },
  { name: 'queue', label: 'Queue', of: 'queues' },
] as const;
/** Most that are shown of each; the list of applications has all. */
const mostShown = 500;
const mostOver = 15;

const NameCell = ({ id, name }: PlainApplication) => (
  <span className="name" title={`${name}\n${jobOfApplication(id)}`}>
    <Link to={`/jobs/${jobOfApplication(id)}`}>{named(name)}</Link>
  </span>
);
const shared: readonly Column<PlainApplication>[] = [
  {
    id: 'name',
    title: 'Job',
    shortens: true,
    sort: (a, b) => a.name.localeCompare(b.name),
    cell: (application) => <NameCell {...application} />,
  },
  {
    id: 'id',
    title: 'Id',
    gives: 'late',
    cell: ({ id }) => <span className="id quiet">{id.replace(/^application_/, '')}</span>,
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ state, finalStatus, masterContainerId }) => (
      <ApplicationStatus state={state} finalStatus={finalStatus} hasMaster={masterContainerId !== undefined} />
    ),
  },
];
const owners: readonly Column<PlainApplication>[] = [...ownerColumns];
const runningColumns: readonly Column<PlainApplication>[] = [
  ...shared,
  {
    id: 'progress',
    title: 'Progress',
    sort: (a, b) => a.progress - b.progress,
    cell: ({ progress }) => (
      <span className="progress">
        <Meter share={progress} label="Progress" isCalm />
        {percent(progress)}
      </span>
    ),
  },
  ...owners,
  {
    id: 'containers',
    title: 'Containers',
    isNumber: true,
    gives: 'soon',
    cell: ({ runningContainers }) => <Amount value={runningContainers} show={orDash(count)} />,
  },
  {
    id: 'memory',
    title: 'Memory',
    isNumber: true,
    gives: 'late',
    cell: ({ allocatedMemoryMiB }) => <Amount value={allocatedMemoryMiB} show={orDash(memory)} />,
  },
  {
    id: 'startedTime',
    title: 'Submitted',
    gives: 'first',
    sort: (a, b) => (a.startedTime ?? 0) - (b.startedTime ?? 0),
    cell: ({ startedTime }) => <Ago ms={startedTime} />,
  },
];
const overColumns: readonly Column<PlainApplication>[] = [
  ...shared,
  ...owners,
  { id: 'took', title: 'Took', gives: 'first', cell: ({ startedTime, finishedTime }) => <Span from={startedTime} to={finishedTime} /> },
  { id: 'finishedTime', title: 'Finished', cell: ({ finishedTime }) => <Ago ms={finishedTime} /> },
];

const numberOf = ({ applications, next }: ApplicationPage): string =>
  next === undefined ? count(applications.length) : `more than ${count(applications.length)}`;

export function RunningJobs() {
  const caller = useCaller();
  const history = historyPages(caller);
  // Progress comes with no event.
  const refetchInterval = () => Math.min(following(), 5000);
  const [search, setSearch] = useSearchState();
  const { user, queue } = search;
  const { data: runs, ...ofRuns } = useAnswer({ ...fewApplicationsQuery({ ...running, user, queue }, mostShown), refetchInterval });
  const { data: waits, ...ofWaits } = useAnswer(fewApplicationsQuery({ ...waiting, user, queue }, mostShown));
  // Of those that are not over: the history server counts the others.
  const { data: counts } = useQuery(applicationCountsQuery({ ...type, states: `RUNNING,${waitingStates}`, user, queue }));
  const failed = [ofRuns, ofWaits].find(({ error }) => error !== null);
  // What runs is looked for first, however much was submitted after it.
  const shown = useMemo(() => [...(runs?.applications ?? []), ...(waits?.applications ?? [])], [runs, waits]);
  const { data: ended } = useQuery(fewApplicationsQuery({ ...over, user, queue }, mostOver));
  return (
    <>
      <PageHead
        title="Batch jobs"
        beside={
          runs &&
          waits && (
            <span className="quiet">
              {numberOf(runs)} running, {numberOf(waits)} waiting
            </span>
          )
        }
      >
        {history && (
          <a className="button" href={`${history}/jobs`}>
            Search finished jobs
          </a>
        )}
      </PageHead>
      <div className="inline">
        {facets.map(({ name, label, of }) => (
          <Facet
            key={name}
            label={label}
            chosen={search[name]}
            values={counts?.[of].values ?? []}
            more={counts?.[of].more ?? 0}
            onChange={(next) => setSearch({ [name]: next })}
          />
        ))}
      </div>
      {failed?.error ? (
        <Problem error={failed.error} retry={() => void failed.refetch()} />
      ) : !runs || !waits ? (
        <Loading />
      ) : (
        <Table
          label="Running jobs"
          columns={runningColumns}
          rows={shown}
          rowKey={({ id }) => id}
          empty={
            user === undefined && queue === undefined
              ? "No batch job runs. Submit one with heddle batch, or with Hadoop's own commands."
              : 'No batch job that passes the filter runs or waits.'
          }
        />
      )}
      <Panel title="Finished lately" aside={history && <a href={`${history}/jobs`}>All finished jobs</a>}>
        <Table
          label="Finished jobs"
          columns={overColumns}
          rows={ended?.applications ?? []}
          rowKey={({ id }) => id}
          empty={user === undefined && queue === undefined ? 'None has finished yet.' : 'None that passes the filter has finished yet.'}
        />
      </Panel>
    </>
  );
}

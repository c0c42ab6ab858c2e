// Batch jobs of the cluster: those that run or wait, and the last that ended, which the history server shows.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PlainApplication } from '../../wire/cluster/own-answers.ts';
import { fewApplicationsQuery } from '../api/cluster.ts';
import { useCaller } from '../api/frame.ts';
import { following } from '../api/query-client.ts';
import { count, counted, memory, percent } from '../format/amounts.ts';
import { jobOfApplication } from '../format/jobs.ts';
import { Ago, Amount, ApplicationStatus, Meter, PageHead, Panel, Span } from '../parts/basics.tsx';
import { ownerColumns } from '../parts/owner-columns.ts';
import { Loading, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { historyPages } from './history-link.ts';

const active = { applicationTypes: 'MAPREDUCE', states: 'NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING', sort: '-startedTime' };
const over = { applicationTypes: 'MAPREDUCE', states: 'FINISHED,FAILED,KILLED', sort: '-finishedTime' };
/** Most that are shown of each; the list of applications has all. */
const mostShown = 500;
const mostOver = 15;

const NameCell = ({ id, name }: PlainApplication) => (
  <span className="name" title={`${name}\n${jobOfApplication(id)}`}>
    <Link to={`/jobs/${jobOfApplication(id)}`}>{name || 'without a name'}</Link>
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
    cell: ({ runningContainers }) => <Amount value={runningContainers} show={count} />,
  },
  {
    id: 'memory',
    title: 'Memory',
    isNumber: true,
    gives: 'late',
    cell: ({ allocatedMemoryMiB }) => <Amount value={allocatedMemoryMiB} show={memory} />,
  },
  { id: 'startedTime', title: 'Runs for', gives: 'first', cell: ({ startedTime }) => <Span from={startedTime} /> },
];
const overColumns: readonly Column<PlainApplication>[] = [
  ...shared,
  ...owners,
  { id: 'took', title: 'Took', gives: 'first', cell: ({ startedTime, finishedTime }) => <Span from={startedTime} to={finishedTime} /> },
  { id: 'finishedTime', title: 'Finished', cell: ({ finishedTime }) => <Ago ms={finishedTime} /> },
];

export default function RunningJobs() {
  const caller = useCaller();
  const history = historyPages(caller);
  const { data, error, refetch } = useQuery({
    ...fewApplicationsQuery(active, mostShown),
    // Progress comes with no event.
    refetchInterval: () => Math.min(following(), 5000),
  });
  const { data: ended } = useQuery(fewApplicationsQuery(over, mostOver));
  return (
    <>
      <PageHead
        title="Batch jobs"
        beside={data && <span className="quiet">{counted(data.applications.length, 'job')} running or waiting</span>}
      >
        {history && (
          <a className="button" href={`${history}/jobs`}>
            Search finished jobs
          </a>
        )}
      </PageHead>
      {error ? (
        <Problem error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : (
        <Table
          label="Running jobs"
          columns={runningColumns}
          rows={data.applications}
          rowKey={({ id }) => id}
          empty="No batch job runs. Submit one with heddle batch, or with Hadoop's own commands."
        />
      )}
      <Panel title="Finished lately" aside={history && <a href={`${history}/jobs`}>All finished jobs</a>}>
        <Table
          label="Finished jobs"
          columns={overColumns}
          rows={ended?.applications ?? []}
          rowKey={({ id }) => id}
          empty="None has finished yet."
        />
      </Panel>
    </>
  );
}

// The cluster at a glance.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clusterMetricsQuery, fewApplicationsQuery } from '../api/cluster.ts';
import { count, memory, percent, shareOf, vcores } from '../format/amounts.ts';
import { ApplicationTable } from '../parts/application-table.tsx';
import { PageHead, Panel } from '../parts/basics.tsx';
import { Loading, Problem } from '../parts/problem.tsx';

export default function Overview() {
  const { data: metrics, error, refetch } = useQuery(clusterMetricsQuery);
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (!metrics) return <Loading />;
  const tiles = [
    { title: 'Running', value: count(metrics.appsRunning), about: 'applications', to: '/applications?states=RUNNING' },
    { title: 'Waiting', value: count(metrics.appsPending), about: 'applications', to: '/applications?states=ACCEPTED' },
    {
      title: 'Memory',
      value: percent(shareOf(metrics.allocatedMB, metrics.totalMB)),
      about: `${memory(metrics.allocatedMB)} of ${memory(metrics.totalMB)}`,
      to: '/nodes',
    },
    {
      title: 'Cores',
      value: percent(shareOf(metrics.allocatedVirtualCores, metrics.totalVirtualCores)),
      about: `${count(metrics.allocatedVirtualCores)} of ${vcores(metrics.totalVirtualCores)}`,
      to: '/nodes',
    },
    {
      title: 'Containers',
      value: count(metrics.containersAllocated),
      about: `${count(metrics.containersPending)} asked for`,
      to: '/applications?states=RUNNING',
    },
  ];
  return (
    <>
      <PageHead title="Overview" />
      <ul className="tiles">
        {tiles.map(({ title, value, about, to }) => (
          <li key={title}>
            <Link to={to}>
              <h2>{title}</h2>
              <b>{value}</b>
              <span>{about}</span>
            </Link>
          </li>
        ))}
      </ul>
      <Running />
    </>
  );
}

function Running() {
  const { data } = useQuery(fewApplicationsQuery({ states: 'RUNNING', sort: '-startedTime' }, 10));
  return (
    <Panel title="What runs" aside={<Link to="/applications">All applications</Link>}>
      <ApplicationTable label="Running applications" applications={data?.applications ?? []} empty="Nothing runs." />
    </Panel>
  );
}

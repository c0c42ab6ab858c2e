// The cluster at a glance: how much of it is used, what runs, what waits and why, what is not well.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { overviewQueries, risksQuery, usageQuery } from '../api/cluster.ts';
import { useCaller } from '../api/frame.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { count, counted, memory, percent, shareOf, vcores } from '../format/amounts.ts';
import { named as nameOr } from '../format/names.ts';
import { byReason, type ReasonGroup } from '../format/reasons.ts';
import { ApplicationTable } from '../parts/application-table.tsx';
import { Ago, Empty, Meter, PageHead, Panel, Shape } from '../parts/basics.tsx';
import { Chart } from '../parts/chart.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import './overview.css';

type Metrics = NonNullable<ReturnType<typeof useMetrics>['data']>;
const useMetrics = () => useAnswer(overviewQueries.metrics);

export default function Overview() {
  const { data: metrics, error, refetch } = useMetrics();
  return (
    <>
      <PageHead title="Overview">
        <Link className="button primary" to="/submit">
          Submit
        </Link>
      </PageHead>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {metrics ? (
        <>
          <Tiles metrics={metrics} />
          <Health metrics={metrics} />
          <Use />
          <Waiting metrics={metrics} />
          <Latest />
        </>
      ) : (
        !error && <Loading />
      )}
    </>
  );
}

/** The whole cluster: nodes with labels are no part of the plain numbers. */
function wholeOf(metrics: Metrics) {
  const {
    crossPartitionMetricsAvailable: isTold,
    totalUsedResourcesAcrossPartition: used,
    totalClusterResourcesAcrossPartition: all,
  } = metrics;
  const { allocatedMB, totalMB, allocatedVirtualCores, totalVirtualCores, containersAllocated } = metrics;
  if (!isTold)
    return { memory: [allocatedMB, totalMB], cores: [allocatedVirtualCores, totalVirtualCores], containers: containersAllocated } as const;
  const { memory: keptMemory = 0, vCores: keptCores = 0 } = metrics.totalReservedResourcesAcrossPartition;
  return {
    memory: [used.memory - keptMemory, all.memory],
    cores: [used.vCores - keptCores, all.vCores],
    containers: metrics.totalAllocatedContainersAcrossPartition,
  } as const;
}

function Tiles({ metrics }: { readonly metrics: Metrics }) {
  const { data: usage } = useQuery(overviewQueries.usage);
  const whole = wholeOf(metrics);
  const memoryShare = shareOf(...whole.memory);
  const coreShare = shareOf(...whole.cores);
  const asked = usage?.samples.at(-1)?.pendingContainers ?? metrics.containersPending;
  const labelled = whole.memory[1] - metrics.totalMB;
  const tiles = [
    {
      title: 'Running',
      value: count(metrics.appsRunning),
      about: 'with a master',
      to: '/applications?states=RUNNING',
    },
    {
      title: 'Waiting',
      value: count(metrics.appsPending),
      about: 'without a master',
      to: '/applications?states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED',
    },
    {
      title: 'Memory',
      value: percent(memoryShare),
      about: `${memory(whole.memory[0])} of ${memory(whole.memory[1])}${labelled > 0 ? `, ${memory(labelled)} with labels` : ''}`,
      to: '/nodes',
      share: memoryShare,
    },
    {
      title: 'Cores',
      value: percent(coreShare),
      about: `${count(whole.cores[0])} of ${vcores(whole.cores[1])}`,
      to: '/nodes',
      share: coreShare,
    },
    {
      title: 'Containers',
      value: count(whole.containers),
      about: `${count(asked)} more asked for`,
      to: '/applications?states=RUNNING',
    },
    {
      title: 'Nodes',
      value: count(metrics.activeNodes),
      about:
        metrics.totalNodes === 0
          ? 'none yet'
          : metrics.activeNodes === metrics.totalNodes
            ? 'all well'
            : `of ${counted(metrics.totalNodes, 'node')}`,
      to: '/nodes',
    },
  ];
  return (
    <ul className="tiles">
      {tiles.map(({ title, value, about, to, share }) => (
        <li key={title}>
          <Link to={to}>
            <h2>{title}</h2>
            <b>{value}</b>
            <span>{about}</span>
            {share !== undefined && <Meter share={share} label={title} />}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Nodes that are not well, and risks that an administrator should know of. */
function Health({ metrics }: { readonly metrics: Metrics }) {
  const caller = useCaller();
  const { data } = useQuery({ ...risksQuery, enabled: caller?.isAdministrator === true });
  const nodes = [
    [metrics.unhealthyNodes, 'unhealthy'],
    [metrics.lostNodes, 'lost'],
    [metrics.decommissioningNodes, 'being drained'],
  ] as const;
  const notes = nodes
    .filter(([number]) => number > 0)
    .map(([number, word]) => ({ what: `${counted(number, 'node')} ${number === 1 ? 'is' : 'are'} ${word}.`, remedy: '' }));
  const risks = (data?.risks ?? []).map(({ what, remedy }) => ({ what: `${what.charAt(0).toUpperCase()}${what.slice(1)}.`, remedy }));
  if (metrics.activeNodes === 0)
    notes.unshift({ what: 'No node is here: nothing can run.', remedy: 'Start one with "heddle start node-manager".' });
  if (notes.length + risks.length === 0) return null;
  return (
    <section className="notice" aria-label="Health">
      {[...notes, ...risks].map(({ what, remedy }) => (
        <p key={what}>
          <span className="is-warning">
            <Shape kind="warning" />
          </span>{' '}
          {what} <span className="quiet">{remedy}</span>
        </p>
      ))}
    </section>
  );
}

function Use() {
  const [search, setSearch] = useSearchState();
  const span = search['span'] === 'day' ? 'day' : 'hour';
  const { data, error } = useAnswer(usageQuery(span));
  const series = useMemo(() => {
    const samples = data?.samples ?? [];
    return {
      times: samples.map(({ timeMs }) => timeMs),
      memory: [
        { label: 'used', colour: '--run', isFilled: true, values: samples.map((sample) => sample.usedMemoryMiB) },
        { label: 'used and asked for', colour: '--wait', values: samples.map((sample) => sample.usedMemoryMiB + sample.pendingMemoryMiB) },
        { label: 'there', colour: '--stop', isDashed: true, isBound: true, values: samples.map((sample) => sample.totalMemoryMiB) },
        { label: 'machines use', colour: '--second', values: samples.map((sample) => sample.machineMemoryMiB) },
      ],
      cores: [
        { label: 'used', colour: '--run', isFilled: true, values: samples.map((sample) => sample.usedVcores) },
        { label: 'used and asked for', colour: '--wait', values: samples.map((sample) => sample.usedVcores + sample.pendingVcores) },
        { label: 'there', colour: '--stop', isDashed: true, isBound: true, values: samples.map((sample) => sample.totalVcores) },
        { label: 'machines use', colour: '--second', values: samples.map((sample) => sample.machineCores) },
      ],
      applications: [
        { label: 'running', colour: '--run', values: samples.map((sample) => sample.runningApplications) },
        { label: 'waiting', colour: '--wait', values: samples.map((sample) => sample.waitingApplications) },
      ],
    };
  }, [data]);
  if (error) return <Problem error={error} />;
  if (!data) return <Loading />;
  const choice = (
    <fieldset className="choices">
      <legend className="unseen">How far back</legend>
      {(['hour', 'day'] as const).map((each) => (
        <button
          key={each}
          type="button"
          className="small"
          aria-pressed={span === each}
          onClick={() => setSearch({ span: each === 'hour' ? undefined : each })}
        >
          {each}
        </button>
      ))}
    </fieldset>
  );
  return (
    <div className="grid three charts">
      <Panel title="Memory" aside={choice}>
        <Chart label="Memory" times={series.times} lines={series.memory} show={memory} measured="memory" />
      </Panel>
      <Panel title="Cores">
        <Chart label="Cores" times={series.times} lines={series.cores} show={count} measured="count" />
      </Panel>
      <Panel title="Applications">
        <Chart label="Applications" times={series.times} lines={series.applications} show={count} measured="count" />
      </Panel>
    </div>
  );
}

/** So many reasons are shown, and so many that wait for one of them. */
const mostReasons = 8;
const mostOfReason = 3;

function Waiting({ metrics }: { readonly metrics: Metrics }) {
  const { data, error } = useAnswer(overviewQueries.waiting);
  const groups = useMemo(() => byReason(data?.applications ?? []), [data]);
  // Others may wait, which are not shown to everybody.
  const isAll = metrics.appsPending === 0 && metrics.containersPending === 0;
  return (
    <Panel
      title="What waits, and why"
      aside={data?.more && <Link to="/applications?states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED">All that wait</Link>}
    >
      {error ? (
        <Problem error={error} />
      ) : !data ? (
        <Loading />
      ) : data.applications.length === 0 ? (
        <Empty>
          {isAll
            ? 'Nothing waits: what was submitted has its master, and masters have the containers that they asked for.'
            : 'Nothing that you may view waits.'}
        </Empty>
      ) : (
        <ul className="reasons">
          {groups.slice(0, mostReasons).map((group) => (
            <Reason key={group[0].id} group={group} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Those that wait for the same reason, in the words for one of them. */
function Reason({ group }: { readonly group: ReasonGroup }) {
  const [{ state, sentence, remedy }] = group;
  const named = group.slice(0, mostOfReason);
  return (
    <li>
      {named.map(({ id, name, user, queue, sinceMs }) => (
        <p key={id}>
          <span className="is-waiting">
            <Shape kind="waiting" />
          </span>{' '}
          <Link to={`/applications/${id}`} className="named" title={nameOr(name, id)}>
            <b>{nameOr(name, id)}</b>
          </Link>{' '}
          <span className="quiet">
            of <bdi>{user}</bdi> in {queue}, {state === 'RUNNING' ? 'runs; asked ' : ''} <Ago ms={sinceMs} />
          </span>
        </p>
      ))}
      {group.length > named.length && <p className="quiet">and {count(group.length - named.length)} more for the same reason:</p>}
      <p>
        {sentence} <span className="quiet">{remedy}</span>
      </p>
    </li>
  );
}

function Latest() {
  const running = useQuery(overviewQueries.running);
  const ended = useQuery(overviewQueries.ended);
  return (
    <>
      <Panel title="What runs" aside={<Link to="/applications?states=RUNNING">All that run</Link>}>
        {running.error ? (
          <Problem error={running.error} />
        ) : (
          <ApplicationTable label="Running applications" applications={running.data?.applications ?? []} empty="Nothing runs." />
        )}
      </Panel>
      <Panel
        title="What ended last"
        aside={<Link to="/applications?sort=-finishedTime&states=FINISHED,FAILED,KILLED">All that ended</Link>}
      >
        <ApplicationTable
          label="Ended applications"
          sort="-finishedTime"
          applications={ended.data?.applications ?? []}
          empty="Nothing has ended yet."
        />
      </Panel>
    </>
  );
}

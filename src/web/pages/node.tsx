// One node: what it has and gave away, how it is, what runs there, and what an administrator can do with it.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { otherServer } from '../api/base.ts';
import { clusterEventsQuery } from '../api/cluster-events.ts';
import { useCaller } from '../api/frame.ts';
import { nodeContainersQuery, nodeQuery, type PlacedContainer } from '../api/nodes.ts';
import { nodeContainersUseQuery, nodeUseQuery } from '../api/use.ts';
import { useAnswer } from '../api/use-answer.ts';
import { amountOf, count, counted, percent, typeWord } from '../format/amounts.ts';
import { type ClusterNode, givenOf, nodeTypes } from '../format/nodes.ts';
import { Answered } from '../parts/answered.tsx';
import { Ago, ApplicationLink, Facts, Meter, PageHead, Panel, Status } from '../parts/basics.tsx';
import { byUse, CoresUse, type KnownUse, knownUse, MemoryUse } from '../parts/container-use.tsx';
import { EventTable } from '../parts/event-list.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { type NodeChange, NodeQuestion } from '../parts/node-questions.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { NodeUse } from '../parts/use.tsx';

export default function NodePage() {
  const { node: id = '' } = useParams({ strict: false }) as { node?: string };
  const { data: node, error, refetch } = useAnswer(nodeQuery(id));
  if (error) return <FailedPage title={id} error={error} retry={() => void refetch()} list={{ to: '/nodes', title: 'All nodes' }} />;
  return node ? <One node={node} /> : <Loading />;
}

function One({ node }: { readonly node: ClusterNode }) {
  const caller = useCaller();
  const client = useQueryClient();
  const [asked, setAsked] = useState<NodeChange>();
  const isLeaving = node.state === 'DECOMMISSIONING' || node.state === 'DECOMMISSIONED';
  const actions: readonly (readonly [NodeChange, string])[] = isLeaving
    ? [['resume', 'Put back to work']]
    : node.isAway
      ? []
      : [
          ['drain', 'Drain'],
          ['decommission', 'Decommission'],
          ['resize', 'Size'],
          ['labels', 'Label'],
        ];
  const url = node.nodeHTTPAddress === '' ? undefined : otherServer(`${location.protocol}//${node.nodeHTTPAddress}`);
  return (
    <>
      <PageHead
        title={node.id}
        beside={
          <>
            <Status
              state={node.state}
              {...(node.state === 'RUNNING' && { kind: 'good' })}
              {...(node.state === 'DECOMMISSIONING' && { word: 'draining' })}
            />
            {node.label !== '' && <span className="tag">{node.label}</span>}
          </>
        }
      >
        {caller?.isAdministrator &&
          actions.map(([change, word]) => (
            <button key={change} type="button" onClick={() => setAsked(change)}>
              {word}
            </button>
          ))}
        {url && (
          <a className="button" href={`${url}/ui/`}>
            Its own pages
          </a>
        )}
      </PageHead>
      {node.state === 'UNHEALTHY' && (
        <p className="notice">
          <b>The node says that it is unhealthy</b> and is given nothing new: {node.healthReport || 'it gives no reason'}
        </p>
      )}
      {node.state === 'DECOMMISSIONING' && (
        <p className="notice">It finishes the applications that have containers here and leaves then. It is given nothing new.</p>
      )}
      {node.isAway && <p className="notice">The node is away: {node.healthReport || 'nothing runs there that the cluster knows of.'}</p>}
      {!node.isAway && <Silence id={node.id} />}
      {!node.isAway && <Resources node={node} />}
      {!node.isAway && <Use id={node.id} />}
      {!node.isAway && <Containers node={node} />}
      <Happened id={node.id} />
      <Panel title="What it is">
        <Facts
          rows={[
            ['Rack', node.rack],
            [
              'Label',
              node.label === '' ? (
                'none'
              ) : (
                <Link key="label" to={`/nodes?label=${encodeURIComponent(node.label)}`}>
                  {node.label}
                </Link>
              ),
            ],
            ['Attributes', node.attributes.length === 0 ? 'none' : node.attributes.join(', ')],
            ['Address', node.nodeHTTPAddress === '' ? 'not known while it is away' : node.nodeHTTPAddress],
            ['Health checked', <Ago key="heard" ms={node.lastHealthUpdate} none="never" />],
            ['Version', node.version ?? 'not told'],
            ['Health', node.healthReport ? node.healthReport : 'no complaint'],
            ['Waiting there', `${counted(node.numQueuedContainers ?? 0, 'opportunistic container')}`],
          ]}
        />
      </Panel>
      {asked && (
        <NodeQuestion
          change={asked}
          node={node}
          onClose={() => setAsked(undefined)}
          onDone={() => void client.invalidateQueries({ queryKey: ['nodes'] })}
        />
      )}
    </>
  );
}

/** Until it counts as lost nothing else shows that a node is not heard any more. */
function Silence({ id }: { readonly id: string }) {
  const { data } = useQuery(nodeContainersQuery(id));
  return data?.connected === false ? (
    <p className="notice" role="status">
      <b>The connection to the node is gone.</b> It is given nothing new, and what runs there is waited for. Where it stays silent for{' '}
      <code>yarn.nm.liveness-monitor.expiry-interval-ms</code> it counts as lost. What this page shows of it is what it said last.
    </p>
  ) : null;
}

function Resources({ node }: { readonly node: ClusterNode }) {
  const types = nodeTypes([node]).filter((type) => (node.total[type] ?? 0) > 0);
  const really: Readonly<Record<string, number | undefined>> = { 'memory-mb': node.memUtilization, vcores: node.cpuUtilization };
  const columns: readonly Column<string>[] = [
    { id: 'type', title: 'Resource', cell: typeWord },
    { id: 'meter', title: 'Given away', cell: (type) => <Meter share={givenOf(node, type)} label={`${typeWord(type)} given away`} /> },
    {
      id: 'used',
      title: 'Amount',
      isNumber: true,
      cell: (type) => `${amountOf(type, node.used[type] ?? 0)} of ${amountOf(type, node.total[type] ?? 0)}`,
    },
    {
      id: 'really',
      title: 'The machine uses',
      isNumber: true,
      gives: 'first',
      cell: (type) => (really[type] === undefined ? <span className="quiet">not measured</span> : percent(really[type]! / 100)),
    },
  ];
  return (
    <Panel title="Resources">
      <Table label="Resources" columns={columns} rows={types} rowKey={(type) => type} empty="It offers nothing." />
    </Panel>
  );
}

const Use = ({ id }: { readonly id: string }) => <NodeUse asked={useQuery(nodeUseQuery(id))} />;

const containerColumns = (useOf: (container: PlacedContainer) => KnownUse): readonly Column<PlacedContainer>[] => [
  {
    id: 'id',
    title: 'Container',
    gives: 'soon',
    cell: ({ id }) => (
      <span className="id" title={id}>
        {id.split('_').slice(-3).join('_')}
      </span>
    ),
  },
  { id: 'application', title: 'Application', gives: 'late', cell: ({ applicationId }) => <ApplicationLink id={applicationId} short /> },
  {
    id: 'name',
    title: 'Name',
    shortens: true,
    cell: ({ applicationId, applicationName, isMaster }) => (
      <span className="name" title={applicationName}>
        <Link to={`/applications/${applicationId}`}>{applicationName || 'without a name'}</Link>
        {isMaster ? ' (master)' : ''}
      </span>
    ),
  },
  { id: 'user', title: 'User', brief: ({ user }) => user, gives: 'first', cell: ({ user }) => user },
  {
    id: 'queue',
    title: 'Queue',
    brief: ({ queue }) => queue,
    gives: 'late',
    cell: ({ queue }) => <Link to={`/queues/${encodeURIComponent(queue)}`}>{queue}</Link>,
  },
  { id: 'state', title: 'State', cell: ({ state }) => <Status state={state} /> },
  {
    id: 'memory',
    title: 'Memory',
    isNumber: true,
    gives: 'first',
    sort: byUse(useOf, 'usedMemoryMiB', ({ memoryMiB }) => memoryMiB),
    cell: (row) => <MemoryUse use={useOf(row)} memoryMiB={row.memoryMiB} />,
  },
  {
    id: 'vcores',
    title: 'Cores',
    isNumber: true,
    gives: 'soon',
    sort: byUse(useOf, 'usedCores', ({ vcores }) => vcores),
    cell: (row) => <CoresUse use={useOf(row)} given={row.vcores} />,
  },
  {
    id: 'startedTime',
    title: 'Since',
    gives: 'first',
    sort: (a, b) => a.createdTime - b.createdTime,
    cell: ({ createdTime }) => <Ago ms={createdTime} />,
  },
];

/** So many of the newest events are shown. */
const mostEvents = 8;

/** What became of the node, and of containers there. */
function Happened({ id }: { readonly id: string }) {
  const query = useQuery(clusterEventsQuery({ kind: undefined, user: undefined, queue: undefined, node: id }));
  return (
    <Panel title="What happened here" aside={<Link to={`/events?node=${encodeURIComponent(id)}`}>All of the last hour</Link>}>
      <Answered query={query}>
        <EventTable label="What happened" events={(query.data?.events ?? []).slice(-mostEvents)} empty="Nothing within the last hour." />
      </Answered>
    </Panel>
  );
}

function Containers({ node }: { readonly node: ClusterNode }) {
  const { data, error } = useAnswer(nodeContainersQuery(node.id));
  const enabled = data?.containers.some(({ state }) => state === 'RUNNING') === true;
  const { data: use, error: useError } = useQuery({ ...nodeContainersUseQuery(node.id), enabled });
  const columns = useMemo(
    () => containerColumns(({ id, state }) => (state === 'RUNNING' ? knownUse({ data: use, error: useError }, id) : undefined)),
    [use, useError],
  );
  if (error) return <Problem error={error} />;
  return (
    <Panel
      title="Containers"
      aside={data && data.hidden > 0 && <span className="quiet">{count(data.hidden)} hidden: you may not view them</span>}
    >
      {data ? (
        <Table
          label="Containers"
          columns={columns}
          rows={data.containers}
          rowKey={({ id }) => id}
          empty={data.hidden > 0 ? 'None that you may view.' : 'Nothing runs here.'}
        />
      ) : (
        <Loading />
      )}
    </Panel>
  );
}

// A node's own first page: how it is, and what runs on it.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { otherServer } from '../api/base.ts';
import { useCaller } from '../api/frame.ts';
import { type NodeContainer, nodeFactsQuery, ownContainersQuery } from '../api/node-server.ts';
import { ownContainersUseQuery, ownUseQuery } from '../api/use.ts';
import { useAnswer } from '../api/use-answer.ts';
import { counted, memory, vcores } from '../format/amounts.ts';
import { Ago, Facts, PageHead, Panel, Status } from '../parts/basics.tsx';
import { byUse, CoresUse, type KnownUse, knownUse, MemoryUse } from '../parts/container-use.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { NodeUse } from '../parts/use.tsx';

const columnsOf = (useOf: (container: NodeContainer) => KnownUse): readonly Column<NodeContainer>[] => [
  {
    id: 'id',
    title: 'Container',
    sort: (a, b) => a.id.localeCompare(b.id, 'en'),
    cell: ({ id }) => (
      <Link to={`/containers/${id}`} className="id">
        {id.replace(/^container_/, '')}
      </Link>
    ),
  },
  { id: 'state', title: 'State', cell: ({ state }) => <Status state={state} /> },
  { id: 'user', title: 'User', sort: (a, b) => a.user.localeCompare(b.user, 'en'), cell: ({ user }) => user },
  {
    id: 'memory',
    title: 'Memory',
    isNumber: true,
    gives: 'first',
    sort: byUse(useOf, 'usedMemoryMiB', (row) => row.totalMemoryNeededMB),
    cell: (row) => <MemoryUse use={useOf(row)} memoryMiB={row.totalMemoryNeededMB} />,
  },
  {
    id: 'vcores',
    title: 'Cores',
    isNumber: true,
    gives: 'first',
    sort: byUse(useOf, 'usedCores', (row) => row.totalVCoresNeeded),
    cell: (row) => <CoresUse use={useOf(row)} given={row.totalVCoresNeeded} />,
  },
  { id: 'type', title: 'Type', gives: 'soon', cell: ({ executionType }) => executionType.toLowerCase() },
  {
    id: 'logs',
    title: 'Logs',
    isNumber: true,
    gives: 'soon',
    cell: ({ containerLogFiles = [] }) => counted(containerLogFiles.length, 'file'),
  },
];

export default function NodeHome() {
  const { data: facts, error, refetch } = useAnswer(nodeFactsQuery);
  const { data: containers } = useQuery(ownContainersQuery);
  const use = useQuery(ownUseQuery);
  const { data: inBrief, error: briefError } = useQuery({
    ...ownContainersUseQuery,
    enabled: containers?.some(({ state }) => state === 'RUNNING') === true,
  });
  const columns = useMemo(
    () => columnsOf(({ id, state }) => (state === 'RUNNING' ? knownUse({ data: inBrief, error: briefError }, id) : undefined)),
    [inBrief, briefError],
  );
  const manager = useCaller()?.servers['resource-manager'];
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (!facts) return <Loading />;
  return (
    <>
      <PageHead
        title={facts.id}
        beside={
          <Status
            state={facts.nodeHealthy ? 'healthy' : 'UNHEALTHY'}
            kind={facts.nodeHealthy ? 'good' : 'warning'}
            word={facts.nodeHealthy ? 'healthy' : 'unhealthy'}
          />
        }
      >
        {manager !== undefined && (
          <a className="button" href={`${otherServer(manager)}/ui/nodes/${encodeURIComponent(facts.id)}`}>
            In the cluster
          </a>
        )}
      </PageHead>
      {!facts.nodeHealthy && (
        <p className="notice">
          <b>It is given nothing new:</b> {facts.healthReport || 'no reason is given'}
        </p>
      )}
      <Panel title="Containers" aside={containers && <span className="quiet">{counted(containers.length, 'container')}</span>}>
        {containers ? (
          <Table label="Containers" columns={columns} rows={containers} rowKey={({ id }) => id} empty="Nothing runs here." />
        ) : (
          <Loading />
        )}
      </Panel>
      <NodeUse asked={use} />
      <Panel title="This node">
        <Facts
          rows={[
            ['Offers', `${memory(facts.totalPmemAllocatedContainersMB)}, ${vcores(facts.totalVCoresAllocatedContainers)}`],
            ['Types of resources', facts.resourceTypes],
            ['Health', facts.healthReport === '' ? 'no complaint' : facts.healthReport],
            ['Looked at', <Ago key="looked" ms={facts.lastNodeUpdateTime} />],
            ['Started', <Ago key="started" ms={facts.nmStartupTime} />],
            ['Speaks as', `Hadoop ${facts.nodeManagerVersion}`],
          ]}
        />
      </Panel>
    </>
  );
}

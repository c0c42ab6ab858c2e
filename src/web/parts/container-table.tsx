// Containers of an application.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ApplicationLife } from '../../wire/cluster/own-answers.ts';
import { otherServer } from '../api/base.ts';
import { nodesQuery } from '../api/nodes.ts';
import { applicationUseQuery } from '../api/use.ts';
import { instanceText } from '../format/instance.ts';
import { ranSince } from '../format/times.ts';
import { Ago, Span, Status } from './basics.tsx';
import { byUse, CoresUse, type KnownUse, knownUse, MemoryUse } from './container-use.tsx';
import { type Column, Table } from './table.tsx';

type Container = ApplicationLife['containers'][number];

const ending = ({ finishedTime, exitMeaning = 'not known' }: Container): string => (finishedTime === 0 ? 'lives' : exitMeaning);

const stateOf = ({ finishedTime, exitOutcome = 'STOPPED', startedTime, state }: Container): string => {
  if (finishedTime > 0) return exitOutcome;
  return startedTime > 0 ? 'RUNNING' : state;
};

const by =
  (value: (container: Container) => number | string) =>
  (a: Container, b: Container): number =>
    value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0;

interface Leads {
  /** Address of a node's pages, where it is known. */
  readonly pagesOf: (nodeId: string) => string | undefined;
  readonly onSignal: (containerId: string) => void;
  readonly useOf: (container: Container) => KnownUse;
}

const columnsOf = (applicationId: string, { pagesOf, onSignal, useOf }: Leads): readonly Column<Container>[] => [
  {
    id: 'id',
    title: 'Container',
    sort: by(({ id }) => id),
    cell: (container) => (
      <span className="id" title={container.id}>
        {container.id.split('_').slice(-2).join('_')}
        {container.isMaster && <span className="tag">master</span>}
        {container.instance !== undefined && <span className="tag">{instanceText(container)}</span>}
      </span>
    ),
  },
  { id: 'state', title: 'State', sort: by(stateOf), cell: (container) => <Status state={stateOf(container)} /> },
  {
    id: 'node',
    title: 'Node',
    sort: by(({ nodeId }) => nodeId),
    gives: 'first',
    cell: ({ nodeId }) => <Link to={`/nodes/${encodeURIComponent(nodeId)}`}>{nodeId}</Link>,
  },
  {
    id: 'memory',
    title: 'Memory',
    sort: byUse(useOf, 'usedMemoryMiB', ({ memoryMiB }) => memoryMiB),
    isNumber: true,
    gives: 'soon',
    cell: (container) => <MemoryUse use={useOf(container)} memoryMiB={container.memoryMiB} />,
  },
  {
    id: 'vcores',
    title: 'Cores',
    sort: byUse(useOf, 'usedCores', ({ vcores }) => vcores),
    isNumber: true,
    gives: 'soon',
    cell: (container) => <CoresUse use={useOf(container)} given={container.vcores} />,
  },
  {
    id: 'given',
    title: 'Given',
    sort: by(({ createdTime }) => createdTime),
    gives: 'room',
    cell: ({ createdTime }) => <Ago ms={createdTime} />,
  },
  {
    id: 'ran',
    title: 'Ran',
    gives: 'first',
    cell: (container) => <Span from={ranSince(container)} to={container.finishedTime} />,
  },
  { id: 'end', title: 'Ended', gives: 'late', cell: (container) => <span title={container.diagnostics}>{ending(container)}</span> },
  {
    id: 'logs',
    title: 'Logs',
    cell: ({ id }) => <Link to={`/applications/${applicationId}?tab=logs&container=${id}`}>logs</Link>,
  },
  {
    id: 'shell',
    title: 'Inside',
    cell: (container) => {
      const node = stateOf(container) === 'RUNNING' ? pagesOf(container.nodeId) : undefined;
      return (
        node && (
          <span className="span">
            <a href={`${node}/containers/${container.id}`}>shell</a> <a href={`${node}/containers/${container.id}?folder=.`}>files</a>
          </span>
        )
      );
    },
  },
  {
    id: 'stop',
    title: 'Stop',
    hidesTitle: true,
    cell: ({ id, finishedTime }) =>
      finishedTime === 0 && (
        <button type="button" className="small" aria-label={`Stop or signal ${id}`} onClick={() => onSignal(id)}>
          Stop …
        </button>
      ),
  },
];

export function ContainerTable({
  applicationId,
  containers,
  onSignal,
}: {
  readonly applicationId: string;
  readonly containers: readonly Container[];
  /** One of them is to be stopped or signalled. */
  readonly onSignal: (containerId: string) => void;
}) {
  const { data: nodes } = useQuery(nodesQuery);
  const enabled = containers.some((container) => stateOf(container) === 'RUNNING');
  const { data: use, error } = useQuery({ ...applicationUseQuery(applicationId), enabled });
  // A container is entered on the pages of its node.
  const columns = useMemo(() => {
    const addresses = new Map(nodes?.map(({ id, nodeHTTPAddress }) => [id, nodeHTTPAddress]));
    const pagesOf = (nodeId: string) => {
      const address = addresses.get(nodeId);
      return address ? `${otherServer(`${location.protocol}//${address}`)}/ui` : undefined;
    };
    const useOf = (container: Container) => (stateOf(container) === 'RUNNING' ? knownUse({ data: use, error }, container.id) : undefined);
    return columnsOf(applicationId, { pagesOf, onSignal, useOf });
  }, [applicationId, nodes, onSignal, use, error]);
  return (
    <Table
      label="Containers"
      columns={columns}
      rows={containers}
      rowKey={({ id }) => id}
      empty="It has no containers now, and none ended within the last hour."
    />
  );
}

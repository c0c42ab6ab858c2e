// All nodes: as a list, or as a map that shows at a glance where there is room.

import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { nodesQuery } from '../api/nodes.ts';
import { useAnswer } from '../api/use-answer.ts';
import { oneOf, useSearchState } from '../app/address.ts';
import { amountOf, count, counted, percent, typeWord } from '../format/amounts.ts';
import { type ClusterNode, complaintsOf, filterNodes, givenOf, nodeChoices, nodeTypes } from '../format/nodes.ts';
import { Ago, Meter, PageHead, Shape, Status } from '../parts/basics.tsx';
import { Choice } from '../parts/choice.tsx';
import { Facet } from '../parts/facet.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Filter } from '../parts/filter.tsx';
import { NodeMap } from '../parts/node-map.tsx';
import { Loading } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import './nodes.css';

const stateChoices = [
  ['', 'all'],
  ['RUNNING', 'running'],
  ['UNHEALTHY', 'unhealthy'],
  ['DECOMMISSIONING', 'draining'],
  ['away', 'away'],
] as const;

export default function Nodes() {
  const [search, setSearch] = useSearchState();
  const { data: nodes, error, refetch } = useAnswer(nodesQuery);
  const { name, state, label, rack, type: askedType } = search;
  const view = oneOf(search['view'], ['list', 'map']);
  const types = useMemo(() => nodeTypes(nodes ?? []), [nodes]);
  const type = types.find((each) => each === askedType) ?? 'memory-mb';
  const filter = useMemo(() => ({ name, state, label, rack }), [name, state, label, rack]);
  const shown = useMemo(() => filterNodes(nodes ?? [], filter), [nodes, filter]);
  if (error) return <FailedPage title="Nodes" error={error} retry={() => void refetch()} />;
  if (!nodes) return <Loading />;
  const empty = nodes.length === 0 ? 'No node has joined the cluster yet.' : 'No node passes the filter.';
  const counts = Object.fromEntries(stateChoices.map(([value, word]) => [word, filterNodes(nodes, { ...filter, state: value }).length]));
  const facets = (['label', 'rack'] as const)
    .map((member) => ({ member, values: nodeChoices(nodes, filter, member) }))
    .filter(({ member, values }) => values.length > (member === 'rack' ? 1 : 0) || search[member] !== undefined);
  return (
    <>
      <PageHead title="Nodes" beside={<span className="quiet">{summary(nodes)}</span>}>
        <Choice
          label="View"
          value={view}
          options={[
            ['list', 'List'],
            ['map', 'Map'],
          ]}
          onChange={(next) => setSearch({ view: next === 'list' ? undefined : next })}
        />
      </PageHead>
      <div className="inline">
        <Filter
          choices={{ name: 'state', label: 'State', options: stateChoices, counts }}
          facets={{
            names: ['label', 'rack'],
            shown: facets.map(({ member, values }) => (
              <Facet
                key={member}
                label={member === 'label' ? 'Label' : 'Rack'}
                chosen={search[member]}
                values={values}
                onChange={(next) => setSearch({ [member]: next })}
              />
            )),
          }}
          fields={[{ name: 'name', label: 'Host, rack, label, attribute', isSearch: true }]}
          values={search}
          onChange={setSearch}
        />
        {view === 'map' && (
          <Choice
            label="Resource"
            value={type}
            options={types.map((each) => [each, typeWord(each)])}
            onChange={(next) => setSearch({ type: next === 'memory-mb' ? undefined : next })}
          />
        )}
      </div>
      <Complaints nodes={shown} />
      {view === 'map' ? (
        <NodeMap nodes={shown} type={type} empty={empty} />
      ) : (
        <Table label="Nodes" columns={columns} rows={shown} rowKey={({ id }) => id} sort="host" leads empty={empty} />
      )}
    </>
  );
}

function summary(nodes: readonly ClusterNode[]): string {
  const away = nodes.filter(({ isAway }) => isAway).length;
  const ill = nodes.filter(({ state }) => state === 'UNHEALTHY').length;
  return [
    counted(nodes.length, 'node'),
    ...(ill > 0 ? [`${count(ill)} unhealthy`] : []),
    ...(away > 0 ? [`${count(away)} away`] : []),
  ].join(', ');
}

/** Most complaints that are told above the list. */
const mostComplaints = 4;

/** What nodes that are not well say of it: many say the same where a script or a disk of all of them is wrong. */
function Complaints({ nodes }: { readonly nodes: readonly ClusterNode[] }) {
  const complaints = complaintsOf(nodes);
  if (complaints.length === 0) return null;
  return (
    <section className="notice" aria-label="What is wrong">
      {complaints.slice(0, mostComplaints).map(([report, ill]) => (
        <p key={report} className="complaint">
          <span className="is-warning">
            <Shape kind="warning" />
          </span>{' '}
          {ill.length === 1 ? <NodeLink id={ill[0]!.id} /> : counted(ill.length, 'node')}: <bdi>{report || 'no reason given'}</bdi>
        </p>
      ))}
      {complaints.length > mostComplaints && (
        <p className="quiet">and {counted(complaints.length - mostComplaints, 'other complaint')}; each node says its own.</p>
      )}
    </section>
  );
}

const compare =
  (by: (node: ClusterNode) => number | string) =>
  (a: ClusterNode, b: ClusterNode): number => {
    const [one, other] = [by(a), by(b)];
    return typeof one === 'string' ? one.localeCompare(String(other), 'en', { numeric: true }) : one - Number(other);
  };

const nothing = <span className="quiet">–</span>;

function given(type: string) {
  return (node: ClusterNode) =>
    node.isAway || (node.total[type] ?? 0) === 0 ? (
      nothing
    ) : (
      <span className="given">
        <Meter share={givenOf(node, type)} label={`${typeWord(type)} of ${node.id} given away`} />
        <span>
          {amountOf(type, node.used[type] ?? 0)} <span className="quiet">of {amountOf(type, node.total[type] ?? 0)}</span>
        </span>
      </span>
    );
}

const columns: readonly Column<ClusterNode>[] = [
  {
    id: 'host',
    title: 'Node',
    sort: compare(({ id }) => id),
    cell: ({ id, label }) => (
      <span className="span">
        <NodeLink id={id} />
        {label !== '' && <span className="tag">{label}</span>}
      </span>
    ),
  },
  {
    id: 'state',
    title: 'State',
    sort: compare(({ state }) => state),
    cell: ({ state, healthReport }) => (
      <span title={healthReport}>
        <Status state={state} {...(state === 'RUNNING' && { kind: 'good' })} {...(state === 'DECOMMISSIONING' && { word: 'draining' })} />
      </span>
    ),
  },
  {
    id: 'memory',
    title: 'Memory given away',
    sort: compare((node) => givenOf(node, 'memory-mb')),
    gives: 'first',
    cell: given('memory-mb'),
  },
  { id: 'vcores', title: 'Vcores given away', sort: compare((node) => givenOf(node, 'vcores')), gives: 'soon', cell: given('vcores') },
  {
    id: 'busy',
    title: 'Machine’s CPU',
    isNumber: true,
    gives: 'late',
    sort: compare(({ cpuUtilization = 0 }) => cpuUtilization),
    cell: ({ isAway, cpuUtilization = 0 }) => (isAway ? nothing : percent(cpuUtilization / 100)),
  },
  {
    id: 'containers',
    title: 'Containers',
    isNumber: true,
    sort: compare(({ numContainers }) => numContainers),
    cell: ({ numContainers }) => (numContainers === 0 ? nothing : count(numContainers)),
  },
  { id: 'rack', title: 'Rack', gives: 'late', sort: compare(({ rack }) => rack), cell: ({ rack }) => <span className="span">{rack}</span> },
  {
    id: 'seen',
    title: 'Health checked',
    gives: 'soon',
    sort: compare(({ lastHealthUpdate }) => lastHealthUpdate),
    cell: ({ lastHealthUpdate }) => <Ago ms={lastHealthUpdate} none="never" />,
  },
];

/** A link to a node. */
export const NodeLink = ({ id }: { readonly id: string }) => (
  <Link to={`/nodes/${encodeURIComponent(id)}`} className="id">
    {id}
  </Link>
);

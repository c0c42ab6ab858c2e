// Nodes as the pages show them: amounts by type, the parts that are given away. Pure.
import { shareOf } from './amounts.ts';
import { type Amounts, amountsOf, type ReadResource } from './queue-tree.ts';

/** NodeInfo as JSON has it, as far as it is read here. */
export interface ReadNode {
  readonly id: string;
  readonly rack: string;
  readonly state: string;
  readonly nodeHostName: string;
  /** '' for nodes that are away. */
  readonly nodeHTTPAddress: string;
  readonly lastHealthUpdate: number;
  readonly version?: string;
  readonly healthReport?: string;
  readonly numContainers: number;
  /** Percent of the machine. */
  readonly memUtilization?: number;
  readonly cpuUtilization?: number;
  readonly numRunningOpportContainers?: number;
  readonly numQueuedContainers?: number;
  readonly nodeLabels?: readonly string[];
  readonly allocationTags?: {
    readonly allocationTagInfo?: readonly { readonly allocationTag: string; readonly allocationsCount: number }[];
  };
  readonly usedResource?: ReadResource;
  readonly totalResource?: ReadResource;
  readonly nodeAttributesInfo?: {
    readonly nodeAttributeInfo?: readonly {
      readonly prefix: string;
      readonly name: string;
      readonly type: string;
      readonly value: string;
    }[];
  };
}

/** A node of the lists. */
export interface ClusterNode extends ReadNode {
  /** '' without one. */
  readonly label: string;
  readonly isAway: boolean;
  readonly used: Amounts;
  readonly total: Amounts;
  /** `prefix/name=value`. */
  readonly attributes: readonly string[];
}

const awayStates = new Set(['DECOMMISSIONED', 'LOST', 'REBOOTED', 'SHUTDOWN']);

/** A node of what `/ws/v1/cluster/nodes` answers. */
export const nodeOf = (node: ReadNode): ClusterNode => ({
  ...node,
  label: node.nodeLabels?.[0] ?? '',
  isAway: awayStates.has(node.state),
  used: amountsOf(node.usedResource),
  total: amountsOf(node.totalResource),
  attributes: (node.nodeAttributesInfo?.nodeAttributeInfo ?? []).map(
    ({ prefix, name, value }) => `${prefix}/${name}${value === '' ? '' : `=${value}`}`,
  ),
});

/** The part of a node that is given away, 0…1. */
export const givenOf = ({ used, total }: ClusterNode, type: string): number => shareOf(used[type] ?? 0, total[type] ?? 0);

/** Types of which any node has something. */
export const nodeTypes = (nodes: readonly ClusterNode[]): readonly string[] => {
  const types = new Set(['memory-mb', 'vcores']);
  for (const { total } of nodes) for (const [name, value] of Object.entries(total)) if (value > 0) types.add(name);
  return [...types];
};

/** What a list of nodes is narrowed to. */
export interface NodeFilter {
  /** Part of host, id, rack, label or attribute. */
  readonly name?: string | undefined;
  readonly state?: string | undefined;
  readonly label?: string | undefined;
  readonly rack?: string | undefined;
}

/** Nodes that pass; `state`: one, `here` for all that work or may again, `away` for the others. */
export function filterNodes(nodes: readonly ClusterNode[], { name = '', state = '', label, rack }: NodeFilter): readonly ClusterNode[] {
  const wanted = name.toLowerCase();
  return nodes.filter(
    (node) =>
      (state === '' || (state === 'away' ? node.isAway : state === 'here' ? !node.isAway : node.state === state)) &&
      (label === undefined || node.label === label) &&
      (rack === undefined || node.rack === rack) &&
      (wanted === '' || [node.id, node.rack, node.label, ...node.attributes].some((text) => text.toLowerCase().includes(wanted))),
  );
}

/** What there is to choose from of a member, with how many nodes each has by the other filters: the most first. Without one is no choice. */
export function nodeChoices(
  nodes: readonly ClusterNode[],
  filter: NodeFilter,
  member: 'label' | 'rack',
): { name: string; count: number }[] {
  const left = Map.groupBy(filterNodes(nodes, { ...filter, [member]: undefined }), (node) => node[member]);
  const names = new Set(nodes.map((node) => node[member]).filter((name) => name !== ''));
  return [...names]
    .map((name) => ({ name, count: left.get(name)?.length ?? 0 }))
    .toSorted((a, b) => b.count - a.count || a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** Groups of a map: by label, nodes without one first, each by host. */
export function byPartition(nodes: readonly ClusterNode[]): readonly (readonly [label: string, nodes: readonly ClusterNode[]])[] {
  const groups = Map.groupBy(nodes, ({ label }) => label);
  return [...groups]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([label, list]) => [label, list.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }))]);
}

/** What to call each node on a map: its host, and its whole id where others are on the same. */
export function shortNames(nodes: readonly ClusterNode[]): (node: ClusterNode) => string {
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  for (const { nodeHostName } of nodes) (seen.has(nodeHostName) ? repeated : seen).add(nodeHostName);
  return ({ id, nodeHostName }) => (repeated.has(nodeHostName) ? id : nodeHostName);
}

/** What nodes that are unhealthy complain of, with those that do: what most say first. */
export function complaintsOf(nodes: readonly ClusterNode[]): readonly (readonly [report: string, nodes: readonly ClusterNode[]])[] {
  const ill = nodes.filter(({ state }) => state === 'UNHEALTHY');
  return [...Map.groupBy(ill, ({ healthReport = '' }) => healthReport.trim())].toSorted(([, a], [, b]) => b.length - a.length);
}

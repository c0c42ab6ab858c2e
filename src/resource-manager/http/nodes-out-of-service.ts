// Nodes that would take what waits were they in service. The scheduler knows nothing of those that are unhealthy or lost: what waits for
// one of them would look as if it waited for a node that never was.
import type { WaitingReason, WaitingRule } from '../../scheduler/explain/explanation.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { Node } from '../nodes/node.ts';

/** What is read of the cluster. */
export interface NodesSeen {
  readonly view: Pick<ClusterView, 'nodes' | 'nodeTotals'>;
  readonly labelOf: (nodeId: string) => string;
}

/** One more sentence about what holds something back, and one about what frees it. */
export interface OutOfService {
  readonly sentence: string;
  readonly remedy: string;
}

/** A node more would help where one of these holds something back. */
const helped: ReadonlySet<WaitingRule> = new Set([
  'NO_NODES',
  'NO_NODE_WITH_LABEL',
  'NO_NODE_WITHOUT_LABEL',
  'NO_NODE_LARGE_ENOUGH',
  'OWN_MASTER_IN_THE_WAY',
  'NODES_FULL',
]);

const mostNamed = 3;
const longestReport = 200;

/** What is out of service of the nodes with the label that could hold what is asked for; undefined where none is, or where none would help. */
export function outOfService({ rule, partition = '', asked = [] }: WaitingReason, { view, labelOf }: NodesSeen): OutOfService | undefined {
  const { UNHEALTHY, LOST } = view.nodeTotals.counts;
  if (UNHEALTHY + LOST === 0 || !helped.has(rule)) return undefined;
  const found = view
    .nodes()
    .filter(({ state }) => state === 'UNHEALTHY' || state === 'LOST')
    .filter(({ id, resource }) => labelOf(id) === partition && asked.every((amount, type) => amount <= (resource[type] ?? 0)))
    .toArray();
  if (found.length === 0) return undefined;
  const named = found.slice(0, mostNamed);
  const parts = [
    ...named.map(standing),
    ...(found.length > named.length ? [`${found.length - named.length} more ${found.length === named.length + 1 ? 'is' : 'are'}`] : []),
  ];
  const [first] = named;
  return {
    sentence: `Out of service: ${parts.join('; ')}.`,
    remedy:
      first?.state === 'UNHEALTHY'
        ? `Also when ${first.id} is well again: "heddle node show ${first.id}" says what it needs.`
        : `Also when the node manager of ${first?.id} is started again.`,
  };
}

function standing({ id, state, healthReport }: Readonly<Node>): string {
  if (state === 'LOST') return `${id} is lost`;
  const report = healthReport.trim().split('\n')[0]!.slice(0, longestReport).replace(/\.$/, '');
  return `${id} is unhealthy${report === '' ? '' : ` (${report})`}`;
}

// How many nodes there are.
import type { ClusterView } from '../cluster/view.ts';
import type { NodeState } from '../nodes/node-states.ts';

/** Nodes by state. */
export function countNodes({ cluster }: { readonly cluster: { readonly view: Pick<ClusterView, 'nodes'> } }): Record<NodeState, number> {
  const counts: Record<NodeState, number> = {
    NEW: 0,
    RUNNING: 0,
    UNHEALTHY: 0,
    DECOMMISSIONING: 0,
    DECOMMISSIONED: 0,
    LOST: 0,
    REBOOTED: 0,
    SHUTDOWN: 0,
  };
  for (const { state } of cluster.view.nodes()) counts[state] += 1;
  return counts;
}

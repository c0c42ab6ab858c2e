// What masters hear of nodes with their next answer: which became usable or unusable since the answer before (NodesListManager,
// RMAppImpl.pullRMNodeUpdates). And how many nodes there are, which every answer says.
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { ClusterObserver } from '../cluster/observer.ts';
import type { Node } from '../nodes/node.ts';
import type { NodeState } from '../nodes/node-states.ts';

/** What became of a node (NodeUpdateTypeProto). */
export type NodeUpdate = 'NODE_USABLE' | 'NODE_UNUSABLE' | 'NODE_DECOMMISSIONING';

/** States of nodes that work or finish their work (ResourceScheduler.getNumClusterNodes). */
const counts: Readonly<Record<NodeState, boolean>> = {
  NEW: false,
  RUNNING: true,
  UNHEALTHY: false,
  DECOMMISSIONING: true,
  DECOMMISSIONED: false,
  LOST: false,
  REBOOTED: false,
  SHUTDOWN: false,
};

/** What masters hear of a state. */
const updates: Readonly<Record<NodeState, NodeUpdate | undefined>> = {
  NEW: undefined,
  RUNNING: 'NODE_USABLE',
  UNHEALTHY: 'NODE_UNUSABLE',
  DECOMMISSIONING: 'NODE_DECOMMISSIONING',
  DECOMMISSIONED: 'NODE_UNUSABLE',
  LOST: 'NODE_UNUSABLE',
  REBOOTED: 'NODE_UNUSABLE',
  SHUTDOWN: 'NODE_UNUSABLE',
};

/** Nodes of which the last change is known; a master that asks more rarely than so many change hears of the last ones. */
const mostChanges = 100_000;

/** The last change of each node, in the order of the changes. */
export class NodeNews implements ClusterObserver {
  readonly #changes = new BoundedMap<string, { readonly order: number; readonly node: Node; readonly update: NodeUpdate }>(mostChanges);
  #order = 0;
  #nodes = 0;

  /** Begins with the nodes that are there. */
  constructor(view: Pick<ClusterView, 'nodes'>) {
    for (const { state } of view.nodes()) if (counts[state]) this.#nodes++;
  }

  nodeStateChanged(node: Node, from: NodeState, to: NodeState): void {
    this.#nodes += Number(counts[to]) - Number(counts[from]);
    const update = updates[to];
    if (!update) return;
    this.#changes.delete(node.id);
    this.#changes.set(node.id, { order: ++this.#order, node, update });
  }

  /** Nodes that are part of the cluster. */
  get nodeCount(): number {
    return this.#nodes;
  }

  /** The number of the last change. */
  get latest(): number {
    return this.#order;
  }

  /** Nodes that changed after the change of that number, each as it is now, the first first. */
  since(order: number): readonly { readonly node: Node; readonly update: NodeUpdate }[] {
    if (order === this.#order) return [];
    return [...this.#changes.values()].filter((change) => change.order > order);
  }
}

// How nodes leave and come back on an administrator's wish: the include and exclude files, draining by hand, the time a node is given to
// finish, and the oblivion of nodes that no file names (NodesListManager, DecommissioningNodesWatcher).
import type { Cluster } from '../cluster.ts';
import type { Node } from '../nodes/node.ts';
import { isInactiveNode, type NodeState } from '../nodes/node-states.ts';

/** Seconds a node may take to leave; negative: no end; undefined: it leaves at once. */
export type LeaveSeconds = number | undefined;

/** The leaving of nodes; created and called by the cluster only. */
export class NodeRemoval {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Reads the lists again and acts on them; what changed is answered. A time of the exclude file goes before `seconds`. */
  refresh(seconds: LeaveSeconds): { readonly nodeId: string; readonly state: NodeState }[] {
    const { membership, nodes } = this.#cluster;
    membership.refresh();
    const changed: { nodeId: string; state: NodeState }[] = [];
    for (const node of [...nodes.values()]) {
      const before = node.state;
      if (membership.admits(node.host, node.id)) this.#recommission(node);
      else if (!membership.isListed(node.host, node.id))
        this.decommission(node, seconds === undefined ? undefined : (membership.leaveSeconds(node.host, node.id) ?? seconds));
      this.#considerOblivion(node);
      if (node.state !== before) changed.push({ nodeId: node.id, state: node.state });
    }
    return changed;
  }

  /** Takes a node out by hand, until `resume`. */
  drain(node: Node, seconds: LeaveSeconds): void {
    this.#cluster.membership.setDrained(node.id, true);
    this.decommission(node, seconds);
  }

  /** Undoes `drain`: a node that is still there goes on, one that left may come back. False where the exclude file keeps it out. */
  resume(node: Node): boolean {
    const { membership } = this.#cluster;
    membership.setDrained(node.id, false);
    if (!membership.isListed(node.host, node.id)) return false;
    this.#recommission(node);
    return true;
  }

  /** Takes a node out: at once, or after its applications ended or the time is over. */
  decommission(node: Node, seconds: LeaveSeconds): void {
    const { nodeLife, policy, timers } = this.#cluster;
    if (isInactiveNode[node.state]) return;
    if (seconds === undefined) return nodeLife.leave(node, 'decommission');
    if (node.state !== 'DECOMMISSIONING' && !nodeLife.apply(node, 'decommissionGracefully')) return;
    policy.updateNode(node.id, { schedulable: false });
    if (seconds < 0) timers.cancel(`drain ${node.id}`);
    else timers.set(`drain ${node.id}`, seconds * 1000, () => nodeLife.leave(node, 'decommission'));
    this.drained(node.id);
  }

  #recommission(node: Node): void {
    const { nodeLife, policy, timers } = this.#cluster;
    if (node.state !== 'DECOMMISSIONING' || !nodeLife.apply(node, 'recommission')) return;
    timers.cancel(`drain ${node.id}`);
    policy.updateNode(node.id, { schedulable: node.send !== undefined });
    this.#cluster.scheduleSoon();
  }

  /** A container or an application of the node ended: a draining node that nobody needs leaves. */
  drained(nodeId: string): void {
    const node = this.#cluster.nodes.get(nodeId);
    if (node?.state === 'DECOMMISSIONING' && node.containers.size === 0 && node.applications.size === 0)
      this.#cluster.nodeLife.leave(node, 'drained');
  }

  /** A node left. */
  left(node: Node): void {
    this.#cluster.timers.cancel(`drain ${node.id}`);
    this.#considerOblivion(node);
  }

  /** A node that left and that no list names is forgotten after a while. */
  #considerOblivion(node: Node): void {
    const { membership, timers, settings, nodes, logger } = this.#cluster;
    const isForgettable = () => isInactiveNode[node.state] && membership.isUntracked(node.host, node.id) && nodes.get(node.id) === node;
    const name = `forget ${node.id}`;
    if (!isForgettable()) return timers.cancel(name);
    if (timers.has(name)) return;
    timers.set(name, settings.untrackedNodeRemovalMs, () => {
      if (!isForgettable()) return;
      nodes.delete(node.id);
      logger.info({ nodeId: node.id, state: node.state }, 'a node that no list names is forgotten');
    });
  }
}

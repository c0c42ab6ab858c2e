// How nodes leave and come back on an administrator's wish: the include and exclude files, draining by hand, the time a node is given to
// finish, and when nodes are forgotten that no file names (NodesListManager, DecommissioningNodesWatcher).
import type { Logger } from '../../lib/log.ts';
import type { Timers } from '../../lib/timers.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Membership } from '../nodes/membership.ts';
import type { Node } from '../nodes/node.ts';
import { isInactiveNode, type NodeState } from '../nodes/node-states.ts';
import type { Effects } from './effects.ts';
import type { NodeLifecycle } from './nodes.ts';
import type { ClusterSettings } from './settings.ts';
import type { ClusterState } from './state.ts';

/** Seconds a node may take to leave; negative: no end; undefined: it leaves at once. */
export type LeaveSeconds = number | undefined;

/** What is needed. */
export interface NodeRemovalPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'persist'>;
  readonly policy: Pick<SchedulingPolicy, 'updateNode'>;
  readonly nodes: Pick<NodeLifecycle, 'apply' | 'leave' | 'offer'>;
  readonly membership: Membership;
  readonly settings: ClusterSettings;
  readonly timers: Timers;
  readonly logger: Logger;
}

/** The leaving of nodes. */
export class NodeRemoval {
  readonly #ports: NodeRemovalPorts;

  constructor(ports: NodeRemovalPorts) {
    this.#ports = ports;
  }

  /** Reads the lists again and acts on them; what changed is answered. A time of the exclude file goes before `seconds`. */
  refresh(seconds: LeaveSeconds): { readonly nodeId: string; readonly state: NodeState }[] {
    const { membership, state } = this.#ports;
    membership.refresh();
    const changed: { nodeId: string; state: NodeState }[] = [];
    for (const node of [...state.nodes()]) {
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
    this.#setDrained(node, true);
    this.decommission(node, seconds);
  }

  /** Undoes `drain`: a node that is still there goes on, one that left may come back. False where the exclude file keeps it out. */
  resume(node: Node): boolean {
    const { membership } = this.#ports;
    this.#setDrained(node, false);
    if (!membership.isListed(node.host, node.id)) return false;
    this.#recommission(node);
    return true;
  }

  /** Kept for the next process, tried until it is durable. */
  #setDrained(node: Node, drained: boolean): void {
    const { membership, effects } = this.#ports;
    if (membership.setDrained(node.id, drained)) effects.persist({ kind: 'drained', membership }, { failed: () => 'again' });
  }

  /** Takes a node out: at once, or after its applications ended or the time is over. */
  decommission(node: Node, seconds: LeaveSeconds): void {
    const { nodes, policy, timers } = this.#ports;
    if (isInactiveNode[node.state]) return;
    if (seconds === undefined) return nodes.leave(node, 'decommission');
    if (node.state !== 'DECOMMISSIONING' && !nodes.apply(node, 'decommissionGracefully')) return;
    policy.updateNode(node.id, { schedulable: false });
    if (seconds < 0) timers.cancel(`drain ${node.id}`);
    else timers.set(`drain ${node.id}`, seconds * 1000, () => nodes.leave(node, 'decommission'));
    this.freed(node.id);
  }

  #recommission(node: Node): void {
    const { nodes, timers } = this.#ports;
    if (node.state !== 'DECOMMISSIONING' || !nodes.apply(node, 'recommission')) return;
    timers.cancel(`drain ${node.id}`);
    nodes.offer(node);
  }

  /** A container or an application of the node ended: a draining node that nothing needs leaves. */
  freed(nodeId: string): void {
    const node = this.#ports.state.node(nodeId);
    if (node?.state === 'DECOMMISSIONING' && node.containers.size === 0 && node.applications.size === 0)
      this.#ports.nodes.leave(node, 'drained');
  }

  /** A node left. */
  left(node: Node): void {
    this.#ports.timers.cancel(`drain ${node.id}`);
    this.#considerOblivion(node);
  }

  /** A node that left and that no list names is forgotten after a while. */
  #considerOblivion(node: Node): void {
    const { membership, timers, settings, state, logger } = this.#ports;
    const isForgettable = () => isInactiveNode[node.state] && membership.isUntracked(node.host, node.id) && state.node(node.id) === node;
    const name = `forget ${node.id}`;
    if (!isForgettable()) return timers.cancel(name);
    if (timers.has(name)) return;
    timers.set(name, settings.untrackedNodeRemovalMs, () => {
      if (!isForgettable()) return;
      state.removeNode(node);
      logger.info({ nodeId: node.id, state: node.state }, 'a node that no list names is forgotten');
    });
  }
}

// How nodes leave and come back on an administrator's wish: the include and exclude files, draining by hand, the time a node is given to
// finish (docs/protocol.md, P11), and when nodes are forgotten that no file names (NodesListManager, DecommissioningNodesWatcher).
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Timers } from '../../lib/timers.ts';
import { parseNodeId } from '../../model/ids.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { LeavingNode, Membership } from '../nodes/membership.ts';
import { type Node, newNode } from '../nodes/node.ts';
import { isInactiveNode, type NodeState } from '../nodes/node-states.ts';
import type { Effects } from './effects.ts';
import type { NodeLifecycle } from './nodes.ts';
import type { ClusterSettings } from './settings.ts';
import type { ClusterState } from './state.ts';
import type { TurnedAway } from './turned-away.ts';

/** Seconds a node may take to leave; negative: no end; undefined: it leaves at once. */
export type LeaveSeconds = number | undefined;

/** What is needed. */
export interface NodeRemovalPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'persist' | 'follow'>;
  readonly policy: Pick<SchedulingPolicy, 'updateNode' | 'nodeUsage'>;
  readonly nodes: Pick<NodeLifecycle, 'apply' | 'leave' | 'offer'>;
  readonly membership: Membership;
  readonly turnedAway: Pick<TurnedAway, 'callBack'>;
  readonly settings: ClusterSettings;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly types: ResourceTypes;
  readonly logger: Logger;
}

/** The leaving of nodes. */
export class NodeRemoval {
  readonly #ports: NodeRemovalPorts;
  /** By node: which time of day it has until, and when that is by the steady clock (docs/protocol.md, P8). */
  readonly #ends = new Map<string, { readonly untilMs: number; readonly steadyMs: number }>();

  constructor(ports: NodeRemovalPorts) {
    this.#ports = ports;
  }

  /**
   * Reads the lists again and acts on them; `changed` says what changed once all of `durable`, which nodes have time to leave, is. A time of
   * the exclude file goes before `seconds`.
   */
  refresh(seconds: LeaveSeconds): {
    readonly durable: readonly Promise<unknown>[];
    readonly changed: () => { readonly nodeId: string; readonly state: NodeState }[];
  } {
    const { membership, state, turnedAway } = this.#ports;
    membership.refresh();
    turnedAway.callBack();
    const before = [...state.nodes()].map((node) => ({ node, state: node.state }));
    const durable: Promise<unknown>[] = [];
    for (const { node } of before) {
      const own = seconds === undefined ? undefined : (membership.leaveSeconds(node.host, node.id) ?? seconds);
      const written = this.#follow(node, own);
      if (written) durable.push(written);
      this.#considerOblivion(node);
    }
    const changed = () => before.filter((one) => one.node.state !== one.state).map(({ node }) => ({ nodeId: node.id, state: node.state }));
    return { durable, changed };
  }

  /** Does what the lists say of a node. */
  #follow(node: Node, seconds: LeaveSeconds): Promise<unknown> | undefined {
    const { membership } = this.#ports;
    if (membership.admits(node.host, node.id)) {
      if (membership.leavingNode(node.id)) return this.#stay(node, () => this.#recommission(node));
      this.#recommission(node);
      return undefined;
    }
    if (membership.isListed(node.host, node.id) || isInactiveNode[node.state]) return undefined;
    if (seconds !== undefined) return this.#keepLeaving(node, seconds, membership.leavingNode(node.id)?.byHand ?? false);
    this.#ports.nodes.leave(node, 'decommission');
    return undefined;
  }

  /** Takes a node out by hand, until `resume`: at once, or after its applications ended or the time is over. It begins when it is durable. */
  drain(node: Node, seconds: LeaveSeconds): Promise<void> {
    return this.#keepLeaving(node, seconds ?? 0, true);
  }

  /**
   * Undoes `drain`, when that is durable: a node that is still there goes on, one that left may come back. False where the exclude file keeps
   * it out.
   */
  resume(node: Node): Promise<boolean> {
    return this.#stay(node, () => {
      const isListed = this.#ports.membership.isListed(node.host, node.id);
      if (isListed) this.#recommission(node);
      return isListed;
    });
  }

  /** That a node leaves, and until when, is durable before anything is done about it. @throws what the store throws; then nothing changed */
  #keepLeaving(node: Node, seconds: number, byHand: boolean): Promise<void> {
    const { membership, clock, effects } = this.#ports;
    const untilMs = seconds < 0 ? null : clock.now() + seconds * 1000;
    const leaving = { nodeId: node.id, httpAddress: node.httpAddress, byHand, untilMs };
    return effects.follow({ kind: 'leavingNode', node: leaving }, () => {
      membership.setLeaving(leaving);
      this.#leave(node, leaving);
    });
  }

  /** That a node leaves no longer is durable before anything is done about it. */
  #stay<T>(node: Node, stored: () => T): Promise<T> {
    const { membership, effects, turnedAway } = this.#ports;
    return effects.follow({ kind: 'stayingNode', nodeId: node.id }, () => {
      membership.stay(node.id);
      this.#ends.delete(node.id);
      turnedAway.callBack();
      return stored();
    });
  }

  /** Nodes that were on their way out when an earlier process ended: they are shown as gone until they register. */
  recover(): void {
    const { state, membership, nodes, types } = this.#ports;
    for (const leaving of membership.leaving()) {
      if (membership.admits(parseNodeId(leaving.nodeId).host, leaving.nodeId)) {
        this.#forgetLeaving(leaving.nodeId);
        continue;
      }
      this.#leftMs(leaving);
      const node = newNode(leaving.nodeId, types);
      node.httpAddress = leaving.httpAddress;
      state.addNode(node);
      nodes.apply(node, 'decommission');
    }
  }

  /** Whether a node that no longer belongs to the cluster may finish what runs on it: it has time, and something that `goesOn`. */
  mayFinish(nodeId: string, goesOn: boolean): boolean {
    const leaving = this.#ports.membership.leavingNode(nodeId);
    return goesOn && leaving !== undefined && this.#leftMs(leaving) > 0;
  }

  /** How long a node on its way out may still take, as long as this process has known: a clock that is set changes nothing of it. */
  #leftMs({ nodeId, untilMs }: LeavingNode): number {
    if (untilMs === null) return Number.POSITIVE_INFINITY;
    const { clock } = this.#ports;
    let end = this.#ends.get(nodeId);
    if (end?.untilMs !== untilMs) {
      end = { untilMs, steadyMs: clock.steadyMs() + untilMs - clock.now() };
      this.#ends.set(nodeId, end);
    }
    return end.steadyMs - clock.steadyMs();
  }

  /** A node on its way out has registered, and finishes what runs on it. */
  registered(node: Node): void {
    const leaving = this.#ports.membership.leavingNode(node.id);
    if (leaving) this.#leave(node, leaving);
  }

  #forgetLeaving(nodeId: string): void {
    this.#ports.membership.stay(nodeId);
    this.#ends.delete(nodeId);
    this.#ports.effects.persist({ kind: 'stayingNode', nodeId }, { failed: () => 'again' });
  }

  #leave(node: Node, leaving: LeavingNode): void {
    const leftMs = this.#leftMs(leaving);
    this.decommission(node, leaving.untilMs === null ? -1 : leftMs <= 0 ? undefined : leftMs / 1000);
  }

  /** Takes a node out: at once, or after its applications ended or the time is over. */
  decommission(node: Node, seconds: LeaveSeconds): void {
    const { nodes, timers } = this.#ports;
    if (isInactiveNode[node.state]) return;
    if (seconds === undefined) return nodes.leave(node, 'decommission');
    if (node.state !== 'DECOMMISSIONING' && !nodes.apply(node, 'decommissionGracefully')) return;
    if (seconds < 0) timers.cancel(`drain ${node.id}`);
    else timers.set(`drain ${node.id}`, seconds * 1000, () => nodes.leave(node, 'decommission'));
    this.freed(node.id);
  }

  #recommission(node: Node): void {
    const { nodes, policy, timers } = this.#ports;
    if (node.state !== 'DECOMMISSIONING' || !nodes.apply(node, 'recommission')) return;
    timers.cancel(`drain ${node.id}`);
    policy.updateNode(node.id, { resource: node.resource });
    nodes.offer(node);
  }

  /** A container or an application of the node ended: a draining node that nothing needs leaves. */
  freed(nodeId: string): void {
    const { state, nodes, policy } = this.#ports;
    const node = state.node(nodeId);
    if (node?.state !== 'DECOMMISSIONING') return;
    if (node.containers.size === 0 && node.applications.size === 0) nodes.leave(node, 'drained');
    // Until then it counts for what it holds, less and less (AbstractYarnScheduler.nodeUpdate).
    else policy.updateNode(node.id, { schedulable: false, resource: policy.nodeUsage(node.id)?.used ?? node.resource });
  }

  /** A node left. That it had time to leave matters no longer; one that was drained by hand stays away, whatever happens to it. */
  left(node: Node): void {
    this.#ports.timers.cancel(`drain ${node.id}`);
    const leaving = this.#ports.membership.leavingNode(node.id);
    if (leaving && !leaving.byHand && node.state === 'DECOMMISSIONED') this.#forgetLeaving(node.id);
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

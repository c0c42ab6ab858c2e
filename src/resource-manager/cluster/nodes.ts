// What happens to nodes: their health, their connection, their loss, their leaving. How they introduce themselves is in
// node-registration.ts, what they say of containers in node-reports.ts.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Timers } from '../../lib/timers.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { lostNode } from '../applications/diagnostics.ts';
import { attributeMap, type Node, type NodeAttribute } from '../nodes/node.ts';
import { isInactiveNode, type NodeEvent, nextNodeState } from '../nodes/node-states.ts';
import type { ContainerEnds } from './container-ends.ts';
import type { Effects } from './effects.ts';
import type { EventFigures } from './event-figures.ts';
import type { OpportunisticScheduler } from './opportunistic.ts';
import type { ClusterSettings } from './settings.ts';
import type { ClusterState } from './state.ts';
import type { TurnedAway } from './turned-away.ts';

/** Attributes that administrators gave to hosts; implemented by the attribute manager. */
export interface AttributeSource {
  of(host: string): readonly NodeAttribute[];
}

/** Where labels of nodes come from; implemented by the label manager. */
export interface LabelSource {
  /** The partition of a node; '' for none. */
  labelOf(nodeId: string): string;
  /** A node says which labels it has; followed where nodes may say so. */
  reported?(nodeId: string, labels: readonly string[]): void;
}

/** What is needed. */
export interface NodePorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'sendBy' | 'sender' | 'connect' | 'isConnected' | 'wakeScheduler' | 'publish'>;
  readonly policy: Pick<SchedulingPolicy, 'addNode' | 'updateNode' | 'removeNode' | 'nodeUsage'>;
  readonly ends: Pick<ContainerEnds, 'stop' | 'ended'>;
  readonly opportunistic: Pick<OpportunisticScheduler, 'nodeChanged'>;
  readonly attributes: AttributeSource;
  readonly labels: LabelSource;
  readonly turnedAway: Pick<TurnedAway, 'told'>;
  /** A node left. */
  readonly left: (node: Node) => void;
  readonly settings: ClusterSettings;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly events: EventFigures;
}

/** The lifecycle of nodes. */
export class NodeLifecycle {
  readonly #ports: NodePorts;

  constructor(ports: NodePorts) {
    this.#ports = ports;
  }

  /** Takes an event through the table; false where the state does not take it. */
  apply(node: Node, event: NodeEvent): boolean {
    const next = nextNodeState(node.state, event);
    if (next === undefined) return false;
    const from = node.state;
    this.#ports.state.enterNodeState(node, next);
    this.#ports.events.ofNode(event, from, next, this.#ports.state.applicationCount);
    if (next !== from) {
      this.#ports.logger.info({ nodeId: node.id, from, to: next }, 'a node changed its state');
      this.#ports.effects.publish({ about: 'nodeStateChanged', node, from, to: next });
    }
    this.#ports.opportunistic.nodeChanged(node);
    return true;
  }

  /** What it says of itself and what administrators said of its host. */
  attributesOf(node: Node): readonly NodeAttribute[] {
    return [...this.#ports.attributes.of(node.host), ...node.attributes];
  }

  /** Attributes of nodes changed: the scheduler hears of it. */
  attributesChanged(changed: (node: Node) => boolean): void {
    const { state, policy, effects, events } = this.#ports;
    for (const node of state.nodes())
      if (changed(node))
        events.timed('scheduler', 'NODE_ATTRIBUTES_UPDATE', () =>
          policy.updateNode(node.id, { attributes: attributeMap(this.attributesOf(node)) }),
        );
    effects.wakeScheduler();
  }

  /** Whether the node may be given something new (docs/protocol.md, P10). */
  #isSchedulable({ state, connected }: Node): boolean {
    return state === 'RUNNING' && connected;
  }

  /** The scheduler hears all of the node, which it may know already. */
  schedule(node: Node): void {
    const { policy, labels } = this.#ports;
    const { id: nodeId, host, rack, resource } = node;
    const view = { resource, label: labels.labelOf(nodeId), attributes: attributeMap(this.attributesOf(node)) };
    const schedulable = this.#isSchedulable(node);
    if (policy.nodeUsage(nodeId)) return policy.updateNode(nodeId, { ...view, schedulable });
    policy.addNode({ nodeId, host, rack, ...view });
    if (!schedulable) policy.updateNode(nodeId, { schedulable });
  }

  /** The scheduler hears whether the node may be given something new. One that is unhealthy is no part of what the cluster has (RMNodeImpl). */
  offer(node: Node): void {
    const { policy, effects, opportunistic } = this.#ports;
    if (node.state === 'UNHEALTHY') policy.removeNode(node.id);
    else if (node.state === 'RUNNING' && !policy.nodeUsage(node.id)) this.schedule(node);
    else policy.updateNode(node.id, { schedulable: this.#isSchedulable(node) });
    opportunistic.nodeChanged(node);
    effects.wakeScheduler();
  }

  /** What a node says of its health; containers of one that became unhealthy end. `timeMs`: when it was found. */
  health(node: Node, healthy: boolean, report: string, timeMs: number): void {
    node.healthReport = report;
    node.lastHealthUpdateMs = timeMs;
    if (!this.apply(node, healthy ? 'healthy' : 'unhealthy')) return;
    if (!healthy) this.#clear(node, true);
    this.offer(node);
  }

  /** Notes that the node was heard now. */
  heard(node: Node): void {
    node.lastSeenMs = this.#ports.clock.steadyMs();
  }

  /** It has registered: expects the node to be heard of from now on (P8); as long as its channel is there, it is. */
  watch(node: Node): void {
    const { clock, settings, timers, effects } = this.#ports;
    // The session before may have lost its connection: this one has one.
    timers.cancel(absenceTimer(node));
    const check = (): void => {
      if (isInactiveNode[node.state]) return;
      if (effects.isConnected(node.id)) node.lastSeenMs = Math.max(node.lastSeenMs, clock.steadyMs() - settings.nodeExpiryMs + 1);
      const silentMs = clock.steadyMs() - node.lastSeenMs;
      if (silentMs >= settings.nodeExpiryMs) this.leave(node, 'expire');
      // One that has nothing to say, and is there, is looked at again after a while.
      else timers.set(silenceTimer(node), Math.max(100, settings.nodeExpiryMs / 10, settings.nodeExpiryMs - silentMs), check);
    };
    timers.set(silenceTimer(node), settings.nodeExpiryMs, check);
  }

  /** The connection of a node went down or came back; its session goes on. While it is down the node gets nothing new. */
  connection(node: Node, connected: boolean): void {
    const { settings, timers } = this.#ports;
    node.connected = connected;
    if (!isInactiveNode[node.state]) this.offer(node);
    if (connected) {
      timers.cancel(absenceTimer(node));
      this.heard(node);
      return;
    }
    timers.set(absenceTimer(node), settings.nodeExpiryMs, () => {
      if (!isInactiveNode[node.state]) this.leave(node, 'expire');
    });
  }

  /** The channel's session ended: the node may come back until it expires. */
  disconnected(node: Node): void {
    this.#ports.effects.connect(node.id, undefined);
    this.connection(node, false);
  }

  /** A node is no longer part of the cluster; its containers are over. */
  leave(node: Node, event: NodeEvent): void {
    const { state, effects, policy, timers, turnedAway, left } = this.#ports;
    if (!this.apply(node, event)) return;
    timers.cancel(silenceTimer(node));
    timers.cancel(absenceTimer(node));
    this.#clear(node, false);
    policy.removeNode(node.id);
    state.leavePlaces(node);
    const sender = effects.sender(node.id);
    if (sender && (event === 'decommission' || event === 'drained')) {
      effects.sendBy(sender, node.id, { type: 'refuse', reason: `${node.id} is decommissioned.` });
      turnedAway.told(node.id, sender);
    }
    effects.connect(node.id, undefined);
    left(node);
    effects.wakeScheduler();
  }

  /** What begins because a container of the node ends, another attempt of its application say, finds nothing left of it. `listens`: the node is there to be told. */
  #clear(node: Node, listens: boolean): void {
    const { state, ends, policy } = this.#ports;
    policy.updateNode(node.id, { schedulable: false, resource: node.resource.map(() => 0) });
    for (const container of state.containersOn(node)) {
      if (listens) ends.stop(container, exitStatus.aborted, lostNode);
      // One that its node never told of may not have begun: as far as anybody can know.
      else ends.ended(container, exitStatus.aborted, lostNode, container.told ? 'kill' : 'expire');
    }
  }
}

const silenceTimer = ({ id }: Node): string => `node ${id}`;
const absenceTimer = ({ id }: Node): string => `node gone ${id}`;

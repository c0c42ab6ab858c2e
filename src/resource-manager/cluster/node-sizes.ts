// What nodes offer where that is not what they say: sizes of the dynamic resources file and of administrators, and what happens to
// containers that no longer fit.

import { type DynamicResource, withDynamic } from '../../config/dynamic-resources.ts';
import type { Timers } from '../../lib/timers.ts';
import { difference, fits, type Resource, type ResourceTypes, zeros } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { NodeResource } from '../../wire/cluster/container-messages.ts';
import type { Node } from '../nodes/node.ts';
import { isInactiveNode } from '../nodes/node-states.ts';
import type { ContainerEnds } from './container-ends.ts';
import type { Effects } from './effects.ts';
import type { EventFigures } from './event-figures.ts';
import { nodeResource, resourceOf } from './node-resource.ts';
import type { ClusterState } from './state.ts';

/** What is needed. */
export interface NodeSizePorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'send' | 'follow' | 'wakeScheduler'>;
  readonly policy: Pick<SchedulingPolicy, 'updateNode'>;
  readonly ends: Pick<ContainerEnds, 'preempt'>;
  readonly timers: Timers;
  readonly types: ResourceTypes;
  readonly events: Pick<EventFigures, 'timed'>;
}

/** The sizes of nodes. */
export class NodeSizes {
  readonly #ports: NodeSizePorts;
  /** By node id: amounts that count instead of what the node says. */
  #dynamic: ReadonlyMap<string, DynamicResource> = new Map();
  /** Nodes of which a size of administrators may be stored: one that is being written, or was refused since its write seemed to fail, too. */
  readonly #mayBeStored = new Set<string>();

  constructor(ports: NodeSizePorts) {
    this.#ports = ports;
  }

  /** The size that counts instead of the reported one; undefined: the reported one counts. */
  sizeOf(nodeId: string, reported: Resource): Resource | undefined {
    const dynamic = this.#dynamic.get(nodeId);
    return this.#ports.state.nodeSize(nodeId) ?? (dynamic && withDynamic(reported, dynamic));
  }

  /** The sizes of the file, and those that administrators gave since it was read last, which go before them. */
  recover(dynamic: ReadonlyMap<string, DynamicResource>, sizes: ReadonlyMap<string, NodeResource>): void {
    this.#dynamic = dynamic;
    for (const [nodeId, size] of sizes) {
      this.#mayBeStored.add(nodeId);
      this.#ports.state.setNodeSize(nodeId, resourceOf(size, this.#ports.types));
    }
  }

  /**
   * Other sizes from now on, before what administrators gave those nodes; nodes that are there are `changed` at once. Once all of `durable` is,
   * nothing else counts for them in the next process either.
   */
  useDynamicResources(dynamic: ReadonlyMap<string, DynamicResource>): {
    readonly changed: readonly string[];
    readonly durable: readonly Promise<void>[];
  } {
    const { state, effects } = this.#ports;
    this.#dynamic = dynamic;
    const changed: string[] = [];
    const durable: Promise<void>[] = [];
    for (const [nodeId, size] of dynamic) {
      const node = state.node(nodeId);
      if (this.#mayBeStored.has(nodeId))
        durable.push(
          effects.follow({ kind: 'nodeSize', nodeId, resource: undefined }, () => {
            state.setNodeSize(nodeId, undefined);
            // It may have registered meanwhile, with what the administrator had given it.
            this.#useDynamic(state.node(nodeId), size);
          }),
        );
      if (this.#useDynamic(node, size)) changed.push(nodeId);
    }
    return { changed, durable };
  }

  /**
   * Changes what a node offers, once that is durable. `overcommitTimeoutMs` undefined or 0: what no longer fits is taken at once; negative:
   * as before. Rejects where it cannot be stored; then nothing changed.
   */
  resize(node: Node, resource: Resource, overcommitTimeoutMs: number | undefined): Promise<void> {
    const { state, effects, types } = this.#ports;
    this.#mayBeStored.add(node.id);
    return effects.follow({ kind: 'nodeSize', nodeId: node.id, resource: nodeResource(resource, types) }, () => {
      state.setNodeSize(node.id, resource);
      const present = state.node(node.id);
      if (present && !isInactiveNode[present.state]) this.#apply(present, resource, overcommitTimeoutMs);
    });
  }

  /** False where the node is not there. */
  #useDynamic(node: Node | undefined, size: DynamicResource): boolean {
    if (!node || isInactiveNode[node.state]) return false;
    this.#apply(node, withDynamic(node.resource, size), size.overcommitTimeoutMs);
    return true;
  }

  #apply(node: Node, resource: Resource, overcommitTimeoutMs: number | undefined): void {
    const { effects, policy, types, timers, events } = this.#ports;
    node.resource = resource;
    if (overcommitTimeoutMs === undefined || overcommitTimeoutMs >= 0) node.overcommitTimeoutMs = overcommitTimeoutMs ?? 0;
    // One on its way out counts for what it holds, whatever its size.
    if (node.state !== 'DECOMMISSIONING')
      events.timed('scheduler', 'NODE_RESOURCE_UPDATE', () =>
        policy.updateNode(node.id, { resource, isOvercommitted: node.overcommitTimeoutMs === 0 }),
      );
    effects.send(node.id, { type: 'updateResource', resource: nodeResource(resource, types) });
    if (node.overcommitTimeoutMs === 0) this.#shrink(node);
    else if (node.overcommitTimeoutMs > 0) timers.set(`shrink ${node.id}`, node.overcommitTimeoutMs, () => this.#shrink(node));
    effects.wakeScheduler();
  }

  /** Takes guaranteed containers until the rest fits: the youngest first, masters last. */
  #shrink(node: Node): void {
    const { state, ends, types } = this.#ports;
    const held = state
      .containersOn(node)
      .filter(({ executionType }) => executionType === 'GUARANTEED')
      .sort((a, b) => Number(a.isMaster) - Number(b.isMaster) || b.createdMs - a.createdMs);
    let used = held.reduce((total, container) => total.map((amount, i) => amount + (container.resource[i] ?? 0)), zeros(types.count));
    for (const container of held) {
      if (fits(used, node.resource)) return;
      used = difference(used, container.resource);
      ends.preempt(container.id);
    }
  }
}

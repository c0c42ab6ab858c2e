// What nodes offer where that is not what they say: sizes of the dynamic resources file and of administrators, and what happens to
// containers that no longer fit.
import type { Timers } from '../../lib/timers.ts';
import { difference, fits, type Resource, type ResourceTypes, zeros } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { type DynamicResource, withDynamic } from '../nodes/dynamic-resources.ts';
import type { Node } from '../nodes/node.ts';
import { isInactiveNode } from '../nodes/node-states.ts';
import type { ContainerEnds } from './container-ends.ts';
import type { Effects } from './effects.ts';
import { nodeResource } from './node-resource.ts';
import type { ClusterState } from './state.ts';

/** What is needed. */
export interface NodeSizePorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'send' | 'wakeScheduler'>;
  readonly policy: Pick<SchedulingPolicy, 'updateNode'>;
  readonly ends: Pick<ContainerEnds, 'preempt'>;
  readonly timers: Timers;
  readonly types: ResourceTypes;
}

/** The sizes of nodes. */
export class NodeSizes {
  readonly #ports: NodeSizePorts;
  /** By node id: amounts that count instead of what the node says. */
  #dynamic: ReadonlyMap<string, DynamicResource> = new Map();

  constructor(ports: NodeSizePorts) {
    this.#ports = ports;
  }

  /** The size that counts instead of the reported one; undefined: the reported one counts. */
  sizeOf(nodeId: string, reported: Resource): Resource | undefined {
    const dynamic = this.#dynamic.get(nodeId);
    return this.#ports.state.nodeSize(nodeId) ?? (dynamic && withDynamic(reported, dynamic));
  }

  /** Other sizes from now on; nodes that are there are changed at once. Returns their ids. */
  useDynamicResources(dynamic: ReadonlyMap<string, DynamicResource>): string[] {
    this.#dynamic = dynamic;
    const changed: string[] = [];
    for (const [id, size] of dynamic) {
      const node = this.#ports.state.node(id);
      if (!node || isInactiveNode[node.state]) continue;
      this.resize(node, withDynamic(node.resource, size), size.overcommitTimeoutMs);
      changed.push(id);
    }
    return changed;
  }

  /** Changes what a node offers. `overcommitTimeoutMs` undefined or 0: what no longer fits is taken at once; negative: as before. */
  resize(node: Node, resource: Resource, overcommitTimeoutMs: number | undefined): void {
    const { state, effects, policy, types, timers } = this.#ports;
    state.setNodeSize(node.id, resource);
    node.resource = resource;
    if (overcommitTimeoutMs === undefined || overcommitTimeoutMs >= 0) node.overcommitTimeoutMs = overcommitTimeoutMs ?? 0;
    policy.updateNode(node.id, { resource });
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

// Opportunistic containers (OpportunisticContainerAllocatorAMService): given at once and outside of queues to nodes that let few of
// them wait; the node starts them when it has room.
import type { Clock } from '../../lib/clock.ts';
import type { Resource } from '../../model/resource.ts';
import type { Closeness } from '../../scheduler/policy.ts';
import { type Attempt, avoids } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { Node } from '../nodes/node.ts';
import type { OpportunisticTotals } from '../store/resource-manager-store.ts';
import type { FoundAttempt } from './cluster-view.ts';
import type { Allocation } from './containers.ts';
import type { Effects } from './effects.ts';
import type { ClusterState } from './state.ts';

/** What a master asks for. */
export interface OpportunisticRequest {
  readonly requestId: string;
  readonly priority: number;
  readonly resource: Resource;
  count: number;
  readonly nodes: readonly string[];
  readonly racks: readonly string[];
  readonly relaxLocality: boolean;
  readonly allocationRequestId?: number;
  /** Counted from a promotion on. */
  readonly allocationTags?: readonly string[];
  /** When it was first asked. */
  readonly sinceMs?: number;
}

/** Numbers of Hadoop's OpportunisticSchedulerMetrics: `allocated` now, the others since the first start. */
export type OpportunisticCounts = { allocated: number } & { -readonly [Name in keyof OpportunisticTotals]: number };

/** What can be read of opportunistic requests and containers. */
export interface OpportunisticView {
  readonly counts: Readonly<OpportunisticCounts>;
  /** What an attempt waits for. */
  requestsOf(attemptId: string): readonly OpportunisticRequest[];
  /** Opportunistic containers of the node that have not begun. */
  loadOf(node: Node): number;
}

/** Given in one go, so that others are heard in between. */
const mostPerRound = 1000;

/** What is needed. */
export interface OpportunisticPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'wakeScheduler' | 'persist'>;
  readonly clock: Clock;
  /** Whether the node has a channel now. */
  readonly isReachable: (node: Node) => boolean;
  /** The next container id of an attempt. */
  readonly nextContainerId: (attemptId: string) => string;
}

/** Serves opportunistic requests, beside the scheduler. */
export class OpportunisticScheduler implements OpportunisticView {
  readonly #ports: OpportunisticPorts;
  /** By attempt, then by request, in their order. */
  readonly #requests = new Map<string, Map<string, OpportunisticRequest>>();
  /** Nodes by how many of their opportunistic containers have not begun: the first of the lowest is the next. */
  readonly #byLoad: Set<Node>[] = [];
  readonly #loads = new Map<Node, number>();
  readonly counts: OpportunisticCounts;
  /** The counters are being written, and changed since that began. */
  #writing: { changed: boolean } | undefined;

  /** `totals`: as an earlier process left them. */
  constructor(ports: OpportunisticPorts, totals: OpportunisticTotals) {
    this.#ports = ports;
    this.counts = { allocated: 0, ...totals };
  }

  /** Takes requests and withdrawals of a master; a request of the same id is replaced. */
  update(attempt: Attempt, requests: readonly OpportunisticRequest[], cancels: readonly string[]): void {
    const own = this.#requests.get(attempt.id) ?? new Map<string, OpportunisticRequest>();
    for (const requestId of cancels) own.delete(requestId);
    for (const request of requests) {
      if (request.count > 0)
        own.set(request.requestId, { ...request, sinceMs: own.get(request.requestId)?.sinceMs ?? this.#ports.clock.now() });
      else own.delete(request.requestId);
    }
    if (own.size > 0) this.#requests.set(attempt.id, own);
    else this.#requests.delete(attempt.id);
  }

  /** What an attempt waits for. */
  requestsOf(attemptId: string): readonly OpportunisticRequest[] {
    return [...(this.#requests.get(attemptId)?.values() ?? [])];
  }

  /** Nothing more is given to the attempt. */
  forget(attemptId: string): void {
    this.#requests.delete(attemptId);
  }

  /** Opportunistic containers of the node that have not begun. */
  loadOf(node: Node): number {
    return this.#loads.get(node) ?? 0;
  }

  /** A node came, left, or lets another number wait. */
  nodeChanged(node: Node): void {
    const takes = node.state === 'RUNNING' && this.#ports.isReachable(node) && node.opportunisticQueueLength > 0;
    if (!takes) return this.#take(node);
    if (this.#loads.has(node)) return;
    let load = 0;
    for (const { executionType, startedMs } of this.#ports.state.containersOn(node))
      if (executionType === 'OPPORTUNISTIC' && startedMs === 0) load++;
    this.#put(node, load);
  }

  /** A container of the node began, or will not begin as an opportunistic one: one fewer waits. */
  began(nodeId: string): void {
    const node = this.#ports.state.node(nodeId);
    const load = node && this.#loads.get(node);
    if (node && load !== undefined && load > 0) this.#put(node, load - 1);
    if (this.#requests.size > 0) this.#ports.effects.wakeScheduler();
  }

  /** There is one more opportunistic container, otherwise than by a request: demoted, or running since before this process. */
  joined(): void {
    this.counts.allocated++;
  }

  /** A container was promoted. */
  promoted(container: Container): void {
    this.counts.allocated--;
    if (container.startedMs === 0) this.began(container.nodeId);
  }

  /** An opportunistic container ended. */
  ended(container: Container): void {
    this.counts.allocated--;
    this.counts.everReleased++;
    this.#keepTotals();
    if (container.startedMs === 0) this.began(container.nodeId);
  }

  /** One write at a time, in the commit of the change: many containers of one change are one. */
  #keepTotals(): void {
    if (this.#writing) {
      this.#writing.changed = true;
      return;
    }
    const writing = { changed: false };
    this.#writing = writing;
    const stored = (): void => {
      this.#writing = undefined;
      if (writing.changed) this.#keepTotals();
    };
    this.#ports.effects.persist({ kind: 'opportunisticCounts', counts: this.counts }, { stored, failed: () => 'again' });
  }

  /** Gives what nodes can take, to one attempt after the other; each is to be committed before the next is asked for. */
  *propose(): Generator<Allocation> {
    let given = 0;
    for (const [attemptId, requests] of this.#requests) {
      const found = this.#ports.state.attempt(attemptId);
      if (found?.attempt.state !== 'RUNNING') {
        this.#requests.delete(attemptId);
        continue;
      }
      for (const request of [...requests.values()]) {
        while (request.count > 0 && given < mostPerRound) {
          const choice = this.#choose(request, found.attempt);
          if (!choice) break;
          given++;
          yield this.#give(found, request, choice.node, choice.closeness);
        }
        if (request.count === 0) requests.delete(request.requestId);
      }
      if (requests.size === 0) this.#requests.delete(attemptId);
    }
    if (given >= mostPerRound) this.#ports.effects.wakeScheduler();
  }

  #give({ application, attempt }: FoundAttempt, request: OpportunisticRequest, node: Node, closeness: Closeness): Allocation {
    request.count--;
    this.counts.allocated++;
    this.counts.everAllocated++;
    this.counts[closeness]++;
    this.#keepTotals();
    this.#put(node, (this.#loads.get(node) ?? 0) + 1);
    return {
      kind: 'allocate',
      applicationId: application.id,
      attemptId: attempt.id,
      containerId: this.#ports.nextContainerId(attempt.id),
      requestId: request.requestId,
      nodeId: node.id,
      resource: request.resource,
      priority: request.priority,
      allocationRequestId: request.allocationRequestId ?? -1,
      isMaster: false,
      allocationTags: request.allocationTags ?? [],
      fromReservation: false,
      executionType: 'OPPORTUNISTIC',
    };
  }

  #choose(request: OpportunisticRequest, attempt: Attempt): { node: Node; closeness: Closeness } | undefined {
    const { nodes, racks } = request;
    let inRack: Node | undefined;
    let anywhere: Node | undefined;
    const bound = nodes.length > 0 || racks.length > 0;
    for (const [load, members] of this.#byLoad.entries()) {
      for (const node of members ?? []) {
        if (load >= node.opportunisticQueueLength || avoids(attempt, node)) continue;
        if (request.resource.some((amount, i) => amount > (node.resource[i] ?? 0))) continue;
        if (!bound) return { node, closeness: 'offSwitch' };
        if (nodes.includes(node.host) || nodes.includes(node.id)) return { node, closeness: 'nodeLocal' };
        if (racks.includes(node.rack)) inRack ??= node;
        else anywhere ??= node;
      }
    }
    if (inRack) return { node: inRack, closeness: 'rackLocal' };
    return anywhere && request.relaxLocality ? { node: anywhere, closeness: 'offSwitch' } : undefined;
  }

  #put(node: Node, load: number): void {
    this.#take(node);
    this.#loads.set(node, load);
    (this.#byLoad[load] ??= new Set()).add(node);
  }

  #take(node: Node): void {
    const load = this.#loads.get(node);
    if (load === undefined) return;
    this.#loads.delete(node);
    this.#byLoad[load]?.delete(node);
  }
}

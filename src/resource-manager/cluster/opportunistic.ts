// Opportunistic containers (OpportunisticContainerAllocatorAMService): given at once and outside of queues to nodes that let few of
// them wait; the node starts them when it has room. They can be promoted to guaranteed ones and back.
import type { Resource } from '../../model/resource.ts';
import type { InternalPurpose } from '../../scheduler/policy.ts';
import type { ExecutionType } from '../../wire/cluster/container-messages.ts';
import type { Application, Attempt, Container } from '../applications/application.ts';
import type { Cluster } from '../cluster.ts';
import type { Node } from '../nodes/node.ts';

/** What a master asks for. */
export interface OpportunisticRequest {
  readonly requestId: string;
  readonly priority: number;
  readonly resource: Resource;
  count: number;
  readonly nodes: readonly string[];
  readonly racks: readonly string[];
  readonly relaxLocality: boolean;
  /** Counted from a promotion on. */
  readonly allocationTags?: readonly string[];
  /** When it was first asked. */
  readonly sinceMs?: number;
}

/** Numbers of Hadoop's OpportunisticSchedulerMetrics. */
export interface OpportunisticCounts {
  allocated: number;
  everAllocated: number;
  everReleased: number;
  nodeLocal: number;
  rackLocal: number;
  offSwitch: number;
}

type Closeness = 'nodeLocal' | 'rackLocal' | 'offSwitch';

/** Given in one go, so that others are heard in between. */
const mostPerRound = 1000;

/** Created and called by the cluster only. */
export class Opportunistic {
  readonly #cluster: Cluster;
  /** By attempt, then by ask, in their order. */
  readonly #requests = new Map<string, Map<string, OpportunisticRequest>>();
  /** Nodes by how many of their opportunistic containers have not begun: the first of the lowest is the next. */
  readonly #byLoad: Set<Node>[] = [];
  readonly #loads = new Map<Node, number>();
  /** Attempts by the container that is to be promoted once the scheduler has room for it. */
  readonly #promotions = new Map<string, string>();
  /** Containers by the id under which the scheduler counts them since they were promoted. */
  readonly #byCharge = new Map<string, string>();
  readonly counts: OpportunisticCounts = { allocated: 0, everAllocated: 0, everReleased: 0, nodeLocal: 0, rackLocal: 0, offSwitch: 0 };

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Takes asks and withdrawals of a master; an ask of the same id is replaced. */
  update(attempt: Attempt, requests: readonly OpportunisticRequest[], cancels: readonly string[]): void {
    const own = this.#requests.get(attempt.id) ?? new Map<string, OpportunisticRequest>();
    for (const requestId of cancels) own.delete(requestId);
    for (const request of requests) {
      if (request.count > 0)
        own.set(request.requestId, { ...request, sinceMs: own.get(request.requestId)?.sinceMs ?? this.#cluster.clock.now() });
      else own.delete(request.requestId);
    }
    if (own.size > 0) this.#requests.set(attempt.id, own);
    else this.#requests.delete(attempt.id);
  }

  /** What an attempt waits for. */
  requestsOf(attemptId: string): readonly OpportunisticRequest[] {
    return [...(this.#requests.get(attemptId)?.values() ?? [])];
  }

  /** Opportunistic containers of the node that have not begun. */
  loadOf(node: Node): number {
    return this.#loads.get(node) ?? 0;
  }

  /** Nothing more is given to the attempt. */
  forget(attemptId: string): void {
    this.#requests.delete(attemptId);
    this.#cluster.resizes.forgetAll(attemptId);
    for (const [containerId, promoter] of this.#promotions) if (promoter === attemptId) this.#promotions.delete(containerId);
  }

  /** A node came, left, or lets another number wait. */
  nodeChanged(node: Node): void {
    const takes = node.state === 'RUNNING' && node.send !== undefined && node.opportunisticQueueLength > 0;
    if (!takes) return this.#take(node);
    if (this.#loads.has(node)) return;
    let load = 0;
    for (const id of node.containers) {
      const container = this.#cluster.live.get(id);
      if (container?.executionType === 'OPPORTUNISTIC' && container.startedMs === 0) load++;
    }
    this.#put(node, load);
  }

  /** A container of the node began or ended before it began: one fewer waits. */
  began(node: Node): void {
    const load = this.#loads.get(node);
    if (load !== undefined && load > 0) this.#put(node, load - 1);
    if (this.#requests.size > 0) this.#cluster.scheduleSoon();
  }

  ended(container: Container): void {
    this.counts.allocated--;
    this.counts.everReleased++;
    const node = this.#cluster.nodes.get(container.nodeId);
    if (node && container.startedMs === 0) this.began(node);
  }

  /** Gives what nodes can take, to one attempt after the other. */
  schedule(): void {
    let given = 0;
    for (const [attemptId, requests] of this.#requests) {
      const found = this.#cluster.findAttempt(attemptId);
      if (found?.attempt.state !== 'RUNNING') {
        this.#requests.delete(attemptId);
        continue;
      }
      for (const request of [...requests.values()]) {
        while (request.count > 0 && given < mostPerRound) {
          const choice = this.#choose(request, found.attempt);
          if (!choice) break;
          this.#give(found.application, found.attempt, request, choice.node, choice.closeness);
          given++;
        }
        if (request.count === 0) requests.delete(request.requestId);
      }
      if (requests.size === 0) this.#requests.delete(attemptId);
    }
    if (given >= mostPerRound) this.#cluster.scheduleSoon();
  }

  #give(application: Application, attempt: Attempt, request: OpportunisticRequest, node: Node, closeness: Closeness): void {
    request.count--;
    this.counts.allocated++;
    this.counts.everAllocated++;
    this.counts[closeness]++;
    this.#put(node, (this.#loads.get(node) ?? 0) + 1);
    this.#cluster.containers.allocated({
      kind: 'allocate',
      applicationId: application.id,
      attemptId: attempt.id,
      containerId: this.#cluster.nextContainerId(attempt.id),
      requestId: request.requestId,
      nodeId: node.id,
      resource: request.resource,
      priority: request.priority,
      allocationRequestId: -1,
      isMaster: false,
      allocationTags: request.allocationTags ?? [],
      fromReservation: false,
      executionType: 'OPPORTUNISTIC',
    });
  }

  #choose(request: OpportunisticRequest, attempt: Attempt): { node: Node; closeness: Closeness } | undefined {
    const { nodes, racks } = request;
    let inRack: Node | undefined;
    let anywhere: Node | undefined;
    const bound = nodes.length > 0 || racks.length > 0;
    for (const [load, members] of this.#byLoad.entries()) {
      for (const node of members ?? []) {
        if (load >= node.opportunisticQueueLength || attempt.blacklistedNodes.has(node.host)) continue;
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

  /** Changes the type of a master's containers; a promotion waits for its room on the node. Unknown ones and those of the type stay. */
  change(application: Application, attempt: Attempt, containerId: string, executionType: ExecutionType): void {
    const container = attempt.containers.get(containerId);
    if (!container || container.isMaster || container.executionType === executionType) return;
    const { policy } = this.#cluster;
    if (executionType === 'OPPORTUNISTIC') {
      // It leaves the queue's room, in which it may have waited to grow.
      this.#cluster.resizes.forget(container);
      policy.containerEnded(container.chargedAs ?? container.id);
      if (container.chargedAs !== undefined) this.#byCharge.delete(container.chargedAs);
      container.chargedAs = undefined;
      this.counts.allocated++;
      this.#changed(application, attempt, container, executionType);
      return;
    }
    const purpose = { kind: 'promotion', containerId } as const;
    this.#promotions.set(containerId, attempt.id);
    const { priority, resource, nodeId, allocationTags } = container;
    policy.updateRequests(
      attempt.id,
      [{ requestId: '', purpose, priority, resource, count: 1, nodes: [nodeId], relaxLocality: false, allocationTags }],
      [],
    );
    this.#cluster.scheduleSoon();
  }

  /** Whether what the scheduler gave is the room of a promotion; then that is carried out. */
  promoted(
    application: Application,
    attempt: Attempt,
    decision: { readonly purpose?: InternalPurpose | undefined; readonly containerId: string; readonly resource: Resource },
  ): boolean {
    if (decision.purpose?.kind !== 'promotion') return false;
    const { containerId } = decision.purpose;
    const wanted = this.#promotions.get(containerId) === attempt.id;
    if (wanted) this.#promotions.delete(containerId);
    const container = wanted ? attempt.containers.get(containerId) : undefined;
    // Room for less than it has, where no node is large enough (any more), is none.
    const fits = container?.resource.every((amount, i) => amount === (decision.resource[i] ?? 0));
    if (!container || container.executionType === 'GUARANTEED' || !fits) {
      this.#cluster.policy.containerEnded(decision.containerId);
      return true;
    }
    container.chargedAs = decision.containerId;
    this.#byCharge.set(decision.containerId, container.id);
    this.counts.allocated--;
    const node = this.#cluster.nodes.get(container.nodeId);
    if (node && container.startedMs === 0) this.began(node);
    this.#changed(application, attempt, container, 'GUARANTEED');
    return true;
  }

  #changed(application: Application, attempt: Attempt, container: Container, executionType: ExecutionType): void {
    container.executionType = executionType;
    application.version++;
    this.#cluster.nodes
      .get(container.nodeId)
      ?.send?.({ type: 'updateContainers', containers: [{ containerId: container.id, executionType }] });
    this.#cluster.masters.updated(attempt.id, container);
    this.#cluster.scheduleSoon();
  }

  /** The container that the scheduler counts under an id. */
  chargedTo(containerId: string): string {
    return this.#byCharge.get(containerId) ?? containerId;
  }

  /** The scheduler's room of a container that ends. */
  release(container: Container): void {
    const promoter = this.#promotions.get(container.id);
    if (promoter !== undefined) {
      this.#promotions.delete(container.id);
      this.#cluster.policy.updateRequests(promoter, [], [{ kind: 'promotion', containerId: container.id }]);
    }
    if (container.executionType === 'OPPORTUNISTIC') return this.ended(container);
    if (container.chargedAs !== undefined) this.#byCharge.delete(container.chargedAs);
    this.#cluster.policy.containerEnded(container.chargedAs ?? container.id);
  }
}

// One cycle: what a call of `schedule` does, step by step. Its parts lie beside it: parked work, the walk that places, lending.

import type { Locality } from '../../placement/locality.ts';
import { refusesRoom } from '../../placement/node.ts';
import type { ContainerNumbering, Decision } from '../../policy.ts';
import { allocateTo } from '../../state/allocate.ts';
import type { Ledger } from '../../state/ledger.ts';
import type { SchedulerNode } from '../../state/model.ts';
import type { Partition } from '../../state/nodes.ts';
import type { PendingSizes } from '../../state/pending-sizes.ts';
import type { CapacityApplication } from '../application.ts';
import type { Health } from '../description/describe.ts';
import type { Running } from '../limits/running.ts';
import { limitInputs } from '../limits/user.ts';
import type { PreemptionMonitor } from '../preemption/preemption.ts';
import { lend } from '../queues/lending.ts';
import type { QueueExpiry } from '../queues/queue-expiry.ts';
import { settleSizes } from '../queues/sizes.ts';
import type { QueueTree } from '../queues/tree.ts';
import type { Parked } from './parked.ts';
import { Walk } from './walk.ts';

/** What a cycle works with. */
export interface CycleParts {
  readonly tree: QueueTree;
  readonly ledger: Ledger<CapacityApplication>;
  readonly sizes: PendingSizes;
  readonly locality: Locality;
  readonly parked: Parked;
  readonly running: Running;
  readonly monitor: PreemptionMonitor | undefined;
  readonly expiry: QueueExpiry | undefined;
  readonly health: Health;
  /** Reserved nodes on which something ended; the cycle empties it. */
  readonly freedNodes: Set<SchedulerNode>;
  /** By partition: applications with reservations there. */
  readonly reserving: readonly (ReadonlySet<CapacityApplication> | undefined)[];
  readonly now: () => number;
  /** Parking is off: each placement is that of a walk that visits everything. */
  readonly isEverythingVisited: boolean;
}

export class Cycle {
  readonly #parts: CycleParts;
  readonly #walk: Walk;
  /** Nodes, labels or settings changed: guarantees and limits are to be worked out anew. */
  #areSizesStale = true;
  /** They were, and parked work has not heard of it. */
  #areSizesNew = false;
  /** The last cycle ended before partitions could lend. */
  #isLendingDue = false;

  constructor(parts: CycleParts) {
    this.#parts = parts;
    this.#walk = new Walk(parts);
  }

  /** Proposes up to `budget` decisions, in these steps; each charges what it decides. */
  run(budget: number, nextContainerId: ContainerNumbering): Decision[] {
    const { health, now } = this.#parts;
    health.lastRunMs = now();
    // 1. Guarantees and limits are those of the nodes and settings of the moment.
    this.settleSizes();
    // 2. What a change may help takes part again.
    this.#unparkDue();
    // 3. Applications that were activated since the last cycle are announced.
    const decisions = this.#parts.running.takeDecisions();
    // 4. Reserved nodes with room now serve the requests that they are kept for.
    this.#serveReservations(decisions, nextContainerId);
    // 5. Partition by partition: one walk down the tree for each container or reservation, until nothing more can be placed.
    this.#placeAll(decisions, budget, nextContainerId);
    // 6. Partitions that are not exclusive lend what is idle there to requests without a label.
    this.#lend(decisions, budget, nextContainerId);
    // 7. Queues below their guarantee take back what others hold beyond theirs.
    this.#preempt(decisions);
    // 8. Automatic queues that are no longer used go.
    if (this.#parts.expiry?.run()) this.resized();
    return decisions;
  }

  /** A cycle may decide something now. */
  hasWork(): boolean {
    const { ledger, locality, monitor, running, parked, freedNodes } = this.#parts;
    if (this.#areSizesStale || this.#areSizesNew || this.#isLendingDue || ledger.tagsCame || running.hasDecisions) return true;
    if (freedNodes.size > 0 || this.#walk.isCut || locality.isDue || (monitor?.isDue() ?? false)) return true;
    const { partitions } = ledger.nodes;
    if (parked.isChanged && partitions.length > 1) return true;
    for (const { index } of partitions) if (parked.isToWalk(index) || parked.hasComparisons(index)) return true;
    return false;
  }

  /** When something falls due by itself; epoch ms. */
  nextDeadlineMs(): number | undefined {
    const { monitor, expiry, locality } = this.#parts;
    const times = [monitor?.nextMs(), expiry?.nextMs, locality.nextMs].filter((time) => time !== undefined);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** Nodes or settings changed: sizes are worked out anew, once, when they are needed. */
  resized(): void {
    this.#areSizesStale = true;
  }

  settleSizes(): void {
    if (!this.#areSizesStale) return;
    this.#areSizesStale = false;
    const { tree, ledger, running } = this.#parts;
    settleSizes(tree, ledger, running);
    this.#areSizesNew = true;
  }

  #unparkDue(): void {
    const { ledger, locality, parked } = this.#parts;
    // A walk that was cut goes on first, so that what stands at its end has its turn however often sizes change.
    if (this.#areSizesNew && !this.#walk.isCut) {
      this.#areSizesNew = false;
      parked.changed('sizesChanged', undefined, 0);
    }
    this.#walk.beginSlice();
    if (locality.takeDue()) parked.changed('delayEnded', undefined, 0);
    if (ledger.tagsCame) this.#tagsChanged();
  }

  #tagsChanged(): void {
    this.#parts.ledger.tagsCame = false;
    this.#parts.parked.changed('tagsChanged', undefined, 0);
  }

  #serveReservations(decisions: Decision[], nextContainerId: ContainerNumbering): void {
    const { ledger, freedNodes, isEverythingVisited } = this.#parts;
    if (freedNodes.size === 0 && !isEverythingVisited) return;
    const nodes = isEverythingVisited ? ledger.nodes.byId.values() : freedNodes;
    for (const node of [...nodes].sort((a, b) => a.partition - b.partition || a.place - b.place)) {
      const { reservation } = node;
      if (!reservation || refusesRoom(node, reservation, ledger.nodes.partitions[node.partition]!)) continue;
      const application = reservation.application as CapacityApplication;
      const { attemptId } = application.attempt!;
      ledger.unreserve(reservation);
      const decision = allocateTo(ledger, application, reservation.request, node, nextContainerId(attemptId), true);
      decisions.push(decision);
      this.#noteAllocation(decision, application);
    }
    freedNodes.clear();
  }

  #placeAll(decisions: Decision[], budget: number, nextContainerId: ContainerNumbering): void {
    let before: number;
    do {
      before = decisions.length;
      // What is given in one partition may raise limits of users in another.
      for (const partition of this.#parts.ledger.nodes.partitions) this.#placeIn(partition, budget, nextContainerId, decisions);
    } while (decisions.length > before && decisions.length < budget && !this.#walk.isCut);
  }

  #placeIn(partition: Partition, budget: number, nextContainerId: ContainerNumbering, decisions: Decision[]): void {
    while (decisions.length < budget) {
      if (this.#parts.ledger.tagsCame) this.#tagsChanged();
      const decision = this.#walk.place(partition, nextContainerId);
      if (!decision) break;
      decisions.push(decision);
      const served = this.#walk.served!;
      if (decision.kind === 'allocate') this.#noteAllocation(decision, served);
      else if (decision.kind === 'reserve')
        this.#parts.health.reservation = { nodeId: decision.nodeId, containerId: 'N/A', queue: served.queue.path };
    }
  }

  #lend(decisions: Decision[], budget: number, nextContainerId: ContainerNumbering): void {
    const { tree, ledger, locality, parked } = this.#parts;
    this.#isLendingDue = ledger.nodes.partitions.length > 1 && (decisions.length >= budget || this.#walk.isCut);
    if (this.#isLendingDue) return;
    parked.isChanged = false;
    decisions.push(...lend(tree, ledger, locality, budget - decisions.length, nextContainerId));
  }

  #preempt(decisions: Decision[]): void {
    const { monitor, ledger, health } = this.#parts;
    for (const decision of monitor?.run() ?? []) {
      decisions.push(decision);
      const container = decision.kind === 'preempt' ? ledger.containers.get(decision.containerId) : undefined;
      if (!container) continue;
      const { path } = (container.application as CapacityApplication).queue;
      health.preemption = { nodeId: container.node.nodeId, containerId: container.containerId, queue: path };
    }
  }

  #noteAllocation(decision: Extract<Decision, { kind: 'allocate' }>, application: CapacityApplication): void {
    const { health, ledger, tree } = this.#parts;
    health.allocation = { nodeId: decision.nodeId, containerId: 'N/A', queue: application.queue.path };
    // The master asks for its headroom at once, which fixes what clients see as its user's limit.
    if (decision.isMaster)
      application.owner.shownLimit = application.queue.leaf!.users.limitOf(
        application.owner,
        limitInputs(application.queue, ledger.nodes.partitions[application.masterPartition]!, tree, false),
      );
  }
}

// One placement at a time under the fair policy: down the tree by the queues' order, to an application, to a request, to a node.

import type { Resource } from '../../model/resource.ts';
import { fairLocality, Locality } from '../placement/locality.ts';
import { refusesRoom } from '../placement/node.ts';
import { pickNodeToReserve } from '../placement/node-choice.ts';
import type { ContainerNumbering, Decision, PolicyOptions } from '../policy.ts';
import { allocateTo } from '../state/allocate.ts';
import type { Ledger } from '../state/ledger.ts';
import type { OpenRequest, SchedulerNode } from '../state/model.ts';
import type { PendingSizes } from '../state/pending-sizes.ts';
import { freeOf, hasUnlimitedMasters, masterLimit, refusesMaster, refusesMore, refusesSize } from './limits.ts';
import { FairApplication, type FairQueue, type FairReason } from './queue.ts';
import type { ShareKeeper } from './share-keeper.ts';
import type { FairTree } from './tree.ts';

/** A request is worth a reservation from so many steps of memory on. */
const reservationSteps = 2;

/** Nothing more can be done for now; all applications keep their places in line. */
const full = Symbol('full');
/** With so few applications each is looked at. */
const few = 64;

export class FairCycle {
  readonly #tree: FairTree;
  readonly #ledger: Ledger<FairApplication>;
  readonly #shares: ShareKeeper;
  readonly #sizes: PendingSizes;
  readonly #options: PolicyOptions;
  /** Versions of the nodes' rooms: when no node had room for any application, and when that was last worked out. */
  #fullSince = -1;
  #lookedAt = -1;
  readonly locality: Locality;
  readonly #stalled: FairQueue[] = [];
  readonly #freedReserved = new Set<SchedulerNode>();

  constructor(tree: FairTree, ledger: Ledger<FairApplication>, shares: ShareKeeper, sizes: PendingSizes, options: PolicyOptions) {
    this.#tree = tree;
    this.#ledger = ledger;
    this.#shares = shares;
    this.#sizes = sizes;
    this.#options = options;
    const { fair, heartbeatIntervalMs } = options.settings;
    this.locality = new Locality(fairLocality(fair.nodeLocality, fair.rackLocality), heartbeatIntervalMs, () => options.clock.steadyMs());
  }

  /** The next container or reservation; undefined when no application can be served. */
  place(nextContainerId: ContainerNumbering): Decision | undefined {
    if (!this.ready) return undefined;
    const decision = this.#assignParent(this.#tree.root, nextContainerId);
    return decision === full ? undefined : decision;
  }

  /** An application may be served now, by a node that is looked at: without nodes nobody is told why it waits. */
  get ready(): boolean {
    return this.#tree.root.askingQueues.size > 0 && this.#ledger.nodes.partitions[0]!.nodes > 0 && !this.#isFull;
  }

  get #isFull(): boolean {
    return this.#fullSince === this.#ledger.nodes.partitions[0]!.rooms.version;
  }

  /** No node has room for any application, or could be kept. With few applications each is told by a look of its own. */
  #noNodeFits(): boolean {
    if (this.#ledger.applications.size <= few) return false;
    const partition = this.#ledger.nodes.partitions[0]!;
    if (this.#lookedAt !== partition.rooms.version) {
      this.#lookedAt = partition.rooms.version;
      if (!this.#sizes.anyFits(partition, (size) => this.#isWorthReserving(size))) this.#fullSince = partition.rooms.version;
    }
    return this.#isFull;
  }

  #isWorthReserving(size: Resource): boolean {
    return size[0]! >= reservationSteps * this.#options.settings.incrementMemoryMiB;
  }

  /** Room has appeared on a node that is reserved. */
  reservedNodeFreed(node: SchedulerNode): void {
    this.#freedReserved.add(node);
  }

  /** Why the application waits, from now on. */
  note(application: FairApplication, reason: FairReason): void {
    application.reason = reason;
    application.reasonAtMs = this.#options.clock.now();
  }

  /** The application asks: it and the queues above it take part. */
  wake(application: FairApplication): void {
    const { queue } = application;
    this.#fullSince = -1;
    this.#lookedAt = -1;
    queue.asking.put(application);
    for (let at: FairQueue = queue; at.parent; at = at.parent) at.parent.askingQueues.put(at);
  }

  /** All applications that were passed over take part again. */
  restore(): void {
    for (const queue of this.#stalled) {
      for (const item of queue.passedOver) {
        if (item instanceof FairApplication) {
          if (item.isRunnable && item.attempt && item.queue === queue && item.pendingContainers > 0) this.wake(item);
        } else queue.askingQueues.put(item);
      }
      queue.passedOver = [];
    }
    for (const queue of this.#stalled)
      for (let at: FairQueue = queue; at.parent; at = at.parent)
        if (at.asking.size + at.askingQueues.size > 0) at.parent.askingQueues.put(at);
    this.#stalled.length = 0;
  }

  #assignParent(queue: FairQueue, nextContainerId: ContainerNumbering): Decision | typeof full | undefined {
    for (let child = queue.askingQueues.first(); child; child = queue.askingQueues.first()) {
      const decision = refusesMore(child)
        ? undefined
        : child.isLeaf
          ? this.#assignLeaf(child, nextContainerId)
          : this.#assignParent(child, nextContainerId);
      if (decision === full) return full;
      const remains = child.asking.size + child.askingQueues.size > 0;
      if (decision) {
        if (!remains) queue.askingQueues.remove(child);
        return decision;
      }
      queue.askingQueues.remove(child);
      if (remains) this.#passOver(queue, child);
    }
    return undefined;
  }

  #assignLeaf(queue: FairQueue, nextContainerId: ContainerNumbering): Decision | typeof full | undefined {
    for (let application = queue.asking.first(); application; application = queue.asking.first()) {
      const decision = this.#assignApplication(application, nextContainerId);
      if (decision === full) return full;
      if (decision) {
        if (application.pendingContainers > 0) queue.asking.put(application);
        else queue.asking.remove(application);
        return decision;
      }
      queue.asking.remove(application);
      this.#passOver(queue, application);
    }
    return undefined;
  }

  #assignApplication(application: FairApplication, nextContainerId: ContainerNumbering): Decision | typeof full | undefined {
    const { attempt } = application;
    // Who asks for containers of no size alone is served nothing (FSLeafQueue.fetchAppsWithDemand).
    if (!attempt || application.counts.isNone('pending', 0)) return undefined;
    const partition = this.#ledger.nodes.partitions[0]!;
    let noRoom = false;
    for (const request of attempt.requests.inOrder()) {
      if (request.isMaster && this.#refusesMaster(application, request)) {
        this.note(application, 'am-share');
        return undefined;
      }
      if (refusesSize(application.queue, request)) {
        this.note(application, 'maximum');
        continue;
      }
      const node = this.locality.pick(this.#ledger.nodes, partition, request, attempt.blacklist);
      if (node) return this.#give(application, request, node, nextContainerId(attempt.attemptId), false);
      noRoom = true;
      const spare =
        this.#isWorthReserving(request.resource) && request.reservations.length < request.count
          ? pickNodeToReserve(partition, request, attempt.blacklist, false)
          : undefined;
      if (spare) {
        this.#ledger.reserve(attempt, request, spare, '');
        this.note(application, 'reserved');
        return {
          kind: 'reserve',
          applicationId: application.applicationId,
          attemptId: attempt.attemptId,
          nodeId: spare.nodeId,
          resource: request.resource,
          priority: request.priority,
        };
      }
      this.note(application, request.reservations.length > 0 ? 'reserved' : 'not-reserved');
    }
    return noRoom && this.#noNodeFits() ? full : undefined;
  }

  /** The limit of masters, worked out and shown from now on, where it refuses this one. */
  #refusesMaster({ queue }: FairApplication, request: OpenRequest): Resource | undefined {
    if (hasUnlimitedMasters(queue)) return undefined;
    const { total } = this.#ledger.nodes;
    this.#shares.refresh(total);
    this.#shares.looked(queue);
    queue.amMaximum = masterLimit(queue, freeOf(total, this.#tree.root));
    return refusesMaster(queue, request, queue.amMaximum);
  }

  #give(application: FairApplication, request: OpenRequest, node: SchedulerNode, containerId: string, fromReservation: boolean): Decision {
    const decision = allocateTo(this.#ledger, application, request, node, containerId, fromReservation);
    if (request.isMaster) countMaster(application, 1);
    return decision;
  }

  #passOver(queue: FairQueue, item: FairQueue | FairApplication): void {
    queue.passedOver.push(item);
    if (this.#stalled.at(-1) !== queue) this.#stalled.push(queue);
  }

  /** A reserved node that has room now gives it to the request that it was kept for. */
  serveReservations(decisions: Decision[], nextContainerId: ContainerNumbering): void {
    for (const node of this.#freedReserved) {
      const reservation = node.reservation;
      if (!reservation || refusesRoom(node, reservation, this.#ledger.nodes.partitions[node.partition]!)) continue;
      const application = reservation.application as FairApplication;
      this.#ledger.unreserve(reservation);
      if (refusesSize(application.queue, reservation.request)) continue;
      decisions.push(this.#give(application, reservation.request, node, nextContainerId(application.attempt!.attemptId), true));
    }
    this.#freedReserved.clear();
  }
}

/** Counts the master in or out of the AM use of its queue. */
export function countMaster(application: FairApplication, sign: 1 | -1): void {
  application.masterRuns = sign > 0;
  const master = [...application.containers].find((container) => container.isMaster);
  const size = master?.resource ?? application.masterSize;
  application.masterSize = size;
  for (let i = 0; i < size.length; i++) application.queue.amUsed[i]! += sign * size[i]!;
}

// One placement: down the tree by the queues' order, to an application, to a request, to a node. What cannot be served is parked, so
// that the next walk comes to it only after a change that may help it.

import type { Resource } from '../../../model/resource.ts';
import type { Locality } from '../../placement/locality.ts';
import { pickNodeToReserve } from '../../placement/node-choice.ts';
import type { ContainerNumbering, Decision } from '../../policy.ts';
import { allocateTo } from '../../state/allocate.ts';
import { smaller } from '../../state/calculator.ts';
import type { Ledger } from '../../state/ledger.ts';
import type { OpenRequest, SchedulerNode } from '../../state/model.ts';
import type { Partition } from '../../state/nodes.ts';
import type { PendingSizes } from '../../state/pending-sizes.ts';
import type { CapacityApplication } from '../application.ts';
import { limitBelow, refusesMore, refusesSize, reservedBy } from '../limits/queue.ts';
import { noNodeRefusal, reservedRefusal, userLimitRefusal } from '../limits/refusal.ts';
import { refusesUser, userLimit } from '../limits/user.ts';
import { comparesWholeAmounts, reachOf } from '../queues/capacities.ts';
import type { CapacityQueue, QueueShare } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import { isToVisit, type Parked } from './parked.ts';
import { requestsIn } from './parked-bounds.ts';
import { bitOf } from './parked-reasons.ts';

/**
 * What a visit came to. `nothing`: nothing below can be served. `limit`: the first request that is not served finds no headroom, so
 * what is left is kept for it. `stop`: nothing more can be placed in the partition, or the slice is exhausted; all keep their places.
 */
type Outcome = 'placed' | 'nothing' | 'limit' | 'stop';

/** Visits of queues and applications in one slice; the cycle goes on in the next. */
const visitsPerSlice = 1024;

/** What a walk works with. */
export interface WalkParts {
  readonly tree: QueueTree;
  readonly ledger: Ledger<CapacityApplication>;
  readonly sizes: PendingSizes;
  readonly locality: Locality;
  readonly parked: Parked;
  /** By partition: applications with reservations there. */
  readonly reserving: readonly (ReadonlySet<CapacityApplication> | undefined)[];
  /** Each placement is that of a walk that visits everything. */
  readonly isEverythingVisited: boolean;
}

export class Walk {
  readonly #parts: WalkParts;
  readonly #tree: QueueTree;
  readonly #ledger: Ledger<CapacityApplication>;
  readonly #parked: Parked;
  #visits = 0;
  #isCut = false;
  #decision: Decision | undefined;
  /** The application that the last decision is for. */
  served: CapacityApplication | undefined;
  #nextContainerId: ContainerNumbering = () => '';

  constructor(parts: WalkParts) {
    this.#parts = parts;
    this.#tree = parts.tree;
    this.#ledger = parts.ledger;
    this.#parked = parts.parked;
  }

  /** The last slice ended before its walk did: the next goes on with it. */
  get isCut(): boolean {
    return this.#isCut;
  }

  beginSlice(): void {
    this.#visits = 0;
    this.#isCut = false;
  }

  /** The next container or reservation in the partition; undefined when nothing can be placed there now. */
  place(partition: Partition, nextContainerId: ContainerNumbering): Decision | undefined {
    const p = partition.index;
    const { root } = this.#tree;
    if (this.#isCut) return undefined;
    if (this.#parts.isEverythingVisited) this.#parked.rebuild(true);
    else this.#parked.compareUsers(p);
    if (!this.#parts.isEverythingVisited && !this.#parked.isToWalk(p)) return undefined;
    this.#nextContainerId = nextContainerId;
    this.#decision = undefined;
    const share = root.share(p);
    for (let i = 0; i < partition.total.length; i++) share.limit[i] = share.effectiveMaximum[i]!;
    if (!this.#parts.isEverythingVisited) this.#parked.visited(root, p);
    if (this.#isSpent(partition)) return undefined;
    const outcome = this.#visitParent(root, partition);
    // With children that were not visited the root itself is full.
    if (outcome !== 'placed' && outcome !== 'stop')
      this.#parked.parkPartition(p, root.asking(p).size > 0 ? bitOf.nothingLeft : bitOf.allParked);
    return this.#decision;
  }

  /** Nothing is left for any size that is requested in the partition, or no node has room for one. */
  #isSpent(partition: Partition): boolean {
    const { limit, blocked, used } = this.#tree.root.share(partition.index);
    left.length = limit.length;
    for (let i = 0; i < limit.length; i++) left[i] = limit[i]! - blocked[i]! - used[i]!;
    const { sizes, reserving } = this.#parts;
    const exchanging = reserving[partition.index];
    if (sizes.mayServe(partition, left, this.#tree.calculator, (exchanging?.size ?? 0) > 0)) return false;
    if (sizes.roomy.length > 0 && this.#mayExchange(exchanging!, partition.index, left)) return false;
    const bits = (sizes.isShort ? bitOf.nothingLeft : 0) | (sizes.isWithoutNode ? bitOf.noNodeFits : 0);
    this.#parked.parkPartition(partition.index, bits || bitOf.allParked);
    return true;
  }

  /** With `room` and what it has reserved, some application could have a node that has room for it. */
  #mayExchange(applications: Iterable<CapacityApplication>, partition: number, room: Resource): boolean {
    const { roomy } = this.#parts.sizes;
    const { calculator } = this.#tree;
    for (const application of applications) {
      for (const request of application.attempt?.requests.inOrder() ?? []) {
        if (request.partition !== partition || !roomy.includes(request.resource)) continue;
        exchanged.length = room.length;
        for (let i = 0; i < room.length; i++) exchanged[i] = room[i]! + application.counts.amount('reserved', partition, i);
        if (calculator.fits(request.resource, exchanged)) return true;
      }
    }
    return false;
  }

  /** Visits are counted; true when the slice has had its part. */
  #isExhausted(): boolean {
    if (++this.#visits < visitsPerSlice || this.#parts.isEverythingVisited) return false;
    this.#isCut = true;
    return true;
  }

  #visitParent(queue: CapacityQueue, partition: Partition): Outcome {
    const p = partition.index;
    const share = queue.share(p);
    const { limit, blocked, used, reserved } = share;
    if (refusesMore(used, limit, reserved, partition.total, this.#tree.calculator)) return 'nothing';
    if (queue.parent) this.#parked.visited(queue, p);
    const heap = queue.asking(p);
    let outcome: Outcome = 'nothing';
    for (let child = nextOf(queue, p); child; child = nextOf(queue, p)) {
      if (this.#isExhausted()) return 'stop';
      const ofChild = child.share(p);
      ofChild.atOwnMaximum = limitBelow(child, limit, blocked, partition, this.#tree, ofChild.limit);
      const result = child.leaf ? this.#visitLeaf(child, partition) : this.#visitParent(child, partition);
      if (result === 'stop') return 'stop';
      if (result === 'placed') {
        // What it was given has put it where it belongs now.
        if (!isToVisit(child, p)) heap.remove(child);
        return 'placed';
      }
      heap.remove(child);
      if (result === 'limit') {
        outcome = 'limit';
        this.#parked.parkQueue(child, p, 'headroomKept', keptBy(child, p));
        if (!queue.parent && this.#isSpent(partition)) return 'stop';
      } else if (waitsForQueue(child, p)) this.#parked.parkQueue(child, p, ofChild.atOwnMaximum ? 'queueLimit' : 'ancestorLimit');
    }
    return outcome === 'nothing' && keepsHeadroom(queue, p) ? 'limit' : outcome;
  }

  #visitLeaf(queue: CapacityQueue, partition: Partition): Outcome {
    const p = partition.index;
    const { limit, effectiveMaximum, used, line } = queue.share(p);
    const { calculator } = this.#tree;
    if (p === 0) queue.leaf!.currentLimit = smaller(calculator, partition.total, effectiveMaximum, limit);
    this.#parked.visited(queue, p);
    const isFull = refusesMore(used, limit, undefined, partition.total, calculator) !== undefined;
    // Who is first among all, and not among those to be visited alone, ends the queue's turn.
    if (isFull && (line!.first()?.reservedContainers ?? 0) > 0) this.#parked.unparkAllOf(queue, p);
    for (let application = line!.first(); application; application = line!.first()) {
      if (this.#isExhausted()) return 'stop';
      if (isFull && refusesMore(used, limit, reservedBy(application, p), partition.total, calculator)) return 'nothing';
      const ofUser = userLimit(queue, application.owner, partition, this.#tree);
      application.owner.shownLimit = ofUser;
      if (refusesUser(application, partition, ofUser, this.#tree)) {
        this.#parkForUser(queue, application, p);
        continue;
      }
      const outcome = this.#visitApplication(queue, application, partition);
      if (outcome === 'nothing') continue;
      if (outcome === 'placed') {
        if (p === 0) this.#noteReach(queue, partition);
        if (!requestsIn(application, p)) line!.remove(application);
        else if (queue.isFairlyOrdered) line!.put(application);
      }
      return outcome;
    }
    return 'nothing';
  }

  /** What the queue knows of how far it could reach when the next application comes or goes; what it was just given itself does not matter. */
  #noteReach(queue: CapacityQueue, { total }: Partition): void {
    const { calculator, sizing } = this.#tree;
    const { reachable, currentLimit } = queue.leaf!;
    copy(comparesWholeAmounts(queue, total, calculator) ? reachOf(queue, total, sizing) : currentLimit, reachable);
  }

  /** The user's applications wait together; where reservations are held each application is judged alone. */
  #parkForUser(queue: CapacityQueue, application: CapacityApplication, partition: number): void {
    if (application.owner.reserved[partition]?.some((value) => value > 0)) {
      application.refusal = userLimitRefusal;
      this.#parked.park(application, partition, bitOf.userLimit);
      return;
    }
    for (const other of this.#parked.parkUser(queue, application.owner, partition).applications.items()) other.refusal = userLimitRefusal;
  }

  #visitApplication(queue: CapacityQueue, application: CapacityApplication, partition: Partition): Outcome {
    const attempt = application.attempt!;
    const p = partition.index;
    const { limit, used } = queue.share(p);
    let reasons = 0;
    for (const request of attempt.requests.inOrder()) {
      if (request.partition !== p) continue;
      if (refusesSize(request.resource, application, p, used, limit, this.#tree.calculator)) {
        if (reasons !== 0) this.#parked.park(application, p, reasons, true);
        return 'limit';
      }
      const node = this.#parts.locality.pick(this.#ledger.nodes, partition, request, attempt.blacklist);
      if (node) {
        this.served = application;
        if (application.reservedContainers > 0) this.#giveUpFor(queue, application, request, partition);
        const containerId = this.#nextContainerId(attempt.attemptId);
        noteServing(application, p, node);
        this.#parked.isPlacing = true;
        this.#decision = allocateTo(this.#ledger, application, request, node, containerId, false);
        this.#parked.isPlacing = false;
        return 'placed';
      }
      const refused = this.#reserve(application, request, partition);
      if (refused === 0) {
        noteServing(application, p);
        return 'placed';
      }
      reasons |= refused;
      application.refusal = noNodeRefusal;
    }
    this.#parked.park(application, p, reasons);
    return 'nothing';
  }

  /** Without giving up what is reserved the request stays within the queue's limit, and the user is not above its own. */
  #staysWithin(queue: CapacityQueue, application: CapacityApplication, request: OpenRequest, partition: Partition): boolean {
    const { limit, used } = queue.share(partition.index);
    left.length = limit.length;
    for (let i = 0; i < limit.length; i++) left[i] = limit[i]! - used[i]!;
    return this.#tree.calculator.fits(request.resource, left) && !this.#isAboveLimit(application, partition);
  }

  /** As of the visit of the application, which worked out the limit of its user. */
  #isAboveLimit({ owner }: CapacityApplication, { index, total }: Partition): boolean {
    return this.#tree.calculator.compare(total, owner.used[index] ?? nothing, owner.shownLimit) > 0;
  }

  /** Gives up as many of the application's reservations, the latest first, as keep queue and user within their limits. */
  #giveUpFor(queue: CapacityQueue, application: CapacityApplication, request: OpenRequest, partition: Partition): void {
    for (const reservation of [...application.attempt!.reservations].reverse()) {
      if (this.#staysWithin(queue, application, request, partition)) return;
      if (reservation.partition === partition.index) this.#ledger.unreserve(reservation);
    }
  }

  /** Keeps a node for a request that fits none now; one node for each container wanted. Else the reasons why the request waits. */
  #reserve(application: CapacityApplication, request: OpenRequest, partition: Partition): number {
    const waits = (request.placement ? bitOf.constraint : 0) | (request.reach !== 'any' ? bitOf.locality : 0) || bitOf.noRoom;
    if (request.reservations.length >= request.count) return waits;
    const attempt = application.attempt!;
    if (application.reservedContainers > 0 && !this.#staysWithin(application.queue, application, request, partition))
      return waits | (this.#isAboveLimit(application, partition) ? bitOf.userReservationLimit : bitOf.reservationLimit);
    const node = pickNodeToReserve(partition, request, attempt.blacklist, false);
    if (!node) return waits;
    this.#parked.isPlacing = true;
    this.#ledger.reserve(attempt, request, node, '');
    this.#parked.isPlacing = false;
    application.refusal = reservedRefusal;
    this.served = application;
    this.#decision = {
      kind: 'reserve',
      applicationId: application.applicationId,
      attemptId: attempt.attemptId,
      nodeId: node.nodeId,
      resource: request.resource,
      priority: request.priority,
    };
    return 0;
  }
}

function copy(from: Resource, into: number[]): void {
  for (let i = 0; i < from.length; i++) into[i] = from[i]!;
}

/** What is left, used again by each check. */
const left: number[] = [];
const exchanged: number[] = [];
const nothing: Resource = [];

/** The child to be visited next: the first, or where nothing is left to the queue the first that could give up a reservation. */
function nextOf(queue: CapacityQueue, partition: number): CapacityQueue | undefined {
  const share = queue.share(partition);
  const heap = queue.asking(partition);
  const first = heap.first();
  if (!first || isAnyLeft(share)) return first;
  // The others would be refused: they stay where they are, and the queue itself is parked.
  const before = queue.order(partition);
  let found: CapacityQueue | undefined;
  for (const child of share.reservingChildren ?? [])
    if (mayGiveUp(child, partition) && heap.has(child) && (!found || before(child, found))) found = child;
  return found;
}

/** A full leaf has its turn only when its first application has reservations; of a parent a visit tells. */
function mayGiveUp(child: CapacityQueue, partition: number): boolean {
  return child.leaf === undefined || (child.share(partition).line?.first()?.reservedContainers ?? 0) > 0;
}

/** Something is left to the queue beside what its parked children keep. */
function isAnyLeft({ limit, blocked, used }: QueueShare): boolean {
  for (let i = 0; i < limit.length; i++) if (limit[i]! - blocked[i]! > used[i]!) return true;
  return false;
}

/** A look at the queue itself, with more left to it, may help something below it. */
function waitsForQueue(queue: CapacityQueue, partition: number): boolean {
  const { line, askingChildren, parkedChildren } = queue.share(partition);
  if (line) return line.size > 0 || line.waitingForHeadroom > 0;
  return (askingChildren?.size ?? 0) > 0 || (parkedChildren?.size ?? 0) > 0;
}

/** A child that was parked by an earlier walk keeps what is left. */
function keepsHeadroom(queue: CapacityQueue, partition: number): boolean {
  for (const child of queue.share(partition).parkedChildren ?? []) if (child.share(partition).parkedAs === bitOf.headroomKept) return true;
  return false;
}

/** A leaf keeps what is left to it for its first request, a parent what its children keep. */
function keptBy(queue: CapacityQueue, partition: number): Resource {
  const { limit, used, blocked } = queue.share(partition);
  return queue.leaf ? limit.map((value, i) => Math.max(value - used[i]!, 0)) : [...blocked];
}

/** Keeps who was served in its queue, and what the node has left for it. */
function noteServing({ queue, priority, order }: CapacityApplication, partition: number, node?: SchedulerNode): void {
  const leaf = queue.leaf!;
  leaf.servings++;
  leaf.lastServing = { partition, priority, order, node, available: [...(node?.available ?? nothing)] };
}

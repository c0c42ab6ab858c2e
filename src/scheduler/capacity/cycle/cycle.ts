// One placement at a time: down the tree by the queues' order, to an application, to a request, to a node. Whoever cannot be served is
// set aside until something changes, so a cycle looks at each of them once.

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
import { type CapacityApplication, newAsking } from '../application.ts';
import { activatedReason } from '../description/explain.ts';
import { limitBelow, limitInputs } from '../limits/limits.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import { AsideBook, countIn } from './aside.ts';

/** `stop`: nothing more can be done in the partition for now; everybody keeps the place in line. */
type Outcome = 'placed' | 'nothing' | 'limit' | 'stop';

/** With so few set aside everybody is tried again whenever something changes; with more only those whom the change may help. */
const few = 64;
/** Looks at queues and applications in one slice; a cycle goes on in the next. */
const looksPerSlice = 1024;
/** Where nothing seems left, everybody is looked at as often as this at most: some could be served by giving up a reservation. */
const thoroughEveryMs = 1000;

/** Why the last look at a queue, application or request ended as it did; what activities are written from. */
export interface CycleObserver {
  queue(queue: CapacityQueue, reason: string, kind: 'skipped' | 'rejected'): void;
  application(application: CapacityApplication, reason: string): void;
  request(application: CapacityApplication, request: OpenRequest, reason: string): void;
  node(application: CapacityApplication, request: OpenRequest, node: SchedulerNode | undefined, reason: string): void;
}

export class Cycle {
  readonly #tree: QueueTree;
  readonly #ledger: Ledger<CapacityApplication>;
  readonly #sizes: PendingSizes;
  readonly #locality: Locality;
  readonly #now: () => number;
  readonly #aside: AsideBook;
  /** Partitions in which no node has room for anybody, since that version of their rooms. */
  readonly #full: number[] = [];
  /** The version of a partition's rooms at which that was last worked out. */
  readonly #looked: number[] = [];
  /** Partitions in which nothing is left for any size that is asked for, until a queue uses less. */
  readonly #spent: boolean[] = [];
  /** A queue was passed over without a look at those in it. */
  #isOwed = false;
  #isThorough = false;
  #thoroughMs = 0;
  #looks = 0;
  /** The application that was looked at last could keep one more node, were its user's limit larger. */
  #keepsNoMore = false;
  #decision: Decision | undefined;
  /** To whom the last decision gave. */
  served: CapacityApplication | undefined;
  #nextContainerId: ContainerNumbering = () => '';
  observer: CycleObserver | undefined;

  constructor(tree: QueueTree, ledger: Ledger<CapacityApplication>, sizes: PendingSizes, locality: Locality, now: () => number) {
    this.#tree = tree;
    this.#locality = locality;
    this.#ledger = ledger;
    this.#sizes = sizes;
    this.#now = now;
    this.#aside = new AsideBook(tree, (queue, partition) => this.#wakeQueue(queue, partition));
  }

  /** Somebody may be served now. */
  get ready(): boolean {
    if (this.#aside.hasNews) return true;
    for (const partition of this.#ledger.nodes.partitions) {
      const heap = this.#tree.root.share(partition.index).askingChildren;
      if (heap && heap.size > 0 && !this.#isFull(partition)) return true;
    }
    return false;
  }

  /** When everybody is to be looked at, if anybody was left out. */
  get owedMs(): number | undefined {
    return this.#isOwed ? this.#thoroughMs + thoroughEveryMs : undefined;
  }

  get isOwedNow(): boolean {
    return this.#isOwed && this.#now() >= this.#thoroughMs + thoroughEveryMs;
  }

  /** The slice has looked at enough. */
  get isTired(): boolean {
    return this.#looks >= looksPerSlice;
  }

  /** The application asks in the partition: it and the queues above it take part. */
  wake(application: CapacityApplication, partition: number): void {
    this.#aside.takeBack(application, partition);
    application.queue.share(partition).asking!.put(application);
    this.#full[partition] = -1;
    this.#looked[partition] = -1;
    this.#spent[partition] = false;
    this.#wakeQueue(application.queue, partition);
  }

  /** The application asks no more. */
  forget(application: CapacityApplication): void {
    this.#aside.drop(application);
  }

  /** The queue uses less in the partition, or wants less: those whom limits held back may go on. */
  eased(queue: CapacityQueue, partition: number): void {
    this.#spent[partition] = false;
    this.#aside.eased(queue, partition);
  }

  /** The node may have room that it had not. */
  roomGrew(node: SchedulerNode, unreserved: boolean): void {
    this.#aside.roomGrew(node, unreserved);
  }

  /** A slice begins: those whom something helped since the last one take part again; `all`: everybody, if this is not the rest of a cycle that was cut. */
  begin(all: boolean): boolean {
    const goesOn = this.isTired;
    this.#looks = 0;
    // A cycle that was cut goes on first, so that those at its end have their turn.
    if (goesOn) return false;
    this.#isThorough = this.isOwedNow;
    if (this.#isThorough) {
      this.#isOwed = false;
      this.#thoroughMs = this.#now();
    }
    const everybody = all || this.#isThorough;
    if (everybody) {
      this.#full.length = 0;
      this.#spent.length = 0;
    }
    if (everybody || (this.#aside.hasGood && this.#aside.size <= few)) this.#aside.restore();
    else this.#aside.settle();
    return true;
  }

  /** Limits of users may have grown through what was given: whether anybody takes part again. */
  again(): boolean {
    return this.#aside.usersAgain();
  }

  /** After queues changed: who asks is put in the orders that hold now. */
  rebuild(): void {
    this.#aside.forget();
    for (const queue of this.#tree.root.walk()) {
      for (const share of queue.shares) {
        if (!share) continue;
        share.askingChildren?.clear();
        share.askingChildren = undefined;
        share.passedOver = undefined;
        share.asking?.clear();
        share.asking = undefined;
        share.blocked.fill(0);
        share.kept = undefined;
        share.isFull = false;
      }
    }
    for (const queue of this.#tree.leaves())
      for (const application of queue.leaf!.active)
        for (const { partition } of application.attempt?.requests.inOrder() ?? []) {
          queue.share(partition).asking ??= newAsking(queue, partition);
          this.wake(application, partition);
        }
  }

  /** The next container or reservation in the partition; undefined when nobody can be served. */
  place(partition: Partition, nextContainerId: ContainerNumbering): Decision | undefined {
    const { root } = this.#tree;
    const p = partition.index;
    const heap = root.share(p).askingChildren;
    if (!heap || heap.size === 0 || this.#isFull(partition) || this.isTired) return undefined;
    this.#nextContainerId = nextContainerId;
    this.#decision = undefined;
    copy(partition.total, root.share(p).limit);
    const outcome = this.#assignParent(root, partition);
    if (this.#decision) this.#aside.given(this.served!.queue, p);
    else if (outcome !== 'stop') {
      // The whole cluster is used: nobody is asked again before something changes.
      for (let child = heap.first(); child; child = heap.first()) {
        heap.remove(child);
        this.#aside.queue(root, child, p, undefined, false);
      }
    }
    return this.#decision;
  }

  #wakeQueue(queue: CapacityQueue, partition: number): void {
    for (let at: CapacityQueue | undefined = queue; at?.parent; at = at.parent) {
      const heap = at.parent.asking(partition);
      // It may be asked while a queue above it is set aside, so this goes on to the root.
      if (heap.has(at)) continue;
      // What was kept back for it may be had by others, if it wants less now.
      if (this.#aside.takeBackQueue(at.parent, at, partition)) this.#aside.eased(at.parent, partition);
      heap.put(at);
      this.#aside.letFirst(at.parent, at, partition);
    }
  }

  #isFull(partition: Partition): boolean {
    return this.#spent[partition.index] === true || this.#full[partition.index] === partition.rooms.version;
  }

  /** used < limit, counting out what could be given up again (Hadoop's canAssignToThisQueue). */
  #mayTake(queue: CapacityQueue, partition: Partition, limit: Resource, application?: CapacityApplication): boolean {
    const share = queue.share(partition.index);
    const { used } = share;
    const calculator = this.#tree.calculator;
    if (calculator.compare(partition.total, used, limit) < 0) return true;
    const reserved = application ? reservedBy(application, partition.index) : share.reserved;
    if (calculator.empty(reserved)) return false;
    return (
      calculator.compare(
        partition.total,
        used.map((value, i) => value - (reserved[i] ?? 0)),
        limit,
      ) < 0
    );
  }

  #assignParent(queue: CapacityQueue, partition: Partition): Outcome {
    const p = partition.index;
    const { limit, blocked, askingChildren } = queue.share(p);
    const heap = askingChildren!;
    if (!this.#mayTake(queue, partition, limit)) {
      this.observer?.queue(queue, 'Queue hits max-capacity limit', 'rejected');
      return 'nothing';
    }
    if (this.#holdsNobody(queue, p)) return this.#spend(queue, p);
    let outcome: Outcome = 'nothing';
    for (let child = heap.first(); child; child = heap.first()) {
      if (++this.#looks >= looksPerSlice) return 'stop';
      if (child.leaf && countIn(child, p) === 0) {
        heap.remove(child);
        continue;
      }
      const share = child.share(p);
      share.atOwnMaximum = limitBelow(child, limit, blocked, partition, this.#tree, share.limit);
      const result = child.leaf ? this.#assignLeaf(child, partition) : this.#assignParent(child, partition);
      if (result === 'stop') return 'stop';
      if (result === 'placed') {
        // What it was given has put it where it belongs now.
        if (countIn(child, p) === 0) heap.remove(child);
        return 'placed';
      }
      heap.remove(child);
      if (result === 'limit') {
        outcome = 'limit';
        const { limit: own, used, blocked: kept } = share;
        // A parent keeps what its children keep, or all that is left to it where they were not asked.
        const asked = child.leaf === undefined && countIn(child, p) === 0;
        const keep = asked ? [...kept] : own.map((value, i) => Math.max(value - used[i]!, 0));
        this.#aside.queue(queue, child, p, keep, false);
        if (this.#holdsNobody(queue, p)) return this.#spend(queue, p);
      } else if (countIn(child, p) > 0) {
        this.#aside.queue(queue, child, p, undefined, share.atOwnMaximum);
      }
    }
    return outcome;
  }

  /** Below the parent nothing is left for any size that is asked for. With few applications each is told by a look of its own. */
  #holdsNobody(queue: CapacityQueue, partition: number): boolean {
    if (this.#ledger.applications.size <= few) return false;
    const { limit, blocked, used } = queue.share(partition);
    const room = scratch;
    room.length = limit.length;
    for (let i = 0; i < limit.length; i++) room[i] = limit[i]! - blocked[i]! - used[i]!;
    if (this.#sizes.anyWithin(partition, room, this.#tree.calculator)) return false;
    this.#isOwed ||= !this.#isThorough;
    return !this.#isThorough;
  }

  /** Who reserved a node waits for it; nobody else below the parent can be served. All keep their place in line. */
  #spend(queue: CapacityQueue, partition: number): Outcome {
    if (queue.parent) return 'limit';
    this.#spent[partition] = true;
    return 'stop';
  }

  #assignLeaf(queue: CapacityQueue, partition: Partition): Outcome {
    const p = partition.index;
    const { limit, effectiveMaximum, asking: line } = queue.share(p);
    const asking = line!;
    if (p === 0) queue.leaf!.currentLimit = smaller(this.#tree.calculator, partition.total, effectiveMaximum, limit);
    for (let application = asking.first(); application; application = asking.first()) {
      if (++this.#looks >= looksPerSlice) return 'stop';
      // A reserved node or a cancellation may have satisfied it meanwhile.
      if (!requestsIn(application, p)) {
        asking.remove(application);
        continue;
      }
      if (!this.#mayTake(queue, partition, limit, application)) {
        this.observer?.queue(queue, 'Queue hits max-capacity limit', 'rejected');
        return 'nothing';
      }
      if (!this.#userMayTake(queue, application, partition)) {
        this.#userStepsAside(queue, application, p);
        continue;
      }
      const outcome = this.#assignApplication(queue, application, partition);
      if (outcome === 'placed') {
        if (requestsIn(application, p)) {
          if (queue.isFairlyOrdered) asking.put(application);
        } else asking.remove(application);
        return 'placed';
      }
      if (outcome === 'limit') {
        this.observer?.queue(queue, 'Queue does not have enough headroom for inner highest-priority request', 'skipped');
        return 'limit';
      }
      if (outcome === 'stop') return 'stop';
      this.#aside.application(queue, application, p, this.#keepsNoMore);
    }
    return 'nothing';
  }

  /** Nobody of the user is tried again before its limit or use changes; where reservations are held each application is judged alone. */
  #userStepsAside(queue: CapacityQueue, application: CapacityApplication, partition: number): void {
    if (application.owner.reserved[partition]?.some((value) => value > 0)) {
      this.#aside.limited(queue, application, partition);
      this.#noteLimit(application);
      return;
    }
    const line = this.#aside.user(queue, application.owner, partition);
    for (const other of line.applications.items()) this.#noteLimit(other);
  }

  #noteLimit(application: CapacityApplication): void {
    this.observer?.application(application, 'Queue hits user max-capacity limit');
    application.reason = waitsForMaster(application)
      ? activatedReason(application, 'User capacity has reached its maximum limit.', this.#tree, this.#now())
      : undefined;
  }

  /** The user is not above its limit already; the container that crosses it is the last. */
  #userMayTake(queue: CapacityQueue, application: CapacityApplication, partition: Partition): boolean {
    const user = application.owner;
    const { users } = queue.leaf!;
    const limit = users.cachedLimit(user, partition.index) ?? users.limitOf(user, limitInputs(queue, partition, this.#tree, false));
    user.shownLimit = limit;
    const used = user.used[partition.index];
    if (!used) return true;
    const { calculator } = this.#tree;
    if (calculator.compare(partition.total, used, limit) <= 0) return true;
    const reserved = reservedBy(application, partition.index);
    if (calculator.empty(reserved)) return false;
    return (
      calculator.compare(
        partition.total,
        used.map((value, i) => value - reserved[i]!),
        limit,
      ) <= 0
    );
  }

  #assignApplication(queue: CapacityQueue, application: CapacityApplication, partition: Partition): Outcome {
    const attempt = application.attempt;
    if (!attempt) return 'nothing';
    const p = partition.index;
    this.#keepsNoMore = false;
    let noRoom = false;
    for (const request of attempt.requests.inOrder()) {
      if (request.partition !== p) continue;
      if (!this.#headroomFor(queue, application, request, partition)) {
        this.observer?.request(application, request, 'Queue does not have enough headroom for inner highest-priority request');
        return 'limit';
      }
      const node = this.#locality.pick(this.#ledger.nodes, partition, request, attempt.blacklist);
      if (node) {
        this.served = application;
        if (application.reservedContainers > 0) this.#giveUpFor(queue, application, request, partition);
        this.#decision = allocateTo(this.#ledger, application, request, node, this.#nextContainerId(attempt.attemptId), false);
        return 'placed';
      }
      if (this.#reserve(application, request, partition)) return 'placed';
      noRoom = true;
      this.#noteRoom(application, request, partition);
    }
    return noRoom && this.#nobodyFits(partition) ? 'stop' : 'nothing';
  }

  /** Nobody who asks in the partition could get or keep a node. With few applications each is told by a look of its own. */
  #nobodyFits(partition: Partition): boolean {
    if (this.#ledger.applications.size <= few) return false;
    const { index, rooms } = partition;
    if (this.#looked[index] !== rooms.version) {
      this.#looked[index] = rooms.version;
      if (!this.#sizes.anyFits(partition)) this.#full[index] = rooms.version;
    }
    return this.#isFull(partition);
  }

  #noteRoom(application: CapacityApplication, request: OpenRequest, partition: Partition): void {
    const waits = waitsForMaster(application);
    application.reason = undefined;
    if (!waits && !this.observer) return;
    const last = pickNodeToReserve(partition, request, application.attempt!.blacklist, true);
    this.observer?.node(
      application,
      request,
      last,
      request.reach !== 'any'
        ? 'Node skipped because of off-switch delay'
        : last
          ? 'Node does not have sufficient resource for request'
          : "Node's total resource is insufficient for request",
    );
    if (waits) this.#noteNode(application, last ?? request.reservations[0]?.node);
  }

  #noteNode(application: CapacityApplication, node: SchedulerNode | undefined): void {
    application.reason = waitsForMaster(application)
      ? activatedReason(application, lastNode(node, this.#ledger), this.#tree, this.#now())
      : undefined;
  }

  /** limit − used, plus what the application could give up, holds the request. */
  #headroomFor(queue: CapacityQueue, application: CapacityApplication, request: OpenRequest, partition: Partition): boolean {
    const p = partition.index;
    const { limit, used } = queue.share(p);
    const { counts, reservedContainers } = application;
    const room = scratch;
    room.length = limit.length;
    for (let i = 0; i < limit.length; i++) room[i] = limit[i]! - used[i]!;
    if (reservedContainers > 0) for (let i = 0; i < limit.length; i++) room[i]! += counts.amount('reserved', p, i);
    return this.#tree.calculator.fits(request.resource, room);
  }

  /** Without giving up what is reserved the request stays within the queue's limit, and the user is not above its own. */
  #staysWithin(queue: CapacityQueue, application: CapacityApplication, request: OpenRequest, partition: Partition): boolean {
    const { index, total } = partition;
    const { limit, used } = queue.share(index);
    const { calculator } = this.#tree;
    const room = limit.map((value, i) => value - used[i]!);
    const ofUser = application.owner.used[index] ?? nothing;
    return calculator.fits(request.resource, room) && calculator.compare(total, ofUser, application.owner.shownLimit) <= 0;
  }

  /** Gives up as many of the application's reservations, the latest first, as keep queue and user within their limits. */
  #giveUpFor(queue: CapacityQueue, application: CapacityApplication, request: OpenRequest, partition: Partition): void {
    for (const reservation of [...application.attempt!.reservations].reverse()) {
      if (this.#staysWithin(queue, application, request, partition)) return;
      if (reservation.partition === partition.index) this.#ledger.unreserve(reservation);
    }
  }

  /** Keeps a node for a request that fits none now; one node for each container wanted. */
  #reserve(application: CapacityApplication, request: OpenRequest, partition: Partition): boolean {
    if (request.reservations.length >= request.count) return false;
    const attempt = application.attempt!;
    if (application.reservedContainers > 0 && !this.#staysWithin(application.queue, application, request, partition)) {
      this.#keepsNoMore = true;
      return false;
    }
    const node = pickNodeToReserve(partition, request, attempt.blacklist, false);
    if (!node) return false;
    this.#noteNode(application, node);
    this.#ledger.reserve(attempt, request, node, '');
    this.#noteNode(application, node);
    this.served = application;
    this.#decision = {
      kind: 'reserve',
      applicationId: application.applicationId,
      attemptId: attempt.attemptId,
      nodeId: node.nodeId,
      resource: request.resource,
      priority: request.priority,
    };
    return true;
  }
}

const scratch: number[] = [];
const nothing: Resource = [];

/** Most reserve nothing. */
const reservedBy = (application: CapacityApplication, partition: number): Resource =>
  application.reservedContainers === 0 ? nothing : application.counts.of('reserved', partition);

const waitsForMaster = (application: CapacityApplication): boolean => !application.unmanaged && application.attempt?.masterPlaced === false;

function copy(from: Resource, into: number[]): void {
  for (let i = 0; i < from.length; i++) into[i] = from[i]!;
}

function requestsIn(application: CapacityApplication, partition: number): boolean {
  for (const request of application.attempt?.requests.inOrder() ?? []) if (request.partition === partition) return true;
  return false;
}

/** Hadoop's sentence about the node an application was last refused on. */
export function lastNode(node: SchedulerNode | undefined, ledger: Ledger<CapacityApplication>, before = ''): string {
  if (!node) return before;
  const label = ledger.nodes.partitions[node.partition]!.name;
  return `${before} Last Node which was processed for the application : ${node.nodeId} ( Partition : [${label}], Total resource : <memory:${node.resource[0]}, vCores:${node.resource[1]}>, Available resource : <memory:${node.available[0]}, vCores:${node.available[1]}> ).`;
}

// Work that waits and is not visited by the cycle: why it is parked, and which change lets it take part again.

import type { Resource } from '../../../model/resource.ts';
import type { SchedulerNode } from '../../state/model.ts';
import type { NodeTable } from '../../state/nodes.ts';
import type { CapacityApplication } from '../application.ts';
import { refusesUser, userLimit } from '../limits/user.ts';
import type { CapacityQueue, QueueShare } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import type { User } from '../queues/users.ts';
import { type Line, newLine, type UserLine } from './line.ts';
import {
  countMost,
  enterBounds,
  keepsAsLeaf,
  measureLeaf,
  measureParent,
  needsMore,
  requestsIn,
  wantsFitting,
  wantsWithin,
  within,
} from './parked-bounds.ts';
import { checkQueue } from './parked-check.ts';
import { bitOf, type Change, type EndedBy, endedBy, limitBits, nodeBits, type ParkedReason, reasons } from './parked-reasons.ts';

/** What each change is about: its subject, and a number that says where. */
interface Subjects {
  requestChanged: CapacityApplication;
  roomGrew: SchedulerNode;
  usageDropped: CapacityQueue;
  usageGrew: CapacityQueue;
  headroomShrank: CapacityQueue;
  childReturned: CapacityQueue;
  earlierSiblingReturned: CapacityQueue;
  userLimitMoved: CapacityQueue;
  delayEnded: undefined;
  tagsChanged: undefined;
  sizesChanged: undefined;
}

/**
 * Owner of all work that waits and is not visited. Each active application with a request in a partition is in exactly one of these
 * places there:
 *
 * | place | moved there by | leaves it by |
 * | --- | --- | --- |
 * | in its leaf's line, to be visited | `changed` | a visit: served, or one of the two below |
 * | in the line of its user, which is parked | `parkUser` | `changed`, when the row of `userLimit` says so |
 * | parked by itself | `park` | `changed`, when a row of its reasons says so |
 *
 * A queue with such applications below it is among the children to be visited of its parent, parked there (`parkQueue`), or idle when
 * everything below it is parked for reasons that no look at the queue itself can end. A queue that is parked with kept headroom comes
 * before every sibling to be visited, so that what it keeps is kept from those alone whose turn comes later. A partition is walked
 * until a walk finds nothing (`parkPartition`). Applications that may not run yet stand in `leaf.waiting` (`masterLimit`) and
 * `leaf.heldBack` (`parallelLimit`); `Running` moves them, asking `ends`.
 *
 * Only the walk parks. A change takes effect at once; it costs what it may help, not what waits: bounds of the parked sizes
 * (`leastParked`, `mostParked`) tell for each queue whether a look below it is worth it. The contract, which
 * `parking.test.ts` holds: the next placement is that of a walk that visits everything.
 */
export class Parked {
  readonly #tree: QueueTree;
  readonly #nodes: NodeTable;
  /** For each change the reasons that it ends. */
  readonly #endedBy: Readonly<Record<Change, number>>;
  /** By partition: the reason why it is not walked, 0 when it is. */
  readonly #partitions: number[] = [];
  /** By partition: leaves whose users are to be compared with their limits. */
  readonly #toCompare: CapacityQueue[][] = [];
  /** Applications that wait for the end of a locality delay, for tagged containers; with each the partitions. */
  readonly #delayed = new Set<CapacityApplication>();
  readonly #constrained = new Set<CapacityApplication>();
  /** The walk charges what it placed: its own changes help nothing that is parked. */
  isPlacing = false;
  /** Something changed since it was last set to false. */
  isChanged = true;

  constructor(tree: QueueTree, nodes: NodeTable, table: EndedBy = endedBy) {
    this.#tree = tree;
    this.#nodes = nodes;
    const bits = {} as Record<Change, number>;
    for (const reason of reasons)
      for (const change of table[reason] ?? []) bits[change as Change] = (bits[change as Change] ?? 0) | bitOf[reason];
    this.#endedBy = bits;
  }

  /** Whether the change ends the wait for the reason. */
  ends(reason: ParkedReason, change: Change): boolean {
    return this.#mayEnd(bitOf[reason], change);
  }

  #mayEnd(bits: number, change: Change): boolean {
    return (bits & (this.#endedBy[change] ?? 0)) !== 0;
  }

  /** The partition has something to visit, as far as is known. */
  isToWalk(partition: number): boolean {
    return !this.#partitions[partition] && this.#tree.root.share(partition).askingChildren !== undefined;
  }

  // ---- park: by the walk alone

  /** `bits`: the reasons. The application was first in its leaf's line. `isKeeper`: its next request finds no headroom. */
  park(application: CapacityApplication, partition: number, bits: number, isKeeper = false): void {
    const { queue } = application;
    const share = queue.share(partition);
    if (isKeeper) share.keeper = application;
    const line = share.line!;
    assertPlace(line.has(application) && !application.parkedAs[partition], application, partition);
    line.remove(application);
    line.parked.add(application);
    while (application.parkedAs.length <= partition) application.parkedAs.push(0);
    application.parkedAs[partition] = bits;
    if (bits & limitBits) line.waitingForLimit.add(application);
    if (bits & bitOf.reservationLimit) line.waitingForHeadroom++;
    if (bits & bitOf.locality) this.#delayed.add(application);
    if (bits & bitOf.constraint) this.#constrained.add(application);
    if (bits & nodeBits) enterBounds(application, partition, isKeeper);
  }

  /** All applications of the user in the leaf. */
  parkUser(queue: CapacityQueue, user: User, partition: number): UserLine {
    return queue.share(partition).line!.parkUser(user);
  }

  /** The child was first among those to be visited. `keep`: what it keeps from its siblings. */
  parkQueue(child: CapacityQueue, partition: number, reason: 'queueLimit' | 'ancestorLimit' | 'headroomKept', keep?: Resource): void {
    const ofParent = child.parent!.share(partition);
    const share = child.share(partition);
    (ofParent.parkedChildren ??= new Set()).add(child);
    share.parkedAs = bitOf[reason];
    if (!keep) return;
    for (let i = 0; i < ofParent.blocked.length; i++) ofParent.blocked[i]! += keep[i] ?? 0;
    share.kept = keep;
    this.#laterHaveLess(child, partition);
  }

  /** What is left beside the keep of the child may be kept for siblings whose turn comes later, which have it alone. */
  #laterHaveLess(child: CapacityQueue, partition: number): void {
    const parent = child.parent!;
    const share = parent.share(partition);
    const room = leftTo(share);
    if (share.parkedCount === 0 || room.every((value) => value <= 0) || this.#tree.calculator.fits(share.mostParked, room)) return;
    const before = parent.order(partition);
    for (const other of parent.children) {
      const isIdle = other.shares[partition]?.parkedAs === 0 && !parent.asking(partition).has(other);
      if (isIdle && before(child, other)) this.#visitLarger(other, partition, room);
    }
    measureParent(parent, partition);
  }

  /** `bits`: of `noNodeFits`, `nothingLeft` and `allParked`. */
  parkPartition(partition: number, bits: number): void {
    this.#partitions[partition] = bits;
  }

  // ---- changes

  /** Lets take part again what the change may help. `where`: the partition; of a node 1 when it may be reserved as a whole, else 0. */
  changed<C extends keyof Subjects>(change: C, subject: Subjects[C], where: number): void {
    const what = subject as unknown;
    this.isChanged = true;
    switch (change) {
      case 'requestChanged':
        return this.#requestChanged(what as CapacityApplication, where);
      case 'roomGrew':
        return this.#roomGrew(what as SchedulerNode, where === 1);
      case 'usageDropped':
      case 'usageGrew':
        return this.#usageChanged(what as CapacityQueue, where, change);
      case 'userLimitMoved':
        return this.#userLimitMoved(what as CapacityQueue, where);
      case 'headroomShrank':
        return this.#headroomShrank(what as CapacityQueue, where);
      case 'delayEnded':
        return this.#allOf(this.#delayed, change);
      case 'tagsChanged':
        return this.#allOf(this.#constrained, change);
      case 'sizesChanged':
        return this.#sizesChanged();
      case 'childReturned':
        return this.#enter(what as CapacityQueue, where);
      case 'earlierSiblingReturned':
        return this.#laterSiblings(what as CapacityQueue, where);
    }
  }

  #lineOf(queue: CapacityQueue, partition: number): Line {
    const share = queue.share(partition);
    const { users } = queue.leaf!;
    users.onChange ??= () => this.#usersChanged(queue);
    return (share.line ??= newLine(queue, partition));
  }

  #unparkPartition(partition: number, change: Change): void {
    if (this.#mayEnd(this.#partitions[partition] ?? 0, change)) this.#partitions[partition] = 0;
  }

  #requestChanged(application: CapacityApplication, partition: number): void {
    // What is wanted in the partition counts those that may not run yet.
    this.#unparkPartition(partition, 'requestChanged');
    if (!application.isActive) return;
    const { queue } = application;
    const line = this.#lineOf(queue, partition);
    if (!requestsIn(application, partition)) this.#leave(application, partition);
    else if (!application.parkedAs[partition]) line.put(application);
    else this.#applicationMayGo(application, partition, 'requestChanged');
    // What the queue keeps depends on its first request.
    this.#unparkPath(queue, partition, 'requestChanged');
    if (line.size > 0) this.#enter(queue, partition);
  }

  /** The application requests nothing more, or no longer runs. */
  forget(application: CapacityApplication): void {
    for (let partition = 0; partition < application.queue.shares.length; partition++) {
      const share = application.queue.shares[partition];
      if (!share?.line) continue;
      this.#leave(application, partition);
      this.#unparkPath(application.queue, partition, 'requestChanged');
      if (share.line.size > 0) this.#enter(application.queue, partition);
    }
  }

  #leave(application: CapacityApplication, partition: number): void {
    if (application.parkedAs[partition]) this.#unpark(application, partition);
    application.queue.share(partition).line!.remove(application);
  }

  #applicationMayGo(application: CapacityApplication, partition: number, change: Change): void {
    if (!this.#mayEnd(application.parkedAs[partition] ?? 0, change)) return;
    this.#unpark(application, partition);
    this.#enter(application.queue, partition);
  }

  #allOf(applications: Set<CapacityApplication>, change: Change): void {
    for (const application of [...applications])
      for (let partition = 0; partition < application.parkedAs.length; partition++) this.#applicationMayGo(application, partition, change);
  }

  #roomGrew(node: SchedulerNode, isWhole: boolean): void {
    if (!node.open || node.place < 0) return;
    this.#unparkPartition(node.partition, 'roomGrew');
    this.#giveRoom(this.#tree.root, node.partition, isWhole ? node.resource : node.available);
  }

  /** Applications below the queue that want no more than that on a node. */
  #giveRoom(queue: CapacityQueue, partition: number, room: Resource): void {
    const share = queue.share(partition);
    const { counted } = this.#nodes;
    if (share.parkedCount === 0 || !within(share.leastParked, room, counted)) return;
    if (!queue.leaf) {
      for (const child of queue.children) this.#giveRoom(child, partition, room);
      measureParent(queue, partition);
      return;
    }
    let found = false;
    for (const application of share.line!.parked) {
      const bits = application.parkedAs[partition]!;
      if ((bits & nodeBits) === 0 || !wantsWithin(application, partition, room, counted) || !this.#mayEnd(bits, 'roomGrew')) continue;
      this.#unpark(application, partition);
      found = true;
    }
    measureLeaf(share, partition);
    if (found) this.#enter(queue, partition);
  }

  /** The queue uses less or more: it and those above it have another place among their siblings and may have more left. */
  #usageChanged(queue: CapacityQueue, partition: number, change: 'usageDropped' | 'usageGrew'): void {
    this.#unparkPartition(partition, change);
    this.#unparkPath(queue, partition, change);
    this.#userLimitMoved(queue, partition);
  }

  /** The queue and those above it are visited again where the change may help them. */
  #unparkPath(queue: CapacityQueue, partition: number, change: Change): void {
    for (let at: CapacityQueue = queue; at.parent; at = at.parent) {
      const share = at.shares[partition];
      const ofParent = at.parent.shares[partition];
      if (!share || !ofParent) continue;
      const isThere = ofParent.askingChildren?.has(at) === true;
      if (share.parkedAs !== 0 ? this.#mayEnd(share.parkedAs, change) : !isThere && isToVisit(at, partition))
        this.#enter(at, partition, change);
      // With other use its place among them is another.
      else if (isThere && change !== 'requestChanged') this.#laterSiblings(at, partition);
    }
  }

  #userLimitMoved(queue: CapacityQueue, partition: number): void {
    const line = queue.shares[partition]?.line;
    if (!line || line.isToCompare || !line.isLimited) return;
    line.isToCompare = true;
    (this.#toCompare[partition] ??= []).push(queue);
  }

  /** Who counts as a user of the leaf moves limits in all partitions, downwards too: another application may be its first. */
  #usersChanged(queue: CapacityQueue): void {
    for (let partition = 0; partition < queue.shares.length; partition++) {
      this.#userLimitMoved(queue, partition);
      const as = queue.shares[partition]?.parkedAs ?? 0;
      if (this.#mayEnd(as, 'userLimitMoved')) this.#enter(queue, partition, 'userLimitMoved');
    }
  }

  /** Something is to be done before it is known what takes part. */
  hasComparisons(partition: number): boolean {
    return (this.#toCompare[partition]?.length ?? 0) > 0;
  }

  /** Before a placement: users whose limit now holds what they have are visited again. */
  compareUsers(partition: number): void {
    const queues = this.#toCompare[partition];
    if (!queues || queues.length === 0) return;
    for (const queue of queues) this.#compareUsersOf(queue, partition);
    queues.length = 0;
  }

  #compareUsersOf(queue: CapacityQueue, partition: number): void {
    const { line } = queue.share(partition);
    if (!line?.takeComparison()) return;
    let found = false;
    for (const application of line.waitingForLimit) {
      const bits = application.parkedAs[partition]! & limitBits;
      if (!this.#mayEnd(bits, 'userLimitMoved') || !this.#mayPassLimit(application, partition, bits)) continue;
      this.#unpark(application, partition);
      found = true;
    }
    if (this.ends('userLimit', 'userLimitMoved'))
      for (const ofUser of line.parkedUsers) {
        if (!this.#isWithinLimit(queue, ofUser.user, partition)) continue;
        line.unparkUser(ofUser);
        found = true;
      }
    if (found) this.#enter(queue, partition);
  }

  /** The user is within its limit, for the first reason also when the application gives up what it reserved. */
  #mayPassLimit(application: CapacityApplication, partition: number, bits: number): boolean {
    const { queue, owner } = application;
    const at = this.#nodes.partitions[partition]!;
    const limit = userLimit(queue, owner, at, this.#tree);
    if (bits & bitOf.userLimit) return refusesUser(application, at, limit, this.#tree) === undefined;
    return this.#tree.calculator.compare(at.total, owner.used[partition] ?? [], limit) <= 0;
  }

  /** What the user has is within its limit, or some application may pass it by giving up a reservation. */
  #isWithinLimit(queue: CapacityQueue, user: User, partition: number): boolean {
    const used = user.used[partition];
    if (!used || user.reserved[partition]?.some((value) => value > 0)) return true;
    const at = this.#nodes.partitions[partition]!;
    const limit = userLimit(queue, user, at, this.#tree);
    return this.#tree.calculator.compare(at.total, used, limit) <= 0;
  }

  /** Applications below the queue that want more than is left to it are visited again: what is left may be kept for them. */
  #headroomShrank(queue: CapacityQueue, partition: number): void {
    this.#visitLarger(queue, partition, leftTo(queue.share(partition)));
  }

  #visitLarger(queue: CapacityQueue, partition: number, room: Resource): void {
    const share = queue.share(partition);
    const { calculator } = this.#tree;
    // A leaf that keeps headroom keeps all that is left, whichever application is its first.
    if (share.parkedCount === 0 || calculator.fits(share.mostParked, room) || keepsAsLeaf(queue, partition)) return;
    if (!queue.leaf) {
      for (const child of queue.children) this.#visitLarger(child, partition, room);
      measureParent(queue, partition);
      return;
    }
    for (const application of share.line!.parked) {
      const bits = application.parkedAs[partition]!;
      if (
        application === share.keeper ||
        (bits & nodeBits) === 0 ||
        !this.#mayEnd(bits, 'headroomShrank') ||
        !needsMore(application, partition, room, calculator)
      )
        continue;
      this.#unpark(application, partition);
    }
    measureLeaf(share, partition);
    if (share.line!.size > 0) this.#enter(queue, partition);
  }

  #sizesChanged(): void {
    for (let partition = 0; partition < this.#nodes.partitions.length; partition++) {
      this.#unparkPartition(partition, 'sizesChanged');
      for (const queue of this.#tree.root.walk()) {
        const share = queue.shares[partition];
        if (!share) continue;
        const { line } = share;
        for (const application of line?.parked ?? [])
          if (this.#mayEnd(application.parkedAs[partition]!, 'sizesChanged')) this.#unpark(application, partition);
        for (const child of share.parkedChildren ?? [])
          if (this.#mayEnd(child.share(partition).parkedAs, 'sizesChanged')) this.#unparkQueue(child, partition);
      }
      for (const queue of this.#tree.root.walk()) if (this.#isMissing(queue, partition)) this.#enter(queue, partition);
    }
  }

  /** The queue is to be visited, is not parked, and is not among those to be visited. */
  #isMissing(queue: CapacityQueue, partition: number): boolean {
    if (!queue.parent || !isToVisit(queue, partition) || queue.share(partition).parkedAs !== 0) return false;
    return queue.parent.share(partition).askingChildren?.has(queue) !== true;
  }

  // ---- a visit of a parent

  /** The walk is about to visit the parent's children: those that more room, or less, may help are visited, too. */
  visited(queue: CapacityQueue, partition: number): void {
    const share = queue.share(partition);
    const { limit, used, room, blocked, parkedChildren } = share;
    let grew = false;
    let isOverKept = false;
    for (let i = 0; i < limit.length; i++) {
      const now = limit[i]! - used[i]!;
      if (now > (room[i] ?? 0)) grew = true;
      if (blocked[i]! > 0 && now < blocked[i]!) isOverKept = true;
      room[i] = now;
    }
    if (queue.leaf) {
      if (grew && share.line!.waitingForHeadroom > 0) this.#moreForReservations(share.line!, partition, room);
    } else if (parkedChildren && parkedChildren.size > 0 && (grew || isOverKept)) {
      const change = grew ? 'usageDropped' : 'headroomShrank';
      const which = grew ? bitOf.ancestorLimit | bitOf.headroomKept : bitOf.headroomKept;
      for (const child of parkedChildren) {
        const as = child.share(partition).parkedAs;
        if ((as & which) !== 0 && this.#mayEnd(as, change) && this.#mayUse(child, partition, room)) {
          this.#unparkQueue(child, partition);
          queue.asking(partition).put(child);
        }
      }
    }
    if (share.parkedCount > 0) this.#headroomShrank(queue, partition);
  }

  #moreForReservations(line: Line, partition: number, room: Resource): void {
    if (!this.ends('reservationLimit', 'usageDropped')) return;
    const { calculator } = this.#tree;
    for (const application of line.parked)
      if (application.parkedAs[partition]! & bitOf.reservationLimit && wantsFitting(application, partition, room, calculator))
        this.#unpark(application, partition);
  }

  /** With so much left above it, something below the queue may be served or kept headroom for; bounds tell of what is parked alone. */
  #mayUse(queue: CapacityQueue, partition: number, room: Resource): boolean {
    const share = queue.share(partition);
    const { line, askingChildren, parkedChildren } = share;
    if (line) {
      if (line.size > 0 || share.kept) return true;
    } else {
      if ((askingChildren?.size ?? 0) > 0) return true;
      for (const child of parkedChildren ?? []) if (this.#mayUse(child, partition, room)) return true;
    }
    return share.parkedCount > 0 && this.#tree.calculator.fits(share.leastParked, room);
  }

  /** Before a visit of a leaf that may take nothing but in exchange for reservations: the order of all decides. */
  unparkAllOf(queue: CapacityQueue, partition: number): void {
    const { line } = queue.share(partition);
    for (const application of line!.parked) this.#unpark(application, partition);
    for (const ofUser of line!.parkedUsers) line!.unparkUser(ofUser);
  }

  // ---- inside

  /** Back into the line, unless nothing is requested any more. The caller enters the leaf. */
  #unpark(application: CapacityApplication, partition: number): void {
    const bits = application.parkedAs[partition]!;
    const { queue } = application;
    const line = queue.share(partition).line!;
    assertPlace(line.parked.delete(application) && !line.has(application), application, partition);
    application.parkedAs[partition] = 0;
    if (bits & limitBits) line.waitingForLimit.delete(application);
    if (bits & bitOf.reservationLimit) line.waitingForHeadroom--;
    if (bits & bitOf.locality && !isParkedAs(application, bitOf.locality)) this.#delayed.delete(application);
    if (bits & bitOf.constraint && !isParkedAs(application, bitOf.constraint)) this.#constrained.delete(application);
    if (bits & nodeBits) for (let at: CapacityQueue | undefined = queue; at; at = at.parent) at.share(partition).parkedCount--;
    if (application.isActive && requestsIn(application, partition)) line.put(application);
  }

  /** The queue and those above it are to be visited; what is left is shared anew among the siblings after them. */
  #enter(queue: CapacityQueue, partition: number, change: Change = 'childReturned'): void {
    this.#unparkPartition(partition, 'childReturned');
    for (let at: CapacityQueue = queue; at.parent; at = at.parent) {
      const { parent } = at;
      const heap = parent.asking(partition);
      const { parkedAs } = at.share(partition);
      if (parkedAs === 0 && heap.has(at)) continue;
      if (parkedAs !== 0) {
        // A change of its own, or something below it that returns.
        if (!this.#mayEnd(parkedAs, change)) return;
        this.#unparkQueue(at, partition);
      }
      heap.put(at);
      change = 'childReturned';
      this.#laterSiblings(at, partition);
    }
  }

  #laterSiblings(queue: CapacityQueue, partition: number): void {
    const parent = queue.parent!;
    const { parkedChildren } = parent.share(partition);
    if (!parkedChildren || parkedChildren.size === 0) return;
    const before = parent.order(partition);
    for (const other of parkedChildren) {
      const as = other.share(partition).parkedAs;
      if ((as & bitOf.queueLimit) !== 0 || !this.#mayEnd(as, 'earlierSiblingReturned') || !before(queue, other)) continue;
      this.#unparkQueue(other, partition);
      parent.asking(partition).put(other);
    }
  }

  #unparkQueue(child: CapacityQueue, partition: number): void {
    const ofParent = child.parent!.share(partition);
    const share = child.share(partition);
    ofParent.parkedChildren!.delete(child);
    const kept = share.kept;
    if (keepsAsLeaf(child, partition)) countMost(child, partition);
    share.parkedAs = 0;
    if (share.keeper) {
      if (share.keeper.parkedAs[partition]) this.#unpark(share.keeper, partition);
      share.keeper = undefined;
    }
    if (!kept) return;
    for (let i = 0; i < ofParent.blocked.length; i++) ofParent.blocked[i]! -= kept[i] ?? 0;
    share.kept = undefined;
  }

  /** Everything is to be visited, in the orders that hold now. `isOff`: partitions stay as they are, a walk comes all the same. */
  rebuild(isOff = false): void {
    const partitions = isOff ? [...this.#partitions] : [];
    this.#partitions.length = 0;
    for (const queues of this.#toCompare) if (queues) queues.length = 0;
    this.#delayed.clear();
    this.#constrained.clear();
    for (const queue of this.#tree.root.walk()) for (const share of queue.shares) if (share) reset(share);
    for (const queue of this.#tree.leaves())
      for (const application of queue.leaf!.active) {
        application.parkedAs.length = 0;
        for (const { partition } of application.attempt?.requests.inOrder() ?? []) {
          this.#lineOf(queue, partition).put(application);
          this.#enter(queue, partition);
        }
      }
    for (let partition = 0; partition < partitions.length; partition++) this.#partitions[partition] = partitions[partition]!;
  }

  /** The partition is another one from now on; nothing waits in it. */
  forgetPartition(partition: number): void {
    this.#partitions[partition] = 0;
    this.#toCompare[partition] = [];
  }

  /** Throws unless everything is where the table above says. For tests: it walks all. */
  check(): void {
    for (const queue of this.#tree.root.walk())
      for (let partition = 0; partition < queue.shares.length; partition++) if (queue.shares[partition]) checkQueue(queue, partition);
  }
}

const left: number[] = [];

/** What is left to a queue beside what its children keep, as of its last visit; used again by the next look. */
function leftTo({ room, blocked }: QueueShare): Resource {
  left.length = room.length;
  for (let i = 0; i < room.length; i++) left[i] = room[i]! - blocked[i]!;
  return left;
}

function reset(share: QueueShare): void {
  share.askingChildren?.clear();
  share.askingChildren = undefined;
  share.parkedChildren = undefined;
  share.line?.clear();
  share.line = undefined;
  share.blocked.fill(0);
  share.room.fill(0);
  share.kept = undefined;
  share.keeper = undefined;
  share.parkedAs = 0;
  share.parkedCount = 0;
}

/** Something below the queue, or in it, is to be visited or waits for a visit of the queue itself. */
export function isToVisit(queue: CapacityQueue, partition: number): boolean {
  const share = queue.shares[partition];
  if (!share) return false;
  if (share.parkedCount > 0 || (share.line?.size ?? 0) > 0) return true;
  return (share.askingChildren?.size ?? 0) > 0 || (share.parkedChildren?.size ?? 0) > 0;
}

const isParkedAs = (application: CapacityApplication, bit: number): boolean => application.parkedAs.some((bits) => (bits & bit) !== 0);

function assertPlace(isThere: boolean, application: CapacityApplication, partition: number): void {
  if (!isThere) throw new Error(`${application.applicationId} is in two places of partition ${partition}, or in none`);
}

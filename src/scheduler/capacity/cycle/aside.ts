// Who was tried and not served, and what may help: room on a node, less use in a queue, a larger limit of a user. Whoever is set aside
// takes part again when that happened, so that a change costs what it touches and not a look at everybody.

import type { Resource } from '../../../model/resource.ts';
import type { SchedulerNode } from '../../state/model.ts';
import type { CapacityApplication } from '../application.ts';
import { limitInputs } from '../limits/limits.ts';
import { type CapacityQueue, queueOrder } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import type { User } from '../queues/users.ts';
import type { Asking, UserLine } from './asking.ts';

/** Lists of one partition. */
class PartitionBook {
  /** Leaves in which applications or users are set aside. */
  readonly leaves = new Set<CapacityQueue>();
  /** Of those, leaves in which somebody waits for room on a node. */
  readonly roomless = new Set<CapacityQueue>();
  /** Leaves with users at their limit in which something was given: their limits may have grown. */
  readonly moved = new Map<CapacityQueue, Asking>();
  /** Parents whose children are set aside. */
  readonly parents = new Set<CapacityQueue>();
  /** Leaves that use or want less than before, with those who ask in them. */
  readonly eased = new Map<CapacityQueue, Asking | undefined>();
  /** The most of each type that appeared on one node. */
  grown: number[] | undefined;
}

export class AsideBook {
  readonly #tree: QueueTree;
  readonly #wake: (queue: CapacityQueue, partition: number) => void;
  readonly #books: PartitionBook[] = [];
  /** How many applications, users and queues are set aside. */
  size = 0;
  /** A queue was eased or a node has more room. */
  hasGood = false;

  /** `wake`: the queue and those above it take part again. */
  constructor(tree: QueueTree, wake: (queue: CapacityQueue, partition: number) => void) {
    this.#tree = tree;
    this.#wake = wake;
  }

  /** Something happened that may let somebody take part again. */
  get hasNews(): boolean {
    return this.hasGood || this.#books.some((book) => book.moved.size > 0);
  }

  // ---- set aside

  /** No node has room for what the application wants; `atLimit`: with a larger limit of its user it could keep one. */
  application(queue: CapacityQueue, application: CapacityApplication, partition: number, atLimit: boolean): void {
    const asking = queue.share(partition).asking!;
    asking.remove(application);
    (asking.noRoom ??= new Set()).add(application);
    if (atLimit) (asking.atLimit ??= new Set()).add(application);
    const book = this.#book(partition);
    book.leaves.add(queue);
    book.roomless.add(queue);
    this.size += atLimit ? 2 : 1;
  }

  /** Its user is at the limit, which some other application of the user may pass by giving up a reservation. */
  limited(queue: CapacityQueue, application: CapacityApplication, partition: number): void {
    const asking = queue.share(partition).asking!;
    asking.remove(application);
    (asking.atLimit ??= new Set()).add(application);
    this.#ofUsers(queue, partition);
  }

  /** The user is at its limit. */
  user(queue: CapacityQueue, user: User, partition: number): UserLine {
    this.#ofUsers(queue, partition);
    return queue.share(partition).asking!.stepAside(user);
  }

  /** A child without headroom (`keep`: what it keeps back from its siblings) or at its limit (`own`: its own maximum). */
  queue(parent: CapacityQueue, child: CapacityQueue, partition: number, keep: Resource | undefined, own: boolean): void {
    const children = (parent.share(partition).passedOver ??= new Set());
    if (!children.has(child)) this.size++;
    children.add(child);
    this.#book(partition).parents.add(parent);
    const share = child.share(partition);
    share.isFull = own;
    if (!keep) return;
    const { blocked } = parent.share(partition);
    for (let i = 0; i < blocked.length; i++) blocked[i]! += keep[i] ?? 0;
    share.kept = keep;
  }

  #ofUsers(queue: CapacityQueue, partition: number): void {
    this.#book(partition).leaves.add(queue);
    this.size++;
  }

  // ---- what happens

  eased(queue: CapacityQueue, partition: number): void {
    const { asking } = queue.share(partition);
    this.#book(partition).eased.set(queue, asking);
    this.hasGood = true;
    // Users count as waiting when a limit is worked out, which is not before a cycle.
    if (asking && !asking.users.countsChanged) this.#compare(queue, asking, partition);
  }

  /** `unreserved`: the whole node may be kept for somebody. */
  roomGrew(node: SchedulerNode, unreserved: boolean): void {
    if (!node.open || node.place < 0) return;
    const book = this.#book(node.partition);
    const room = unreserved ? node.resource : node.available;
    if (!book.grown) book.grown = [...room];
    else for (let i = 0; i < room.length; i++) book.grown[i] = Math.max(book.grown[i]!, room[i]!);
    this.hasGood = true;
  }

  /** Something was given in the queue, which may raise the limits of its users: those at hand are compared with theirs at once. */
  given(queue: CapacityQueue, partition: number): void {
    for (let p = 0; p < queue.shares.length; p++) {
      const asking = queue.shares[p]?.asking;
      if (!asking?.isLimited || asking.isCompared) continue;
      this.#book(p).moved.set(queue, asking);
      if (p === partition) this.#compare(queue, asking, p);
    }
  }

  /** While the users are at hand, they are compared with their limits: most often nobody may return, and the queue needs no look later. */
  #compare(queue: CapacityQueue, asking: Asking, partition: number): void {
    if ((asking.atLimit?.size ?? 0) > 0) return;
    for (const line of asking.usersAside > 0 ? asking.aside : []) if (this.#mayReturn(queue, line, partition)) return;
    asking.compared();
  }

  // ---- taken back

  /** The application asks anew. */
  takeBack(application: CapacityApplication, partition: number): void {
    const asking = application.queue.share(partition).asking!;
    if (asking.noRoom?.delete(application)) this.size--;
    if (asking.atLimit?.delete(application)) this.size--;
    const line = asking.asideOf(application.owner);
    if (!line) return;
    asking.bringBack(line);
    this.size--;
  }

  /** The application asks no more. */
  drop(application: CapacityApplication): void {
    for (const share of application.queue.shares) {
      const asking = share?.asking;
      if (!asking) continue;
      const users = asking.aside.size;
      asking.remove(application);
      this.size -= users - asking.aside.size;
      if (asking.noRoom?.delete(application)) this.size--;
      if (asking.atLimit?.delete(application)) this.size--;
    }
  }

  /** The queue takes part again: its siblings have what it kept back, if it did. */
  takeBackQueue(parent: CapacityQueue, child: CapacityQueue, partition: number): boolean {
    if (!parent.share(partition).passedOver?.delete(child)) return false;
    this.size--;
    const share = child.share(partition);
    const { kept } = share;
    if (!kept) return false;
    const { blocked } = parent.share(partition);
    for (let i = 0; i < blocked.length; i++) blocked[i]! -= kept[i] ?? 0;
    share.kept = undefined;
    return kept.some((value) => value > 0);
  }

  /** The child takes part again. What is kept for siblings whose turn comes after its own may be the child's: they are tried after it. */
  letFirst(parent: CapacityQueue, child: CapacityQueue, partition: number): void {
    const { blocked, passedOver } = parent.share(partition);
    if (!passedOver || !blocked.some((value) => value > 0)) return;
    const before = queueOrder(parent.settings.orderingPolicy, partition);
    const later = [...passedOver].filter((other) => other.share(partition).kept && before(child, other));
    for (const other of later) this.takeBackQueue(parent, other, partition);
    for (const other of later) if (countIn(other, partition) > 0) this.#wake(other, partition);
  }

  /** Nothing is known of anybody. */
  forget(): void {
    this.#books.length = 0;
    this.hasGood = false;
    this.size = 0;
  }

  /** Everybody takes part again. */
  restore(): void {
    this.#books.forEach((book, partition) => {
      const children: CapacityQueue[] = [];
      for (const parent of book.parents) {
        const { passedOver, blocked } = parent.share(partition);
        for (const child of passedOver ?? []) {
          child.share(partition).kept = undefined;
          if (child.parent === parent) children.push(child);
        }
        passedOver?.clear();
        blocked.fill(0);
      }
      for (const queue of book.leaves) {
        const { asking } = queue.share(partition);
        if (!asking) continue;
        this.#bringBack(queue, asking, asking.noRoom);
        this.#bringBack(queue, asking, asking.atLimit);
        for (const line of asking.aside) asking.bringBack(line);
        if (asking.size > 0) this.#wake(queue, partition);
      }
      for (const child of children) if (countIn(child, partition) > 0) this.#wake(child, partition);
      book.leaves.clear();
      book.roomless.clear();
      book.moved.clear();
      book.parents.clear();
      book.eased.clear();
      book.grown = undefined;
    });
    this.hasGood = false;
    this.size = 0;
  }

  /** Those whom something helped take part again. */
  settle(): void {
    if (!this.hasGood) return;
    this.hasGood = false;
    this.#books.forEach((book, partition) => {
      for (const [queue, asking] of book.eased) this.#bringBackUsers(queue, asking ?? queue.share(partition).asking, partition);
      if (book.parents.size > 0) this.#ease(book, partition);
      else book.eased.clear();
      if (book.grown) this.#give(book, partition, book.grown);
    });
  }

  /** Users whose limit grew, by what others of their queue were given, take part again; whether there are any. */
  usersAgain(): boolean {
    let found = false;
    this.#books.forEach((book, partition) => {
      for (const [queue, asking] of book.moved) if (this.#bringBackUsers(queue, asking, partition)) found = true;
      book.moved.clear();
    });
    return found;
  }

  /** Those of the leaf whose limit holds what they have. */
  #bringBackUsers(queue: CapacityQueue, asking: Asking | undefined, index: number): boolean {
    if (!asking || asking.isCompared) return false;
    asking.compared();
    const { atLimit } = asking;
    let found = false;
    if (atLimit?.size) {
      found = true;
      this.size -= atLimit.size;
      for (const application of atLimit) if (asking.noRoom?.delete(application)) this.size--;
      this.#bringBack(queue, asking, atLimit);
    }
    for (const line of asking.aside) {
      if (!this.#mayReturn(queue, line, index)) continue;
      asking.bringBack(line);
      this.size--;
      found = true;
    }
    if (found) this.#wake(queue, index);
    return found;
  }

  /** What the user has is within its limit. */
  #mayReturn(queue: CapacityQueue, line: UserLine, index: number): boolean {
    const { user } = line;
    const partition = this.#tree.sizing.nodes.partitions[index]!;
    const { users } = queue.leaf!;
    const limit = users.cachedLimit(user, index) ?? users.peekLimit(user, limitInputs(queue, partition, this.#tree, false));
    const used = (line.used ??= user.used[index]);
    return !used || this.#tree.calculator.compare(partition.total, used, limit) <= 0;
  }

  /** Queues below those that use less have more headroom, unless their own maximum is what holds them. */
  #ease(book: PartitionBook, partition: number): void {
    const path = new Set<CapacityQueue>();
    for (const leaf of book.eased.keys()) {
      for (let at: CapacityQueue | undefined = leaf; at && !path.has(at); at = at.parent) path.add(at);
    }
    book.eased.clear();
    for (const parent of book.parents) {
      const children = parent.share(partition).passedOver;
      if (!children || children.size === 0) book.parents.delete(parent);
      else if (hasMore(parent, partition, path)) this.#easeChildren(parent, children, partition, path);
    }
  }

  #easeChildren(parent: CapacityQueue, children: Set<CapacityQueue>, partition: number, path: ReadonlySet<CapacityQueue>): void {
    const eased = [...children].filter((child) => !child.share(partition).isFull || path.has(child));
    for (const child of eased) this.takeBackQueue(parent, child, partition);
    for (const child of eased) if (countIn(child, partition) > 0) this.#wake(child, partition);
  }

  /** Applications that want no more than appeared somewhere may find a place. */
  #give(book: PartitionBook, partition: number, room: Resource): void {
    book.grown = undefined;
    for (const queue of book.roomless) {
      const { asking } = queue.share(partition);
      const aside = asking?.noRoom;
      if (!asking || !aside?.size) {
        book.roomless.delete(queue);
        continue;
      }
      let found = false;
      for (const application of aside) {
        if (!wantsAtMost(application, partition, room)) continue;
        aside.delete(application);
        this.size--;
        if (asking.atLimit?.delete(application)) this.size--;
        if (!application.isActive || application.queue !== queue) continue;
        asking.put(application);
        found = true;
      }
      if (found) this.#wake(queue, partition);
    }
  }

  #bringBack(queue: CapacityQueue, asking: Asking, applications: Set<CapacityApplication> | undefined): void {
    if (!applications) return;
    for (const application of applications) if (application.isActive && application.queue === queue) asking.put(application);
    applications.clear();
  }

  #book(partition: number): PartitionBook {
    return (this.#books[partition] ??= new PartitionBook());
  }
}

/** How many in the queue may be tried: applications of a leaf, children of a parent. */
export function countIn(queue: CapacityQueue, partition: number): number {
  const { asking, askingChildren } = queue.share(partition);
  return (queue.leaf ? asking?.size : askingChildren?.size) ?? 0;
}

/** Whether the queue's limit may have grown: something below it or above uses less, and no maximum in between keeps that from it. */
function hasMore(queue: CapacityQueue, partition: number, path: ReadonlySet<CapacityQueue>): boolean {
  for (let at: CapacityQueue | undefined = queue; at; at = at.parent) {
    if (path.has(at)) return true;
    if (at.share(partition).isFull && at.parent?.share(partition).passedOver?.has(at)) return false;
  }
  return false;
}

function wantsAtMost(application: CapacityApplication, partition: number, room: Resource): boolean {
  for (const request of application.attempt?.requests.inOrder() ?? []) {
    if (request.partition === partition && request.resource.every((value, i) => value <= (room[i] ?? 0))) return true;
  }
  return false;
}

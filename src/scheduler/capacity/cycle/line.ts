// The line of a leaf in one partition: its active applications that request something there, a line for each user, so that a user at
// its limit is parked as one, however many applications it has.

import { type Member, OrderedHeap } from '../../state/ordered-heap.ts';
import { type CapacityApplication, servingKey, servingOrder } from '../application.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { PartitionUsers, User, UserTable } from '../queues/users.ts';

type Order = (a: CapacityApplication, b: CapacityApplication) => boolean;
type Key = (application: CapacityApplication) => number;

/** The applications of one user. */
export class UserLine implements Member {
  readonly places: number[] = [];
  readonly user: User;
  readonly applications: OrderedHeap<CapacityApplication>;
  /** The first of them. */
  head: CapacityApplication | undefined;
  /** The user is at its limit: none of its applications is visited. */
  isParked = false;

  constructor(user: User, partition: number, order: Order, key: Key | undefined) {
    this.user = user;
    this.applications = new OrderedHeap<CapacityApplication>(partition, order, key);
  }
}

/**
 * Every application of the leaf that is active and requests something in the partition is in exactly one place: in the line of its user
 * (which may be parked as a whole), or in `parked`. Only `Parked` moves them.
 */
export class Line {
  /** Lines of users at their limit. */
  readonly parkedUsers = new Set<UserLine>();
  /** Applications that were visited and could not be served. */
  readonly parked = new Set<CapacityApplication>();
  /** Of those, the ones that wait for a larger limit of their user, too. */
  readonly waitingForLimit = new Set<CapacityApplication>();
  /** How many wait for more left to the queue, to reserve another node. */
  waitingForHeadroom = 0;
  /** `Parked` is to compare the users with their limits before the next placement. */
  isToCompare = false;
  readonly users: UserTable;
  readonly #usersHere: PartitionUsers;
  readonly #partition: number;
  readonly #order: Order;
  readonly #key: Key | undefined;
  readonly #byUser = new Map<User, UserLine>();
  readonly #lines: OrderedHeap<UserLine>;
  #head: CapacityApplication | undefined;
  #size = 0;
  /** Version of limits at which the parked users were last compared with theirs. */
  #comparedVersion = -1;

  /** `key`: as of `OrderedHeap`. */
  constructor(users: UserTable, partition: number, order: Order, key: Key | undefined) {
    this.users = users;
    this.#usersHere = users.in(partition);
    this.#partition = partition;
    this.#order = order;
    this.#key = key;
    this.#lines = new OrderedHeap<UserLine>(0, (a, b) => order(a.head!, b.head!), key && ((line) => key(line.head!)));
  }

  /** A limit of a user is what an application or user waits for. */
  get isLimited(): boolean {
    return this.parkedUsers.size > 0 || this.waitingForLimit.size > 0;
  }

  /** Something that limits depend on changed since users were last compared with theirs. */
  takeComparison(): boolean {
    this.isToCompare = false;
    const version = this.users.version + this.#usersHere.charges;
    if (this.#comparedVersion === version) return false;
    this.#comparedVersion = version;
    return true;
  }

  /** How many applications may be visited. */
  get size(): number {
    return this.#size;
  }

  first(): CapacityApplication | undefined {
    return this.#head;
  }

  /** The application stands in the line of its user, parked or not. */
  has(application: CapacityApplication): boolean {
    return (application.places[this.#partition] ?? -1) >= 0;
  }

  /** Adds the application, or moves it to where it belongs now. */
  put(application: CapacityApplication): void {
    const user = application.owner;
    let line = this.#byUser.get(user);
    if (!line) {
      line = new UserLine(user, this.#partition, this.#order, this.#key);
      this.#byUser.set(user, line);
    }
    const before = line.applications.size;
    line.applications.put(application);
    line.head = line.applications.first();
    if (line.isParked) return;
    this.#size += line.applications.size - before;
    this.#lines.put(line);
    this.#head = this.#lines.first()?.head;
  }

  remove(application: CapacityApplication): void {
    const line = this.#byUser.get(application.owner);
    if (!line?.applications.remove(application)) return;
    line.head = line.applications.first();
    if (!line.isParked) this.#size--;
    if (line.applications.size === 0) {
      this.#lines.remove(line);
      this.#byUser.delete(line.user);
      this.parkedUsers.delete(line);
    } else if (!line.isParked) this.#lines.put(line);
    this.#head = this.#lines.first()?.head;
  }

  clear(): void {
    for (const line of this.#byUser.values()) line.applications.clear();
    this.#lines.clear();
    this.#byUser.clear();
    this.parkedUsers.clear();
    this.parked.clear();
    this.waitingForLimit.clear();
    this.waitingForHeadroom = 0;
    this.#comparedVersion = -1;
    this.#head = undefined;
    this.#size = 0;
  }

  parkUser(user: User): UserLine {
    const line = this.#byUser.get(user)!;
    line.isParked = true;
    this.parkedUsers.add(line);
    this.#lines.remove(line);
    this.#head = this.#lines.first()?.head;
    this.#size -= line.applications.size;
    return line;
  }

  unparkUser(line: UserLine): void {
    line.isParked = false;
    this.parkedUsers.delete(line);
    this.#size += line.applications.size;
    this.#lines.put(line);
    this.#head = this.#lines.first()?.head;
  }
}

/** The line of a leaf, in the order of its policy. */
export function newLine(queue: CapacityQueue, partition: number): Line {
  const { settings } = queue;
  return new Line(queue.leaf!.users, partition, servingOrder(settings, partition), servingKey(settings));
}

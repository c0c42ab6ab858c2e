// Who of a leaf asks in one partition: a line for each user, so that a user at its limit steps aside as one, however many
// applications it has.

import { type Member, OrderedHeap } from '../../state/ordered-heap.ts';
import type { CapacityApplication } from '../application.ts';
import type { PartitionUsers, User, UserTable } from '../queues/users.ts';

type Order = (a: CapacityApplication, b: CapacityApplication) => boolean;

/** The applications of one user. */
export class UserLine implements Member {
  readonly places: number[] = [];
  readonly user: User;
  readonly applications: OrderedHeap<CapacityApplication>;
  /** The first of them. */
  head: CapacityApplication | undefined;
  /** At its limit: nobody in it is tried. */
  isAside = false;
  /** What the user holds in the partition, once there is something. */
  used: number[] | undefined;

  constructor(user: User, partition: number, order: Order) {
    this.user = user;
    this.applications = new OrderedHeap<CapacityApplication>(partition, order);
  }
}

/** The applications of a leaf that may be tried, the first by the leaf's order, and those that were tried. */
export class Asking {
  /** The first of those that may be tried. */
  #head: CapacityApplication | undefined;
  #size = 0;
  /** Lines whose user is at its limit. */
  readonly aside = new Set<UserLine>();
  /** How many. */
  usersAside = 0;
  /** Version of limits at which the users aside were last compared with theirs. */
  #comparedVersion = -1;
  /** Tried, and no node had room. */
  noRoom: Set<CapacityApplication> | undefined;
  /** Tried one by one, and their user was at its limit. */
  atLimit: Set<CapacityApplication> | undefined;
  readonly users: UserTable;
  readonly #usersHere: PartitionUsers;
  readonly #partition: number;
  readonly #order: Order;
  readonly #byUser = new Map<User, UserLine>();
  readonly #lines: OrderedHeap<UserLine>;

  constructor(users: UserTable, partition: number, order: Order) {
    this.users = users;
    this.#usersHere = users.in(partition);
    this.#partition = partition;
    this.#order = order;
    this.#lines = new OrderedHeap<UserLine>(0, (a, b) => order(a.head!, b.head!));
  }

  /** Somebody is at its limit. */
  get isLimited(): boolean {
    return this.usersAside > 0 || (this.atLimit?.size ?? 0) > 0;
  }

  /** Nothing that limits depend on changed since users were compared with theirs. */
  get isCompared(): boolean {
    return this.#comparedVersion === this.users.version + this.#usersHere.charges;
  }

  /** Users are compared with their limits now. */
  compared(): void {
    this.#comparedVersion = this.users.version + this.#usersHere.charges;
  }

  /** How many may be tried. */
  get size(): number {
    return this.#size;
  }

  first(): CapacityApplication | undefined {
    return this.#head;
  }

  has(application: CapacityApplication): boolean {
    return (application.places[this.#partition] ?? -1) >= 0;
  }

  /** Adds the application, or moves it to where it belongs now. */
  put(application: CapacityApplication): void {
    const user = application.owner;
    let line = this.#byUser.get(user);
    if (!line) {
      line = new UserLine(user, this.#partition, this.#order);
      this.#byUser.set(user, line);
    }
    const before = line.applications.size;
    line.applications.put(application);
    line.head = line.applications.first();
    if (line.isAside) return;
    this.#size += line.applications.size - before;
    this.#lines.put(line);
    this.#head = this.#lines.first()?.head;
  }

  remove(application: CapacityApplication): boolean {
    const line = this.#byUser.get(application.owner);
    if (!line?.applications.remove(application)) return false;
    line.head = line.applications.first();
    if (!line.isAside) this.#size--;
    if (line.applications.size === 0) {
      this.#lines.remove(line);
      this.#byUser.delete(line.user);
      this.aside.delete(line);
      this.usersAside = this.aside.size;
    } else if (!line.isAside) this.#lines.put(line);
    this.#head = this.#lines.first()?.head;
    return true;
  }

  clear(): void {
    for (const line of this.#byUser.values()) line.applications.clear();
    this.#lines.clear();
    this.#byUser.clear();
    this.aside.clear();
    this.usersAside = 0;
    this.#head = undefined;
    this.#size = 0;
  }

  /** The user is at its limit. */
  stepAside(user: User): UserLine {
    const line = this.#byUser.get(user)!;
    line.isAside = true;
    this.aside.add(line);
    this.usersAside = this.aside.size;
    this.#lines.remove(line);
    this.#head = this.#lines.first()?.head;
    this.#size -= line.applications.size;
    return line;
  }

  /** The user's applications are tried again. */
  bringBack(line: UserLine): void {
    line.isAside = false;
    this.aside.delete(line);
    this.usersAside = this.aside.size;
    this.#size += line.applications.size;
    this.#lines.put(line);
    this.#head = this.#lines.first()?.head;
  }

  /** The line of a user who stepped aside. */
  asideOf(user: User): UserLine | undefined {
    const line = this.#byUser.get(user);
    return line?.isAside ? line : undefined;
  }
}

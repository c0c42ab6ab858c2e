// Applications and the containers they hold, as the scheduler counts them; shared by all policies.

import { type Resource, zeros } from '../../model/resource.ts';
import type { NewApplication } from '../policy.ts';
import { ApplicationContainers } from './container-list.ts';
import type { Reservation, SchedulerNode } from './nodes.ts';
import type { Member } from './ordered-heap.ts';
import { RequestTable } from './requests.ts';

/** A container that runs or is about to. `partition` is the one it is charged to. What its end touches comes first. */
export interface HeldContainer {
  readonly containerId: string;
  readonly application: SchedulerApplication;
  readonly node: SchedulerNode;
  readonly resource: Resource;
  partition: number;
  /** Neighbours in the lists of its application and of its node. */
  previousOfApplication: HeldContainer | undefined;
  nextOfApplication: HeldContainer | undefined;
  previousOnNode: HeldContainer | undefined;
  nextOnNode: HeldContainer | undefined;
  readonly isMaster: boolean;
  readonly tags: readonly string[];
  attemptId: string;
  readonly priority: number;
  /** Order of its allocation among all containers. */
  readonly order: number;
  /** Chosen by preemption, not yet ended. */
  marked: boolean;
}

type Kind = 'used' | 'reserved' | 'pending';

const kinds: Readonly<Record<Kind, number>> = { used: 0, reserved: 1, pending: 2 };
const kindCount = 3;

/** Sums by partition, kind and type in one list, so that they are found with few waits for memory. */
export class Counts {
  /** It begins with what is used of the default partition. */
  sums: number[];
  readonly #types: number;
  /** Something was counted in the default partition; the others in which something was. */
  #isInDefault = false;
  readonly #others: number[] = [];

  constructor(types: number) {
    this.#types = types;
    this.sums = zeros(types * kindCount);
  }

  /** `times` may be negative. */
  add(kind: Kind, partition: number, amount: Resource, times: number): void {
    if (partition === 0) this.#isInDefault = true;
    else if (!this.#others.includes(partition)) this.#enter(partition);
    const from = this.#place(kind, partition);
    for (let i = 0; i < amount.length; i++) this.sums[from + i]! += amount[i]! * times;
  }

  /** Something was counted in the partition. */
  has(partition: number): boolean {
    return partition === 0 ? this.#isInDefault : this.#others.includes(partition);
  }

  amount(kind: Kind, partition: number, type: number): number {
    return this.sums[this.#place(kind, partition) + type] ?? 0;
  }

  /** The sums of a partition, as a vector of their own. */
  of(kind: Kind, partition: number): number[] {
    const vector = zeros(this.#types);
    for (let type = 0; type < vector.length; type++) vector[type] = this.amount(kind, partition, type);
    return vector;
  }

  total(kind: Kind): number[] {
    const result = zeros(this.#types);
    for (const partition of [0, ...this.#others])
      for (let type = 0; type < result.length; type++) result[type]! += this.amount(kind, partition, type);
    return result;
  }

  #place(kind: Kind, partition: number): number {
    return (partition * kindCount + kinds[kind]) * this.#types;
  }

  #enter(partition: number): void {
    this.#others.push(partition);
    const missing = this.#place('used', partition + 1) - this.sums.length;
    if (missing > 0) this.sums = [...this.sums, ...zeros(missing)];
  }
}

const nowhere: ReadonlySet<string> = new Set();

/** The attempt that asks now. */
export class SchedulerAttempt {
  readonly attemptId: string;
  readonly application: SchedulerApplication;
  readonly requests = new RequestTable();
  /** Places it does not want; most have none. */
  blacklist: ReadonlySet<string> = nowhere;
  readonly reservations = new Set<Reservation>();
  /** Its master has been given a container, or it needs none. */
  masterPlaced = false;

  constructor(attemptId: string, application: SchedulerApplication) {
    this.attemptId = attemptId;
    this.application = application;
  }

  changeBlacklist(add: readonly string[], remove: readonly string[]): void {
    const places = new Set([...this.blacklist, ...add]);
    for (const place of remove) places.delete(place);
    this.blacklist = places.size > 0 ? places : nowhere;
  }
}

/** One application. Policies extend it with what their order needs. */
export class SchedulerApplication implements Member {
  // What each placement touches comes first.
  attempt: SchedulerAttempt | undefined;
  readonly counts: Counts;
  readonly containers = new ApplicationContainers();
  pendingContainers = 0;
  heldContainers = 0;
  reservedContainers = 0;
  readonly places: number[] = [];
  priority: number;
  /** Order of arrival: the number inside the id first, then this policy's own count. */
  readonly order: number;
  readonly applicationId: string;
  readonly user: string;
  readonly submitTimeMs: number;
  readonly unmanaged: boolean;
  readonly labelExpression: string;
  readonly tags: readonly string[];

  constructor(application: NewApplication, order: number, types: number) {
    this.applicationId = application.applicationId;
    this.user = application.user;
    this.order = order;
    this.priority = application.priority;
    this.submitTimeMs = application.submitTimeMs;
    this.unmanaged = application.unmanaged;
    this.labelExpression = application.labelExpression ?? '';
    this.tags = application.tags ?? [];
    this.counts = new Counts(types);
  }
}

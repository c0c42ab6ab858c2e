// One queue of the capacity policy with what it holds per partition; leaves add applications and users.

import { addInto, type Resource, subtractFrom, zeros } from '../../../model/resource.ts';
import { type Calculator, float, isNothing } from '../../state/calculator.ts';
import type { SchedulerNode } from '../../state/model.ts';
import { type Member, OrderedHeap } from '../../state/ordered-heap.ts';
import type { CapacityApplication } from '../application.ts';
import type { Line } from '../cycle/line.ts';
import type { VectorEntry } from '../settings/capacity-value.ts';
import type { QueueSettings } from '../settings/queue-settings.ts';
import type { UserTable } from './users.ts';

/**
 * A queue in one partition: what it is guaranteed, what it holds, what waits in it. Shares are float32 fractions.
 */
export interface QueueShare {
  readonly used: number[];
  /** used / guaranteed, for the order among siblings. */
  usedRatio: number;
  effectiveMinimum: number[];
  effectiveMaximum: number[];
  /** What it may hold in all, as of the last visit, and whether its own maximum was what limits it then. */
  readonly limit: number[];
  atOwnMaximum: boolean;
  /** Of a leaf: active applications with requests. */
  line: Line | undefined;
  /** Of a parent: children to be visited; children that are parked. `Parked` alone moves them, and keeps the members up to `kept`. */
  askingChildren: OrderedHeap<CapacityQueue> | undefined;
  parkedChildren: Set<CapacityQueue> | undefined;
  /** Of a parent: children in which something is reserved. */
  reservingChildren: Set<CapacityQueue> | undefined;
  /** The sum of what its parked children keep from their siblings. */
  readonly blocked: number[];
  /** limit − used at the last visit. */
  readonly room: number[];
  /** Applications in the queue and below that were visited and found no node: how many, and bounds of what they request. */
  parkedCount: number;
  readonly leastParked: number[];
  readonly mostParked: number[];
  /** Why it is parked among its siblings, as a bit of `cycle/parked-reasons.ts`, 0 when it is not; what it keeps from them then. */
  parkedAs: number;
  kept: Resource | undefined;
  /** Of a leaf that keeps headroom: the application it is kept for, where other requests of it wait for something else. */
  keeper: CapacityApplication | undefined;
  readonly pending: number[];
  readonly reserved: number[];
  /** Those that run, that nodes are kept for, and that are asked for. */
  allocatedContainers: number;
  reservedContainers: number;
  pendingContainers: number;
  /** Something was counted here, so it is listed among the used partitions. */
  touched: boolean;
  /** Containers stood here at some time, or something was counted when sizes were last worked out: its capacities are listed, also without settings of their own. */
  charged: boolean;
  capacity: number;
  maximumCapacity: number;
  absoluteCapacity: number;
  absoluteMaximumCapacity: number;
  weight: number;
  normalizedWeight: number;
  amShare: number;
  vector: readonly VectorEntry[];
  configuredMinimum: Resource | undefined;
  configuredMaximum: Resource | undefined;
  /** Undefined until the partition's size was seen: shown with the configured bounds. */
  effectiveKnown: boolean;
  readonly amUsed: number[];
  amLimit: Resource;
  userAmLimit: Resource;
}

export const emptyShare = (types: number): QueueShare => ({
  used: zeros(types),
  usedRatio: 0,
  effectiveMinimum: zeros(types),
  effectiveMaximum: zeros(types),
  limit: zeros(types),
  atOwnMaximum: false,
  line: undefined,
  askingChildren: undefined,
  parkedChildren: undefined,
  reservingChildren: undefined,
  blocked: zeros(types),
  room: zeros(types),
  parkedCount: 0,
  leastParked: zeros(types),
  mostParked: zeros(types),
  parkedAs: 0,
  kept: undefined,
  keeper: undefined,
  pending: zeros(types),
  reserved: zeros(types),
  allocatedContainers: 0,
  reservedContainers: 0,
  pendingContainers: 0,
  touched: false,
  charged: false,
  capacity: 0,
  maximumCapacity: 1,
  absoluteCapacity: 0,
  absoluteMaximumCapacity: 0,
  weight: -1,
  normalizedWeight: 0,
  amShare: 0,
  vector: [],
  configuredMinimum: undefined,
  configuredMaximum: undefined,
  effectiveKnown: false,
  amUsed: zeros(types),
  amLimit: zeros(types),
  userAmLimit: zeros(types),
});

export type QueueState = 'RUNNING' | 'STOPPED' | 'DRAINING';

/** What only leaves have. */
export interface LeafPart {
  readonly users: UserTable;
  readonly applications: Set<CapacityApplication>;
  /** Waiting for activation, in order. */
  readonly waiting: CapacityApplication[];
  readonly active: Set<CapacityApplication>;
  /** Held back by max-parallel-apps. */
  readonly heldBack: CapacityApplication[];
  maximumApplications: number;
  maximumApplicationsPerUser: number;
  /** How far the queue may go in the default partition, as of its last visit: what clients see. */
  currentLimit: Resource;
  /** The same as of its last placement or change of sizes, or when an application came while others waited: shares for masters are parts of it. */
  readonly reachable: number[];
  /** How many containers and reservations it was given. */
  servings: number;
  /** Of the last one. */
  lastServing: Serving | undefined;
}

/** What a leaf was given: all who stood before whoever was served were looked at on that node, too. */
export interface Serving {
  readonly partition: number;
  /** The place of who was served. */
  readonly priority: number;
  readonly order: number;
  /** The node and what it had left before; undefined for a reservation. */
  readonly node: SchedulerNode | undefined;
  readonly available: Resource;
}

export class CapacityQueue implements Member {
  readonly parent: CapacityQueue | undefined;
  /** Undefined for parents. */
  leaf: LeafPart | undefined;
  /** In the default partition. */
  readonly #share: QueueShare;
  readonly places: number[] = [];
  /** The order of its applications depends on what they hold. */
  #isFairlyOrdered = false;
  /** In all partitions, what is reserved counted in. */
  containers = 0;
  readonly path: string;
  #settings: QueueSettings;
  readonly shares: QueueShare[];
  readonly name: string;
  children: CapacityQueue[] = [];
  state: QueueState = 'RUNNING';
  readonly depth: number;
  #sequence: number;
  #childrenMade = 0;
  /** By partition. */
  readonly #orders: ((a: CapacityQueue, b: CapacityQueue) => boolean)[] = [];
  /** Applications in the queue and below, submitted and not ended. */
  applicationCount = 0;
  runningApplications = 0;
  lastUsedMs = Number.NEGATIVE_INFINITY;
  readonly #types: number;

  constructor(settings: QueueSettings, parent: CapacityQueue | undefined, types: number) {
    this.#share = emptyShare(types);
    this.shares = [this.#share];
    this.#settings = settings;
    this.settings = settings;
    this.path = settings.path;
    this.name = settings.name;
    this.parent = parent;
    this.depth = parent ? parent.depth + 1 : 0;
    this.#sequence = parent ? parent.#childrenMade++ : 0;
    this.#types = types;
  }

  share(partition: number): QueueShare {
    return partition === 0 ? this.#share : (this.shares[partition] ??= emptyShare(this.#types));
  }

  /** The partition is another one from now on; nothing is counted in it here. */
  forgetPartition(partition: number): void {
    const before = this.shares[partition];
    // Those that were still to be visited know their places in it.
    before?.askingChildren?.clear();
    if (before) this.shares[partition] = emptyShare(this.#types);
    this.leaf?.users.forgetPartition(partition);
  }

  get settings(): QueueSettings {
    return this.#settings;
  }

  set settings(settings: QueueSettings) {
    this.#settings = settings;
    this.#isFairlyOrdered = settings.orderingPolicy === 'fair';
    this.#orders.length = 0;
  }

  /** Its place among its parent's children: decides between equals. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Those that it has after a change, in their order; later ones come behind them. */
  replaceChildren(children: CapacityQueue[]): void {
    this.children = children;
    for (const [place, child] of children.entries()) child.#sequence = place;
    this.#childrenMade = children.length;
  }

  get isFairlyOrdered(): boolean {
    return this.#isFairlyOrdered;
  }

  get isLeaf(): boolean {
    return this.leaf !== undefined;
  }

  /** The order of its children, whichever of them request something. */
  order(partition: number): (a: CapacityQueue, b: CapacityQueue) => boolean {
    return (this.#orders[partition] ??= queueOrder(this.settings.orderingPolicy, partition));
  }

  /** Children below which something is requested, ordered as the queue's policy wants. */
  asking(partition: number): OrderedHeap<CapacityQueue> {
    return (this.share(partition).askingChildren ??= new OrderedHeap<CapacityQueue>(
      partition,
      this.order(partition),
      queueKey(this.settings.orderingPolicy, partition),
    ));
  }

  /** All queues of the subtree, this one first. */
  *walk(): Generator<CapacityQueue> {
    yield this;
    for (const child of this.children) yield* child.walk();
  }
}

/** Hadoop's PriorityUtilizationQueueOrderingPolicy: below their guarantee first, then priority, then the least used, then the larger, then the one that stands first. */
export function queueOrder(policy: string, partition: number): (a: CapacityQueue, b: CapacityQueue) => boolean {
  const byPriority = policy === 'priority-utilization';
  return (a, b) => {
    const shareOfA = a.share(partition);
    const shareOfB = b.share(partition);
    if (byPriority && a.settings.queuePriority !== b.settings.queuePriority) {
      const aBelow = shareOfA.usedRatio < 1;
      const bBelow = shareOfB.usedRatio < 1;
      if (aBelow !== bBelow) return aBelow;
      return a.settings.queuePriority > b.settings.queuePriority;
    }
    if (shareOfA.usedRatio !== shareOfB.usedRatio) return shareOfA.usedRatio < shareOfB.usedRatio;
    if (shareOfA.absoluteCapacity !== shareOfB.absoluteCapacity) return shareOfA.absoluteCapacity > shareOfB.absoluteCapacity;
    return a.sequence < b.sequence;
  };
}

/** What decides first in that order, as a number: where priorities count, being below the guarantee and then the priority. */
function queueKey(policy: string, partition: number): (queue: CapacityQueue) => number {
  if (policy !== 'priority-utilization') return (queue) => queue.share(partition).usedRatio;
  return (queue) => (queue.share(partition).usedRatio < 1 ? 0 : aboveAllPriorities) - queue.settings.queuePriority;
}

/** More than priorities, which are integers of 32 bits, can differ by. */
const aboveAllPriorities = 2 ** 33;

/** Charges (or gives back) in the queue and all above it and keeps the order among siblings. */
export function chargeUsed(
  queue: CapacityQueue,
  partition: number,
  amount: Resource,
  sign: 1 | -1,
  containers: number,
  calculator: Calculator,
  total: Resource,
  minimum: Resource,
): void {
  for (let at: CapacityQueue | undefined = queue; at; at = at.parent) {
    const share = at.share(partition);
    if (sign > 0) addInto(share.used, amount);
    else subtractFrom(share.used, amount);
    share.touched = true;
    share.charged = true;
    at.containers += containers;
    share.allocatedContainers += containers;
    refreshUsedRatio(share, calculator, total, minimum);
    if (at.parent) {
      const heap: OrderedHeap<CapacityQueue> | undefined = at.parent.share(partition).askingChildren;
      if (heap?.has(at)) heap.put(at);
    }
  }
}

/** Counts a reservation (or its end) in the queue and all above it. */
export function chargeReserved(queue: CapacityQueue, partition: number, amount: Resource, sign: 1 | -1): void {
  for (let at: CapacityQueue | undefined = queue; at; at = at.parent) {
    at.containers += sign;
    const share = at.share(partition);
    share.reservedContainers += sign;
    const { reserved } = share;
    if (sign > 0) addInto(reserved, amount);
    else subtractFrom(reserved, amount);
    if (!at.parent) continue;
    const ofParent = at.parent.share(partition);
    if (!isNothing(reserved)) (ofParent.reservingChildren ??= new Set()).add(at);
    else ofParent.reservingChildren?.delete(at);
  }
}

/** used / max(guaranteed, minimum allocation) as shares of the partition. */
export function refreshUsedRatio(share: QueueShare, calculator: Calculator, total: Resource, minimum: Resource): void {
  share.usedRatio = calculator.empty(total) ? 0 : calculator.divide(total, share.used, guaranteedOf(share, calculator, total, minimum));
}

const guaranteedOf = (share: QueueShare, calculator: Calculator, total: Resource, minimum: Resource): Resource =>
  calculator.compare(total, share.effectiveMinimum, minimum) >= 0 ? share.effectiveMinimum : minimum;

/** Used shares as Hadoop shows them: of the guarantee (or of a template's where that is 0) and of the partition; float32 fractions. */
export function usedCapacities(
  share: QueueShare,
  calculator: Calculator,
  total: Resource,
  minimum: Resource,
  instead?: Resource,
): { used: number; absoluteUsed: number } {
  if (calculator.empty(total)) return { used: 0, absoluteUsed: 0 };
  let guaranteed: Resource = instead ?? share.effectiveMinimum;
  if (calculator.compare(total, guaranteed, minimum) < 0) guaranteed = minimum;
  return {
    used: float(calculator.divide(total, share.used, guaranteed)),
    absoluteUsed: float(calculator.divide(total, share.used, total)),
  };
}

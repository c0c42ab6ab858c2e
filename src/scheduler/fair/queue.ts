// A queue of the fair policy, its applications, and in which order they are served.

import { type Resource, type ResourceTypes, zeros } from '../../model/resource.ts';
import type { NewApplication } from '../entries.ts';
import { SchedulerApplication } from '../state/model.ts';
import { type Member, OrderedHeap } from '../state/ordered-heap.ts';
import type { FairQueueSettings } from './allocations.ts';
import { type ConfigurableAmount, resolveAmount } from './amounts.ts';
import type { SharePolicy } from './elements.ts';
import { computeShares, type Sharer } from './shares.ts';

export type FairReason = 'none' | 'am-share' | 'queue-limit' | 'user-limit' | 'reserved' | 'not-reserved' | 'maximum';

export class FairApplication extends SchedulerApplication implements Sharer {
  queue: FairQueue;
  readonly share: number[];
  isRunnable = false;
  /** Its master runs: counted in the AM use of its queue. */
  masterRuns = false;
  masterSize: Resource = [];
  reason: FairReason = 'none';
  reasonAtMs = 0;
  /** Starving since, by the fair share. */
  atShareMs: number;

  constructor(application: NewApplication, order: number, types: number, queue: FairQueue, nowMs: number) {
    super(application, order, types);
    this.queue = queue;
    this.share = zeros(types);
    this.atShareMs = nowMs;
  }

  /** 1, or with `sizebasedweight` the larger the more memory it holds and wants. */
  get weight(): number {
    if (!this.queue.sizeBasedWeight) return 1;
    return Math.log1p(this.counts.amount('used', 0, 0) + this.counts.amount('pending', 0, 0)) / Math.LN2;
  }
  get takesPart(): boolean {
    return true;
  }
  minimumOf(): number {
    return 0;
  }
  maximumOf(): number {
    return Number.MAX_SAFE_INTEGER;
  }
  setShare(type: number, value: number): void {
    this.share[type] = value;
  }
}

/** Numbers every queue of one policy shares. */
export interface FairWorld {
  readonly types: ResourceTypes;
  /** `yarn.scheduler.fair.sizebasedweight`. */
  readonly sizeBasedWeight: boolean;
  cluster(): Resource;
}

export class FairQueue implements Member, Sharer {
  readonly places: number[] = [];
  readonly path: string;
  readonly parent: FairQueue | undefined;
  readonly isLeaf: boolean;
  settings: FairQueueSettings;
  readonly children: FairQueue[] = [];
  readonly applications: FairApplication[] = [];
  readonly used: number[];
  readonly reserved: number[];
  readonly pending: number[];
  readonly amUsed: number[];
  amMaximum: Resource;
  readonly fair: number[];
  readonly steady: number[];
  runnable = 0;
  allocatedContainers = 0;
  pendingContainers = 0;
  reservedContainers = 0;
  readonly askingQueues: OrderedHeap<FairQueue>;
  readonly asking: OrderedHeap<FairApplication>;
  /** When its last application left. */
  unusedSinceMs = 0;
  passedOver: (FairQueue | FairApplication)[] = [];
  atMinimumMs: number;
  readonly #world: FairWorld;

  constructor(settings: FairQueueSettings, parent: FairQueue | undefined, isLeaf: boolean, world: FairWorld, nowMs: number) {
    this.settings = settings;
    this.path = settings.path;
    this.parent = parent;
    this.isLeaf = isLeaf;
    this.#world = world;
    const { count } = world.types;
    this.used = zeros(count);
    this.reserved = zeros(count);
    this.pending = zeros(count);
    this.amUsed = zeros(count);
    this.amMaximum = zeros(count);
    this.fair = zeros(count);
    this.steady = zeros(count);
    this.atMinimumMs = nowMs;
    this.askingQueues = new OrderedHeap<FairQueue>(0, (a, b) => beforeQueue(this.settings.policy, a, b, world));
    this.asking = new OrderedHeap<FairApplication>(0, (a, b) => beforeApplication(this.settings.policy, a, b, world));
  }

  /** Orders queues and applications anew: the policy or weights changed. */
  reorder(): void {
    reorder(this.askingQueues);
    reorder(this.asking);
  }

  get sizeBasedWeight(): boolean {
    return this.#world.sizeBasedWeight;
  }
  get weight(): number {
    return this.settings.weight;
  }
  get takesPart(): boolean {
    return this.runnable > 0;
  }

  minimumOf(type: number): number {
    return this.#resolved(this.settings.minimum)?.[type] ?? 0;
  }
  maximumOf(type: number): number {
    const most = this.#resolved(this.settings.maximum)?.[type] ?? Number.MAX_SAFE_INTEGER;
    return Math.max(most, this.minimumOf(type));
  }
  setShare(type: number, value: number): void {
    this.fair[type] = value;
  }

  minimum(): number[] {
    return this.fair.map((_, type) => this.minimumOf(type));
  }
  maximum(): number[] {
    return this.fair.map((_, type) => this.maximumOf(type));
  }

  /** Everything held and wanted, not above the maximum. */
  demand(): number[] {
    const wanted = this.isLeaf
      ? this.used.map((value, i) => value + this.pending[i]!)
      : this.children.reduce((sum, child) => child.demand().map((value, i) => value + sum[i]!), zeros(this.used.length));
    return wanted.map((value, i) => Math.min(value, this.maximumOf(i)));
  }

  *walk(): Generator<FairQueue> {
    yield this;
    for (const child of this.children) yield* child.walk();
  }

  #resolved(amount: ConfigurableAmount | undefined): Resource | undefined {
    return amount && resolveAmount(amount, this.#world.cluster());
  }
}

function reorder<T extends Member>(heap: OrderedHeap<T>): void {
  const members = [...heap.items()];
  heap.clear();
  for (const member of members) heap.put(member);
}

/** Shares of the whole tree: momentary ones among queues with applications, steady ones among all. */
export function shareOut(queue: FairQueue, steadyToo: boolean): void {
  const types = queue.settings.policy === 'drf' ? queue.fair.map((_, type) => type) : [0];
  for (const type of types) {
    if (queue.isLeaf) continue;
    computeShares(queue.children, queue.fair[type]!, type, false);
    if (steadyToo) computeShares(queue.children.map(steadily), queue.steady[type]!, type, true);
  }
  for (const child of queue.children) shareOut(child, steadyToo);
}

/** Shares of all applications, from those of their queues. */
export function shareToApplications(root: FairQueue): void {
  for (const queue of root.walk()) {
    if (!queue.isLeaf) continue;
    const runnable = queue.applications.filter((application) => application.isRunnable);
    for (const type of queue.settings.policy === 'drf' ? queue.fair.keys() : [0]) {
      if (queue.settings.policy === 'fifo') shareInLine(runnable, queue.fair[type]!, type);
      else computeShares(runnable, queue.fair[type]!, type, false);
    }
  }
}

/** The first takes what it wants of the share, then the next. */
function shareInLine(applications: readonly FairApplication[], total: number, type: number): void {
  const [first, ...others] = [...applications].sort((a, b) => a.order - b.order);
  first?.setShare(type, total);
  for (const other of others) other.setShare(type, 0);
}

const steadily = (queue: FairQueue): Sharer => ({
  weight: queue.weight,
  takesPart: true,
  minimumOf: (type) => queue.minimumOf(type),
  maximumOf: (type) => queue.maximumOf(type),
  setShare: (type, value) => {
    queue.steady[type] = value;
  },
});

// ---- order

/** Below its minimum first, then the least use for its weight; under drf by dominant shares; ties by name. */
function beforeQueue(policy: SharePolicy, a: FairQueue, b: FairQueue, world: FairWorld): boolean {
  const order = policy === 'drf' ? compareDominant(a.used, b.used, a, b, world.cluster()) : compareMemory(a.used[0]!, b.used[0]!, a, b);
  return order !== 0 ? order < 0 : a.path < b.path;
}

function beforeApplication(policy: SharePolicy, a: FairApplication, b: FairApplication, world: FairWorld): boolean {
  if (policy === 'fifo') return a.order < b.order;
  // They begin with what is used of the default partition.
  const usedByA = a.counts.sums;
  const usedByB = b.counts.sums;
  const order = policy === 'drf' ? compareDominant(usedByA, usedByB, a, b, world.cluster()) : compareMemory(usedByA[0]!, usedByB[0]!, a, b);
  return order !== 0 ? order < 0 : a.order < b.order;
}

function compareMemory(usedByA: number, usedByB: number, a: Sharer, b: Sharer): number {
  const minimumOfA = a.minimumOf(0);
  const minimumOfB = b.minimumOf(0);
  const aNeedy = usedByA < minimumOfA;
  const bNeedy = usedByB < minimumOfB;
  if (aNeedy !== bNeedy) return aNeedy ? -1 : 1;
  if (aNeedy) return usedByA / Math.max(minimumOfA, 1) - usedByB / Math.max(minimumOfB, 1);
  return ratioToWeight(usedByA, a.weight) - ratioToWeight(usedByB, b.weight);
}

const ratioToWeight = (used: number, weight: number): number => (weight > 0 ? used / weight : used > 0 ? Number.MAX_VALUE : 0);

function compareDominant(usedByA: Resource, usedByB: Resource, a: Sharer, b: Sharer, cluster: Resource): number {
  const ofA = dominant(usedByA, cluster);
  const ofB = dominant(usedByB, cluster);
  const aNeedy = usedByA[ofA.type]! < a.minimumOf(ofA.type);
  const bNeedy = usedByB[ofB.type]! < b.minimumOf(ofB.type);
  if (aNeedy !== bNeedy) return aNeedy ? -1 : 1;
  return ratioToWeight(ofA.share, a.weight) - ratioToWeight(ofB.share, b.weight);
}

function dominant(used: Resource, cluster: Resource): { type: number; share: number } {
  let type = 0;
  let share = -1;
  for (let i = 0; i < cluster.length; i++) {
    const part = cluster[i]! > 0 ? used[i]! / cluster[i]! : 0;
    if (part > share) {
      share = part;
      type = i;
    }
  }
  return { type, share };
}

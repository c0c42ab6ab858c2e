// The queues of the fair policy: those of the file, and those made by submitting to them.

import { ConfigurationRefused } from '../policy.ts';
import { inHashOrder } from '../state/java-order.ts';
import { type Allocations, anybodyReserves, type FairQueueSettings, mayBeBelow } from './allocations.ts';
import { FairQueue, type FairWorld } from './queue.ts';

const unusedMs = 10_000;

export class FairTree {
  readonly root: FairQueue;
  #allocations: Allocations;
  readonly #world: FairWorld;
  readonly #now: () => number;
  readonly #byPath = new Map<string, FairQueue>();
  #configured: ReadonlyMap<string, FairQueueSettings>;
  /** Weights that plans give the children of reservable queues, by path. */
  readonly #entitlements = new Map<string, number>();

  constructor(allocations: Allocations, world: FairWorld, now: () => number) {
    this.#allocations = allocations;
    this.#world = world;
    this.#now = now;
    this.#configured = new Map(allocations.queues.map((queue) => [queue.path, queue]));
    this.root = this.#add(this.#configured.get('root')!, undefined, false);
    this.#obtainConfigured();
  }

  /** The queues of the file, leaves first, each with its parents; without any the default queue. */
  #obtainConfigured(): void {
    const paths = this.#allocations.queues.filter(({ path }) => path !== 'root');
    for (const isLeaf of [true, false]) {
      for (const { path } of inHashOrder(
        paths.filter(({ isParent }) => isParent !== isLeaf),
        ({ path }) => path,
      ))
        this.obtain(path, isLeaf);
    }
    if (paths.length === 0) this.obtain('root.default', true);
  }

  /** Takes over another file, keeping what queues hold. @throws ConfigurationRefused where a queue in use would go; nothing is changed then */
  replace(allocations: Allocations): void {
    const configured = new Map(allocations.queues.map((queue) => [queue.path, queue]));
    const going: FairQueue[] = [];
    for (const queue of this.root.walk()) {
      if (!queue.parent || going.some((gone) => queue.path.startsWith(`${gone.path}.`))) continue;
      const before = this.#configured.has(queue.path);
      const after = configured.get(queue.path);
      const declaredBelow = [...configured.keys()].some((path) => path.startsWith(`${queue.path}.`));
      if (after ? after.isParent === queue.isLeaf : queue.isLeaf ? declaredBelow || before : before && !declaredBelow)
        refuseIfUsed(queue, after ? 'changes between leaf and parent' : declaredBelow ? 'becomes a parent' : 'is no longer there');
      else if (!after || mayBeBelow((configured.get(queue.parent.path) ?? queue.parent.settings).policy, after.policy)) continue;
      else refuseIfUsed(queue, `has the policy ${after.policy}, which its parent's does not allow`);
      going.push(queue);
    }
    this.#allocations = allocations;
    this.#configured = configured;
    for (const queue of going) this.#drop(queue);
    for (const queue of this.root.walk()) {
      queue.settings = configured.get(queue.path) ?? this.#undeclared(queue.path, queue.parent!);
      queue.reorder();
    }
    this.#obtainConfigured();
  }

  get(name: string): FairQueue | undefined {
    return this.#byPath.get(name === 'root' || name.startsWith('root.') ? name : `root.${name}`);
  }

  /** The queue at the path, made with its parents where they are missing; undefined where that is not allowed. */
  obtain(path: string, isLeaf: boolean): FairQueue | undefined {
    const known = this.#byPath.get(path);
    if (known) return known;
    const dot = path.lastIndexOf('.');
    if (dot < 0) return undefined;
    const parent = this.#byPath.get(path.slice(0, dot)) ?? this.obtain(path.slice(0, dot), false);
    if (!parent || parent.isLeaf) return undefined;
    const settings = this.#configured.get(path) ?? this.#undeclared(path, parent);
    if (!mayBeBelow(parent.settings.policy, settings.policy)) return undefined;
    return this.#add(settings, parent, isLeaf && !settings.isParent);
  }

  /** Drops queues made by submitting to them that have been empty for ten seconds; tells whether there were any. */
  forgetUnused(nowMs: number): boolean {
    let forgot = false;
    for (const queue of [...this.#byPath.values()]) {
      if (!queue.parent || this.#configured.has(queue.path) || this.#configured.size <= 1) continue;
      if (queue.parent.settings.isReservable && this.#entitlements.has(queue.path)) continue;
      if (queue.children.length + queue.applications.length > 0 || nowMs - queue.unusedSinceMs < unusedMs) continue;
      this.#drop(queue);
      forgot = true;
    }
    return forgot;
  }

  /** Gives the child of a reservable queue its weight; it is made where it is missing. Tells whether anything changed. */
  entitle(path: string, weight: number): boolean {
    const known = this.#byPath.get(path);
    if (known && this.#entitlements.get(path) === weight) return false;
    this.#entitlements.set(path, weight);
    if (known) known.settings = { ...known.settings, weight };
    else this.obtain(path, true);
    known?.parent?.reorder();
    return true;
  }

  /** Has every queue of another tree of the same file, as it is there: what was made by itself, what plans gave. */
  obtainAll(other: FairTree): void {
    for (const [path, weight] of other.#entitlements) this.#entitlements.set(path, weight);
    for (const { path, isLeaf, settings } of other.root.walk()) {
      const queue = this.obtain(path, isLeaf);
      if (queue) queue.settings = settings;
    }
    for (const queue of this.root.walk()) queue.reorder();
  }

  /** Drops a queue that holds nothing. */
  remove(queue: FairQueue): boolean {
    this.#entitlements.delete(queue.path);
    this.#drop(queue);
    return true;
  }

  #drop(queue: FairQueue): void {
    const { parent } = queue;
    parent?.children.splice(parent.children.indexOf(queue), 1);
    parent?.askingQueues.remove(queue);
    if (parent) parent.passedOver = parent.passedOver.filter((item) => item !== queue);
    for (const below of queue.walk()) this.#byPath.delete(below.path);
  }

  #add(settings: FairQueueSettings, parent: FairQueue | undefined, isLeaf: boolean): FairQueue {
    const queue = new FairQueue(settings, parent, isLeaf, this.#world, this.#now());
    queue.unusedSinceMs = this.#now();
    parent?.children.push(queue);
    this.#byPath.set(settings.path, queue);
    return queue;
  }

  #undeclared(path: string, parent: FairQueue): FairQueueSettings {
    const { policyDefault, queueMaximumDefault, amShareDefault, queueMaximumResourcesDefault } = this.#allocations;
    return {
      path,
      isParent: false,
      isReservable: false,
      reservationAccess: anybodyReserves,
      policy: policyDefault,
      weight: this.#entitlements.get(path) ?? 1,
      minimum: undefined,
      maximum: parent.settings.maximumChild ?? queueMaximumResourcesDefault,
      maximumChild: undefined,
      maximumContainer: undefined,
      maximumRunning: queueMaximumDefault,
      amShare: amShareDefault,
      submit: undefined,
      administer: undefined,
      preemptable: true,
      minimumSharePreemptionTimeoutMs: undefined,
      fairSharePreemptionTimeoutMs: undefined,
      fairSharePreemptionThreshold: undefined,
    };
  }
}

function refuseIfUsed(queue: FairQueue, change: string): void {
  const applications = [...queue.walk()].reduce((sum, below) => sum + below.applications.length, 0);
  if (applications === 0) return;
  throw new ConfigurationRefused(`Queue ${queue.path} ${change}, but has ${applications} applications`, {
    key: `queue ${queue.path}`,
    remedy: 'Keep it as it is until they have ended or were moved.',
  });
}

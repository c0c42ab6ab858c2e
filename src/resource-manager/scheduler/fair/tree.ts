// The queues of the fair policy: those of the file, and those made by submitting to them.

import { inHashOrder } from '../java-order.ts';
import type { Allocations, FairQueueSettings } from './allocations.ts';
import { FairQueue, type FairWorld } from './queue.ts';

const unusedMs = 10_000;

export class FairTree {
  readonly root: FairQueue;
  readonly #allocations: Allocations;
  readonly #world: FairWorld;
  readonly #now: () => number;
  readonly #byPath = new Map<string, FairQueue>();
  readonly #configured: ReadonlyMap<string, FairQueueSettings>;

  constructor(allocations: Allocations, world: FairWorld, now: () => number) {
    this.#allocations = allocations;
    this.#world = world;
    this.#now = now;
    this.#configured = new Map(allocations.queues.map((queue) => [queue.path, queue]));
    this.root = this.#add(this.#configured.get('root')!, undefined, false);
    const paths = allocations.queues.filter(({ path }) => path !== 'root');
    for (const { path } of inHashOrder(
      paths.filter((queue) => !queue.isParent),
      ({ path }) => path,
    ))
      this.obtain(path, true);
    for (const { path } of inHashOrder(
      paths.filter((queue) => queue.isParent),
      ({ path }) => path,
    ))
      this.obtain(path, false);
    if (paths.length === 0) this.obtain('root.default', true);
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
      if (queue.children.length + queue.applications.length > 0 || nowMs - queue.unusedSinceMs < unusedMs) continue;
      queue.parent.children.splice(queue.parent.children.indexOf(queue), 1);
      this.#byPath.delete(queue.path);
      forgot = true;
    }
    return forgot;
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
      policy: policyDefault,
      weight: 1,
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

/** A memory-only parent cannot share out for a child that looks at all resources; fifo is for leaves. */
const mayBeBelow = (parent: string, child: string): boolean => parent !== 'fifo' && !(parent === 'fair' && child === 'drf');

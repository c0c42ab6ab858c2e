// Automatic queues that are out of use go (Hadoop's AutoCreatedQueueDeletionPolicy): an empty one is marked in one round and deleted in the
// next, once nothing was submitted to it for the expiry time. Parents follow their last child.

import { clusterOptions } from '../settings/cluster-options.ts';
import type { CapacityQueue } from './queue.ts';
import type { QueueTree } from './tree.ts';

export class QueueExpiry {
  readonly #tree: QueueTree;
  readonly #now: () => number;
  #nextMs: number;
  #marked = new Set<string>();

  constructor(tree: QueueTree, now: () => number) {
    this.#tree = tree;
    this.#now = now;
    this.#nextMs = now() + this.#expiryMs;
  }

  get nextMs(): number {
    return this.#nextMs;
  }

  /** One round, when it is due; tells whether queues went. */
  run(): boolean {
    const nowMs = this.#now();
    if (nowMs < this.#nextMs) return false;
    this.#nextMs = nowMs + this.#expiryMs;
    const marked = new Set<string>();
    const going: CapacityQueue[] = [];
    for (const queue of this.#tree.root.walk()) {
      if (!mayGo(queue)) continue;
      if (this.#marked.has(queue.path) && nowMs - queue.lastUsedMs > this.#expiryMs) going.push(queue);
      else marked.add(queue.path);
    }
    this.#marked = marked;
    for (const queue of going) this.#tree.remove(queue);
    return going.length > 0;
  }

  /** `auto-queue-creation-v2.queue-expiration-time`. */
  get #expiryMs(): number {
    return this.#tree.properties.read(clusterOptions.queueExpirationSeconds) * 1000;
  }
}

const mayGo = (queue: CapacityQueue): boolean =>
  queue.settings.creation === 'dynamicFlexible' &&
  queue.settings.autoRemoval &&
  queue.children.length === 0 &&
  queue.applicationCount === 0;

/** Something was submitted to the queue: it and the automatic ones above it stay. */
export function used(queue: CapacityQueue, nowMs: number): void {
  for (let at: CapacityQueue | undefined = queue; at && at.settings.creation !== 'static'; at = at.parent) at.lastUsedMs = nowMs;
}

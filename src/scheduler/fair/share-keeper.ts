// Keeps the fair shares of the tree up to date: worked out when they are needed and something changed.

import type { Resource } from '../../model/resource.ts';
import { type FairQueue, shareOut } from './queue.ts';

/** Hadoop looks at masters with heartbeats: a few pass between a submission and the look. */
const heartbeatsMs = 600;

export class ShareKeeper {
  readonly #root: FairQueue;
  readonly #intervalMs: number;
  readonly #now: () => number;
  #stale = true;
  #steadyStale = true;
  /** When the masters of a queue were last visited. */
  readonly #looked = new Map<FairQueue, number>();

  /** `intervalMs`: `yarn.scheduler.fair.update-interval-ms`. */
  constructor(root: FairQueue, intervalMs: number, now: () => number) {
    this.#root = root;
    this.#intervalMs = Math.max(intervalMs, heartbeatsMs);
    this.#now = now;
  }

  /** Applications or requests changed; `steady`: queues or nodes did. */
  stale(steady: boolean): void {
    this.#stale = true;
    if (steady) this.#steadyStale = true;
  }

  /** Whether a master may run was decided in the queue. */
  looked(queue: FairQueue): void {
    this.#looked.set(queue, this.#now());
  }

  /** Before masters are visited, where what was decided of others may change with the shares. */
  refreshForMasters(total: Resource): void {
    const nowMs = this.#now();
    for (const [queue, lookedMs] of this.#looked) if (nowMs - lookedMs >= this.#intervalMs) this.#looked.delete(queue);
    if (this.#looked.size > 0) this.refresh(total);
  }

  refresh(total: Resource): void {
    if (!this.#stale && !this.#steadyStale) return;
    total.forEach((value, i) => {
      this.#root.fair[i] = value;
      this.#root.steady[i] = value;
    });
    shareOut(this.#root, this.#steadyStale);
    this.#stale = false;
    this.#steadyStale = false;
    this.#lookAgain();
  }

  /** Shares that change within an interval of a look count for it: Hadoop computes them once an interval. */
  #lookAgain(): void {
    const nowMs = this.#now();
    for (const [queue, lookedMs] of this.#looked) {
      if (nowMs - lookedMs >= this.#intervalMs) this.#looked.delete(queue);
      else
        queue.amMaximum = queue.amMaximum.map((before, i) =>
          queue.fair[i]! > 0 ? Math.ceil(queue.fair[i]! * queue.settings.amShare) : before,
        );
    }
  }
}

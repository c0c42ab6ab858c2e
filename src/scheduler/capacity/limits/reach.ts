// How far queues could reach, as far as they know when applications come and go: Hadoop's queues learn it as nodes' heartbeats visit them.

import type { Ledger } from '../../state/ledger.ts';
import type { CapacityApplication } from '../application.ts';
import { reachOf } from '../queues/capacities.ts';
import type { QueueTree } from '../queues/tree.ts';

export class Reach {
  readonly #tree: QueueTree;
  readonly #ledger: Ledger<CapacityApplication>;
  readonly #intervalMs: number;
  readonly #nowMs: () => number;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** `intervalMs`: from one heartbeat to the next; `nowMs`: a clock that nobody sets. */
  constructor(tree: QueueTree, ledger: Ledger<CapacityApplication>, intervalMs: number, nowMs: () => number) {
    this.#tree = tree;
    this.#ledger = ledger;
    this.#intervalMs = intervalMs;
    this.#nowMs = nowMs;
  }

  /** Of queues with the same paths: what those know of whom this is a copy. */
  takeOver(from: Reach): void {
    this.#lookedMs = this.#nowMs() - (from.#nowMs() - from.#lookedMs);
    for (const queue of this.#tree.leaves()) {
      const [leaf, known] = [queue.leaf!, from.#tree.get(queue.path)?.leaf];
      if (!known) continue;
      leaf.reachable.splice(0, leaf.reachable.length, ...known.reachable);
      leaf.currentLimit = [...known.currentLimit];
    }
  }

  /**
   * Before something comes or goes: what the last heartbeat told. It visits the queues of which something is waited for, by whomever, while a node
   * has room for anything (LeafQueue.assignContainers); of changes that follow each other within an interval it tells nothing.
   */
  look(): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#lookedMs < this.#intervalMs) return;
    this.#lookedMs = nowMs;
    const { sizing } = this.#tree;
    const partition = this.#ledger.nodes.partitions[0]!;
    if (!partition.rooms.hasRoom(sizing.minimumAllocation)) return;
    for (const queue of this.#tree.leaves()) {
      const leaf = queue.leaf!;
      if (queue.share(0).pendingContainers === 0 || leaf.active.size === 0) continue;
      const limit = reachOf(queue, partition.total, sizing);
      leaf.reachable.splice(0, limit.length, ...limit);
      leaf.currentLimit = [...limit];
    }
  }
}

// What queues and users hold and want: every change the ledger enters is charged up the tree.

import { type Resource, zeros } from '../../../model/resource.ts';
import type { LedgerListener } from '../../state/ledger.ts';
import type { SchedulerNode } from '../../state/model.ts';
import type { NodeTable } from '../../state/nodes.ts';
import type { PendingSizes } from '../../state/pending-sizes.ts';
import type { CapacityApplication } from '../application.ts';
import { type CapacityQueue, chargeUsed } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';

/** Who hears of what the books show. */
export interface BooksListener {
  /** An active application asks for more in the partition. */
  woken(application: CapacityApplication, partition: number): void;
  reservedNodeFreed(node: SchedulerNode): void;
  /** The queue uses less in the partition. */
  eased(queue: CapacityQueue, partition: number): void;
  roomGrew(node: SchedulerNode, unreserved: boolean): void;
}

/** The sums of queues and users. */
export class Books implements LedgerListener<CapacityApplication> {
  readonly #minimum: Resource;
  readonly #sizes: PendingSizes;
  readonly #listener: BooksListener;
  #tree!: QueueTree;
  #nodes!: NodeTable;

  constructor(minimumAllocation: Resource, sizes: PendingSizes, listener: BooksListener) {
    this.#minimum = minimumAllocation;
    this.#sizes = sizes;
    this.#listener = listener;
  }

  /** The tree needs the ledger's nodes, the ledger these books: they are joined once both are there. */
  open(tree: QueueTree, nodes: NodeTable): void {
    this.#tree = tree;
    this.#nodes = nodes;
  }

  usedChanged(application: CapacityApplication, partition: number, resource: Resource, sign: 1 | -1, containers: number): void {
    const total = this.#nodes.partitions[partition]!.total;
    const { calculator } = this.#tree;
    chargeUsed(application.queue, partition, resource, sign, containers, calculator, total, this.#minimum);
    const { queue } = application;
    const leaf = queue.leaf!;
    leaf.users.charge(application.owner, partition, resource, sign, calculator, total);
    if (sign < 0) this.#listener.eased(queue, partition);
    reorder(application, partition);
  }

  reservedChanged(application: CapacityApplication, partition: number, resource: Resource, sign: 1 | -1): void {
    this.usedChanged(application, partition, resource, sign, 0);
    for (let at: CapacityQueue | undefined = application.queue; at; at = at.parent) {
      if (partition === 0) at.reservedContainers += sign;
      const { reserved } = at.share(partition);
      for (let i = 0; i < resource.length; i++) reserved[i]! += sign * resource[i]!;
    }
    const ofUser = (application.owner.reserved[partition] ??= zeros(resource.length));
    for (let i = 0; i < resource.length; i++) ofUser[i]! += sign * resource[i]!;
  }

  pendingChanged(application: CapacityApplication, partition: number, resource: Resource, count: number): void {
    for (let at: CapacityQueue | undefined = application.queue; at; at = at.parent) {
      if (partition === 0) at.pendingContainers += count;
      const share = at.share(partition);
      share.touched = true;
      for (let i = 0; i < resource.length; i++) share.pending[i]! += resource[i]! * count;
    }
    this.#sizes.change(partition, resource, count);
    application.queue.leaf!.users.setAsking(application, application.pendingContainers > 0);
    reorder(application, partition);
    if (count > 0 && application.isActive) this.#listener.woken(application, partition);
  }

  reservedNodeFreed(node: SchedulerNode): void {
    this.#listener.reservedNodeFreed(node);
  }

  roomGrew(node: SchedulerNode, unreserved: boolean): void {
    this.#listener.roomGrew(node, unreserved);
  }
}

/** Under the fair order an application's place depends on what it holds and wants. */
function reorder(application: CapacityApplication, partition: number): void {
  if (!application.queue.isFairlyOrdered) return;
  const { asking } = application.queue.share(partition);
  if (asking?.has(application)) asking.put(application);
}

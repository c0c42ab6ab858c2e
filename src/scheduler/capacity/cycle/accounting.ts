// What queues and users hold and want: every change the ledger enters is charged up the tree, and parked work hears what it may help.

import { type Resource, zeros } from '../../../model/resource.ts';
import type { LedgerListener } from '../../state/ledger.ts';
import type { SchedulerNode } from '../../state/model.ts';
import type { NodeTable } from '../../state/nodes.ts';
import type { PendingSizes } from '../../state/pending-sizes.ts';
import type { CapacityApplication } from '../application.ts';
import { type CapacityQueue, chargeReserved, chargeUsed } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import type { Parked } from './parked.ts';

/** The sums of queues and users. */
export class Accounting implements LedgerListener<CapacityApplication> {
  readonly #minimum: Resource;
  readonly #sizes: PendingSizes;
  #tree!: QueueTree;
  #nodes!: NodeTable;
  #parked!: Parked;
  /** Reserved nodes on which something ended since reservations were last served. */
  readonly freedNodes = new Set<SchedulerNode>();

  /** By partition: applications with reservations there (or, for a while, elsewhere). */
  readonly reserving: Set<CapacityApplication>[] = [];

  constructor(minimumAllocation: Resource, sizes: PendingSizes) {
    this.#minimum = minimumAllocation;
    this.#sizes = sizes;
  }

  /** The tree needs the ledger's nodes, the ledger this: they are joined once all are there. */
  open(tree: QueueTree, nodes: NodeTable, parked: Parked): void {
    this.#tree = tree;
    this.#nodes = nodes;
    this.#parked = parked;
  }

  usedChanged(application: CapacityApplication, partition: number, resource: Resource, sign: 1 | -1, containers: number): void {
    const total = this.#nodes.partitions[partition]!.total;
    const { calculator } = this.#tree;
    const { queue } = application;
    chargeUsed(queue, partition, resource, sign, containers, calculator, total, this.#minimum);
    queue.leaf!.users.charge(application.owner, partition, resource, sign, calculator, total);
    reorder(application, partition);
    if (sign < 0) this.#parked.changed('usageDropped', queue, partition);
    else if (!this.#parked.isPlacing) this.#parked.changed('usageGrew', queue, partition);
    else this.#parked.changed('userLimitMoved', queue, partition);
  }

  reservedChanged(application: CapacityApplication, partition: number, resource: Resource, sign: 1 | -1): void {
    chargeReserved(application.queue, partition, resource, sign);
    const ofUser = (application.owner.reserved[partition] ??= zeros(resource.length));
    for (let i = 0; i < resource.length; i++) ofUser[i]! += sign * resource[i]!;
    const reserving = (this.reserving[partition] ??= new Set());
    if (sign > 0) reserving.add(application);
    else if (application.reservedContainers === 0) reserving.delete(application);
    this.usedChanged(application, partition, resource, sign, 0);
  }

  pendingChanged(application: CapacityApplication, partition: number, resource: Resource, count: number): void {
    for (let at: CapacityQueue | undefined = application.queue; at; at = at.parent) {
      const share = at.share(partition);
      share.pendingContainers += count;
      share.touched = true;
      for (let i = 0; i < resource.length; i++) share.pending[i]! += resource[i]! * count;
    }
    this.#sizes.change(partition, resource, count);
    application.queue.leaf!.users.setAsking(application, application.pendingContainers > 0);
    reorder(application, partition);
    if (!this.#parked.isPlacing) this.#parked.changed('requestChanged', application, partition);
  }

  reservedNodeFreed(node: SchedulerNode): void {
    this.freedNodes.add(node);
  }

  roomGrew(node: SchedulerNode, unreserved: boolean): void {
    this.#parked.changed('roomGrew', node, unreserved ? 1 : 0);
  }
}

/** Under the fair order an application's place depends on what it holds and wants. */
function reorder(application: CapacityApplication, partition: number): void {
  if (!application.queue.isFairlyOrdered) return;
  const { line } = application.queue.share(partition);
  if (line?.has(application)) line.put(application);
}

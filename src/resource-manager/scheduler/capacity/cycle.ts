// One placement at a time: down the tree by the queues' order, to an application, to a request, to a node. Whoever cannot be served is
// set aside until something changes, so a cycle looks at each of them once.

import type { Resource } from '../../../model/resource.ts';
import type { OpenAsk } from '../asks.ts';
import { smaller } from '../calculator.ts';
import type { Ledger } from '../ledger.ts';
import { pickNode, pickNodeToReserve } from '../node-choice.ts';
import type { Partition, SchedulerNode } from '../nodes.ts';
import type { ContainerNumbering, Decision } from '../policy.ts';
import { allocateTo } from '../shared.ts';
import { type CapacityApplication, newHeap } from './application.ts';
import { activatedReason } from './explain.ts';
import { limitInputs } from './limits.ts';
import type { CapacityQueue } from './queue.ts';
import type { QueueTree } from './tree.ts';

type Outcome = 'placed' | 'nothing' | 'limit';

/** Why the last look at a queue, application or request ended as it did; what activities are written from. */
export interface CycleObserver {
  queue(queue: CapacityQueue, reason: string, kind: 'skipped' | 'rejected'): void;
  application(application: CapacityApplication, reason: string): void;
  request(application: CapacityApplication, ask: OpenAsk, reason: string): void;
  node(application: CapacityApplication, ask: OpenAsk, node: SchedulerNode | undefined, reason: string): void;
}

export class Cycle {
  readonly #tree: QueueTree;
  readonly #ledger: Ledger<CapacityApplication>;
  readonly #now: () => number;
  readonly #stalledLeaves: CapacityQueue[][] = [];
  readonly #stalledParents: CapacityQueue[][] = [];
  /** Leaves in which somebody was set aside for its user's limit, by partition. */
  readonly #limited: Set<CapacityQueue>[] = [];
  #roomGivenBack = false;
  #decision: Decision | undefined;
  #nextContainerId: ContainerNumbering = () => '';
  observer: CycleObserver | undefined;

  constructor(tree: QueueTree, ledger: Ledger<CapacityApplication>, now: () => number) {
    this.#tree = tree;
    this.#ledger = ledger;
    this.#now = now;
  }

  /** Somebody may be served now. */
  get ready(): boolean {
    return this.#tree.root.askingChildren.some((heap) => heap.size > 0);
  }

  /** The application asks in the partition: it and the queues above it take part. */
  wake(application: CapacityApplication, partition: number): void {
    const heap = application.queue.leaf!.asking[partition];
    heap!.put(application);
    this.#wakeQueue(application.queue, partition);
  }

  /** Everybody who was set aside takes part again. */
  restore(): void {
    this.#stalledLeaves.forEach((leaves, partition) => {
      for (const queue of leaves) this.#putBack(queue, partition);
      leaves.length = 0;
    });
    this.#stalledParents.forEach((parents, partition) => {
      for (const queue of parents) {
        for (const child of queue.passedOver[partition] ?? []) if (child.parent === queue) this.#wakeQueue(child, partition);
        queue.passedOver[partition] = [];
        queue.blocked[partition]?.fill(0);
        for (const child of queue.blockers[partition] ?? []) child.kept[partition] = undefined;
        if (queue.blockers[partition]) queue.blockers[partition].length = 0;
      }
      parents.length = 0;
    });
  }

  /** After queues changed: who asks is put in the orders that hold now. */
  rebuild(): void {
    this.#stalledLeaves.length = 0;
    this.#stalledParents.length = 0;
    this.#limited.length = 0;
    for (const queue of this.#tree.root.walk()) {
      for (const heap of queue.askingChildren) heap?.clear();
      for (const heap of queue.leaf?.asking ?? []) heap?.clear();
      for (const list of [
        queue.askingChildren,
        queue.passedOver,
        queue.blocked,
        queue.blockers,
        queue.kept,
        queue.leaf?.asking,
        queue.leaf?.passedOver,
      ])
        if (list) list.length = 0;
    }
    for (const queue of this.#tree.leaves())
      for (const application of queue.leaf!.active)
        for (const { partition } of application.attempt?.asks.inOrder() ?? []) {
          queue.leaf!.asking[partition] ??= newHeap(queue, partition);
          this.wake(application, partition);
        }
  }

  /** The next container or reservation in the partition; undefined when nobody can be served. */
  place(partition: Partition, nextContainerId: ContainerNumbering): Decision | undefined {
    const { root } = this.#tree;
    const p = partition.index;
    if ((root.askingChildren[p]?.size ?? 0) === 0 && !this.#restoreForRoom() && !this.#reconsider(p)) return undefined;
    const heap = root.asking(p);
    this.#nextContainerId = nextContainerId;
    this.#decision = undefined;
    copy(partition.total, (root.limits[p] ??= []));
    this.#assignParent(root, partition);
    while (!this.#decision && (this.#restoreForRoom() || this.#reconsider(p)) && heap.size > 0) this.#assignParent(root, partition);
    if (!this.#decision) {
      // The whole cluster is full: nobody is asked again before something changes.
      for (let child = heap.first(); child; child = heap.first()) {
        heap.remove(child);
        this.#setAside(root, child, p);
      }
    }
    return this.#decision;
  }

  /** The state of the users at the first of several refusals counts: any change after it may help that one. */
  #noteLimited(queue: CapacityQueue, partition: number): void {
    const limited = (this.#limited[partition] ??= new Set());
    if (limited.has(queue)) return;
    limited.add(queue);
    queue.leaf!.limitedAtVersion[partition] = queue.leaf!.users.version;
  }

  /** Users' limits grow with what others of their queue take or want no longer: whoever was set aside for one is looked at again. */
  #reconsider(partition: number): boolean {
    let woken = false;
    for (const queue of this.#limited[partition] ?? []) {
      const { leaf } = queue;
      if (!leaf || leaf.users.version === leaf.limitedAtVersion[partition]) continue;
      this.#limited[partition]!.delete(queue);
      if (this.#putBack(queue, partition)) woken = true;
    }
    return woken;
  }

  /** Whoever was set aside in the leaf asks again; whether somebody does. */
  /** Room that was kept for a queue is not any more: everybody may have it. */
  #restoreForRoom(): boolean {
    if (!this.#roomGivenBack) return false;
    this.#roomGivenBack = false;
    this.restore();
    return true;
  }

  #putBack(queue: CapacityQueue, partition: number): boolean {
    const aside = queue.leaf?.passedOver[partition];
    if (!aside) return false;
    for (const application of aside)
      if (application.isActive && application.queue === queue) queue.leaf!.asking[partition]?.put(application);
    aside.length = 0;
    if ((queue.leaf!.asking[partition]?.size ?? 0) === 0) return false;
    this.#wakeQueue(queue, partition);
    return true;
  }

  #wakeQueue(queue: CapacityQueue, partition: number): void {
    for (let at: CapacityQueue | undefined = queue; at?.parent; at = at.parent) {
      const heap = at.parent.asking(partition);
      if (heap.has(at)) break;
      heap.put(at);
    }
  }

  /** used < limit, counting out what could be given up again (Hadoop's canAssignToThisQueue). */
  #mayTake(queue: CapacityQueue, partition: Partition, limit: Resource, reserved: Resource): boolean {
    const { used } = queue.share(partition.index);
    const calculator = this.#tree.calculator;
    if (calculator.compare(partition.total, used, limit) < 0) return true;
    if (calculator.empty(reserved)) return false;
    return (
      calculator.compare(
        partition.total,
        used.map((value, i) => value - (reserved[i] ?? 0)),
        limit,
      ) < 0
    );
  }

  #assignParent(queue: CapacityQueue, partition: Partition): Outcome {
    const p = partition.index;
    const heap = queue.askingChildren[p]!;
    const share = queue.share(p);
    const limit = queue.limits[p]!;
    if (!this.#mayTake(queue, partition, limit, share.reserved)) {
      this.observer?.queue(queue, 'Queue hits max-capacity limit', 'rejected');
      return 'nothing';
    }
    const blocked = (queue.blocked[p] ??= limit.map(() => 0));
    let outcome: Outcome = 'nothing';
    for (let child = heap.first(); child; child = heap.first()) {
      const kept = giveBack(queue, child, p);
      this.#limitChild(child, limit, blocked, partition);
      const result = child.leaf ? this.#assignLeaf(child, partition) : this.#assignParent(child, partition);
      if (kept && result !== 'limit') this.#roomGivenBack = true;
      if (result === 'placed') {
        this.#settleChild(child, heap, p);
        return 'placed';
      }
      heap.remove(child);
      const remains = child.leaf ? child.leaf.asking[p]!.size > 0 : (child.askingChildren[p]?.size ?? 0) > 0;
      if (remains) this.#setAside(queue, child, p);
      if (result === 'limit') {
        outcome = 'limit';
        const own = child.limits[p]!;
        const used = child.share(p).used;
        keepBack(queue, child, p, child.leaf ? own.map((value, i) => Math.max(value - used[i]!, 0)) : [...(child.blocked[p] ?? [])]);
        if (kept && isLess(child.kept[p], kept)) this.#roomGivenBack = true;
        this.#remember(this.#stalledParents, queue, p);
      }
    }
    return outcome;
  }

  /** Where it belongs after it was served, or out when nothing is left in it. */
  #settleChild(
    child: CapacityQueue,
    heap: { put(item: CapacityQueue): void; remove(item: CapacityQueue): boolean },
    partition: number,
  ): void {
    const left = child.leaf ? child.leaf.asking[partition]!.size : (child.askingChildren[partition]?.size ?? 0);
    if (left > 0) heap.put(child);
    else heap.remove(child);
  }

  #limitChild(child: CapacityQueue, limit: Resource, blocked: Resource, partition: Partition): void {
    const p = partition.index;
    const { calculator, sizing } = this.#tree;
    const above = child.parent!.share(p).used;
    const share = child.share(p);
    const into = (child.limits[p] ??= limit.map(() => 0));
    for (let i = 0; i < limit.length; i++) into[i] = limit[i]! - blocked[i]! - above[i]! + share.used[i]!;
    if (calculator.compare(partition.total, share.effectiveMaximum, into) < 0) copy(share.effectiveMaximum, into);
    const step = sizing.minimumAllocation;
    for (let i = 0; i < into.length; i++) if (step[i]! > 1) into[i] = Math.floor(into[i]! / step[i]!) * step[i]!;
  }

  #assignLeaf(queue: CapacityQueue, partition: Partition): Outcome {
    const p = partition.index;
    const leaf = queue.leaf!;
    const heap = leaf.asking[p]!;
    const limit = queue.limits[p]!;
    if (p === 0 && heap.size > 0)
      leaf.currentLimit = [...smaller(this.#tree.calculator, partition.total, queue.share(p).effectiveMaximum, limit)];
    for (let application = heap.first(); application; application = heap.first()) {
      // A reserved node or a cancellation may have satisfied it meanwhile.
      if (!asksIn(application, p)) {
        heap.remove(application);
        continue;
      }
      if (!this.#mayTake(queue, partition, limit, application.counts.of('reserved', p))) {
        this.observer?.queue(queue, 'Queue hits max-capacity limit', 'rejected');
        return 'nothing';
      }
      if (!this.#userMayTake(queue, application, partition)) {
        application.reason = activatedReason(application, 'User capacity has reached its maximum limit.', this.#tree, this.#now());
        this.observer?.application(application, 'Queue hits user max-capacity limit');
        this.#passOver(queue, application, p);
        this.#noteLimited(queue, p);
        continue;
      }
      const outcome = this.#assignApplication(queue, application, partition);
      if (outcome === 'placed') {
        if (asksIn(application, p)) {
          if (queue.settings.orderingPolicy === 'fair') heap.put(application);
        } else heap.remove(application);
        return 'placed';
      }
      if (outcome === 'limit') {
        this.#passOver(queue, application, p);
        this.observer?.queue(queue, 'Queue does not have enough headroom for inner highest-priority request', 'skipped');
        return 'limit';
      }
      this.#passOver(queue, application, p);
    }
    return 'nothing';
  }

  /** The user is not above its limit already; the container that crosses it is the last. */
  #userMayTake(queue: CapacityQueue, application: CapacityApplication, partition: Partition): boolean {
    const user = application.owner;
    const limit = queue.leaf!.users.limitOf(user, limitInputs(queue, partition, this.#tree, false));
    const used = user.used[partition.index];
    if (!used) return true;
    const { calculator } = this.#tree;
    if (calculator.compare(partition.total, used, limit) <= 0) return true;
    const reserved = application.counts.of('reserved', partition.index);
    if (calculator.empty(reserved)) return false;
    return (
      calculator.compare(
        partition.total,
        used.map((value, i) => value - reserved[i]!),
        limit,
      ) <= 0
    );
  }

  #assignApplication(queue: CapacityQueue, application: CapacityApplication, partition: Partition): Outcome {
    const attempt = application.attempt;
    if (!attempt) return 'nothing';
    const p = partition.index;
    for (const ask of attempt.asks.inOrder()) {
      if (ask.partition !== p) continue;
      if (!this.#headroomFor(queue, application, ask, partition)) {
        this.observer?.request(application, ask, 'Queue does not have enough headroom for inner highest-priority request');
        return 'limit';
      }
      const node = pickNode(this.#ledger.nodes, partition, ask, attempt.blacklist);
      if (node) {
        this.#decision = allocateTo(this.#ledger, application, ask, node, this.#nextContainerId(attempt.attemptId), false);
        return 'placed';
      }
      if (this.#reserve(application, ask, partition)) return 'placed';
      const last = pickNodeToReserve(partition, ask, attempt.blacklist, true);
      this.observer?.node(
        application,
        ask,
        last,
        last ? 'Node does not have sufficient resource for request' : "Node's total resource is insufficient for request",
      );
      application.reason = activatedReason(application, lastNode(last ?? ask.reservations[0]?.node, this.#ledger), this.#tree, this.#now());
    }
    return 'nothing';
  }

  /** limit − used, plus what the application could give up, holds the request. */
  #headroomFor(queue: CapacityQueue, application: CapacityApplication, ask: OpenAsk, partition: Partition): boolean {
    const p = partition.index;
    const limit = queue.limits[p]!;
    const { used } = queue.share(p);
    const reserved = application.counts.reserved[p];
    const room = scratch;
    room.length = limit.length;
    for (let i = 0; i < limit.length; i++) room[i] = limit[i]! - used[i]! + (reserved?.[i] ?? 0);
    return this.#tree.calculator.fits(ask.resource, room);
  }

  /** Keeps a node for a request that fits none now; one node for each container wanted. */
  #reserve(application: CapacityApplication, ask: OpenAsk, partition: Partition): boolean {
    if (ask.reservations.length >= ask.count) return false;
    const attempt = application.attempt!;
    const node = pickNodeToReserve(partition, ask, attempt.blacklist, false);
    if (!node) return false;
    application.reason = activatedReason(application, lastNode(node, this.#ledger), this.#tree, this.#now());
    this.#ledger.reserve(attempt, ask, node, '');
    application.reason = activatedReason(application, lastNode(node, this.#ledger), this.#tree, this.#now());
    this.#decision = {
      kind: 'reserve',
      applicationId: application.applicationId,
      attemptId: attempt.attemptId,
      nodeId: node.nodeId,
      resource: ask.resource,
      priority: ask.priority,
    };
    return true;
  }

  #passOver(queue: CapacityQueue, application: CapacityApplication, partition: number): void {
    queue.leaf!.asking[partition]!.remove(application);
    (queue.leaf!.passedOver[partition] ??= []).push(application);
    this.#remember(this.#stalledLeaves, queue, partition);
  }

  #setAside(queue: CapacityQueue, child: CapacityQueue, partition: number): void {
    (queue.passedOver[partition] ??= []).push(child);
    this.#remember(this.#stalledParents, queue, partition);
  }

  #remember(lists: CapacityQueue[][], queue: CapacityQueue, partition: number): void {
    const stalled = (lists[partition] ??= []);
    if (stalled.at(-1) !== queue) stalled.push(queue);
  }
}

/** Room below the parent is kept for a child that could not use it yet. */
function keepBack(parent: CapacityQueue, child: CapacityQueue, partition: number, amount: number[]): void {
  const blocked = parent.blocked[partition]!;
  for (let i = 0; i < blocked.length; i++) blocked[i]! += amount[i] ?? 0;
  child.kept[partition] = amount;
  (parent.blockers[partition] ??= []).push(child);
}

/** The child is looked at again: nothing is kept for it until then. */
function giveBack(parent: CapacityQueue, child: CapacityQueue, partition: number): number[] | undefined {
  const kept = child.kept[partition];
  if (!kept) return undefined;
  const blocked = parent.blocked[partition]!;
  for (let i = 0; i < blocked.length; i++) blocked[i]! -= kept[i] ?? 0;
  child.kept[partition] = undefined;
  const blockers = parent.blockers[partition]!;
  blockers.splice(blockers.indexOf(child), 1);
  return kept;
}

const isLess = (a: Resource | undefined, b: Resource): boolean => b.some((value, i) => (a?.[i] ?? 0) < value);

const scratch: number[] = [];

function copy(from: Resource, into: number[]): void {
  for (let i = 0; i < from.length; i++) into[i] = from[i]!;
}

function asksIn(application: CapacityApplication, partition: number): boolean {
  for (const ask of application.attempt?.asks.inOrder() ?? []) if (ask.partition === partition) return true;
  return false;
}

/** Hadoop's sentence about the node an application was last refused on. */
export function lastNode(node: SchedulerNode | undefined, ledger: Ledger<CapacityApplication>, before = ''): string {
  if (!node) return before;
  const label = ledger.nodes.partitions[node.partition]!.name;
  return `${before} Last Node which was processed for the application : ${node.nodeId} ( Partition : [${label}], Total resource : <memory:${node.resource[0]}, vCores:${node.resource[1]}>, Available resource : <memory:${node.available[0]}, vCores:${node.available[1]}> ).`;
}

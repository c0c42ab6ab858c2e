// What each queue of a partition ought to hold: guarantees first, then what is left by guarantee, from the root down (Hadoop's
// PreemptableResourceCalculator). A queue gets no more than it wants, than its maximum, and (unless balancing is on) than the larger of what
// it holds and what its guarantee holds in whole containers: queues above their guarantee do not take from each other, and nothing is taken
// to and fro for a part of a container.

import { addInto, type Resource, zeros } from '../../../model/resource.ts';
import type { Partition } from '../../state/nodes.ts';
import { limitInputs } from '../limits/user.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';

/** One queue in the computation of a round. */
export interface Claim {
  readonly queue: CapacityQueue;
  readonly children: readonly Claim[];
  readonly used: Resource;
  readonly guaranteed: Resource;
  readonly maximum: Resource;
  /** Used and wanted, within the users' limits. */
  readonly wanted: Resource;
  /** The same in whole containers within the guarantee: more cannot be reached by taking from others. */
  readonly reach: Resource;
  /** What is asked for below, as far as the users' limits let it be given. */
  readonly requests: readonly { readonly resource: Resource; readonly count: number }[];
  readonly ideal: number[];
  /** What it must give back in this round. */
  readonly toGive: number[];
}

export interface IdealOptions {
  /** Most that all queues together give back, by type. */
  readonly allowed: Resource;
  /** `preemption-to-balance-queue-after-satisfied.enabled`. */
  readonly balance: boolean;
}

/** The claims of the whole tree, ideal and toGive worked out. */
export function idealAssignment(tree: QueueTree, partition: Partition, options: IdealOptions): Claim {
  const root = claimOf(tree.root, partition, tree);
  for (let i = 0; i < root.ideal.length; i++) root.ideal[i] = partition.total[i]!;
  distribute(root, options);
  return root;
}

/** The claim and all below it. */
export function* claimsOf(claim: Claim): Generator<Claim> {
  yield claim;
  for (const child of claim.children) yield* claimsOf(child);
}

/** All leaves below. */
export function* leavesOf(claim: Claim): Generator<Claim> {
  if (claim.queue.leaf) yield claim;
  for (const child of claim.children) yield* leavesOf(child);
}

function claimOf(queue: CapacityQueue, partition: Partition, tree: QueueTree): Claim {
  const share = queue.share(partition.index);
  const children = queue.children.map((child) => claimOf(child, partition, tree));
  const { wanted, requests } = queue.leaf
    ? wantedOf(queue, partition, tree)
    : { wanted: zeros(share.used.length), requests: children.flatMap((child) => child.requests) };
  for (const child of children) addInto(wanted, child.wanted);
  const reach = reachOf(queue, requests, partition, tree);
  return {
    queue,
    children,
    used: share.used,
    guaranteed: share.effectiveMinimum,
    maximum: share.effectiveMaximum,
    wanted: wanted.map((value, i) => Math.min(value, Math.max(share.effectiveMaximum[i]!, share.used[i]!))),
    reach,
    requests,
    ideal: zeros(wanted.length),
    toGive: zeros(wanted.length),
  };
}

/** Held and asked for by a leaf, as far as the users' limits let it be given. */
function wantedOf(queue: CapacityQueue, partition: Partition, tree: QueueTree): { wanted: number[]; requests: Claim['requests'] } {
  const wanted = [...queue.share(partition.index).used];
  const requests: { resource: Resource; count: number }[] = [];
  const room = new Map<string, number[]>();
  const counted = tree.calculator.kind === 'default' ? 1 : wanted.length;
  for (const application of queue.leaf!.active) {
    if (!application.counts.has(partition.index)) continue;
    let left = room.get(application.user);
    if (!left) {
      const limit = queue.leaf!.users.peekLimit(application.owner, limitInputs(queue, partition, tree, false));
      const ofUser = application.owner.used[partition.index] ?? zeros(limit.length);
      // By memory alone, a limit says nothing of other types.
      left = limit.map((value, i) => (i < counted ? Math.max(0, value - ofUser[i]!) : Number.MAX_SAFE_INTEGER));
      room.set(application.user, left);
    }
    for (const request of application.attempt?.requests.inOrder() ?? []) {
      if (request.partition !== partition.index) continue;
      // A reservation counts as used and as pending.
      const count = Math.min(Math.max(0, request.count - request.reservations.length), containersWithin(left, request.resource));
      if (count === 0) continue;
      requests.push({ resource: request.resource, count });
      for (let i = 0; i < wanted.length; i++) {
        const part = Math.min(left[i]!, (request.resource[i] ?? 0) * count);
        wanted[i]! += part;
        left[i]! -= part;
      }
    }
  }
  return { wanted, requests };
}

/** What the queue holds, and whole containers more within its guarantee. One that holds nothing reaches its first container. */
function reachOf(queue: CapacityQueue, requests: Claim['requests'], partition: Partition, tree: QueueTree): number[] {
  const { used, effectiveMinimum } = queue.share(partition.index);
  const reach = [...used];
  for (const { resource, count } of requests) {
    const firstOfAll = queue.leaf && reach.every((value) => value <= 0) ? 1 : 0;
    const whole = Math.max(Math.min(firstOfAll, count), wholeWithin(reach, resource, count, effectiveMinimum, partition, tree));
    for (let i = 0; i < reach.length; i++) reach[i]! += (resource[i] ?? 0) * whole;
  }
  return reach;
}

/** So many until the room is used up; the one that crosses it counts, as it does when it is placed. */
function containersWithin(room: Resource, size: Resource): number {
  let most = Number.POSITIVE_INFINITY;
  for (let i = 0; i < size.length; i++) if (size[i]! > 0) most = Math.min(most, Math.ceil(room[i]! / size[i]!));
  return most;
}

/** How many of `most` keep what is held within the limit. */
function wholeWithin(held: Resource, size: Resource, most: number, limit: Resource, partition: Partition, tree: QueueTree): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const after = held.map((value, i) => value + (size[i] ?? 0) * middle);
    if (tree.calculator.compare(partition.total, after, limit) <= 0) low = middle;
    else high = middle - 1;
  }
  return low;
}

const keepsAll = (claim: Claim): boolean =>
  claim.children.length === 0 ? claim.queue.settings.preemptionDisabled : claim.children.every(keepsAll);

function distribute(parent: Claim, options: IdealOptions): void {
  const { children } = parent;
  if (children.length === 0) return;
  for (let i = 0; i < parent.ideal.length; i++) share(parent, i, options);
  const excess = zeros(parent.ideal.length);
  for (const child of children) for (let i = 0; i < excess.length; i++) excess[i]! += Math.max(0, child.used[i]! - child.ideal[i]!);
  for (const child of children) {
    for (let i = 0; i < excess.length; i++) {
      const over = Math.max(0, child.used[i]! - child.ideal[i]!);
      child.toGive[i] = excess[i]! > options.allowed[i]! ? (over * options.allowed[i]!) / excess[i]! : over;
    }
    distribute(child, options);
  }
}

/** Divides the parent's amount of one type. */
function share(parent: Claim, i: number, { balance }: IdealOptions): void {
  let left = parent.ideal[i]!;
  const caps = parent.children.map((child) => {
    const most = Math.min(child.wanted[i]!, Math.max(child.maximum[i]!, child.used[i]!));
    return balance ? most : Math.min(most, Math.max(child.reach[i]!, child.used[i]!));
  });
  parent.children.forEach((child, place) => {
    // Nothing is taken from a queue that forbids it, so it keeps what it holds.
    const first = keepsAll(child) ? Math.max(child.guaranteed[i]!, child.used[i]!) : child.guaranteed[i]!;
    child.ideal[i] = Math.max(0, Math.min(first, caps[place]!));
    left -= child.ideal[i]!;
  });
  while (left > 0) {
    const hungry = parent.children.filter((child, place) => child.ideal[i]! < caps[place]!);
    const weights = hungry.reduce((sum, child) => sum + Math.max(child.guaranteed[i]!, 1), 0);
    const before = left;
    for (const child of hungry) {
      const offer = Math.ceil((before * Math.max(child.guaranteed[i]!, 1)) / weights);
      const part = Math.max(0, Math.min(offer, left, caps[parent.children.indexOf(child)]! - child.ideal[i]!));
      child.ideal[i]! += part;
      left -= part;
    }
    if (left === before) break;
  }
}

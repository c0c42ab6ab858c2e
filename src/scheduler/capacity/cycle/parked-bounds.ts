// Bounds of the sizes that are parked below a queue: they tell whether a change can help something there, without a look at it.

import type { Resource } from '../../../model/resource.ts';
import type { Calculator } from '../../state/calculator.ts';
import type { CapacityApplication } from '../application.ts';
import type { CapacityQueue, QueueShare } from '../queues/queue.ts';
import { bitOf, nodeBits } from './parked-reasons.ts';

export const requestsIn = (application: CapacityApplication, partition: number): boolean =>
  application.attempt?.requests.hasIn(partition) ?? false;

/** Of one application, written by `boundsOf`. `least`: of one container. `most`: what its queue must have left, its reservations given up. */
const least: number[] = [];
const most: number[] = [];

function boundsOf(application: CapacityApplication, partition: number, types: number): void {
  least.length = types;
  most.length = types;
  least.fill(Number.POSITIVE_INFINITY);
  most.fill(Number.NEGATIVE_INFINITY);
  const { attempt, reservedContainers, counts } = application;
  for (const request of attempt?.requests.inOrder() ?? []) {
    if (request.partition !== partition) continue;
    for (let i = 0; i < types; i++) {
      const value = request.resource[i] ?? 0;
      const need = reservedContainers > 0 ? value - counts.amount('reserved', partition, i) : value;
      if (value < least[i]!) least[i] = value;
      if (need > most[i]!) most[i] = need;
    }
  }
}

/** The application was parked: bounds and counts of its queue and those above it. */
export function enterBounds(application: CapacityApplication, partition: number, isKeeper: boolean): void {
  const { queue } = application;
  boundsOf(application, partition, queue.share(partition).leastParked.length);
  for (let at: CapacityQueue | undefined = queue; at; at = at.parent) {
    const share = at.share(partition);
    if (share.parkedCount++ === 0) {
      share.leastParked.fill(Number.POSITIVE_INFINITY);
      share.mostParked.fill(Number.NEGATIVE_INFINITY);
    }
    widen(share, isKeeper);
  }
}

/** By the bounds of one application. */
function widen({ leastParked, mostParked }: QueueShare, isKeeper: boolean): void {
  for (let i = 0; i < leastParked.length; i++) {
    if (least[i]! < leastParked[i]!) leastParked[i] = least[i]!;
    if (!isKeeper && most[i]! > mostParked[i]!) mostParked[i] = most[i]!;
  }
}

export function measureLeaf(share: QueueShare, partition: number): void {
  share.leastParked.fill(Number.POSITIVE_INFINITY);
  share.mostParked.fill(Number.NEGATIVE_INFINITY);
  for (const application of share.line!.parked) {
    if ((application.parkedAs[partition]! & nodeBits) === 0) continue;
    boundsOf(application, partition, share.leastParked.length);
    widen(share, application === share.keeper);
  }
}

export function measureParent(queue: CapacityQueue, partition: number): void {
  const { leastParked, mostParked } = queue.share(partition);
  leastParked.fill(Number.POSITIVE_INFINITY);
  mostParked.fill(Number.NEGATIVE_INFINITY);
  for (const child of queue.children) {
    const below = child.shares[partition];
    if (!below || below.parkedCount === 0) continue;
    const isKept = keepsAsLeaf(child, partition);
    for (let i = 0; i < leastParked.length; i++) {
      if (below.leastParked[i]! < leastParked[i]!) leastParked[i] = below.leastParked[i]!;
      if (!isKept && below.mostParked[i]! > mostParked[i]!) mostParked[i] = below.mostParked[i]!;
    }
  }
}

/** The leaf keeps headroom: until it returns, what is left to it says nothing new of the applications in it. */
export const keepsAsLeaf = (queue: CapacityQueue, partition: number): boolean =>
  queue.leaf !== undefined && queue.share(partition).parkedAs === bitOf.headroomKept;

/** The leaf returns: its bound counts above it again. */
export function countMost(leaf: CapacityQueue, partition: number): void {
  const { mostParked, parkedCount } = leaf.share(partition);
  if (parkedCount === 0) return;
  for (let at = leaf.parent; at; at = at.parent) {
    const above = at.share(partition).mostParked;
    for (let i = 0; i < above.length; i++) if (mostParked[i]! > above[i]!) above[i] = mostParked[i]!;
  }
}

export function within(amount: Resource, room: Resource, counted: number): boolean {
  for (let i = 0; i < counted; i++) if ((amount[i] ?? 0) > (room[i] ?? 0)) return false;
  return true;
}

export function wantsWithin(application: CapacityApplication, partition: number, room: Resource, counted: number): boolean {
  for (const request of application.attempt?.requests.inOrder() ?? [])
    if (request.partition === partition && within(request.resource, room, counted)) return true;
  return false;
}

export function wantsFitting(application: CapacityApplication, partition: number, room: Resource, calculator: Calculator): boolean {
  for (const request of application.attempt?.requests.inOrder() ?? [])
    if (request.partition === partition && calculator.fits(request.resource, room)) return true;
  return false;
}

/** Some request of the application is not within the room, its reservations given up. */
export function needsMore(application: CapacityApplication, partition: number, room: Resource, calculator: Calculator): boolean {
  for (const request of application.attempt?.requests.inOrder() ?? []) {
    if (request.partition !== partition) continue;
    const need =
      application.reservedContainers > 0
        ? request.resource.map((value, i) => value - application.counts.amount('reserved', partition, i))
        : request.resource;
    if (!calculator.fits(need, room)) return true;
  }
  return false;
}

// What a check of the capacity policy answers when it refuses. Refusals are made once and kept by reference with what was refused;
// their numbers and sentences are worked out when they are read.

import type { Resource } from '../../../model/resource.ts';
import type { CapacityQueue } from '../queues/queue.ts';

/** The cluster has nothing, or the share for masters of the queue or user holds no more; the numbers are those of the moment at which it was checked. */
export interface MasterRefusal {
  readonly kind: 'masterLimit';
  readonly limit: 'cluster' | 'queue' | 'user';
  readonly partition: string;
  readonly master: Resource;
  readonly queueLimit: Resource;
  readonly userLimit: Resource;
  readonly queueUsed: Resource;
  readonly userUsed: Resource;
}

/** As many applications of a queue, the application's or one above, run as may; `queue` is undefined where it is the number of its user. */
export interface ParallelRefusal {
  readonly kind: 'parallelLimit';
  readonly queue: CapacityQueue | undefined;
  readonly running: number;
  readonly maximum: number;
}

/** Why an active application got nothing at its last visit. */
export interface PlacementRefusal {
  readonly kind: /** The queue holds what it may. */
    | 'queueLimit'
    /** What is left to the queue does not hold the request. */
    | 'headroom'
    | 'userLimit'
    /** No node takes the request. */
    | 'noNode'
    /** A node is kept for the request. */
    | 'reserved'
    /** Masters do not run on nodes that a partition lends. */
    | 'lentNode';
}

export type Refusal = MasterRefusal | PlacementRefusal;

export const queueLimitRefusal: PlacementRefusal = { kind: 'queueLimit' };
export const headroomRefusal: PlacementRefusal = { kind: 'headroom' };
export const userLimitRefusal: PlacementRefusal = { kind: 'userLimit' };
export const noNodeRefusal: PlacementRefusal = { kind: 'noNode' };
export const reservedRefusal: PlacementRefusal = { kind: 'reserved' };
export const lentNodeRefusal: PlacementRefusal = { kind: 'lentNode' };

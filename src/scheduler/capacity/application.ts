// An application of the capacity policy: its queue, its master's size, and why it waits.

import type { Resource } from '../../model/resource.ts';
import type { NewApplication } from '../entries.ts';
import { SchedulerApplication } from '../state/model.ts';
import type { Refusal } from './limits/refusal.ts';
import type { CapacityQueue, Serving } from './queues/queue.ts';
import type { User } from './queues/users.ts';
import type { QueueSettings } from './settings/queue-settings.ts';

export class CapacityApplication extends SchedulerApplication {
  queue: CapacityQueue;
  owner: User;
  /** Size of the master and the partition it is for. */
  masterResource: Resource = [];
  masterPartition = 0;
  isActive = false;
  /** Counted as pending or active in its queue (an attempt runs and max-parallel-apps lets it). */
  isRunnable = false;
  /** The user at which it was last counted as requesting something. */
  asksFor: User | undefined;
  /** What refused it when it was last checked: for activation, or at a visit of the cycle. */
  refusal: Refusal | undefined;
  /** By partition: why it is parked there, as bits of `cycle/parked-reasons.ts`; 0 where it is not. */
  readonly parkedAs: number[] = [];
  /** How much its queue had been given when it became active there. */
  servingsBefore = 0;

  constructor(application: NewApplication, order: number, types: number, queue: CapacityQueue, owner: User) {
    super(application, order, types);
    this.queue = queue;
    this.owner = owner;
  }
}

/** The order in which a leaf serves its applications in the partition, by its `ordering-policy`. */
export const servingOrder = (
  { orderingPolicy, sizeBasedWeight }: QueueSettings,
  partition: number,
): ((a: CapacityApplication, b: CapacityApplication) => boolean) =>
  orderingPolicy === 'fair' ? byFairness(partition, sizeBasedWeight) : byPriorityThenArrival;

/** What decides first in the order of `servingOrder`, as a number; of a fair order nothing does. */
export const servingKey = ({ orderingPolicy }: QueueSettings): ((application: CapacityApplication) => number) | undefined =>
  orderingPolicy === 'fair' ? undefined : ({ order, priority }) => order - priority * aboveAllOrders;

/** More than orders of arrival can differ by; times a priority it is exact. */
const aboveAllOrders = 2 ** 52;

type Place = Pick<CapacityApplication, 'priority' | 'order'>;

/** Larger priority first, then arrival. */
export const byPriorityThenArrival = (a: Place, b: Place): boolean =>
  a.priority !== b.priority ? a.priority > b.priority : a.order < b.order;

/** Hadoop's FairOrderingPolicy: the least served first; with size-based weight the larger demand counts for more. */
export function byFairness(partition: number, sizeBased: boolean): (a: CapacityApplication, b: CapacityApplication) => boolean {
  const magnitude = (application: CapacityApplication): number => {
    const used = application.counts.amount('used', partition, 0);
    if (!sizeBased) return used;
    const demand = used + application.counts.amount('pending', partition, 0);
    return demand > 0 ? used / (Math.log1p(demand) / Math.LN2) : 0;
  };
  return (a, b) => {
    const ofA = magnitude(a);
    const ofB = magnitude(b);
    return ofA !== ofB ? ofA < ofB : byPriorityThenArrival(a, b);
  };
}

/**
 * The serving in which its queue passed it by: the last one, where the application was active and stands before who was served (a queue goes through
 * its applications in their order, and through those that ask for nothing there). A fair order changes with each serving: nothing is said of it.
 */
export function passedBy(application: CapacityApplication): Serving | undefined {
  const { servings = 0, lastServing } = application.queue.leaf ?? {};
  if (!lastServing || application.queue.isFairlyOrdered || !application.isActive || application.servingsBefore === servings)
    return undefined;
  return byPriorityThenArrival(application, lastServing) ? lastServing : undefined;
}

// What a queue of the fair policy may hold: its own maximum and its ancestors', and the part for masters.

import type { Resource } from '../../model/resource.ts';
import type { Hindrance } from '../explain/explanation.ts';
import { componentwiseMin } from '../state/calculator.ts';
import type { OpenRequest } from '../state/model.ts';
import type { Allocations } from './allocations.ts';
import { resolveAmount } from './amounts.ts';
import type { FairApplication, FairQueue } from './queue.ts';

/** Not above its maximum already. */
export function withinMaximum(queue: FairQueue): boolean {
  return queue.used.every((value, i) => value <= queue.maximumOf(i));
}

/** With the request the queue and all above it stay within their maxima. */
export function fitsMaximum(queue: FairQueue, request: OpenRequest): boolean {
  for (let at: FairQueue | undefined = queue; at; at = at.parent) {
    for (let i = 0; i < request.resource.length; i++) if (at.used[i]! + request.resource[i]! > at.maximumOf(i)) return false;
  }
  return true;
}

/** The queue sets no AM share (-1): masters are not limited. */
export const unlimitedMasters = (queue: FairQueue): boolean => Math.abs(queue.settings.amShare + 1) < 0.0001;

/** What no container holds and no reservation keeps. */
export const freeOf = (total: Resource, root: FairQueue): number[] => total.map((value, i) => value - root.used[i]! - root.reserved[i]!);

/** A part of the fair share; of what is free (within the maximum) where the share of memory or vcores is 0. */
export function masterMaximum(queue: FairQueue, free: Resource): Resource {
  return queue.fair.map((fair, i) =>
    Math.ceil((fair > 0 || i > 1 ? fair : Math.min(free[i]!, queue.maximumOf(i))) * queue.settings.amShare),
  );
}

/** The largest container: the nearest setting from the queue upwards, within the configured maximum. */
export function containerMaximum(queue: FairQueue, cluster: Resource, configured: Resource): Resource {
  for (let at: FairQueue | undefined = queue; at; at = at.parent) {
    const own = at.settings.maximumContainer;
    if (own) return componentwiseMin(resolveAmount(own, cluster), configured);
  }
  return configured;
}

/** The user or the queue whose number of running applications is used up; undefined where none is. */
export function refusesToRun(
  application: FairApplication,
  allocations: Allocations,
  others: Iterable<FairApplication>,
): Hindrance | undefined {
  const most = allocations.userMaximums.get(application.user) ?? allocations.userMaximumDefault;
  let running = 0;
  for (const other of others) if (other.user === application.user && other.isRunnable) running++;
  if (running >= most) return { rule: 'USER_PARALLEL_LIMIT', user: application.user, running, maximum: most };
  for (let at: FairQueue | undefined = application.queue; at; at = at.parent)
    if (at.runnable >= at.settings.maximumRunning)
      return { rule: 'QUEUE_PARALLEL_LIMIT', queue: at.path, running: at.runnable, maximum: at.settings.maximumRunning };
  return undefined;
}

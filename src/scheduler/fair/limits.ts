// What limits of the fair policy refuse: each check answers undefined or a refusal (the queue whose limit it is, a limit, a record). The
// cycle decides by them, explanations run them again.

import type { Resource } from '../../model/resource.ts';
import { componentwiseMin } from '../state/calculator.ts';
import type { OpenRequest } from '../state/model.ts';
import type { Allocations } from './allocations.ts';
import { resolveAmount } from './amounts.ts';
import type { FairApplication, FairQueue } from './queue.ts';

/** The queue itself where it is above its maximum already: nothing below it is visited. */
export function refusesMore(queue: FairQueue): FairQueue | undefined {
  for (let i = 0; i < queue.used.length; i++) if (queue.used[i]! > queue.maximumOf(i)) return queue;
  return undefined;
}

/** The nearest queue, from the application's upwards, that would be above its maximum with one container of the request. */
export function refusesSize(queue: FairQueue, { resource }: Pick<OpenRequest, 'resource'>): FairQueue | undefined {
  for (let at: FairQueue | undefined = queue; at; at = at.parent)
    for (let i = 0; i < resource.length; i++) if (at.used[i]! + resource[i]! > at.maximumOf(i)) return at;
  return undefined;
}

/** The limit of masters, where the masters of the queue would be above it with this one (FSLeafQueue.canRunAppAM). */
export function refusesMaster({ amUsed }: FairQueue, { resource }: Pick<OpenRequest, 'resource'>, limit: Resource): Resource | undefined {
  return resource.some((value, i) => amUsed[i]! + value > limit[i]!) ? limit : undefined;
}

/** The queue sets no AM share (-1): masters are not limited. */
export const hasUnlimitedMasters = (queue: FairQueue): boolean => Math.abs(queue.settings.amShare + 1) < 0.0001;

/** What no container holds and no reservation keeps. */
export const freeOf = (total: Resource, root: FairQueue): number[] => total.map((value, i) => value - root.used[i]! - root.reserved[i]!);

/** A part of the fair share; of what is free (within the maximum) where the share of memory or vcores is 0. */
export function masterLimit(queue: FairQueue, free: Resource): Resource {
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

/** The number of running applications of a queue or of the application's user is used up. */
export interface RunRefusal {
  readonly kind: 'queue-limit' | 'user-limit';
  /** The queue whose limit it is, the application's or one above; undefined for a user. */
  readonly queue: FairQueue | undefined;
  readonly running: number;
  readonly maximum: number;
}

/** The user's limit, or that of the nearest queue, that holds the application back (MaxRunningAppsEnforcer.canAppBeRunnable). */
export function refusesToRun(
  application: FairApplication,
  allocations: Allocations,
  others: Iterable<FairApplication>,
): RunRefusal | undefined {
  const most = allocations.userMaximums.get(application.user) ?? allocations.userMaximumDefault;
  let running = 0;
  for (const other of others) if (other.user === application.user && other.isRunnable) running++;
  if (running >= most) return { kind: 'user-limit', queue: undefined, running, maximum: most };
  for (let at: FairQueue | undefined = application.queue; at; at = at.parent)
    if (at.runnable >= at.settings.maximumRunning)
      return { kind: 'queue-limit', queue: at, running: at.runnable, maximum: at.settings.maximumRunning };
  return undefined;
}

// How many masters may run in a queue: the AM share of the queue and of each user, and who is activated next (Hadoop's activateApplications).

import { type Resource, sum, zeros } from '../../../model/resource.ts';
import { multiplyRoundedUp, smaller } from '../../state/calculator.ts';
import { byPriorityThenArrival, type CapacityApplication } from '../application.ts';
import type { Sizing } from '../queues/capacities.ts';
import type { CapacityQueue, QueueShare } from '../queues/queue.ts';
import type { User } from '../queues/users.ts';
import type { MasterRefusal } from './refusal.ts';

export interface ActivationContext {
  readonly sizing: Sizing;
  /** Total of the cluster, by which shares are compared. */
  readonly clusterTotal: Resource;
  activated(application: CapacityApplication): void;
}

/** The AM limit of the queue in a partition: its share of what the queue may reach now, not below its guarantee. */
function amLimitOf(queue: CapacityQueue, partition: number, context: ActivationContext): Resource {
  const share = queue.share(partition);
  const current = partition === 0 ? queue.leaf!.reachable : [];
  const usable = context.sizing.calculator.fits(share.effectiveMinimum, current) ? current : share.effectiveMinimum;
  share.amLimit = multiplyRoundedUp(context.sizing.calculator, usable, share.amShare, context.sizing.minimumAllocation);
  share.touched = true;
  return share.amLimit;
}

/** The AM limit of one user: by the user limit's rules, from the queue's guarantee. */
function userAmLimitOf(queue: CapacityQueue, user: User, partition: number, context: ActivationContext): Resource {
  const share = queue.share(partition);
  const { settings } = queue;
  const { minimumAllocation, calculator } = context.sizing;
  const part = Math.max(Math.fround(settings.userLimitPercent / 100), Math.fround(1 / Math.max(queue.leaf!.users.activeUsers, 1)));
  const limit = (weighted: number): Resource => {
    const by =
      settings.userLimitFactor === -1 ? share.amShare : Math.fround(Math.fround(share.amShare * weighted) * settings.userLimitFactor);
    return smaller(
      calculator,
      context.clusterTotal,
      multiplyRoundedUp(calculator, share.effectiveMinimum, by, minimumAllocation),
      amLimitOf(queue, partition, context),
    );
  };
  share.userAmLimit = limit(part);
  return user.weight === 1 ? share.userAmLimit : limit(Math.min(Math.fround(part * user.weight), 1));
}

/** Adds to the queue's waiting applications, in their order. */
export function addWaiting(queue: CapacityQueue, application: CapacityApplication): void {
  const { waiting } = queue.leaf!;
  let low = 0;
  let high = waiting.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byPriorityThenArrival(waiting[middle]!, application)) low = middle + 1;
    else high = middle;
  }
  waiting.splice(low, 0, application);
}

/** An application that comes while the cluster has nothing waits, even where it is the first of its queue. */
export function refuseInEmptyCluster(queue: CapacityQueue, application: CapacityApplication, context: ActivationContext): boolean {
  const { clusterTotal, sizing } = context;
  if (sizing.calculator.compare(clusterTotal, clusterTotal, []) > 0) return false;
  application.refusal = refused('cluster', queue, application, queue.share(application.masterPartition), context);
  return true;
}

/** More than this many waiting: only the new one is looked at where nothing was freed, and after this many refusals no further one. */
const manyWaiting = 256;

/** Activates the applications that the limits allow. `only`: nothing was freed, so no other can have become eligible. */
export function activate(queue: CapacityQueue, context: ActivationContext, only?: CapacityApplication): void {
  const leaf = queue.leaf!;
  for (const label of labelsOf(queue, context)) amLimitOf(queue, label, context);
  const candidates = only && leaf.waiting.length > manyWaiting ? [only] : [...leaf.waiting];
  let removed = false;
  let refusals = 0;
  for (const application of candidates) {
    const refusal = refusalOf(queue, application, context);
    if (refusal) {
      application.refusal = refusal;
      if (++refusals > manyWaiting) break;
      continue;
    }
    removed = true;
    admit(queue, application, context);
  }
  if (!removed) return;
  let kept = 0;
  for (const application of leaf.waiting) if (!application.isActive) leaf.waiting[kept++] = application;
  leaf.waiting.length = kept;
}

function labelsOf(queue: CapacityQueue, context: ActivationContext): number[] {
  const labels = queue.settings.accessibleLabels;
  if (labels.includes('*'))
    return queue.shares.flatMap((share, partition) =>
      partition === 0 || share?.touched || queue.settings.labels.has(context.sizing.nodes.partitions[partition]!.name) ? [partition] : [],
    );
  return [0, ...labels.map((label) => context.sizing.nodes.partition(label).index)];
}

function refusalOf(queue: CapacityQueue, application: CapacityApplication, context: ActivationContext): MasterRefusal | undefined {
  const partition = application.masterPartition;
  const share = queue.share(partition);
  const { calculator } = context.sizing;
  const total = context.clusterTotal;
  const firstOfAll = queue.leaf!.active.size < 1 || calculator.compare(total, share.amUsed, []) <= 0;
  const queueLimit = share.amLimit;
  if (!firstOfAll && !calculator.fits(sum(application.masterResource, share.amUsed), queueLimit))
    return refused('queue', queue, application, share, context);
  const user = application.owner;
  const userLimit = userAmLimitOf(queue, user, partition, context);
  const userUsed = user.amUsed[partition] ?? [];
  if (!firstOfAll && !calculator.fits(sum(application.masterResource, userUsed), userLimit))
    return refused('user', queue, application, share, context);
  user.amLimit[partition] = userLimit;
  return undefined;
}

function refused(
  limit: MasterRefusal['limit'],
  queue: CapacityQueue,
  application: CapacityApplication,
  share: QueueShare,
  context: ActivationContext,
): MasterRefusal {
  const shown = share.userAmLimit;
  const userLimit = userAmLimitOf(queue, application.owner, application.masterPartition, context);
  // Nobody is told about a master that the application brings itself: what is shown stays.
  if (application.unmanaged) share.userAmLimit = shown;
  return {
    kind: 'masterLimit',
    limit,
    partition: context.sizing.nodes.partitions[application.masterPartition]!.name,
    master: application.masterResource,
    queueLimit: share.amLimit,
    userLimit,
    queueUsed: [...share.amUsed],
    userUsed: sum(zeros(share.amUsed.length), application.owner.amUsed[application.masterPartition] ?? []),
  };
}

function admit(queue: CapacityQueue, application: CapacityApplication, context: ActivationContext): void {
  const leaf = queue.leaf!;
  const user = application.owner;
  const partition = application.masterPartition;
  application.isActive = true;
  application.servingsBefore = leaf.servings;
  leaf.active.add(application);
  user.waitingApplications--;
  user.activeApplications++;
  leaf.users.countsChanged = true;
  chargeMaster(queue, application, partition, 1);
  context.activated(application);
}

/** Counts the master in or out of the AM shares. */
export function chargeMaster(queue: CapacityQueue, application: CapacityApplication, partition: number, sign: 1 | -1): void {
  const share = queue.share(partition);
  application.masterResource.forEach((value, i) => {
    share.amUsed[i]! += sign * value;
  });
  queue.leaf!.users.chargeMaster(application.owner, partition, application.masterResource, sign);
}

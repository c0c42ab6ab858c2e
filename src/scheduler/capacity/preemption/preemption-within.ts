// Inside a queue: applications of lower priority, or of users above their limit, give back for those that the queue owes more (Hadoop's
// FifoIntraQueuePreemptionPlugin). Masters are never taken.

import { type Resource, sum, zeros } from '../../../model/resource.ts';
import type { PreemptionSettings } from '../../policy.ts';
import type { HeldContainer } from '../../state/model.ts';
import type { Partition } from '../../state/nodes.ts';
import { type CapacityApplication, servingOrder } from '../application.ts';
import { limitInputs } from '../limits/user.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import { distinctSizes, togetherOnNode } from './preemption-node.ts';

/** One application in the computation. Amounts are without its master. */
interface Part {
  readonly application: CapacityApplication;
  readonly used: number[];
  readonly ideal: number[];
  /** Wanted of others. */
  readonly demand: number[];
  /** Could be taken, and is. */
  readonly offer: number[];
  readonly taken: number[];
}

export interface WithinContext {
  readonly tree: QueueTree;
  readonly settings: PreemptionSettings;
  /** Types that count for the calculator. */
  readonly types: readonly number[];
  /** What may still be taken in this round, by type; reduced here. */
  readonly allowed: number[];
}

/** Adds the containers that the queue's own order takes back to `selected`. */
export function selectWithin(queue: CapacityQueue, partition: Partition, context: WithinContext, selected: Set<HeldContainer>): void {
  const { settings, tree, types } = context;
  const leaf = queue.leaf!;
  const share = queue.share(partition.index);
  if (queue.settings.intraQueuePreemptionDisabled || leaf.active.size < 2 || share.usedRatio < settings.intraQueueMinimumThreshold) return;
  const parts = partsOf(queue, partition, selected);
  if (!parts.some(({ application }) => application.counts.of('pending', partition.index).some((value) => value > 0))) return;
  const reassignable = zeros(share.used.length);
  for (const { used } of parts) for (const i of types) reassignable[i]! += used[i]!;
  const limits = new Map<string, Resource>();
  for (const { application } of parts)
    if (!limits.has(application.user))
      limits.set(application.user, leaf.users.limitAmongAll(application.owner, limitInputs(queue, partition, tree, false)));
  assignIdeals(parts, partition.index, types, reassignable, limits);
  const room = context.allowed.map((value, i) => Math.min(value, share.effectiveMinimum[i]! * settings.intraQueueMaximumLimit));
  const byUserLimit = settings.intraQueueOrder === 'userlimit_first';
  offerFromLast(parts, types, room, byUserLimit ? tree.sizing.minimumAllocation : zeros(room.length));
  const wanting = parts.filter(({ demand }) => types.some((i) => demand[i]! > 0));
  const sizes = distinctSizes(
    wanting.flatMap(({ application }) => (application.attempt?.requests.inOrder() ?? []).map(({ resource }) => resource)),
  );
  match(parts, partition, context, limits);
  for (const part of [...parts].reverse()) take(part, partition, context, limits.get(part.application.user)!, sizes, selected);
}

/** In the order in which the queue serves them. */
function partsOf(queue: CapacityQueue, partition: Partition, selected: ReadonlySet<HeldContainer>): Part[] {
  const before = servingOrder(queue.settings, partition.index);
  return [...queue.leaf!.active]
    .sort((a, b) => (before(a, b) ? -1 : 1))
    .map((application) => {
      const used = zeros(partition.total.length);
      for (const container of application.containers) {
        if (container.partition !== partition.index || container.isMaster || selected.has(container)) continue;
        for (let i = 0; i < used.length; i++) used[i]! += container.resource[i] ?? 0;
      }
      const none = () => zeros(used.length);
      return { application, used, ideal: none(), demand: none(), offer: none(), taken: none() };
    });
}

/** Down the order: each application what it holds and wants, within its user's limit and what the queue holds. */
function assignIdeals(
  parts: readonly Part[],
  partition: number,
  types: readonly number[],
  reassignable: number[],
  limits: ReadonlyMap<string, Resource>,
): void {
  const ofUser = new Map<string, number[]>();
  for (const { application, used, ideal, demand } of parts) {
    const held = ofUser.get(application.user) ?? zeros(used.length);
    ofUser.set(application.user, held);
    const limit = limits.get(application.user)!;
    const pending = application.counts.of('pending', partition);
    for (const i of types) {
      const wanted = used[i]! + (pending[i] ?? 0);
      ideal[i] = Math.max(0, Math.min(wanted, limit[i]! - held[i]!, reassignable[i]!));
      held[i]! += ideal[i]!;
      reassignable[i]! -= ideal[i]!;
      demand[i] = Math.max(0, ideal[i]! - used[i]!);
    }
  }
}

/** Up the order: what is above the ideal, until the round's room is used up. */
function offerFromLast(parts: readonly Part[], types: readonly number[], room: number[], keep: Resource): void {
  for (const { used, ideal, offer } of [...parts].reverse()) {
    for (const i of types) {
      offer[i] = Math.max(0, Math.min(used[i]! - ideal[i]! - (keep[i] ?? 0), room[i]!));
      room[i]! -= offer[i]!;
    }
  }
}

/** Offers meet demands: of a lower priority, or of another user above its limit. */
function match(parts: readonly Part[], partition: Partition, context: WithinContext, limits: ReadonlyMap<string, Resource>): void {
  const { settings, tree, types } = context;
  const byUserLimit = settings.intraQueueOrder === 'userlimit_first';
  for (const low of [...parts].reverse()) {
    for (const high of parts) {
      if (high === low) break;
      const { application } = high;
      const ofHigher = application.priority > low.application.priority;
      const aboveLimit =
        byUserLimit &&
        application.user !== low.application.user &&
        tree.calculator.compare(partition.total, low.application.owner.used[partition.index] ?? [], limits.get(low.application.user)!) > 0;
      if ((!ofHigher && !aboveLimit) || !mayGrow(application, partition, tree)) continue;
      for (const i of types) {
        const part = Math.min(high.demand[i]!, low.offer[i]! - low.taken[i]!);
        low.taken[i]! += part;
        high.demand[i]! -= part;
      }
    }
    // Under the order by arrival a user below its limit may stand behind one above it.
    if (!byUserLimit) continue;
    for (const other of parts.slice(parts.indexOf(low) + 1)) {
      const user = low.application.owner;
      if (other.application.user === low.application.user || !mayGrow(other.application, partition, tree)) continue;
      if (tree.calculator.compare(partition.total, user.used[partition.index] ?? [], limits.get(low.application.user)!) <= 0) continue;
      if (other.application.priority < low.application.priority) continue;
      for (const i of types) {
        const part = Math.min(other.demand[i]!, low.offer[i]! - low.taken[i]!);
        low.taken[i]! += part;
        other.demand[i]! -= part;
      }
    }
  }
}

/** Its user is not above the limit that placements obey: what is taken for it can be given to it. */
function mayGrow(application: CapacityApplication, partition: Partition, tree: QueueTree): boolean {
  const { queue, owner } = application;
  const limit = queue.leaf!.users.peekLimit(owner, limitInputs(queue, partition, tree, false));
  return tree.calculator.compare(partition.total, owner.used[partition.index] ?? [], limit) <= 0;
}

/** The newest containers first; a user is not brought below its limit for another. */
function take(
  part: Part,
  partition: Partition,
  context: WithinContext,
  limit: Resource,
  sizes: readonly Resource[],
  selected: Set<HeldContainer>,
): void {
  const { application, taken } = part;
  const { allowed, types } = context;
  // Of what is wanted of several types the first that is there ends it: rather too little than too much.
  const wanted = types.filter((i) => taken[i]! > 0);
  if (wanted.length === 0) return;
  const held = [...(application.owner.used[partition.index] ?? zeros(taken.length))];
  const priorityAlone = context.settings.intraQueueOrder === 'priority_first';
  const containers = [...application.containers]
    .filter((container) => container.partition === partition.index && !container.isMaster && !selected.has(container))
    .sort((a, b) => b.order - a.order);
  const ofApplication = (other: HeldContainer): boolean => other.application === application;
  for (const container of containers) {
    if (wanted.some((i) => taken[i]! <= 0)) return;
    const together = togetherOnNode(container, ofApplication, sizes, selected, context.types);
    if (together.length === 0) continue;
    const all = together.map(({ resource }) => resource).reduce((total, resource) => sum(total, resource));
    if (types.some((i) => all[i]! > allowed[i]!)) continue;
    if (!priorityAlone && types.every((i) => held[i]! - all[i]! < Math.min(limit[i]!, held[i]! - taken[i]!))) continue;
    for (const chosen of together) selected.add(chosen);
    for (const i of types) {
      taken[i]! -= all[i]!;
      allowed[i]! -= all[i]!;
      held[i]! -= all[i]!;
    }
  }
}

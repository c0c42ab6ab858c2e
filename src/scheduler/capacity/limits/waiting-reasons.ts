// Why applications and requests of the capacity policy wait: the predicates by which a cycle decides, run again with the numbers of the
// moment. Nothing here changes state.

import { addInto, difference, type Resource, sum, zeros } from '../../../model/resource.ts';
import { explainRequests } from '../../explain/explain-requests.ts';
import type { Explanation, WaitingReason } from '../../explain/explanation.ts';
import type { Locality } from '../../placement/locality.ts';
import { refusesService } from '../../placement/node.ts';
import { emptyPartition } from '../../placement/node-refusals.ts';
import type { Ledger } from '../../state/ledger.ts';
import type { OpenRequest } from '../../state/model.ts';
import type { Partition } from '../../state/nodes.ts';
import { shownName } from '../../state/requests.ts';
import { type CapacityApplication, servingOrder } from '../application.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import { mayUseLabel } from '../settings/queue-settings.ts';
import { limitBelow, refusesMore, refusesSize } from './queue.ts';
import type { Running } from './running.ts';
import { refusesUser, userLimit } from './user.ts';

/** What explanations are worked out from. */
export interface CapacityView {
  readonly tree: QueueTree;
  readonly ledger: Ledger<CapacityApplication>;
  readonly running: Running;
  readonly locality: Locality;
}

/** The record of one application. */
export function explainCapacity(application: CapacityApplication, view: CapacityView): Explanation {
  const { queue, attempt } = application;
  const told = (waitingReason: WaitingReason | undefined): WaitingReason | undefined => waitingReason && counting(waitingReason, view.tree);
  const held = told(holdsBack(application, view));
  const behind = new Map<number, WaitingReason | undefined>();
  const rules = (request: OpenRequest, partition: Partition): (WaitingReason | undefined)[] => [
    told(queueWaitingReason(application, request, partition, view)),
    told(userWaitingReason(application, partition, view.tree)),
  ];
  const turn = (request: OpenRequest, partition: Partition): WaitingReason | undefined => {
    const before = behindRequest(application, request, partition, view);
    if (before) return before;
    if (!behind.has(partition.index)) behind.set(partition.index, behindApplication(application, partition, view));
    return behind.get(partition.index) ?? keptForQueue(application, request, partition, view);
  };
  const onNodes = (request: OpenRequest, partition: Partition): OpenRequest => ({
    ...request,
    reach: view.locality.reachNow(request, view.ledger.nodes, partition),
  });
  const requests: Pick<Explanation, 'requests' | 'further'> = explainRequests(attempt, view.ledger.nodes, { held, rules, turn, onNodes });
  return {
    queue: queue.path,
    ...(queue.state !== 'RUNNING' && { queueState: queue.state }),
    ...(held && { application: held }),
    ...requests,
  };
}

/** By memory alone, limits say nothing of other types: these are left out. */
function counting(waitingReason: WaitingReason, { calculator }: QueueTree): WaitingReason {
  if (calculator.kind !== 'default') return waitingReason;
  const { used, limit, unroundedLimit } = waitingReason;
  const memory = (amount: Resource): Resource => amount.map((value, i) => (i === 0 ? value : 0));
  return {
    ...waitingReason,
    ...(used && { used: memory(used) }),
    ...(limit && { limit: memory(limit) }),
    ...(unroundedLimit && { unroundedLimit: memory(unroundedLimit) }),
  };
}

// ---- the whole application

function holdsBack(application: CapacityApplication, { running, ledger }: CapacityView): WaitingReason | undefined {
  if (application.isActive || !application.attempt) return undefined;
  const queue = application.queue.path;
  if (!application.isRunnable) {
    const refused = running.refusesToRun(application);
    if (!refused) return { rule: 'NOT_YET_LOOKED_AT', queue };
    const numbers = { running: refused.running, maximum: refused.maximum };
    return refused.queue
      ? { rule: 'QUEUE_PARALLEL_LIMIT', queue: refused.queue.path, ...numbers }
      : { rule: 'USER_PARALLEL_LIMIT', user: application.user, ...numbers };
  }
  const { refusal: reason, owner, user } = application;
  if (reason?.kind !== 'masterLimit') return { rule: 'NOT_YET_LOOKED_AT', queue };
  const partition = application.masterPartition;
  const nodes = ledger.nodes.partitions[partition]!;
  // Without nodes every limit is 0.
  const empty = emptyPartition(ledger.nodes, nodes);
  if (empty) return { ...empty, asked: reason.master };
  if (reason.limit === 'cluster') {
    const about = { partition: nodes.name, asked: reason.master };
    const isClosed = nodes.rooms.nodes.every((node) => !node || refusesService(node));
    return isClosed
      ? { rule: 'NODES_UNSCHEDULABLE', ...about }
      : { rule: 'NO_NODE_LARGE_ENOUGH', ...about, limit: zeros(reason.master.length) };
  }
  const about = { queue, user, partition: ledger.nodes.partitions[partition]!.name, asked: reason.master };
  return reason.limit === 'queue'
    ? {
        rule: 'QUEUE_MASTER_LIMIT',
        ...about,
        used: latest(application.queue.share(partition).amUsed, reason.queueUsed),
        limit: reason.queueLimit,
      }
    : {
        rule: 'USER_MASTER_LIMIT',
        ...about,
        used: latest(owner.amUsed[partition] ?? zeros(reason.master.length), reason.userUsed),
        limit: reason.userLimit,
      };
}

/** What is held now, unless less than when it was refused: then those are the numbers that hold it back until the next look. */
const latest = (now: Resource, then: Resource): Resource => (then.some((value, i) => value > (now[i] ?? 0)) ? [...then] : [...now]);

// ---- a queue above the request is full

/** The limit of a queue as a cycle works it out, and of each type the queue whose maximum it comes from. */
interface Limit {
  readonly amount: Resource;
  readonly sources: readonly CapacityQueue[];
  /** A queue on the way that may take nothing. */
  readonly full?: CapacityQueue;
}

/** What the parent keeps back for children whose turn comes before the queue's. */
function keptForOthers(queue: CapacityQueue, partition: number): number[] {
  const { parent } = queue;
  const kept = (parent?.share(partition).blocked ?? []).map(() => 0);
  for (const other of keepersBefore(queue, partition)) addInto(kept, other.share(partition).kept!);
  return kept;
}

function keepersBefore(queue: CapacityQueue, partition: number): CapacityQueue[] {
  const { parent } = queue;
  if (!parent) return [];
  const before = parent.order(partition);
  return [...(parent.share(partition).parkedChildren ?? [])].filter(
    (other) => other !== queue && other.share(partition).kept !== undefined && !before(queue, other),
  );
}

function limitOf(queue: CapacityQueue, application: CapacityApplication, partition: Partition, tree: QueueTree, keeping: boolean): Limit {
  const p = partition.index;
  let limit: Limit;
  if (queue.parent) {
    const above = limitOf(queue.parent, application, partition, tree, keeping);
    if (above.full) return above;
    const { effectiveMaximum, used } = queue.share(p);
    const kept = keeping ? keptForOthers(queue, p) : [];
    const amount: number[] = [];
    limitBelow(queue, above.amount, sum(zeros(above.amount.length), kept), partition, tree, amount);
    const ofParent = queue.parent.share(p).used;
    const left = above.amount.map((value, i) => value - (kept[i] ?? 0) - ofParent[i]! + used[i]!);
    limit = { amount, sources: above.sources.map((source, i) => (effectiveMaximum[i]! < left[i]! ? queue : source)) };
  } else limit = { amount: queue.share(p).effectiveMaximum, sources: partition.total.map(() => queue) };
  const reserved = queue.leaf ? application.counts.of('reserved', p) : queue.share(p).reserved;
  const refused = refusesMore(queue.share(p).used, limit.amount, reserved, partition.total, tree.calculator);
  return refused ? { ...limit, full: queue } : limit;
}

/** The queue whose maximum refuses the request, and how far it may go. `keeping`: counting out what is kept for other queues. */
export function refusingQueue(
  application: CapacityApplication,
  request: OpenRequest,
  partition: Partition,
  tree: QueueTree,
  keeping: boolean,
): { source: CapacityQueue; limit: Resource } | undefined {
  const { calculator } = tree;
  const limit = limitOf(application.queue, application, partition, tree, keeping);
  const at = limit.full ?? application.queue;
  const reserved = application.counts.of('reserved', partition.index);
  const left = difference(limit.amount, at.share(partition.index).used);
  const room = sum(left, reserved);
  if (!limit.full && !refusesSize(request.resource, application, partition.index, at.share(partition.index).used, limit.amount, calculator))
    return undefined;
  const missing = request.resource.findIndex((value, i) => value > room[i]! && (i === 0 || calculator.kind === 'dominant'));
  const source = limit.sources[Math.max(missing, 0)]!;
  const { used, effectiveMaximum } = source.share(partition.index);
  return { source, limit: used.map((value, i) => (limit.sources[i] === source ? value + left[i]! : effectiveMaximum[i]!)) };
}

function queueWaitingReason(
  application: CapacityApplication,
  request: OpenRequest,
  partition: Partition,
  { tree }: CapacityView,
): WaitingReason | undefined {
  const refused = refusingQueue(application, request, partition, tree, false);
  if (!refused) return undefined;
  const { source, limit } = refused;
  const { queue, user } = application;
  const { name } = partition;
  if (!mayUseLabel(queue.settings, name)) return { rule: 'LABEL_NOT_ACCESSIBLE', queue: queue.path, user, partition: name };
  const { used, effectiveMaximum } = source.share(partition.index);
  if (name !== '' && partition.nodes > 0 && effectiveMaximum.every((value) => value === 0))
    return { rule: 'NO_SHARE_OF_LABEL', queue: source.path, partition: name };
  return {
    rule: source === queue ? 'QUEUE_MAXIMUM' : 'ANCESTOR_MAXIMUM',
    queue: source.path,
    partition: name,
    asked: request.resource,
    used: difference(used, application.counts.of('reserved', partition.index)),
    limit,
    ...(limit.some((value, i) => value < effectiveMaximum[i]!) && { unroundedLimit: [...effectiveMaximum] }),
  };
}

// ---- the user

/** The user is above its limit in the application's queue. */
export function userWaitingReason(application: CapacityApplication, partition: Partition, tree: QueueTree): WaitingReason | undefined {
  const { queue, owner, user } = application;
  const limit = userLimit(queue, owner, partition, tree);
  if (!refusesUser(application, partition, limit, tree)) return undefined;
  const held = difference(owner.used[partition.index]!, application.counts.of('reserved', partition.index));
  return { rule: 'USER_LIMIT', queue: queue.path, user, partition: partition.name, used: held, limit: [...limit] };
}

// ---- its turn has not come

/** The first request of the application that finds no room in the queue ends its turn. */
function behindRequest(
  application: CapacityApplication,
  request: OpenRequest,
  partition: Partition,
  { tree }: CapacityView,
): WaitingReason | undefined {
  for (const earlier of application.attempt?.requests.inOrder() ?? []) {
    if (earlier === request) return undefined;
    if (earlier.partition === partition.index && refusingQueue(application, earlier, partition, tree, true))
      return { rule: 'BEHIND_REQUEST', queue: application.queue.path, partition: partition.name, other: shownName(earlier) };
  }
  return undefined;
}

/** An application before this one that finds no room in the queue ends the queue's turn. */
function behindApplication(application: CapacityApplication, partition: Partition, view: CapacityView): WaitingReason | undefined {
  const { queue } = application;
  const before = servingOrder(queue.settings, partition.index);
  for (const other of queue.leaf!.active) {
    if (other === application || !before(other, application)) continue;
    const requests = (other.attempt?.requests.inOrder() ?? []).filter((request) => request.partition === partition.index);
    if (requests.length === 0) continue;
    // Room that only this application could make (by giving up what is reserved for it) is not looked for after that.
    const { full } = limitOf(queue, other, partition, view.tree, true);
    if (!full && userWaitingReason(other, partition, view.tree)) continue;
    if (full || requests.some((request) => refusingQueue(other, request, partition, view.tree, true)))
      return { rule: 'BEHIND_APPLICATION', queue: queue.path, partition: partition.name, other: other.applicationId };
  }
  return undefined;
}

/** Room that a queue with an earlier turn could not use yet is kept for it. */
function keptForQueue(
  application: CapacityApplication,
  request: OpenRequest,
  partition: Partition,
  { tree }: CapacityView,
): WaitingReason | undefined {
  if (!refusingQueue(application, request, partition, tree, true)) return undefined;
  const p = partition.index;
  for (let at = application.queue; at.parent; at = at.parent) {
    const kept = keptForOthers(at, p);
    if (!kept.some((value) => value > 0)) continue;
    const [first] = keepersBefore(at, p);
    return {
      rule: 'ROOM_KEPT_FOR_QUEUE',
      queue: at.parent.path,
      partition: partition.name,
      asked: request.resource,
      used: kept,
      ...(first && { other: first.path }),
    };
  }
  return undefined;
}

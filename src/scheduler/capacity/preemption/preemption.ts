// Takes containers back from queues above their guarantee for queues below theirs, and inside queues by priority and user limit (Hadoop's
// ProportionalCapacityPreemptionPolicy with its first-in-first-out selection): the youngest application first, what it has reserved before
// what runs, its master last.

import { addInto, type Resource, sum } from '../../../model/resource.ts';
import type { Decision, PreemptionSettings } from '../../policy.ts';
import type { Ledger } from '../../state/ledger.ts';
import type { HeldContainer, Reservation } from '../../state/model.ts';
import type { Partition } from '../../state/nodes.ts';
import { type CapacityApplication, servingOrder } from '../application.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import { type Claim, claimsOf, idealAssignment, leavesOf } from './preemption-ideal.ts';
import { distinctSizes, togetherOnNode } from './preemption-node.ts';
import { selectWithin } from './preemption-within.ts';

/** How long a container is chosen round by round before it is taken back, with a round before and after; undefined: none is. */
export const preemptsWithinMs = (settings: PreemptionSettings | undefined): number | undefined =>
  settings && !settings.observeOnly ? settings.maximumWaitBeforeKillMs + 2 * settings.monitoringIntervalMs : undefined;

/** What a round chose. */
interface Selection {
  readonly containers: Set<HeldContainer>;
  readonly reservations: Reservation[];
}

export class PreemptionMonitor {
  readonly #settings: PreemptionSettings;
  readonly #tree: QueueTree;
  readonly #ledger: Ledger<CapacityApplication>;
  readonly #now: () => number;
  #nextMs: number;
  /** When a chosen container was first chosen. */
  readonly #chosen = new Map<string, number>();

  constructor(settings: PreemptionSettings, tree: QueueTree, ledger: Ledger<CapacityApplication>, now: () => number) {
    this.#settings = settings;
    this.#tree = tree;
    this.#ledger = ledger;
    this.#now = now;
    this.#nextMs = now() + settings.monitoringIntervalMs;
  }

  nextMs(): number {
    return this.#nextMs;
  }

  /** Containers of the application that were chosen and have their time to end by themselves. */
  announced(applicationId: string): readonly string[] {
    if (this.#chosen.size === 0 || this.#settings.observeOnly) return [];
    return [...this.#chosen.keys()].filter(
      (containerId) => this.#ledger.containers.get(containerId)?.application.applicationId === applicationId,
    );
  }

  isDue(): boolean {
    return this.#now() >= this.#nextMs;
  }

  /** One round, when it is due: a container that is chosen is marked first and killed when the waiting time is over; reservations go at once. */
  run(): Decision[] {
    if (!this.isDue()) return [];
    const nowMs = this.#now();
    this.#nextMs = nowMs + this.#settings.monitoringIntervalMs;
    const selection: Selection = { containers: new Set(), reservations: [] };
    for (const partition of this.#ledger.nodes.partitions) if (partition.nodes > 0) this.#select(partition, selection);
    for (const containerId of [...this.#chosen.keys()]) {
      const container = this.#ledger.containers.get(containerId);
      if (!container || !selection.containers.has(container)) this.#chosen.delete(containerId);
    }
    if (this.#settings.observeOnly) return [];
    const decisions = selection.reservations.map((reservation) => this.#unreserve(reservation));
    for (const container of selection.containers) {
      const sinceMs = this.#chosen.get(container.containerId);
      if (sinceMs === undefined) this.#chosen.set(container.containerId, nowMs);
      else if (nowMs - sinceMs >= this.#settings.maximumWaitBeforeKillMs && !container.marked) {
        container.marked = true;
        this.#chosen.delete(container.containerId);
        const { containerId, attemptId } = container;
        decisions.push({ kind: 'preempt', containerId, applicationId: container.application.applicationId, attemptId });
      }
    }
    return decisions;
  }

  #unreserve(reservation: Reservation): Decision {
    const { application, node, resource, request } = reservation;
    this.#ledger.unreserve(reservation);
    return {
      kind: 'unreserve',
      applicationId: application.applicationId,
      attemptId: application.attempt?.attemptId ?? '',
      nodeId: node.nodeId,
      resource,
      priority: request.priority,
    };
  }

  #select(partition: Partition, selection: Selection): void {
    const settings = this.#settings;
    const { calculator } = this.#tree;
    if (this.#tree.root.share(partition.index).pending.every((value) => value <= 0)) return;
    const allowed = partition.total.map((value) => value * settings.totalPerRound);
    const root = idealAssignment(this.#tree, partition, { allowed, balance: settings.balanceSatisfiedQueues });
    const types = calculator.kind === 'default' ? [0] : partition.total.map((_, i) => i);
    const needy = [...claimsOf(root)].filter(
      ({ ideal, used, queue }) => queue.parent !== undefined && types.some((i) => ideal[i]! > used[i]!),
    );
    for (const claim of leavesOf(root)) {
      if (claim.queue.settings.preemptionDisabled) continue;
      const bound = claim.guaranteed.map((value) => value * (1 + settings.maximumIgnoredOverCapacity));
      if (calculator.compare(partition.total, claim.used, bound) <= 0) continue;
      const target = claim.toGive.map((value) => Math.ceil(value * settings.naturalTerminationFactor));
      if (types.some((i) => target[i]! > 0)) this.#take(claim, needy, partition, target, types, allowed, selection);
    }
    if (!settings.intraQueue) return;
    const context = { tree: this.#tree, settings, types, allowed };
    for (const queue of this.#tree.leaves()) selectWithin(queue, partition, context, selection.containers);
  }

  /** The queue would be further below its guarantee than every queue that claims, and be served first: taking so much leads to nothing. */
  #comesBack(queue: CapacityQueue, given: Resource, needy: readonly Claim[], partition: Partition): boolean {
    const p = partition.index;
    const { calculator } = this.#tree;
    if (calculator.empty(queue.share(p).pending)) return false;
    const ratio = (at: CapacityQueue, less: Resource): number => {
      const { used, effectiveMinimum } = at.share(p);
      const left = used.map((value, i) => Math.max(0, value - (less[i] ?? 0)));
      return calculator.empty(effectiveMinimum) ? Number.POSITIVE_INFINITY : calculator.divide(partition.total, left, effectiveMinimum);
    };
    return needy.every((other) => {
      const [own, others] = belowCommonParent(queue, other.queue);
      return own !== undefined && others !== undefined && ratio(own, given) < Math.min(1, ratio(others, []));
    });
  }

  /** The last of the queue's order first: what is reserved, plain containers, then masters above what the guarantee holds of them. */
  #take(
    { queue, guaranteed }: Claim,
    needy: readonly Claim[],
    partition: Partition,
    target: number[],
    types: readonly number[],
    allowed: number[],
    selection: Selection,
  ): void {
    const before = servingOrder(queue.settings, partition.index);
    const applications = [...queue.leaf!.active].sort((a, b) => (before(a, b) ? 1 : -1));
    const done = (): boolean => types.every((i) => target[i]! <= 0);
    const given = guaranteed.map(() => 0);
    const charge = (resource: Resource): boolean => {
      if (done() || types.some((i) => resource[i]! > allowed[i]!)) return false;
      if (this.#comesBack(queue, sum(given, resource), needy, partition)) return false;
      addInto(given, resource);
      for (const i of types) {
        target[i]! -= resource[i]!;
        allowed[i]! -= resource[i]!;
      }
      return true;
    };
    const sizes = distinctSizes(needy.flatMap(({ requests }) => requests.map(({ resource }) => resource)));
    const ofQueue = (other: HeldContainer): boolean => (other.application as CapacityApplication).queue === queue;
    const masters: HeldContainer[] = [];
    const mastersUsed = guaranteed.map(() => 0);
    for (const application of applications) {
      if (done()) return;
      for (const reservation of application.attempt?.reservations ?? [])
        if (reservation.partition === partition.index && charge(reservation.resource)) selection.reservations.push(reservation);
      const containers = [...application.containers].filter((container) => container.partition === partition.index);
      for (const container of containers.sort((a, b) => b.priority - a.priority || b.order - a.order)) {
        if (container.isMaster) {
          masters.push(container);
          for (const i of types) mastersUsed[i]! += container.resource[i]!;
          continue;
        }
        if (done()) continue;
        for (const part of togetherOnNode(container, ofQueue, sizes, selection.containers, types))
          if (charge(part.resource)) selection.containers.add(part);
      }
    }
    const kept = guaranteed.map((value) => value * queue.share(partition.index).amShare);
    for (const master of masters) {
      if (this.#tree.calculator.compare(partition.total, mastersUsed, kept) <= 0) break;
      if (!charge(master.resource)) continue;
      selection.containers.add(master);
      for (const i of types) mastersUsed[i]! -= master.resource[i]!;
    }
  }
}

/** The ancestors (or the queues themselves) of two queues that are siblings. */
function belowCommonParent(a: CapacityQueue, b: CapacityQueue): [CapacityQueue | undefined, CapacityQueue | undefined] {
  let one: CapacityQueue | undefined = a;
  let other: CapacityQueue | undefined = b;
  while (one && other && one.parent !== other.parent) {
    if (one.depth >= other.depth) one = one.parent;
    else other = other.parent;
  }
  return one === other ? [undefined, undefined] : [one, other];
}

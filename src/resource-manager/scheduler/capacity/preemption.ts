// Takes containers back from queues above their guarantee for queues below theirs (Hadoop's ProportionalCapacityPreemptionPolicy with
// its first-in-first-out selection). What a queue ought to have is worked out like an ideal assignment: guarantees first, what is left by
// shares; who holds more than that and may be preempted gives back, the youngest application first, its master last.

import { type Resource, zeros } from '../../../model/resource.ts';
import type { HeldContainer } from '../applications.ts';
import type { Ledger } from '../ledger.ts';
import type { Partition } from '../nodes.ts';
import type { Decision, PreemptionSettings } from '../policy.ts';
import type { CapacityApplication } from './application.ts';
import { limitInputs } from './limits.ts';
import type { CapacityQueue } from './queue.ts';
import type { QueueTree } from './tree.ts';

/** One leaf in the computation of a round. */
interface Claim {
  readonly queue: CapacityQueue;
  readonly used: Resource;
  readonly guaranteed: Resource;
  readonly maximum: Resource;
  /** Used and wanted, within the users' limits. */
  readonly wanted: Resource;
  readonly ideal: number[];
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

  isDue(): boolean {
    return this.#now() >= this.#nextMs;
  }

  /** One round, when it is due: who is chosen is warned first and killed when the waiting time is over. */
  run(): Decision[] {
    if (!this.isDue()) return [];
    const nowMs = this.#now();
    this.#nextMs = nowMs + this.#settings.monitoringIntervalMs;
    const selected = new Set<HeldContainer>();
    for (const partition of this.#ledger.nodes.partitions) if (partition.nodes > 0) this.#select(partition, selected);
    for (const containerId of [...this.#chosen.keys()]) {
      const container = this.#ledger.containers.get(containerId);
      if (!container || !selected.has(container)) this.#chosen.delete(containerId);
    }
    if (this.#settings.observeOnly) return [];
    const decisions: Decision[] = [];
    for (const container of selected) {
      const sinceMs = this.#chosen.get(container.containerId);
      if (sinceMs === undefined) this.#chosen.set(container.containerId, nowMs);
      else if (nowMs - sinceMs >= this.#settings.maximumWaitBeforeKillMs && !container.marked) {
        container.marked = true;
        this.#chosen.delete(container.containerId);
        decisions.push({
          kind: 'preempt',
          containerId: container.containerId,
          applicationId: container.application.applicationId,
          attemptId: container.attemptId,
        });
      }
    }
    return decisions;
  }

  #select(partition: Partition, selected: Set<HeldContainer>): void {
    const claims = this.#tree.leaves().map((queue) => this.#claimOf(queue, partition));
    const starving = claims.some(({ used, guaranteed, wanted }) => less(used, guaranteed, wanted));
    if (!starving) return;
    this.#assign(claims, partition);
    const round = partition.total.map((value) => value * this.#settings.totalPerRound);
    const needed = this.#needOf(claims);
    for (const claim of claims) {
      const { settings } = claim.queue;
      if (settings.preemptionDisabled) continue;
      const slack = this.#settings.maximumIgnoredOverCapacity;
      if (claim.used.every((value, i) => value <= claim.guaranteed[i]! * (1 + slack))) continue;
      const over = claim.used.map((value, i) => Math.max(0, value - Math.max(claim.ideal[i]!, claim.guaranteed[i]!)));
      const target = over.map((value, i) => Math.min(value * this.#settings.naturalTerminationFactor, round[i]!, needed[i]!));
      if (target[0]! <= 0 && (this.#tree.calculator.kind === 'default' || target.every((value) => value <= 0))) continue;
      this.#take(claim.queue, partition, target, needed, selected);
    }
  }

  #claimOf(queue: CapacityQueue, partition: Partition): Claim {
    const share = queue.share(partition.index);
    const room = new Map<string, number[]>();
    const wanted = [...share.used];
    for (const application of queue.leaf!.active) {
      const pending = application.counts.pending[partition.index];
      if (!pending) continue;
      let left = room.get(application.user);
      if (!left) {
        const limit = queue.leaf!.users.limitOf(application.owner, limitInputs(queue, partition, this.#tree, false));
        const used = application.owner.used[partition.index] ?? zeros(limit.length);
        left = limit.map((value, i) => Math.max(0, value - used[i]!));
        room.set(application.user, left);
      }
      for (let i = 0; i < wanted.length; i++) {
        const part = Math.min(left[i]!, pending[i]!);
        wanted[i]! += part;
        left[i]! -= part;
      }
    }
    return {
      queue,
      used: share.used,
      guaranteed: share.effectiveMinimum,
      maximum: share.effectiveMaximum,
      wanted,
      ideal: zeros(wanted.length),
    };
  }

  /** Guarantees first, then what is left in rounds by guarantee, never more than wanted or the maximum. */
  #assign(claims: readonly Claim[], partition: Partition): void {
    for (let i = 0; i < partition.total.length; i++) {
      let left = partition.total[i]!;
      for (const claim of claims) {
        const keeps = claim.queue.settings.preemptionDisabled ? Math.max(claim.guaranteed[i]!, claim.used[i]!) : claim.guaranteed[i]!;
        claim.ideal[i] = Math.min(keeps, claim.wanted[i]!, claim.maximum[i]!);
        left -= claim.ideal[i]!;
      }
      let hungry = claims.filter((claim) => claim.ideal[i]! < Math.min(claim.wanted[i]!, claim.maximum[i]!));
      while (left > 0 && hungry.length > 0) {
        const weights = hungry.reduce((total, claim) => total + Math.max(claim.guaranteed[i]!, 1), 0);
        const before = left;
        for (const claim of hungry) {
          const offer = Math.ceil((before * Math.max(claim.guaranteed[i]!, 1)) / weights);
          const part = Math.max(0, Math.min(offer, left, Math.min(claim.wanted[i]!, claim.maximum[i]!) - claim.ideal[i]!));
          claim.ideal[i]! += part;
          left -= part;
        }
        hungry = hungry.filter((claim) => claim.ideal[i]! < Math.min(claim.wanted[i]!, claim.maximum[i]!));
        if (left === before) break;
      }
    }
  }

  /** What queues below their guarantee still want, less what is free and what was chosen before. */
  #needOf(claims: readonly Claim[]): number[] {
    const first = claims[0]!;
    const need = zeros(first.ideal.length);
    for (const claim of claims) {
      for (let i = 0; i < need.length; i++)
        need[i]! += Math.max(0, Math.min(claim.ideal[i]!, Math.max(claim.guaranteed[i]!, claim.used[i]!)) - claim.used[i]!);
    }
    return need;
  }

  /** The youngest applications first, plain containers before masters, until the target is reached. */
  #take(queue: CapacityQueue, partition: Partition, target: number[], needed: number[], selected: Set<HeldContainer>): void {
    const applications = [...queue.leaf!.active].sort((a, b) => a.priority - b.priority || b.order - a.order);
    const masters: HeldContainer[] = [];
    const give = (container: HeldContainer): void => {
      selected.add(container);
      container.resource.forEach((value, i) => {
        target[i]! -= value;
        needed[i]! -= value;
      });
    };
    const done = (): boolean => target[0]! <= 0 || needed[0]! <= 0;
    for (const application of applications) {
      const containers = [...application.containers]
        .filter((container) => container.partition === partition.index)
        .sort((a, b) => b.order - a.order);
      for (const container of containers) {
        if (container.isMaster) masters.push(container);
        else if (!done()) give(container);
      }
    }
    for (const master of masters) if (!done()) give(master);
  }
}

/** Uses less than it was promised of something and wants more. */
const less = (used: Resource, guaranteed: Resource, wanted: Resource): boolean =>
  used.some((value, i) => value < Math.min(guaranteed[i]!, wanted[i]!));

// Takes containers from applications above their fair share for applications that starve (Hadoop's FSPreemptionThread).

import type { Decision, FairSettings } from '../policy.ts';
import type { Ledger } from '../state/ledger.ts';
import type { HeldContainer } from '../state/model.ts';
import type { Allocations } from './allocations.ts';
import type { FairApplication, FairQueue } from './queue.ts';

const neverMs = Number.MAX_SAFE_INTEGER;

/** So long after a queue starves containers are taken, where any queue has patience that ends: the longest, the warning, and two looks. */
export function preemptsWithinMs(
  { updateIntervalMs, waitTimeBeforeKillMs }: FairSettings,
  { queues }: Pick<Allocations, 'queues'>,
): number {
  const patience = queues.flatMap((queue) => [queue.fairSharePreemptionTimeoutMs ?? 0, queue.minimumSharePreemptionTimeoutMs ?? 0]);
  return Math.max(0, ...patience) + waitTimeBeforeKillMs + 2 * updateIntervalMs;
}

function inheritedMs(queue: FairQueue, key: 'minimumSharePreemptionTimeoutMs' | 'fairSharePreemptionTimeoutMs'): number {
  for (let at: FairQueue | undefined = queue; at; at = at.parent) if (at.settings[key] !== undefined) return at.settings[key];
  return neverMs;
}

function thresholdOf(queue: FairQueue): number {
  for (let at: FairQueue | undefined = queue; at; at = at.parent)
    if (at.settings.fairSharePreemptionThreshold !== undefined) return at.settings.fairSharePreemptionThreshold;
  return 0.5;
}

/** Whether the application has been below its due for longer than its queue's patience. */
function starves(application: FairApplication, nowMs: number): boolean {
  const { queue } = application;
  if (application.pendingContainers === 0) return false;
  const used = application.counts.of('used', 0);
  const pending = application.counts.of('pending', 0);
  const threshold = thresholdOf(queue);
  const due = application.share.map((share, i) => Math.min(Math.trunc(share * threshold), used[i]! + pending[i]!));
  if (due.every((value, i) => value <= used[i]!)) application.atShareMs = nowMs;
  else if (nowMs - application.atShareMs >= inheritedMs(queue, 'fairSharePreemptionTimeoutMs')) return true;
  return queueStarves(queue, nowMs);
}

function queueStarves(queue: FairQueue, nowMs: number): boolean {
  const demand = queue.demand();
  const due = queue.minimum().map((value, i) => Math.min(value, demand[i]!));
  if (due.every((value, i) => value <= queue.used[i]!)) {
    queue.atMinimumMs = nowMs;
    return false;
  }
  return nowMs - queue.atMinimumMs >= inheritedMs(queue, 'minimumSharePreemptionTimeoutMs');
}

/** Containers on one node that together make room for the application's next request; empty when no node offers them. */
function victimsFor(application: FairApplication, ledger: Ledger<FairApplication>): HeldContainer[] {
  const request = application.attempt?.requests.inOrder()[0];
  if (!request) return [];
  let best: HeldContainer[] = [];
  let bestMasters = Number.POSITIVE_INFINITY;
  for (const node of ledger.nodes.byId.values()) {
    if (!node.schedulable || (node.reservation && node.reservation.application !== application)) continue;
    const room = [...node.available];
    const taken = new Map<FairApplication, number[]>();
    const victims: HeldContainer[] = [];
    const candidates = [...node.containers].sort((a, b) => Number(a.isMaster) - Number(b.isMaster) || b.order - a.order);
    for (const container of candidates) {
      if (request.resource.every((value, i) => value <= room[i]!)) break;
      if (container.marked || !mayTake(container, taken)) continue;
      victims.push(container);
      container.resource.forEach((value, i) => {
        room[i]! += value;
      });
    }
    if (!request.resource.every((value, i) => value <= room[i]!) || victims.length === 0) continue;
    const masters = victims.filter((container) => container.isMaster).length;
    if (masters < bestMasters) {
      best = victims;
      bestMasters = masters;
    }
  }
  return best;
}

/** Its queue allows it and its application stays at or above its share without it. */
function mayTake(container: HeldContainer, taken: Map<FairApplication, number[]>): boolean {
  const owner = container.application as FairApplication;
  for (let at: FairQueue | undefined = owner.queue; at; at = at.parent) if (!at.settings.preemptable) return false;
  const before = taken.get(owner) ?? promised(owner);
  const after = before.map((value, i) => value + (container.resource[i] ?? 0));
  const used = owner.counts.of('used', 0);
  const types = owner.queue.settings.policy === 'drf' ? used.map((_, i) => i) : [0];
  if (types.some((i) => used[i]! - after[i]! < owner.share[i]!)) return false;
  taken.set(owner, after);
  return true;
}

/** What was chosen before and has not ended. */
function promised(owner: FairApplication): number[] {
  const total = owner.share.map(() => 0);
  for (const container of owner.containers) {
    if (container.marked) for (let i = 0; i < total.length; i++) total[i]! += container.resource[i] ?? 0;
  }
  return total;
}

/** One round each update interval: chooses victims for applications that starve, kills them after the warning time. */
export class FairPreemption {
  readonly #settings: FairSettings;
  readonly #ledger: Ledger<FairApplication>;
  readonly #now: () => number;
  #nextMs: number;
  /** Chosen containers: when they are due, and the application that they are taken for. */
  readonly #chosen = new Map<string, { dueMs: number; forId: string }>();

  constructor(settings: FairSettings, ledger: Ledger<FairApplication>, now: () => number) {
    this.#settings = settings;
    this.#ledger = ledger;
    this.#now = now;
    this.#nextMs = now() + settings.updateIntervalMs;
  }

  nextMs(): number {
    return this.#nextMs;
  }

  isDue(): boolean {
    return this.#now() >= this.#nextMs;
  }

  /** `used`: of the whole cluster. */
  run(used: readonly number[]): Decision[] {
    const nowMs = this.#now();
    this.#nextMs = nowMs + this.#settings.updateIntervalMs;
    const decisions: Decision[] = [];
    for (const [containerId, { dueMs }] of this.#chosen) {
      const container = this.#ledger.containers.get(containerId);
      if (container && nowMs < dueMs) continue;
      this.#chosen.delete(containerId);
      if (container)
        decisions.push({
          kind: 'preempt',
          containerId,
          applicationId: container.application.applicationId,
          attemptId: container.attemptId,
        });
    }
    if (!this.#worthwhile(used)) return decisions;
    const served = new Set([...this.#chosen.values()].map(({ forId }) => forId));
    for (const application of this.#ledger.applications.values()) {
      if (!application.isRunnable || !starves(application, nowMs) || served.has(application.applicationId)) continue;
      for (const victim of victimsFor(application, this.#ledger)) {
        victim.marked = true;
        this.#chosen.set(victim.containerId, { dueMs: nowMs + this.#settings.waitTimeBeforeKillMs, forId: application.applicationId });
      }
    }
    return decisions;
  }

  /** Only while the cluster is used this much. */
  #worthwhile(used: readonly number[]): boolean {
    return this.#ledger.nodes.total.some((total, i) => total > 0 && used[i]! / total > this.#settings.preemptionUtilizationThreshold);
  }
}

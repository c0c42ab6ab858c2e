// What other queues would come to: the policy's own code decides twice on copies of the present, once with the queues that there are and
// once with the others, so that only what the change does is told.
import { parseApplicationId } from '../model/ids.ts';
import type { Resource } from '../model/resource.ts';
import {
  type CapacityDescription,
  type DescriptionViews,
  type FairQueueDescription,
  type ShownQueue,
  viewOf,
} from './explain/description.ts';
import type { SchedulingPolicy } from './policy.ts';
import { copyOf } from './trial.ts';

/** An application under one set of queues; numbers of containers. */
export interface ApplicationStanding {
  readonly hasMaster: boolean;
  readonly running: number;
  readonly waiting: number;
  /** Taken back by preemption. */
  readonly preempted: number;
}

/** A queue in one partition under one set of queues. */
export interface QueueStanding {
  readonly state: string;
  /** Percent of the partition. */
  readonly guaranteedPercent: number;
  readonly maximumPercent: number;
  readonly guaranteed: Resource;
  readonly used: Resource;
  readonly pending: Resource;
  /** Of leaves: applications that may run, and that wait to. */
  readonly active: number | undefined;
  readonly inactive: number | undefined;
}

/** What is different; sides that are absent: the queue is not there. */
export interface QueueWhatIf {
  readonly applications: readonly {
    readonly applicationId: string;
    readonly user: string;
    readonly queue: string;
    readonly before: ApplicationStanding;
    readonly after: ApplicationStanding;
  }[];
  readonly queues: readonly {
    readonly path: string;
    readonly partition: string;
    readonly before: QueueStanding | undefined;
    readonly after: QueueStanding | undefined;
  }[];
  /** Whether containers are taken back where that is due. */
  readonly preempts: boolean;
  /** Time of the cluster that was looked at, the longer of both. */
  readonly spanMs: number;
  /** Without it more would have happened than was followed. */
  readonly complete: boolean;
}

/** How far it looks ahead, at most. */
export interface WhatIfBounds {
  /** Asked between slices: whether the work has taken long enough. */
  readonly isEnough: () => boolean;
}

const decisionsPerSlice = 1000;
const mostDecisions = 200_000;
const mostRounds = 5000;
/** So long without a decision, beside the time that preemption takes, means that there is none any more: longer than places are waited for. */
const patienceMs = 60_000;

/**
 * Compares the queues that run with what `replace` makes of them, on one moment of the policy and of what lies ahead of it: nothing ends by itself
 * and nobody asks for anything new meanwhile, also not for what was taken back. Yields between slices: the first copies the whole policy, as long as
 * that takes; what is changed of the policy afterwards does not matter. @throws what `replace` throws
 */
export function* tryQueues(
  policy: SchedulingPolicy,
  replace: (copy: SchedulingPolicy) => void,
  nowMs: number,
  bounds: WhatIfBounds,
): Generator<void, QueueWhatIf> {
  const preempts = policy.account.preemptsWithinMs !== undefined;
  const present = new Future(policy, nowMs, preempts);
  yield;
  const other = new Future(present.policy, nowMs, preempts);
  yield;
  replace(other.policy);
  yield* present.unfold(bounds);
  yield* other.unfold(bounds);
  return {
    applications: differentApplications(present, other),
    queues: differentQueues(present, other),
    preempts,
    spanMs: Math.max(present.spanMs, other.spanMs),
    complete: !present.isCut && !other.isCut,
  };
}

/** A copy of a policy that goes on by itself. */
class Future {
  readonly policy: SchedulingPolicy;
  readonly preempted = new Map<string, number>();
  isCut = false;
  readonly #beginMs: number;
  readonly #preemptsWithinMs: number;
  #nowMs: number;
  #lastMs: number;

  constructor(of: SchedulingPolicy, nowMs: number, preempts: boolean) {
    this.#beginMs = nowMs;
    this.#nowMs = nowMs;
    this.#lastMs = nowMs;
    this.#preemptsWithinMs = of.account.preemptsWithinMs ?? 0;
    this.policy = copyOf(of, () => this.#nowMs, preempts);
  }

  /** When the last decision fell. */
  get spanMs(): number {
    return this.#lastMs - this.#beginMs;
  }

  /** Until nothing more is decided, slice by slice. */
  *unfold({ isEnough }: WhatIfBounds): Generator<void, void> {
    const { policy } = this;
    let number = 0;
    let decided = 0;
    // Other queues may have more patience than those of now.
    const longestMs = patienceMs + Math.max(this.#preemptsWithinMs, policy.account.preemptsWithinMs ?? 0);
    for (let round = 0, idle = 0; ; round++) {
      const decisions = policy.schedule(decisionsPerSlice, (of) => `${of} ${++number}`);
      decided += decisions.length;
      for (const decision of decisions)
        if (decision.kind === 'preempt') {
          const { applicationId, containerId } = decision;
          this.preempted.set(applicationId, (this.preempted.get(applicationId) ?? 0) + 1);
          policy.containerEnded(containerId);
        }
      if (decisions.length > 0) this.#lastMs = this.#nowMs;
      yield;
      if (decided >= mostDecisions || round >= mostRounds || isEnough()) {
        this.isCut = true;
        return;
      }
      idle = decisions.length > 0 ? 0 : idle + 1;
      if (policy.hasWork() && idle < 2) continue;
      const nextMs = policy.pendingContainers > 0 ? policy.nextDeadlineMs() : undefined;
      if (nextMs === undefined || nextMs - this.#lastMs > longestMs) return;
      this.#nowMs = Math.max(nextMs, this.#nowMs + 1);
      idle = 0;
    }
  }

  standing(applicationId: string): ApplicationStanding {
    const entry = this.policy.account.ledger.applications.get(applicationId);
    const usage = this.policy.usage(applicationId);
    return {
      hasMaster: entry !== undefined && (entry.unmanaged || [...entry.containers].some(({ isMaster }) => isMaster)),
      running: usage?.runningContainers ?? 0,
      waiting: usage?.pendingContainers ?? 0,
      preempted: this.preempted.get(applicationId) ?? 0,
    };
  }
}

/** Those that the change starts first, then by how much it gives or takes. */
function differentApplications(present: Future, other: Future): QueueWhatIf['applications'] {
  return other.policy.account
    .applications()
    .map(({ application: { applicationId, user }, queue }) => {
      const [before, after] = [present.standing(applicationId), other.standing(applicationId)];
      return { applicationId, user, queue, before, after };
    })
    .filter(({ before, after }) => !isSame(before, after))
    .sort((a, b) => weight(b) - weight(a) || order(a.applicationId) - order(b.applicationId));
}

type Pair = { readonly before: ApplicationStanding; readonly after: ApplicationStanding };
const weight = ({ before, after }: Pair): number =>
  (before.hasMaster === after.hasMaster ? 0 : 1e9) +
  Math.abs(after.running - before.running) +
  Math.abs(after.preempted - before.preempted);
const order = (applicationId: string): number => parseApplicationId(applicationId).sequence;
const isSame = (before: object, after: object): boolean => JSON.stringify(before) === JSON.stringify(after);

function differentQueues(present: Future, other: Future): QueueWhatIf['queues'] {
  const [before, after] = [queuesOf(present.policy), queuesOf(other.policy)];
  return [...new Map([...before, ...after]).values()]
    .map(({ path, partition }) => {
      const key = keyOf(path, partition);
      return { path, partition, before: before.get(key)?.standing, after: after.get(key)?.standing };
    })
    .filter((each) => !each.before || !each.after || !isSame(each.before, each.after))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.partition < b.partition ? -1 : 1));
}

interface StandingQueue {
  readonly path: string;
  readonly partition: string;
  readonly standing: QueueStanding;
}
const keyOf = (path: string, partition: string): string => `${path} ${partition}`;

function queuesOf(policy: SchedulingPolicy): Map<string, StandingQueue> {
  const description = policy.describe();
  const found = new Map<string, StandingQueue>();
  viewOf(queueViews, description, found);
  return found;
}

const queueViews: DescriptionViews<void, readonly [found: Map<string, StandingQueue>]> = {
  capacity: ({ root }, found) => addQueue(root, found),
  fair: ({ root }, found) => addFairQueue(root, found),
  fifo: () => undefined,
};

function addFairQueue(queue: FairQueueDescription, found: Map<string, StandingQueue>): void {
  found.set(keyOf(queue.name, ''), { path: queue.name, partition: '', standing: standingOfFair(queue) });
  for (const child of queue.children) addFairQueue(child, found);
}

/** What a fair queue is promised is its steady share; percent are of what its parent shares out: memory, or the larger part under DRF. */
function standingOfFair(queue: FairQueueDescription): QueueStanding {
  const { steadyFair, maximum, used, demand, cluster, isLeaf } = queue;
  const types = queue.schedulingPolicy === 'DRF' ? cluster.map((_, type) => type) : [0];
  const percentOf = (amount: Resource) => Math.max(...types.map((type) => (cluster[type] ? (100 * amount[type]!) / cluster[type] : 0)));
  return {
    state: 'RUNNING',
    guaranteedPercent: percentOf(steadyFair),
    maximumPercent: percentOf(maximum.amount),
    guaranteed: steadyFair,
    used,
    pending: demand.map((wanted, type) => Math.max(0, wanted - used[type]!)),
    active: isLeaf ? queue.activeApplications : undefined,
    inactive: isLeaf ? queue.pendingApplications : undefined,
  };
}

function addQueue(queue: CapacityDescription['root'], found: Map<string, StandingQueue>): void {
  for (const { partition, ...shares } of queue.capacities)
    found.set(keyOf(queue.path, partition), { path: queue.path, partition, standing: standingOf(queue, partition, shares) });
  for (const child of queue.children) addQueue(child, found);
}

function standingOf(
  { state, usage, leaf }: ShownQueue,
  partition: string,
  shares: Omit<ShownQueue['capacities'][number], 'partition'>,
): QueueStanding {
  const own = usage.find((each) => each.partition === partition);
  return {
    state,
    guaranteedPercent: shares.absoluteCapacity,
    maximumPercent: shares.absoluteMaximumCapacity,
    guaranteed: shares.effectiveMinimum.amount,
    used: own?.used ?? [],
    pending: own?.pending ?? [],
    active: leaf?.activeApplications,
    inactive: leaf?.pendingApplications,
  };
}

// One queue at a time out of a description of all of them, which is made once for all who look in the same moment.
import type { Clock } from '../../lib/clock.ts';
import { viewOf } from '../../scheduler/explain/description.ts';
import type { SchedulerMetrics, SchedulingPolicy } from '../../scheduler/policy.ts';
import type { PlainQueue } from '../../wire/cluster/own-answers.ts';
import { OncePerMoment } from './moment.ts';
import { type QueueFigures, queueFigures } from './queue-figures.ts';

/** The time between two descriptions for those who wait, ms, and how many times as long as a description took it is at least. */
const restMs = 100;
const restFactor = 20;
const longestRestMs = 2000;

/** What is needed. */
export interface QueueLookPorts {
  readonly policy: Pick<SchedulingPolicy, 'describe' | 'metrics'>;
  /** How many changes of the cluster there were. */
  readonly changes: () => number;
  readonly clock: Clock;
  /** How long a description lasts where no change is counted, ms. */
  readonly longestMs: number;
}

const states: ReadonlySet<string> = new Set(['RUNNING', 'DRAINING', 'STOPPED']);
const amounts = ([memoryMiB = 0, vcores = 0]: readonly number[]) => ({ memoryMiB, vcores });

const plain = ({ path, state, children, applications, containers, used, pending, guaranteed, maximum }: QueueFigures): PlainQueue => ({
  path,
  state: states.has(state) ? (state as PlainQueue['state']) : 'RUNNING',
  queues: children,
  runningApplications: applications.running,
  waitingApplications: applications.pending,
  allocatedContainers: containers.allocated,
  pendingContainers: containers.pending,
  reservedContainers: containers.reserved,
  used: amounts(used),
  pending: amounts(pending),
  guaranteed: amounts(guaranteed),
  maximum: amounts(maximum),
});

/** The one queue of a scheduler that has no others: all of the cluster. */
const ofCluster = (metrics: SchedulerMetrics): QueueFigures => ({
  path: 'default',
  isLeaf: true,
  state: 'RUNNING',
  children: [],
  used: metrics.allocated,
  pending: metrics.pending,
  guaranteed: metrics.total,
  maximum: metrics.total,
  containers: { allocated: metrics.containersAllocated, pending: metrics.containersPending, reserved: metrics.containersReserved },
  applications: { running: metrics.appsRunning, pending: metrics.appsPending },
});

/** Queues as they are now. */
export class QueueLooks {
  readonly #ports: QueueLookPorts;
  readonly #all: OncePerMoment<ReadonlyMap<string, QueueFigures>>;
  #madeMs = Number.NEGATIVE_INFINITY;
  #tookMs = 0;

  constructor(ports: QueueLookPorts) {
    this.#ports = ports;
    this.#all = new OncePerMoment(ports);
  }

  /** A queue by its path; undefined where there is none. */
  of(path: string): PlainQueue | undefined {
    const found = this.#all.get(() => this.#describe()).get(path);
    return found && plain(found);
  }

  /** Resolves when those who wait may look again: a description costs more the more queues there are. */
  async rest(): Promise<void> {
    const { clock } = this.#ports;
    const leftMs = this.#madeMs + Math.min(longestRestMs, Math.max(restMs, restFactor * this.#tookMs)) - clock.steadyMs();
    if (leftMs > 0) await new Promise<void>((resolve) => clock.setTimer(leftMs, resolve));
  }

  #describe(): ReadonlyMap<string, QueueFigures> {
    const { policy, clock } = this.#ports;
    const fromMs = clock.steadyMs();
    const { queues } = viewOf(queueFigures, policy.describe(), () => []);
    const all = queues.length > 0 ? queues : [ofCluster(policy.metrics())];
    this.#madeMs = clock.steadyMs();
    this.#tookMs = this.#madeMs - fromMs;
    return new Map(all.map((queue) => [queue.path, queue]));
  }
}

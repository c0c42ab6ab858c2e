// How many containers were given and taken back in each queue since this process started (AggregateContainersAllocated and its like of Hadoop's
// QueueMetrics, which begin anew with a resource manager, too).
import { exitStatus } from '../../model/exit-status.ts';
import { queueAndAbove } from '../../model/queue-path.ts';
import type { Closeness } from '../../scheduler/policy.ts';
import type { Application } from '../applications/application.ts';
import type { Container } from '../applications/container.ts';
import type { ClusterObserver } from '../cluster/observer.ts';

/** Containers of one partition since the resource manager started. */
export interface ContainerFlow {
  readonly allocated: number;
  readonly released: number;
}

/** Containers since the resource manager started. */
export interface ContainerCounts {
  /** By the label of their nodes; '' for those without. */
  readonly flows: ReadonlyMap<string, ContainerFlow>;
  /** How near they were to what was asked for. */
  readonly closeness: Readonly<Record<Closeness, number>>;
  readonly preempted: number;
  readonly preemptedMemoryMiB: number;
  readonly preemptedVcores: number;
  /** What preempted containers had done: memory and cores times the seconds of their lives. */
  readonly preemptedMemoryMiBSeconds: number;
  readonly preemptedVcoreSeconds: number;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
interface Counting extends Mutable<ContainerCounts> {
  readonly flows: Map<string, Mutable<ContainerFlow>>;
  readonly closeness: Record<Closeness, number>;
}

const begin = (): Counting => ({
  flows: new Map(),
  closeness: { nodeLocal: 0, rackLocal: 0, offSwitch: 0 },
  preempted: 0,
  preemptedMemoryMiB: 0,
  preemptedVcores: 0,
  preemptedMemoryMiBSeconds: 0,
  preemptedVcoreSeconds: 0,
});
/** Where nothing was counted. */
export const noContainers: ContainerCounts = begin();

/** Counts them; a queue counts those of the queues below it, too. */
export class ContainerCounters implements ClusterObserver {
  readonly #queues = new Map<string, Counting>();
  readonly #labelOf: (nodeId: string) => string;

  /** `labelOf` is asked for the label of a node, '' where it has none. */
  constructor(labelOf: (nodeId: string) => string) {
    this.#labelOf = labelOf;
  }

  containerCreated({ queue }: Application, { nodeId }: Container, closeness?: Closeness): void {
    const label = this.#labelOf(nodeId);
    for (const path of queueAndAbove(queue)) {
      const counts = this.#countsOf(path);
      flowOf(counts, label).allocated++;
      if (closeness) counts.closeness[closeness]++;
    }
  }

  containerFinished({ queue }: Application, container: Container): void {
    const label = this.#labelOf(container.nodeId);
    const seconds = Math.max(0, Math.floor((container.finishedMs - container.createdMs) / 1000));
    const [memoryMiB = 0, vcores = 0] = container.resource;
    for (const path of queueAndAbove(queue)) {
      const counts = this.#countsOf(path);
      flowOf(counts, label).released++;
      if (container.exitCode !== exitStatus.preempted) continue;
      counts.preempted++;
      counts.preemptedMemoryMiB += memoryMiB;
      counts.preemptedVcores += vcores;
      counts.preemptedMemoryMiBSeconds += memoryMiB * seconds;
      counts.preemptedVcoreSeconds += vcores * seconds;
    }
  }

  /** Of a queue and those below it. */
  ofQueue(path: string): ContainerCounts {
    return this.#queues.get(path) ?? noContainers;
  }

  #countsOf(path: string): Counting {
    let counts = this.#queues.get(path);
    if (!counts) this.#queues.set(path, (counts = begin()));
    return counts;
  }
}

function flowOf({ flows }: Counting, label: string): Mutable<ContainerFlow> {
  let flow = flows.get(label);
  if (!flow) flows.set(label, (flow = { allocated: 0, released: 0 }));
  return flow;
}

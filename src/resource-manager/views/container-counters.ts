// How many containers were given and taken back in each queue since this process started (AggregateContainersAllocated and its like of Hadoop's
// QueueMetrics, which begin anew with a resource manager, too).
import { exitStatus } from '../../model/exit-status.ts';
import { queueAndAbove } from '../../model/queue-path.ts';
import type { Application } from '../applications/application.ts';
import type { Container } from '../applications/container.ts';
import type { ClusterObserver } from '../cluster/observer.ts';

/** Containers since the resource manager started. */
export interface ContainerCounts {
  readonly allocated: number;
  readonly released: number;
  readonly preempted: number;
  readonly preemptedMemoryMiB: number;
  readonly preemptedVcores: number;
  /** What preempted containers had done: memory and cores times the seconds of their lives. */
  readonly preemptedMemoryMiBSeconds: number;
  readonly preemptedVcoreSeconds: number;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const nothing: ContainerCounts = {
  allocated: 0,
  released: 0,
  preempted: 0,
  preemptedMemoryMiB: 0,
  preemptedVcores: 0,
  preemptedMemoryMiBSeconds: 0,
  preemptedVcoreSeconds: 0,
};

/** Counts them; a queue counts those of the queues below it, too. */
export class ContainerCounters implements ClusterObserver {
  readonly #queues = new Map<string, Mutable<ContainerCounts>>();

  containerCreated({ queue }: Application): void {
    for (const path of queueAndAbove(queue)) this.#countsOf(path).allocated++;
  }

  containerFinished({ queue }: Application, container: Container): void {
    const seconds = Math.max(0, Math.floor((container.finishedMs - container.createdMs) / 1000));
    const [memoryMiB = 0, vcores = 0] = container.resource;
    for (const path of queueAndAbove(queue)) {
      const counts = this.#countsOf(path);
      counts.released++;
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
    return this.#queues.get(path) ?? nothing;
  }

  #countsOf(path: string): Mutable<ContainerCounts> {
    let counts = this.#queues.get(path);
    if (!counts) this.#queues.set(path, (counts = { ...nothing }));
    return counts;
  }
}

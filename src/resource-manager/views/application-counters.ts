// How many applications were ever submitted, and how they ended, in the cluster and in each queue: the same after a restart as before it
// (docs/protocol.md, P15).
import { queueAndAbove } from '../../model/queue-path.ts';
import type { Application } from '../applications/application.ts';
import type { ClusterObserver } from '../cluster/observer.ts';
import type { ApplicationTotal } from '../store/resource-manager-store.ts';

/** Applications since the cluster's first start. */
export interface ApplicationCounts {
  readonly submitted: number;
  readonly completed: number;
  readonly failed: number;
  readonly killed: number;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const counterOf = { SUBMITTED: 'submitted', FINISHED: 'completed', FAILED: 'failed', KILLED: 'killed' } as const;
const nothing: ApplicationCounts = { submitted: 0, completed: 0, failed: 0, killed: 0 };

/**
 * Counts applications (AppsSubmitted and its like of Hadoop's QueueMetrics). Those that ended before this process come from the store's
 * totals, which grow in the commit of each end; those that live on are told at recovery: so nothing is counted twice.
 */
export class ApplicationCounters implements ClusterObserver {
  readonly #all: Mutable<ApplicationCounts> = { ...nothing };
  /** By path; a queue counts those of the queues below it too. */
  readonly #queues = new Map<string, Mutable<ApplicationCounts>>();
  /** The unmanaged ones among them that this process saw live. */
  readonly #unmanaged = new Map<string, Mutable<ApplicationCounts>>();

  constructor(totals: readonly ApplicationTotal[]) {
    for (const { queue, kind, count } of totals) this.#add(queue, counterOf[kind], count);
  }

  applicationAdmitted(application: Application): void {
    this.#addOne(application, application.submittedQueue, 'submitted');
  }

  applicationRecovered(application: Application): void {
    this.#addOne(application, application.submittedQueue, 'submitted');
  }

  applicationFinished(application: Application): void {
    const { submittedQueue, queue, state } = application;
    if (submittedQueue === '') return;
    if (state === 'FINISHED' || state === 'FAILED' || state === 'KILLED') this.#addOne(application, queue, counterOf[state]);
  }

  /** Of the whole cluster. */
  ofAll(): ApplicationCounts {
    return this.#all;
  }

  /** Of a queue and those below it. */
  ofQueue(path: string): ApplicationCounts {
    return this.#queues.get(path) ?? nothing;
  }

  /** Of those that started their masters themselves, while this process ran. */
  unmanagedOfQueue(path: string): ApplicationCounts {
    return this.#unmanaged.get(path) ?? nothing;
  }

  #addOne({ submission }: Application, queue: string, name: keyof ApplicationCounts): void {
    this.#add(queue, name, 1);
    if (submission.unmanaged) addTo(this.#unmanaged, queue, name, 1);
  }

  #add(queue: string, name: keyof ApplicationCounts, count: number): void {
    this.#all[name] += count;
    addTo(this.#queues, queue, name, count);
  }
}

function addTo(queues: Map<string, Mutable<ApplicationCounts>>, queue: string, name: keyof ApplicationCounts, count: number): void {
  for (const path of queueAndAbove(queue)) {
    let counts = queues.get(path);
    if (!counts) queues.set(path, (counts = { ...nothing }));
    counts[name] += count;
  }
}

// What may be changed about an application that was submitted, and signals to its containers.
import type { SubmittedRun, WantedInstances } from '../wire/cluster/command-job.ts';
import type { HttpClient } from './http.ts';

const part = encodeURIComponent;
const pathOf = (id: string, what: string): string => `/ws/v1/cluster/apps/${part(id)}/${what}`;

/** What a node's keeper of a container is told: SIGQUIT, SIGTERM or SIGKILL. */
export type ContainerSignal = 'OUTPUT_THREAD_DUMP' | 'GRACEFUL_SHUTDOWN' | 'FORCEFUL_SHUTDOWN';

/** How long an application may live. */
export interface Lifetime {
  /** ISO time with an offset, or `UNLIMITED`. */
  readonly expiryTime?: string;
  /** Seconds that are left; -1 without end, 0 when it is over. */
  readonly remainingTimeInSeconds?: number | bigint;
}

/** Calls of the resource manager. All methods throw Unreachable and RemoteFailure. */
export class ApplicationChanges {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** Puts it into another queue; resolves with the queue it is in then. */
  async move(id: string, queue: string): Promise<string> {
    return (await this.#http.json<{ queue: string }>('PUT', pathOf(id, 'queue'), { body: { queue } })).queue;
  }

  async priority(id: string): Promise<number> {
    return (await this.#http.json<{ priority: number }>('GET', pathOf(id, 'priority'))).priority;
  }

  /** Resolves with the priority it has then: the cluster's highest where more was asked for. */
  async setPriority(id: string, priority: number): Promise<number> {
    return (await this.#http.json<{ priority: number }>('PUT', pathOf(id, 'priority'), { body: { priority } })).priority;
  }

  /** How many instances of a run there are to be. */
  async instances(id: string): Promise<number> {
    return (await this.#http.json<SubmittedRun>('GET', `/api/v1/applications/${part(id)}/run`)).run.instances;
  }

  /** Resolves with how many there are to be then. */
  async setInstances(id: string, instances: number): Promise<number> {
    const body: WantedInstances = { instances };
    return (await this.#http.json<WantedInstances>('PUT', `/api/v1/applications/${part(id)}/instances`, { body })).instances;
  }

  async lifetime(id: string): Promise<Lifetime> {
    return (await this.#http.json<{ timeout: Lifetime }>('GET', pathOf(id, 'timeouts/LIFETIME'))).timeout;
  }

  /** `endMs`: ms since the epoch. Resolves with what it has then: the queue's longest where more was asked for. */
  async setLifetime(id: string, endMs: number): Promise<Lifetime> {
    const expiryTime = new Date(endMs).toISOString().replace('Z', '+0000');
    const body = { timeout: { type: 'LIFETIME', expiryTime } };
    return (await this.#http.json<{ timeout: Lifetime }>('PUT', pathOf(id, 'timeout'), { body })).timeout;
  }

  /** Has the node of a container signal its processes; resolves when the node is told. */
  async signal(containerId: string, signal: ContainerSignal): Promise<void> {
    await this.#http.json('POST', `/ws/v1/cluster/containers/${part(containerId)}/signal/${signal}`);
  }
}

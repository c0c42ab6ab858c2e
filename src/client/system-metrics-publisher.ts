// Tells the timeline what happens to applications, attempts and containers: one call for each step, for version 1, version 2 or both.
// Calls return at once; what cannot be sent yet waits in bounded queues (see TimelineClient).
import { applicationIdOfContainer } from '../model/ids.ts';
import * as v1 from '../wire/timeline/system-entities.ts';
import * as v2 from '../wire/timeline/system-entities-v2.ts';
import type {
  ApplicationCreated,
  ApplicationFinished,
  AttemptFinished,
  AttemptRegistered,
  ContainerCreated,
  ContainerFinished,
} from '../wire/timeline/system-facts.ts';
import type { EntityV2, SystemWrite } from '../wire/timeline/v2-entity.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { deliver, TimelineClient, type TimelineClientOptions } from './timeline-client.ts';

/** Versions of the timeline to write to; containers only where `containers` is set (`…emit-container-events`). */
export interface PublisherOptions extends TimelineClientOptions {
  readonly version1: boolean;
  readonly version2: boolean;
  readonly containers: boolean;
}

/** Path of what the resource manager tells version 2. */
export const systemWritesPath = '/api/v1/timeline/system';

export class SystemMetricsPublisher {
  readonly #client: TimelineClient | undefined;
  readonly #writes: DeliveryQueue<SystemWrite> | undefined;
  readonly #containers: boolean;

  constructor(options: PublisherOptions) {
    this.#containers = options.containers;
    if (options.version1) this.#client = new TimelineClient(options);
    if (options.version2) {
      const url = `${options.url.replace(/\/$/, '')}${systemWritesPath}?user.name=${encodeURIComponent(options.user)}`;
      this.#writes = new DeliveryQueue({
        name: 'timeline version 2',
        clock: options.clock,
        logger: options.logger,
        ...(options.maximumKept === undefined ? {} : { maximumKept: options.maximumKept }),
        send: (writes) => deliver('POST', url, { writes }, options.headers?.()),
      });
    }
  }

  applicationCreated(facts: ApplicationCreated): void {
    this.#client?.putEntities([v1.applicationCreated(facts)]);
    this.#write(facts.applicationId, () => v2.applicationCreatedV2(facts), { context: v2.flowOf(facts) });
  }

  /** The master's container was launched: the application's collector takes entities from now on. */
  applicationLaunched(applicationId: string, launchTimeMs: number): void {
    this.#client?.putEntities([v1.applicationLaunched(applicationId, launchTimeMs)]);
    this.#write(applicationId, () => v2.applicationLaunchedV2(applicationId, launchTimeMs), { collector: 'start' });
  }

  applicationAclsUpdated(applicationId: string, viewAcls: string, updatedTimeMs: number): void {
    this.#client?.putEntities([v1.applicationAclsUpdated(applicationId, viewAcls, updatedTimeMs)]);
    this.#write(applicationId, () => v2.applicationAclsUpdatedV2(applicationId, viewAcls, updatedTimeMs));
  }

  /** Queue or priority changed. */
  applicationUpdated(applicationId: string, queue: string, priority: number, updatedTimeMs: number): void {
    this.#client?.putEntities([v1.applicationUpdated(applicationId, queue, priority, updatedTimeMs)]);
    this.#write(applicationId, () => v2.applicationUpdatedV2(applicationId, queue, priority, updatedTimeMs));
  }

  /** The state changed to one that is not the last. */
  applicationStateUpdated(applicationId: string, state: string, updatedTimeMs: number): void {
    this.#client?.putEntities([v1.applicationStateUpdated(applicationId, state, updatedTimeMs)]);
    this.#write(applicationId, () => v2.applicationStateUpdatedV2(applicationId, state, updatedTimeMs));
  }

  applicationFinished(facts: ApplicationFinished): void {
    this.#client?.putEntities([v1.applicationFinished(facts)]);
    this.#write(facts.applicationId, () => v2.applicationFinishedV2(facts), { collector: 'stop', finishedTimeMs: facts.finishedTimeMs });
  }

  attemptRegistered(facts: AttemptRegistered): void {
    this.#client?.putEntities([v1.attemptRegistered(facts)]);
    this.#write(facts.applicationId, () => v2.attemptRegisteredV2(facts));
  }

  attemptFinished(facts: AttemptFinished): void {
    this.#client?.putEntities([v1.attemptFinished(facts)]);
    this.#write(facts.applicationId, () => v2.attemptFinishedV2(facts));
  }

  containerCreated(facts: ContainerCreated): void {
    if (!this.#containers) return;
    this.#client?.putEntities([v1.containerCreated(facts)]);
    this.#write(applicationIdOfContainer(facts.containerId), () => v2.containerCreatedV2(facts));
  }

  containerFinished(facts: ContainerFinished): void {
    if (!this.#containers) return;
    this.#client?.putEntities([v1.containerFinished(facts)]);
    this.#write(applicationIdOfContainer(facts.containerId), () => v2.containerFinishedV2(facts));
  }

  /** Resolves when everything was sent. */
  async flush(): Promise<void> {
    await Promise.all([this.#client?.flush(), this.#writes?.idle()]);
  }

  /** Gives the rest up to `withinMs` to be sent, then forgets it. */
  async close(withinMs?: number): Promise<void> {
    await Promise.all([this.#client?.close(withinMs), this.#writes?.close(withinMs)]);
  }

  #write(applicationId: string, entity: () => EntityV2, more: Partial<SystemWrite> = {}): void {
    this.#writes?.push([{ applicationId, entities: [entity()], ...more }]);
  }
}

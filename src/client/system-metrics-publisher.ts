// Tells the timeline what happens to applications, attempts and containers: one call for each step, for version 1, version 2 or both.
// Calls return at once; what cannot be sent yet waits in the queues that are passed in.
import { applicationIdOfContainer } from '../model/ids.ts';
import type { TimelineEntity } from '../wire/timeline/entity.ts';
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

/** An ordered way to one version of the timeline: an outbox, or a queue in memory. */
export interface MessageLine<Message> {
  /** `urgency` 'now': they wait for nothing that follows them. */
  push(messages: readonly Message[], urgency?: 'now' | 'soon'): void;
}

/** The versions of the timeline to write to; containers only where `containers` is set (`…emit-container-events`). */
export interface PublisherOptions {
  readonly version1: MessageLine<TimelineEntity> | undefined;
  readonly version2: MessageLine<SystemWrite> | undefined;
  readonly containers: boolean;
}

export class SystemMetricsPublisher {
  readonly #entities: MessageLine<TimelineEntity> | undefined;
  readonly #writes: MessageLine<SystemWrite> | undefined;
  readonly #containers: boolean;

  constructor({ version1, version2, containers }: PublisherOptions) {
    this.#entities = version1;
    this.#writes = version2;
    this.#containers = containers;
  }

  applicationCreated(facts: ApplicationCreated): void {
    this.#entities?.push([v1.applicationCreated(facts)]);
    this.#write(facts.applicationId, () => v2.applicationCreatedV2(facts), { context: v2.flowOf(facts) });
  }

  /** The master's container was launched: the application's collector takes entities from now on. */
  applicationLaunched(applicationId: string, launchTimeMs: number): void {
    this.#entities?.push([v1.applicationLaunched(applicationId, launchTimeMs)]);
    this.#write(applicationId, () => v2.applicationLaunchedV2(applicationId, launchTimeMs), { collector: 'start' });
  }

  applicationAclsUpdated(applicationId: string, viewAcls: string, updatedTimeMs: number): void {
    this.#entities?.push([v1.applicationAclsUpdated(applicationId, viewAcls, updatedTimeMs)]);
    this.#write(applicationId, () => v2.applicationAclsUpdatedV2(applicationId, viewAcls, updatedTimeMs));
  }

  /** Queue or priority changed. */
  applicationUpdated(applicationId: string, queue: string, priority: number, updatedTimeMs: number): void {
    this.#entities?.push([v1.applicationUpdated(applicationId, queue, priority, updatedTimeMs)]);
    this.#write(applicationId, () => v2.applicationUpdatedV2(applicationId, queue, priority, updatedTimeMs));
  }

  /** The state changed to one that is not the last. */
  applicationStateUpdated(applicationId: string, state: string, updatedTimeMs: number): void {
    this.#entities?.push([v1.applicationStateUpdated(applicationId, state, updatedTimeMs)]);
    this.#write(applicationId, () => v2.applicationStateUpdatedV2(applicationId, state, updatedTimeMs));
  }

  /** Is told at once: who saw the end elsewhere asks the timeline next. */
  applicationFinished(facts: ApplicationFinished): void {
    this.#entities?.push([v1.applicationFinished(facts)], 'now');
    this.#write(facts.applicationId, () => v2.applicationFinishedV2(facts), { collector: 'stop', finishedTimeMs: facts.finishedTimeMs });
  }

  attemptRegistered(facts: AttemptRegistered): void {
    this.#entities?.push([v1.attemptRegistered(facts)]);
    this.#write(facts.applicationId, () => v2.attemptRegisteredV2(facts));
  }

  attemptFinished(facts: AttemptFinished): void {
    this.#entities?.push([v1.attemptFinished(facts)]);
    this.#write(facts.applicationId, () => v2.attemptFinishedV2(facts));
  }

  containerCreated(facts: ContainerCreated): void {
    if (!this.#containers) return;
    this.#entities?.push([v1.containerCreated(facts)]);
    this.#write(applicationIdOfContainer(facts.containerId), () => v2.containerCreatedV2(facts));
  }

  containerFinished(facts: ContainerFinished): void {
    if (!this.#containers) return;
    this.#entities?.push([v1.containerFinished(facts)]);
    this.#write(applicationIdOfContainer(facts.containerId), () => v2.containerFinishedV2(facts));
  }

  #write(applicationId: string, entity: () => EntityV2, more: Partial<SystemWrite> = {}): void {
    this.#writes?.push([{ applicationId, entities: [entity()], ...more }]);
  }
}

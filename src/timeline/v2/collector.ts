// Writing timeline v2: what applications put through their collectors, and what the resource manager tells about applications
// (TimelineCollector, RMTimelineCollectorManager). A collector opens with the master's container and lingers after the end.
import type { Clock } from '../../lib/clock.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId, isContainerOf, parseApplicationId } from '../../model/ids.ts';
import type { Database } from '../../storage/sqlite.ts';
import { applicationNames, isSystemType } from '../../wire/timeline/system-names.ts';
import type { EntityV2, SystemWrite } from '../../wire/timeline/v2-entity.ts';
import type { ApplicationContext, FlowStore } from '../store/flow-store.ts';
import type { V2Store } from '../store/v2-store.ts';
import { MetricAggregation } from './aggregation.ts';
import { portionsOf } from './portions.ts';
import { applicationScope, applicationType, containerType, runScope, userScope } from './scopes.ts';

/** How many changes may wait for the store before puts are answered with 429. */
const maximumPendingWrites = 2_000;
/** How many points of metrics are held until they are told of their applications, about 50 MB. */
const maximumGatheredPoints = 500_000;
/** How many applications are told of in one change. */
const applicationsAtOnce = 200;
const openEndMs = Number.MAX_SAFE_INTEGER;

export interface CollectorParts {
  readonly database: Database;
  readonly flows: FlowStore;
  readonly entities: V2Store;
  /** `yarn.resourcemanager.cluster-id`. */
  readonly cluster: string;
  readonly clock: Clock;
  /** How long a collector stays after its application ended, ms. */
  readonly lingerMs: number;
}

const systemPrefix = 'YARN_';

/**
 * Passes what an application may say itself: entities of other types than the cluster's, and metrics, configuration and facts of its own
 * about the application. @throws Failure COLLECTOR_SYSTEM_TYPE
 */
function checkOwn({ type, info, events }: EntityV2): void {
  if (!isSystemType(type) || type.startsWith('YARN_FLOW_')) return;
  const names = [...Object.keys(info ?? {}), ...(events ?? []).map(({ id }) => id ?? '')];
  if (type !== applicationType || names.some((name) => name.startsWith(systemPrefix))) throw failure('COLLECTOR_SYSTEM_TYPE', { type });
}

/** With the present as the time of events that have none (HBaseTimelineWriterImpl.storeEvents). */
const withTimes = (entity: EntityV2, nowMs: number): EntityV2 =>
  entity.events?.some(({ timestamp }) => timestamp === 0) !== true
    ? entity
    : { ...entity, events: entity.events.map((event) => (event.timestamp === 0 ? { ...event, timestamp: nowMs } : event)) };

export class Collector {
  readonly #parts: CollectorParts;
  readonly #aggregation = new MetricAggregation(maximumGatheredPoints);

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  /** The context of an application whose collector is open. @throws COLLECTOR_APPLICATION_MALFORMED, COLLECTOR_APPLICATION_UNKNOWN */
  context(application: string): ApplicationContext {
    try {
      parseApplicationId(application);
    } catch (error) {
      if (error instanceof InvalidId) throw failure('COLLECTOR_APPLICATION_MALFORMED', { reason: error.message });
      throw error;
    }
    const { flows, cluster, clock } = this.#parts;
    const context = flows.contextOf(cluster, application);
    if (!context || !flows.collectorOpen(cluster, application, clock.now()))
      throw failure('COLLECTOR_APPLICATION_UNKNOWN', { id: application });
    return context;
  }

  /** Full name of the queue that an application is in, as the resource manager told it; undefined where it did not. */
  queueOf(context: ApplicationContext): string | undefined {
    const { entities } = this.#parts;
    const found = entities.find(runScope(context), applicationType, context.application);
    const queue = found && entities.infoOf(found.key, applicationNames.queue);
    return typeof queue === 'string' ? queue : undefined;
  }

  /**
   * Puts entities of an application; resolves once they are durable. With `asUser`, entities of the application's own types are kept
   * for that user too. @throws as context, and OVERLOADED
   */
  async put(application: string, entities: readonly EntityV2[], asUser: string | undefined): Promise<void> {
    const context = this.context(application);
    for (const entity of entities) checkOwn(entity);
    if (entities.length === 0) return;
    this.#checkLoad();
    const timed = entities.map((entity) => withTimes(entity, this.#parts.clock.now()));
    for (const some of portionsOf(timed))
      await this.#parts.database.write(() => {
        for (const entity of some) this.#store(context, entity, asUser);
      });
    for (const entity of timed) this.#aggregation.add(context, entity);
  }

  #checkLoad(): void {
    if (this.#parts.database.pendingWrites > maximumPendingWrites) throw failure('OVERLOADED', { what: 'The timeline store', seconds: 1 });
  }

  #store(context: ApplicationContext, entity: EntityV2, asUser?: string): void {
    const { entities } = this.#parts;
    if (entity.type === 'YARN_FLOW_ACTIVITY' || entity.type === 'YARN_FLOW_RUN') return;
    const isOfUser = asUser !== undefined && !isSystemType(entity.type);
    const ofUser = isOfUser ? { ...entity, info: { ...entity.info, YARN_APPLICATION_ID: context.application } } : entity;
    if (entity.type === applicationType) entities.putApplication(runScope(context), { ...entity, id: context.application, idprefix: 0 });
    else entities.put(applicationScope(context), ofUser);
    if (isOfUser) entities.put(userScope(context.cluster, asUser), ofUser, this.#parts.clock.now());
  }

  /** Takes what the resource manager tells; resolves once it is durable. Writes about unknown applications are passed over. @throws OVERLOADED */
  async system(writes: readonly SystemWrite[]): Promise<void> {
    this.#checkLoad();
    const { database, flows, cluster, clock, lingerMs } = this.#parts;
    const stored: { readonly context: ApplicationContext; readonly entities: readonly EntityV2[] }[] = [];
    await database.write(() => {
      for (const { applicationId: application, context, collector, finishedTimeMs, entities } of writes) {
        if (context) {
          const { clusterTimestamp: timestamp, sequence } = parseApplicationId(application);
          const createdMs = entities.find(({ type }) => type === applicationType)?.createdtime ?? clock.now();
          flows.putApplication({ cluster, application, ...context, timestamp, sequence }, createdMs);
        }
        const known = flows.contextOf(cluster, application);
        if (!known) continue;
        for (const entity of entities) this.#store(known, entity);
        stored.push({ context: known, entities });
        if (collector === 'start') flows.setCollector(cluster, application, openEndMs);
        if (collector === 'stop') flows.setCollector(cluster, application, clock.now() + lingerMs);
        if (finishedTimeMs !== undefined) flows.finishApplication(known, finishedTimeMs);
        if (collector !== undefined || finishedTimeMs !== undefined)
          flows.setEnded(cluster, application, collector === 'start' ? null : clock.now() + lingerMs);
      }
    });
    for (const { context, entities } of stored) for (const entity of entities) this.#aggregation.add(context, entity);
  }

  /**
   * Takes what a node tells of its containers; resolves once it is durable. Of applications that are unknown or have ended before, nothing is
   * kept. @throws OVERLOADED, COLLECTOR_SYSTEM_TYPE for anything else than containers of the application
   */
  async ofNode(writes: readonly SystemWrite[]): Promise<void> {
    for (const { applicationId, entities } of writes)
      for (const { type, id } of entities)
        if (type !== containerType || !isContainerOf(applicationId, id)) throw failure('COLLECTOR_SYSTEM_TYPE', { type });
    const { flows, cluster, clock } = this.#parts;
    const isOpen = (application: string) => flows.collectorOpen(cluster, application, clock.now());
    await this.system(writes.flatMap(({ applicationId, entities }) => (isOpen(applicationId) ? [{ applicationId, entities }] : [])));
  }

  /**
   * Adds what metrics of entities amount to since the last call to the metrics of their applications; resolves once it is durable. Returns how
   * many points were left out because too many came.
   */
  async aggregate(): Promise<number> {
    const { database, flows, entities } = this.#parts;
    const { leftOut } = this.#aggregation;
    const told = this.#aggregation.take();
    for (let begin = 0; begin < told.length; begin += applicationsAtOnce) {
      await database.write(() => {
        for (const { context, metrics } of told.slice(begin, begin + applicationsAtOnce)) {
          // It may have gone meanwhile.
          if (!flows.contextOf(context.cluster, context.application)) continue;
          entities.putApplication(runScope(context), {
            type: applicationType,
            id: context.application,
            idprefix: 0,
            metrics: [...metrics],
          });
        }
      });
    }
    return leftOut;
  }
}

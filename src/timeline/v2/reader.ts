// Reading timeline v2: entities, applications, runs and flows as the reader shows them (TimelineReaderManager and HBase's readers).
import { failure } from '../../model/errors.ts';
import { attemptIdOfContainer, InvalidId, parseApplicationId, usualApplicationId } from '../../model/ids.ts';
import type { JsonValue } from '../../wire/timeline/entity.ts';
import { rawNumber } from '../../wire/timeline/exact-json.ts';
import type { ApplicationContext, FlowActivity, FlowRun, FlowStore } from '../store/flow-store.ts';
import { type Gradually, gradualRecord } from '../store/gradually.ts';
import { type HeadV2, prefixNumber, sortablePrefix, type V2Store } from '../store/v2-store.ts';
import { compareKeyValue, compareMetric, holds, relationHolds } from './filters.ts';
import { isWhole, type Retrieval, type Selection } from './query.ts';
import { applicationScope, applicationType, containerType, runScope, userScope } from './scopes.ts';
import { joinParts, splitParts } from './uid.ts';

/** An entity as it is answered. */
export type Shown = Record<string, JsonValue>;

/** What a search comes by: what it finds, undefined for what it looked at in vain. */
type Found = Generator<Shown | undefined, undefined>;

/** An application, and whether the request itself named user, flow and run (then UIDs are written in full). */
export interface Located {
  readonly context: ApplicationContext;
  readonly full: boolean;
  /** The application's id as the request wrote it, which stands in UIDs of entities; undefined: as it is usually written. */
  readonly written?: string | undefined;
}

const farFuture = Number.MAX_SAFE_INTEGER;
const ofAnotherCluster = (cluster: string) =>
  failure('TIMELINE_V2_BAD_REQUEST', { reason: `fromid doesn't belong to clusterId=${cluster}` });
const invalidFromId = () => failure('TIMELINE_V2_BAD_REQUEST', { reason: 'Invalid filter fromid is provided.' });
/** An application id as it is usually written. @throws TIMELINE_V2_BAD_REQUEST for what is none */
export function applicationIdOf(text: string): string {
  try {
    return usualApplicationId(text);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('TIMELINE_V2_BAD_REQUEST', { reason: error.message });
    throw error;
  }
}

const parentEntity = 'SYSTEM_INFO_PARENT_ENTITY';

export class Reader {
  readonly #flows: FlowStore;
  readonly #store: V2Store;

  constructor(flows: FlowStore, store: V2Store) {
    this.#flows = flows;
    this.#store = store;
  }

  /** The flow of an application that a request names by cluster and id. @throws TIMELINE_V2_NOT_FOUND */
  locate(cluster: string, application: string): ApplicationContext {
    const context = this.#flows.contextOf(cluster, application);
    if (context) return context;
    const what = `Unable to find the context flow name, and flow run id, and user id for clusterId=${cluster}, appId=${application}`;
    throw failure('TIMELINE_V2_NOT_FOUND', { what });
  }

  /** Entities of an application; undefined for each that was looked at and is not among them. `only` narrows further. */
  *entities(
    located: Located,
    type: string,
    selection: Selection,
    retrieval: Retrieval,
    only: (head: HeadV2) => boolean = () => true,
  ): Found {
    const scope = applicationScope(located.context);
    const from = this.#entityStart(scope, type, selection.fromId);
    if (from === 'elsewhere') return;
    const listed = { scope, type, from };
    yield* this.#select(listed, selection, retrieval, only, (head) => this.#entity(head, located, retrieval));
  }

  /** Whether a container is one of an attempt: by what it says of its parent, else by its id. */
  isContainerOf(attemptId: string): (head: HeadV2) => boolean {
    return (head) => {
      const parent = this.#store.infoOf(head.key, parentEntity);
      if (parent !== undefined) return (parent as { id?: JsonValue } | null)?.id === attemptId;
      try {
        return head.type === containerType && attemptIdOfContainer(head.id) === attemptId;
      } catch {
        return false;
      }
    };
  }

  /** One entity of an application as it is read, or undefined. */
  entity(located: Located, type: string, id: string, prefix: JsonValue | undefined, retrieval: Retrieval): Gradually<Shown> | undefined {
    const head = this.#store.find(applicationScope(located.context), type, id, prefix === undefined ? undefined : sortablePrefix(prefix));
    return head && this.#entity(head, located, retrieval);
  }

  /** The types of an application's entities. */
  types(context: ApplicationContext): string[] {
    return this.#store.types(applicationScope(context));
  }

  /** One application as it is read, or undefined. */
  application(located: Located, retrieval: Retrieval): Gradually<Shown> | undefined {
    const head = this.#store.find(runScope(located.context), applicationType, located.context.application);
    return head && this.#applicationView(head, located, retrieval);
  }

  /** Applications of a flow or of one run, newest first; undefined as in `entities`. */
  *applications(flow: { cluster: string; user: string; flow: string; run?: number }, selection: Selection, retrieval: Retrieval): Found {
    const full = flow.run !== undefined;
    const start = this.#applicationStart(flow, selection.fromId);
    if (start === 'elsewhere') return;
    let left = selection.limit;
    for (const context of this.#flows.applications(flow, start)) {
      const head = this.#store.find(runScope(context), applicationType, context.application);
      const isWanted = head && this.#matches(head, selection, retrieval);
      yield isWanted ? yield* this.#applicationView(head, { context, full }, retrieval) : undefined;
      if (isWanted) left -= 1;
      if (left <= 0) return;
    }
  }

  /** Entities kept for a user; undefined as in `entities`. `id` narrows to one id. */
  *userEntities(
    cluster: string,
    user: string,
    type: string,
    selection: Selection,
    retrieval: Retrieval,
    narrow: { id?: string; prefix?: JsonValue } = {},
  ): Found {
    const scope = userScope(cluster, user);
    let from: { prefix: string; id: string } | undefined;
    if (selection.fromId !== undefined) {
      const parts = splitParts(selection.fromId);
      if (parts?.length !== 6 || !isWhole(parts[3] ?? '')) throw invalidFromId();
      const [subUser, theirCluster, theirType, prefix = '', id = ''] = parts;
      if (subUser !== user || theirCluster !== cluster || theirType !== type) return;
      from = { prefix: sortablePrefix(prefix), id };
    }
    const only = (head: HeadV2) =>
      (narrow.id === undefined || head.id === narrow.id) && (narrow.prefix === undefined || head.prefix === sortablePrefix(narrow.prefix));
    yield* this.#select({ scope, type, from }, selection, retrieval, only, (head) => {
      const prefix = prefixNumber(head.prefix).toString();
      const application = this.#store.infoOf(head.key, 'YARN_APPLICATION_ID');
      const owner = typeof application === 'string' ? this.#flows.contextOf(cluster, application)?.user : undefined;
      const uid = joinParts([cluster, user, type, prefix, head.id]);
      return this.#show(head, retrieval, uid, joinParts([user, cluster, type, prefix, head.id, owner ?? user]));
    });
  }

  /** Runs of a flow, newest first. */
  *runs(
    flow: { cluster: string; user: string; flow: string },
    selection: Selection,
    retrieval: { metrics: boolean; metric: ((name: string) => boolean) | undefined },
  ): Found {
    let fromRun: number | undefined;
    if (selection.fromId !== undefined) {
      const parts = splitParts(selection.fromId);
      const run = Number(parts?.[3]);
      if (parts?.length !== 4 || !Number.isSafeInteger(run)) throw invalidFromId();
      if (parts[0] !== flow.cluster) throw ofAnotherCluster(flow.cluster);
      if (parts[1] !== flow.user || parts[2] !== flow.flow) return;
      fromRun = run;
    }
    const range = {
      ...(fromRun === undefined ? {} : { fromRun }),
      startMs: selection.createdStartMs ?? 0,
      endMs: selection.createdEndMs ?? farFuture,
      limit: selection.limit,
    };
    for (const run of this.#flows.runs(flow, range)) yield this.#run(run, retrieval);
  }

  /** One run with its metrics, or undefined. */
  run(
    flow: { cluster: string; user: string; flow: string },
    run: number,
    metric: ((name: string) => boolean) | undefined,
  ): Shown | undefined {
    const found = this.#flows.run(flow.cluster, flow.user, flow.flow, run);
    return found && this.#run(found, { metrics: true, metric });
  }

  /** Flows by day, latest first; undefined for each that is not shown. */
  *flows(
    cluster: string,
    range: { startDayMs: number; endDayMs: number; limit: number },
    fromId: string | undefined,
    isShown: (owner: string) => boolean,
  ): Found {
    let from: { dayMs: number; user: string; flow: string } | undefined;
    if (fromId !== undefined) {
      const parts = splitParts(fromId);
      const day = Number(parts?.[1]);
      if (parts?.length !== 4 || !Number.isSafeInteger(day)) throw invalidFromId();
      if (parts[0] !== cluster) throw ofAnotherCluster(cluster);
      from = { dayMs: day, user: parts[2] ?? '', flow: parts[3] ?? '' };
    }
    for (const activity of this.#flows.activity(cluster, { ...range, ...(from ? { from } : {}) }))
      yield isShown(activity.user) ? activityView(activity) : undefined;
  }

  #entityStart(scope: string, type: string, fromId: string | undefined): { prefix: string; id: string } | 'elsewhere' | undefined {
    if (fromId === undefined) return undefined;
    const parts = splitParts(fromId);
    if (parts?.length !== 8 || !isWhole(parts[6] ?? '') || !isWhole(parts[3] ?? '')) throw invalidFromId();
    applicationIdOf(parts[4] ?? '');
    if (joinParts(parts.slice(0, 5)) !== scope || parts[5] !== type) return 'elsewhere';
    return { prefix: sortablePrefix(parts[6] ?? ''), id: parts[7] ?? '' };
  }

  #applicationStart(flow: { cluster: string; user: string; flow: string; run?: number }, fromId: string | undefined) {
    if (fromId === undefined) return undefined;
    const parts = splitParts(fromId);
    const run = Number(parts?.[3]);
    if (parts?.length !== 5 || !Number.isSafeInteger(run)) throw invalidFromId();
    if (parts[0] !== flow.cluster || parts[1] !== flow.user || parts[2] !== flow.flow) return 'elsewhere';
    const { clusterTimestamp: timestamp, sequence } = parseApplicationId(applicationIdOf(parts[4] ?? ''));
    return { run, timestamp, sequence };
  }

  /** Entities of a type from a place on. Of several with one id, whose prefixes differ, the first is shown. */
  *#select(
    { scope, type, from }: { scope: string; type: string; from: { prefix: string; id: string } | undefined },
    selection: Selection,
    retrieval: Retrieval,
    only: (head: HeadV2) => boolean,
    show: (head: HeadV2) => Gradually<Shown>,
  ): Found {
    const matches = (head: HeadV2) => only(head) && this.#matches(head, selection, retrieval);
    const isListed = ({ prefix, id }: HeadV2) => !from || prefix > from.prefix || (prefix === from.prefix && id >= from.id);
    const isFirst = ({ id, prefix }: HeadV2) =>
      !this.#store.named(scope, type, id, prefix).some((other) => isListed(other) && matches(other));
    let left = selection.limit;
    for (const head of this.#store.list(scope, type, from)) {
      const isWanted = matches(head) && isFirst(head);
      yield isWanted ? yield* show(head) : undefined;
      if (isWanted) left -= 1;
      if (left <= 0) return;
    }
  }

  /** Whether an entity is among those selected; of its metrics the points that may be retrieved count. */
  #matches({ key, createdMs }: HeadV2, selection: Selection, { metricsStartMs: startMs, metricsEndMs: endMs }: Retrieval): boolean {
    const store = this.#store;
    const { createdStartMs, createdEndMs, info, configs, metrics, events, relatesTo, isRelatedTo } = selection;
    if (createdStartMs !== undefined && (createdMs ?? -1) < createdStartMs) return false;
    if (createdEndMs !== undefined && (createdMs ?? farFuture) > createdEndMs) return false;
    if (info && !holds(info, (one) => compareKeyValue(one, store.infoOf(key, one.key)))) return false;
    if (configs && !holds(configs, (one) => compareKeyValue(one, store.configOf(key, one.key)))) return false;
    if (metrics && !holds(metrics, (one) => compareMetric(one, store.newestOf(key, one.key, { startMs, endMs })))) return false;
    if (events && !holds(events, ({ item, present }) => store.hasEvent(key, item) === present)) return false;
    const related = (direction: 'to' | 'by') => {
      const relations = store.relations(key, direction);
      return (one: Parameters<typeof relationHolds>[0]) =>
        relationHolds(one, Object.hasOwn(relations, one.item.type) ? relations[one.item.type] : undefined);
    };
    if (relatesTo && !holds(relatesTo, related('to'))) return false;
    return !isRelatedTo || holds(isRelatedTo, related('by'));
  }

  #entity(head: HeadV2, { context, full, written = context.application }: Located, retrieval: Retrieval): Gradually<Shown> {
    const { cluster, user, flow, run, application } = context;
    const last = [head.type, prefixNumber(head.prefix).toString(), head.id];
    const uid = full ? [cluster, user, flow, run, written, ...last] : [cluster, written, ...last];
    return this.#show(head, retrieval, joinParts(uid), joinParts([cluster, user, flow, run, application, ...last]));
  }

  #applicationView(head: HeadV2, { context, full }: Located, retrieval: Retrieval): Gradually<Shown> {
    const whole = applicationScope(context);
    return this.#show(head, retrieval, full ? whole : joinParts([context.cluster, context.application]), whole);
  }

  *#show(head: HeadV2, retrieval: Retrieval, uid: string, fromId: string): Gradually<Shown> {
    const { fields } = retrieval;
    const store = this.#store;
    const configs = fields.has('CONFIGS') ? yield* store.configs(head.key, retrieval.config) : {};
    const metrics = fields.has('METRICS') ? yield* this.#metrics(head.key, retrieval) : [];
    const events = fields.has('EVENTS') ? ((yield* store.events(head.key)) as unknown as JsonValue[]) : [];
    const info = fields.has('INFO') ? yield* store.info(head.key) : {};
    return {
      metrics,
      events,
      ...(head.createdMs === null ? {} : { createdtime: head.createdMs }),
      idprefix: rawNumber(prefixNumber(head.prefix).toString()),
      id: head.id,
      type: head.type,
      info: Object.assign(info, { UID: uid, FROM_ID: fromId }),
      configs,
      isrelatedto: fields.has('IS_RELATED_TO') ? store.relations(head.key, 'by') : {},
      relatesto: fields.has('RELATES_TO') ? store.relations(head.key, 'to') : {},
    };
  }

  *#metrics(key: number, { metric, metricsLimit, metricsStartMs, metricsEndMs }: Retrieval): Gradually<JsonValue[]> {
    const found = yield* this.#store.metrics(key, { limit: metricsLimit, startMs: metricsStartMs, endMs: metricsEndMs, wanted: metric });
    const metrics: JsonValue[] = [];
    for (const { id, points } of found) {
      const values = yield* gradualRecord(points.map(({ timestampMs, value }) => [String(timestampMs), value] as const));
      metrics.push({ type: points.length > 1 ? 'TIME_SERIES' : 'SINGLE_VALUE', id, aggregationOp: 'NOP', values });
    }
    return metrics;
  }

  /** A run; its metrics are the sums of the newest values of its applications. */
  #run(run: FlowRun, { metrics, metric }: { metrics: boolean; metric: ((name: string) => boolean) | undefined }): Shown {
    const uid = joinParts([run.cluster, run.user, run.flow, run.run]);
    return {
      metrics: metrics ? this.#runMetrics(run, metric) : [],
      events: [],
      createdtime: run.startedMs,
      idprefix: 0,
      id: `${run.user}@${run.flow}/${run.run}`,
      type: 'YARN_FLOW_RUN',
      info: {
        UID: uid,
        ...(run.finishedMs === null ? {} : { SYSTEM_INFO_FLOW_RUN_END_TIME: run.finishedMs }),
        SYSTEM_INFO_FLOW_NAME: run.flow,
        SYSTEM_INFO_FLOW_RUN_ID: run.run,
        SYSTEM_INFO_USER: run.user,
        FROM_ID: uid,
      },
      isrelatedto: {},
      relatesto: {},
    };
  }

  #runMetrics(run: FlowRun, wanted: ((name: string) => boolean) | undefined): JsonValue[] {
    const sums = this.#store.runMetrics(runScope(run)).filter(({ id }) => !wanted || wanted(id));
    return sums.map(({ id, timestampMs, value }) => ({
      type: 'SINGLE_VALUE',
      id,
      aggregationOp: 'NOP',
      values: { [timestampMs]: value },
    }));
  }
}

function activityView({ cluster, dayMs, user, flow, runs }: FlowActivity): Shown {
  return {
    metrics: [],
    events: [],
    idprefix: 0,
    flowruns: runs.map(({ run, version }) => ({
      metrics: [],
      events: [],
      idprefix: 0,
      id: `${user}@${flow}/${run}`,
      type: 'YARN_FLOW_RUN',
      info: { SYSTEM_INFO_FLOW_NAME: flow, SYSTEM_INFO_USER: user, SYSTEM_INFO_FLOW_RUN_ID: run, SYSTEM_INFO_FLOW_VERSION: version },
      isrelatedto: {},
      relatesto: {},
    })),
    id: `${cluster}/${dayMs}/${user}@${flow}`,
    type: 'YARN_FLOW_ACTIVITY',
    info: {
      UID: joinParts([cluster, user, flow]),
      SYSTEM_INFO_CLUSTER: cluster,
      SYSTEM_INFO_FLOW_NAME: flow,
      SYSTEM_INFO_USER: user,
      SYSTEM_INFO_DATE: dayMs,
      FROM_ID: joinParts([cluster, dayMs, user, flow]),
    },
    isrelatedto: {},
    relatesto: {},
  };
}

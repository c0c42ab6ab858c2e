// The bodies of timeline v2 as Jackson reads them, and what the resource manager tells.
import { checked, fields, isObject, type JsonShape, many, number, optional, text, word } from '../../lib/json-shape.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId, parseApplicationId } from '../../model/ids.ts';
import type { JsonValue } from '../../wire/timeline/entity.ts';
import { isRaw } from '../../wire/timeline/exact-json.ts';
import type { EntityV2, SystemWrite } from '../../wire/timeline/v2-entity.ts';
import { domainBean } from './domain-body.ts';
import {
  type JavaType,
  javaAny,
  javaExactLong,
  javaList,
  javaLong,
  javaMap,
  javaSeries,
  javaSet,
  javaText,
  readBean,
  withoutNulls,
} from './jackson.ts';

const applicationIdText: JsonShape<string> = {
  fault: (value) => (isApplicationId(value) ? undefined : { path: '', problem: 'is no application id' }),
  schema: () => ({ type: 'string' }),
};
const collectorWord = word('start', 'stop');
const anObject: JsonShape<Record<string, unknown>> = {
  fault: (value) => (isObject(value) ? undefined : { path: '', problem: 'is not an object' }),
  schema: () => ({ type: 'object' }),
};

const records = 'org.apache.hadoop.yarn.api.records.timelineservice';
const javaWord = (name: string, words: readonly string[]): JavaType => ({ kind: 'word', name: `${records}.${name}`, words });

const metric: JavaType = {
  kind: 'bean',
  name: `${records}.TimelineMetric`,
  members: {
    id: javaText,
    type: javaWord('TimelineMetric$Type', ['SINGLE_VALUE', 'TIME_SERIES']),
    aggregationOp: javaWord('TimelineMetricOperation', ['NOP', 'MAX', 'REPLACE', 'SUM', 'AVG']),
    realtimeAggregationOp: javaWord('TimelineMetricOperation', ['NOP', 'MAX', 'REPLACE', 'SUM', 'AVG']),
    values: javaSeries,
  },
};
const event: JavaType = {
  kind: 'bean',
  name: `${records}.TimelineEvent`,
  members: { id: javaText, timestamp: javaLong, info: javaMap(javaAny) },
};
const entity = {
  kind: 'bean',
  name: `${records}.TimelineEntity`,
  members: {
    type: javaText,
    id: javaText,
    idprefix: javaExactLong,
    createdtime: javaLong,
    info: javaMap(javaAny),
    configs: javaMap(javaText),
    metrics: javaSet(metric),
    events: javaSet(event),
    relatesto: javaMap(javaSet(javaText)),
    isrelatedto: javaMap(javaSet(javaText)),
  },
} satisfies JavaType;
const entities = { kind: 'bean', name: `${records}.TimelineEntities`, members: { entities: javaList(entity) } } satisfies JavaType;
const domain = domainBean(records);
const context: JavaType = {
  kind: 'bean',
  name: 'FlowContext',
  members: { user: javaText, flow: javaText, version: javaText, run: javaLong },
};
const write: JavaType = {
  kind: 'bean',
  name: 'SystemWrite',
  members: {
    applicationId: javaText,
    context,
    collector: javaWord('Collector', ['start', 'stop']),
    finishedTimeMs: javaLong,
    entities: javaList(entity),
  },
};
const writes: JavaType = { kind: 'bean', name: 'SystemWrites', members: { writes: javaList(write) } };

function isApplicationId(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  try {
    parseApplicationId(value);
    return true;
  } catch (error) {
    if (error instanceof InvalidId) return false;
    throw error;
  }
}

/** What a write must have beyond the types of its members; entities are Jackson's, as in a put. */
const systemWrite = fields({
  applicationId: applicationIdText,
  context: optional(fields({ user: text(), flow: text(), version: text(), run: number() })),
  collector: optional(collectorWord),
  finishedTimeMs: optional(number()),
  entities: optional(many(anObject)),
});

/** Without nulls, and with the id and type that entities must have: Hadoop keeps an entity without an id under "". */
function tidy(raw: Record<string, unknown>): EntityV2 {
  const one = withoutNulls(raw) as unknown as EntityV2;
  const tidied: EntityV2 = { ...one, id: one.id ?? '', type: one.type ?? '' };
  if (one.metrics)
    tidied.metrics = one.metrics.filter((each) => each !== null).map((each) => ({ ...withoutNulls({ ...each }), id: each.id ?? '' }));
  if (one.events)
    tidied.events = one.events
      .filter((each) => each !== null)
      .map((each) => ({ ...withoutNulls({ ...each }), id: each.id ?? '', timestamp: each.timestamp ?? 0 }));
  return tidied;
}

/**
 * The entities of a put. Of events with the same id and time in one entity the first counts, of metrics with the same id, too.
 * @throws JSON_*, COLLECTOR_BODY_MISSING, TIMELINE_ENTITY_INCOMPLETE without a type, TIMELINE_V2_BAD_REQUEST for metrics that are none or no whole numbers
 */
export function readEntitiesV2(body: Uint8Array): EntityV2[] {
  const read = readBean<{ entities?: (RawEntity | null)[] | null }>(body, entities);
  if (!read) throw failure('COLLECTOR_BODY_MISSING');
  if (read.entities === null) throw failure('TIMELINE_ENTITY_INCOMPLETE');
  return (read.entities ?? []).map((one, index) => {
    if (typeof one?.type !== 'string') throw failure('TIMELINE_ENTITY_INCOMPLETE');
    if (one.metrics === null || one.metrics?.includes(null)) throw failure('TIMELINE_V2_BAD_REQUEST', { reason: 'Incomplete metrics' });
    checkIds(one, index);
    for (const each of one.metrics ?? []) for (const value of Object.values(each?.values ?? {})) checkIntegral(value);
    const tidied = tidy(one);
    if (tidied.events) tidied.events = firstOfEach(tidied.events, ({ id, timestamp }) => `${timestamp} ${id}`);
    if (tidied.metrics) tidied.metrics = firstOfEach(tidied.metrics, ({ id }) => id);
    return tidied;
  });
}

type RawEntity = Record<string, unknown> & {
  readonly type?: unknown;
  readonly events?: readonly (Record<string, unknown> | null)[] | null;
  readonly metrics?: readonly ({ readonly values?: Readonly<Record<string, JsonValue>> | null } | null)[] | null;
};

/** Jackson puts events and metrics into sets by their ids. @throws JSON_MAPPING for one without */
function checkIds({ events, metrics }: RawEntity, index: number): void {
  const refuse = (problem: string, member: string, set: string, at: number) => {
    const chain = `${entities.name}["entities"]->java.util.ArrayList[${index}]->${entity.name}["${member}"]->java.util.${set}[${at}]`;
    return failure('JSON_MAPPING', { detail: `Cannot invoke ${problem} is null (through reference chain: ${chain})` });
  };
  const isNameless = (one: Record<string, unknown> | null) => typeof one?.['id'] !== 'string';
  const [event, metric] = [(events ?? []).findIndex(isNameless), (metrics ?? []).findIndex(isNameless)];
  if (event >= 0)
    throw events?.[event] === null
      ? refuse('"java.lang.Comparable.compareTo(Object)" because "k1"', 'events', 'TreeSet', event)
      : refuse('"String.compareTo(String)" because "this.id"', 'events', 'TreeSet', event);
  if (metric >= 0) throw refuse('"String.hashCode()" because "this.id"', 'metrics', 'HashSet', metric);
}

/** The stores of Hadoop keep whole numbers alone (LongConverter). @throws TIMELINE_V2_BAD_REQUEST */
function checkIntegral(value: JsonValue): void {
  const text = isRaw(value) ? value.rawJSON : String(value);
  if (value !== null && (!/^-?\d+$/.test(text) || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)))
    throw failure('TIMELINE_V2_BAD_REQUEST', { reason: 'Expected integral value' });
}

/** The first item of each key. */
function firstOfEach<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const known = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    return !known.has(key) && known.add(key);
  });
}

/** Checks the domain of a put. @throws JSON_*, COLLECTOR_BODY_MISSING */
export function checkDomainV2(body: Uint8Array): void {
  if (!readBean(body, domain)) throw failure('COLLECTOR_BODY_MISSING');
}

/** What the resource manager tells. @throws JSON_*, COLLECTOR_BODY_MISSING, SYSTEM_WRITE_MALFORMED */
export function readSystemWrites(body: Uint8Array): SystemWrite[] {
  const read = readBean<{ writes?: Record<string, unknown>[] }>(body, writes);
  if (!read) throw failure('COLLECTOR_BODY_MISSING');
  return (read.writes ?? []).map((raw, index) => {
    const { value, fault } = checked(systemWrite, isObject(raw) ? withoutNulls(raw) : raw);
    if (fault !== undefined) throw failure('SYSTEM_WRITE_MALFORMED', { index, fault });
    return { ...value, entities: (value.entities ?? []).map((one) => tidy(one as Record<string, unknown>)) };
  });
}

// The bodies of timeline v2 as Jackson reads them, and what the resource manager tells.
import { checked, fields, isObject, type JsonShape, many, number, optional, text, word } from '../../lib/json-shape.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId, parseApplicationId } from '../../model/ids.ts';
import type { EntityV2, SystemWrite } from '../../wire/timeline/v2-entity.ts';
import { domainBean } from './domain-body.ts';
import { type JavaType, javaAny, javaList, javaLong, javaMap, javaSeries, javaSet, javaText, readBean, withoutNulls } from './jackson.ts';

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
const entity: JavaType = {
  kind: 'bean',
  name: `${records}.TimelineEntity`,
  members: {
    type: javaText,
    id: javaText,
    idprefix: javaAny,
    createdtime: javaLong,
    info: javaMap(javaAny),
    configs: javaMap(javaText),
    metrics: javaSet(metric),
    events: javaSet(event),
    relatesto: javaMap(javaSet(javaText)),
    isrelatedto: javaMap(javaSet(javaText)),
  },
};
const entities: JavaType = { kind: 'bean', name: `${records}.TimelineEntities`, members: { entities: javaList(entity) } };
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

/** The entities of a put. @throws JSON_*, COLLECTOR_BODY_MISSING */
export function readEntitiesV2(body: Uint8Array): EntityV2[] {
  const read = readBean<{ entities?: (Record<string, unknown> | null)[] | null }>(body, entities);
  if (!read) throw failure('COLLECTOR_BODY_MISSING');
  return (read.entities ?? []).filter((one) => one !== null).map(tidy);
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

// The query parameters of the timeline v2 reader (TimelineReaderWebServicesUtils). Blank numbers and fields are wrong ones; other blank values count as absent.
import { javaSplit } from '../../lib/java-split.ts';
import { failure } from '../../model/errors.ts';
import { dayMs } from '../store/flow-store.ts';
import {
  type ConfigFilter,
  type EventFilter,
  type InfoFilter,
  type MetricFilter,
  parseConfigFilter,
  parseEventFilter,
  parseInfoFilter,
  parseMetricFilter,
  parsePrefixes,
  parseRelationFilter,
  type RelationFilter,
} from './filters.ts';

/** Where parameters come from. */
export interface Parameters {
  first(name: string): string | undefined;
}

/** Parts of an entity that a reader may ask for. */
export const fieldsV2 = ['EVENTS', 'INFO', 'METRICS', 'CONFIGS', 'RELATES_TO', 'IS_RELATED_TO'] as const;
export type FieldV2 = (typeof fieldsV2)[number];

/** Which entities are wanted. Times in ms, inclusive. */
export interface Selection {
  readonly limit: number;
  readonly createdStartMs?: number;
  readonly createdEndMs?: number;
  readonly relatesTo?: RelationFilter | undefined;
  readonly isRelatedTo?: RelationFilter | undefined;
  readonly info?: InfoFilter | undefined;
  readonly configs?: ConfigFilter | undefined;
  readonly metrics?: MetricFilter | undefined;
  readonly events?: EventFilter | undefined;
  readonly fromId?: string | undefined;
}

/** Which parts of them are wanted. */
export interface Retrieval {
  readonly fields: ReadonlySet<FieldV2>;
  readonly config?: ((name: string) => boolean) | undefined;
  readonly metric?: ((name: string) => boolean) | undefined;
  readonly metricsLimit: number;
  readonly metricsStartMs: number;
  readonly metricsEndMs: number;
}

const farFutureMs = Number.MAX_SAFE_INTEGER;
const defaultLimit = 100;
const refuse = (reason: string) => failure('TIMELINE_V2_BAD_REQUEST', { reason });

/** Names of the groups of numbers in messages. */
export const numberGroups = {
  entitiesByUid: 'Either limit or createdtime start/end or metricslimit or metricstime start/end or fromid',
  entities: 'Either flowrunid or limit or createdtime start/end or metricslimit or metricstime start/end or fromid',
  oneByUid: 'Either metricslimit or metricstime start/end',
  applicationsByUid: 'Either limit or createdtime start/end or metricslimit or metricstime start/end',
  one: 'Either flowrunid or metricslimit or metricstime start/end',
  run: 'flowrunid',
  runs: 'createdTime start/end or limit or fromId',
  flows: 'limit',
} as const;

const present = (query: Parameters, name: string): string | undefined => query.first(name)?.trim() || undefined;

/** A whole number of 64 bits, or of `bits`; undefined where there is no text. @throws TIMELINE_V2_BAD_REQUEST naming the group */
export function numberIn(text: string | undefined, group: string, bits = 64): number | undefined {
  if (text === undefined) return undefined;
  const number = isWhole(text.trim(), bits) ? Number(text) : undefined;
  if (number === undefined) throw refuse(`${group} is not a numeric value.`);
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(farFutureMs, number));
}

/** Whether a text is a whole number of so many bits, as Java reads one. */
export const isWhole = (text: string, bits = 64): boolean =>
  /^[+-]?\d{1,40}$/.test(text) && BigInt.asIntN(bits, BigInt(text.replace('+', ''))) === BigInt(text.replace('+', ''));

const notNegative = (value: number | undefined): number | undefined => (value === undefined || value < 0 ? undefined : value);

/** `limit`: 100 when absent or negative. */
export const limitIn = (query: Parameters, group: string): number => notNegative(numberIn(query.first('limit'), group)) ?? defaultLimit;

/** What lists of runs are narrowed by. @throws TIMELINE_V2_BAD_REQUEST */
export function runSelectionIn(query: Parameters, group: string): Selection {
  const createdStartMs = notNegative(numberIn(query.first('createdtimestart'), group)) || undefined;
  const createdEndMs = notNegative(numberIn(query.first('createdtimeend'), group));
  return {
    limit: limitIn(query, group),
    ...(createdStartMs === undefined ? {} : { createdStartMs }),
    ...(createdEndMs === undefined || createdEndMs === farFutureMs ? {} : { createdEndMs }),
    fromId: present(query, 'fromid'),
  };
}

/** Reads `limit` (0 means all), `createdtime…`, the six filters and `fromid`. @throws TIMELINE_V2_BAD_REQUEST */
export function selectionIn(query: Parameters, group: string): Selection {
  const filter = <F>(name: string, parse: (text: string) => F | undefined): F | undefined => {
    const text = query.first(name);
    return text === undefined ? undefined : parse(text);
  };
  const range = runSelectionIn(query, group);
  return {
    ...range,
    limit: range.limit === 0 ? farFutureMs : range.limit,
    relatesTo: filter('relatesto', parseRelationFilter),
    isRelatedTo: filter('isrelatedto', parseRelationFilter),
    info: filter('infofilters', parseInfoFilter),
    configs: filter('conffilters', parseConfigFilter),
    metrics: filter('metricfilters', parseMetricFilter),
    events: filter('eventfilters', parseEventFilter),
  };
}

/** Reads `fields`, the prefixes and the window of metrics; `selection` is that of a list. @throws TIMELINE_V2_BAD_REQUEST */
export function retrievalIn(query: Parameters, group: string, selection?: Selection): Retrieval {
  const config = parsePrefixes(query.first('confstoretrieve'));
  const metric = parsePrefixes(query.first('metricstoretrieve'));
  const named = namedFieldsIn(query);
  const fields = new Set<FieldV2>(named.has('ALL') ? fieldsV2 : (named as Set<FieldV2>));
  // What Hadoop's reader looks up as soon as names are chosen, or events or relations asked for: of ALL, configs and metrics then count
  // where something else asks for them, a filter for example.
  const isNarrowed = config || metric || selection?.events || selection?.relatesTo || selection?.isRelatedTo;
  if (isNarrowed && !named.has('CONFIGS') && !selection?.configs) fields.delete('CONFIGS');
  if (isNarrowed && !named.has('METRICS') && !selection?.metrics) fields.delete('METRICS');
  if (config) fields.add('CONFIGS');
  if (metric) fields.add('METRICS');
  const metricsLimit = numberIn(query.first('metricslimit'), group, 32);
  const metricsStartMs = notNegative(numberIn(query.first('metricstimestart'), group)) ?? 0;
  const metricsEndMs = notNegative(numberIn(query.first('metricstimeend'), group)) ?? farFutureMs;
  if (metricsStartMs > metricsEndMs) throw refuse('metricstimebegin should not be greater than metricstimeend');
  return {
    fields,
    config,
    metric,
    metricsLimit: metricsLimit === undefined || metricsLimit < 1 ? 1 : metricsLimit,
    metricsStartMs,
    metricsEndMs,
  };
}

/** The fields as they are named. */
function namedFieldsIn(query: Parameters): Set<FieldV2 | 'ALL'> {
  const text = query.first('fields');
  const fields = new Set<FieldV2 | 'ALL'>();
  for (const part of text === undefined ? [] : javaSplit(text)) {
    const name = part.trim().toUpperCase();
    if (name !== 'ALL' && !(fieldsV2 as readonly string[]).includes(name)) throw refuse(`${part} is not a valid field.`);
    fields.add(name as FieldV2 | 'ALL');
  }
  return fields;
}

/** What of flow runs is wanted: metrics or nothing. @throws TIMELINE_V2_BAD_REQUEST for other fields */
export function runRetrievalIn(query: Parameters): { metrics: boolean; metric: ((name: string) => boolean) | undefined } {
  const metric = parsePrefixes(query.first('metricstoretrieve'));
  const fields = namedFieldsIn(query);
  for (const field of fields)
    if (field !== 'ALL' && field !== 'METRICS') throw refuse(`Invalid field ${field} specified while querying flow runs.`);
  return { metrics: fields.size > 0 || metric !== undefined, metric };
}

function dayOf(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  if (!year) return undefined;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day) ? undefined : date.getTime();
}

/** `daterange`: `D`, `A-B`, `A-`, `-B`; days in GMT. @throws TIMELINE_V2_BAD_REQUEST */
export function dateRangeIn(query: Parameters): { startDayMs: number; endDayMs: number } {
  const text = present(query, 'daterange');
  if (text === undefined || text === '-') return { startDayMs: 0, endDayMs: farFutureMs };
  const parts = text.split('-').map((part) => part.trim());
  const days = parts.map((part) => (part === '' ? undefined : (dayOf(part) ?? Number.NaN)));
  const invalid = parts.length > 2 || days.some((day) => Number.isNaN(day)) || days.every((day) => day === undefined);
  const startDayMs = days[0] ?? 0;
  const endDayMs = (parts.length === 1 ? days[0] : days[1]) ?? farFutureMs - dayMs;
  if (invalid || startDayMs > endDayMs) throw refuse(`Invalid date range ${text}`);
  return { startDayMs, endDayMs };
}

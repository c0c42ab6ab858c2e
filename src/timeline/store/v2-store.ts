// Entities of timeline v2 in the database: merged part by part, read in the order of their prefix and id.
// Rules: HBaseTimelineWriterImpl and the readers beside it. Puts run inside one change of the database.
import type { Database, Statement } from '../../storage/sqlite.ts';
import type { JsonValue } from '../../wire/timeline/entity.ts';
import { isRaw } from '../../wire/timeline/exact-json.ts';
import type { EntityV2 } from '../../wire/timeline/v2-entity.ts';
import { type Gradually, gradualRecord, gradualRows, partsAtOnce } from './gradually.ts';
import { StoredValues } from './stored-value.ts';

/** What identifies a stored entity; `prefix` is in its sorted form. */
export interface HeadV2 {
  readonly key: number;
  readonly scope: string;
  readonly type: string;
  readonly prefix: string;
  readonly id: string;
  readonly createdMs: number | null;
  /** When it was written to last; null where it goes with its application. */
  readonly writtenMs: number | null;
}

/** Points of a metric, newest first. */
export interface MetricPoints {
  readonly id: string;
  readonly points: readonly { readonly timestampMs: number; readonly value: JsonValue }[];
}

/** An event of an entity. */
export interface EventV2 {
  readonly id: string;
  readonly timestamp: number;
  readonly info: Record<string, JsonValue>;
}

interface NameValueRow {
  readonly name: string;
  readonly value: string;
}
interface EventRow {
  readonly name: string;
  readonly timestampMs: number;
  readonly info: string;
}
interface PointRow {
  readonly timestampMs: number;
  readonly value: string;
}

/** What reads rows of an entity by name: the first, and those behind a name. */
interface PageStatements {
  readonly first: Statement;
  readonly next: Statement;
}

const digits = 20;
const rowsAtOnce = 100;
const allTimes = { startMs: Number.MIN_SAFE_INTEGER, endMs: Number.MAX_SAFE_INTEGER };
/** So many entities of one id are looked at for one that is shown before another. */
const mostOfOneId = 100;

/** A 64-bit prefix as sortable text; unsigned, so that negative ones come last as in HBase. */
export function sortablePrefix(prefix: JsonValue | undefined): string {
  const text = isRaw(prefix) ? prefix.rawJSON : String(prefix ?? 0);
  const number = /^[+-]?\d{1,20}$/.test(text) ? BigInt(text) : 0n;
  return BigInt.asUintN(64, number).toString().padStart(digits, '0');
}

/** The number of a sortable prefix. */
export const prefixNumber = (sortable: string): bigint => BigInt.asIntN(64, BigInt(sortable));

const timestampOf = (text: string): number | undefined => (/^-?\d{1,16}$/.test(text) ? Number(text) : undefined);

export class V2Store {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #values: StoredValues;

  constructor(database: Database) {
    this.#sql = prepareStatements((text) => database.prepare(text));
    this.#values = new StoredValues(database);
  }

  /**
   * Merges an entity: info, configuration, metrics and events by key, relations by type. Must run inside `Database.write`. `writtenMs` is now,
   * for entities that go some time after they were written to last; others go with their application.
   */
  put(scope: string, entity: EntityV2, writtenMs?: number): void {
    const prefix = sortablePrefix(entity.idprefix);
    const found = this.#sql.exact.get(scope, entity.type, prefix, entity.id) as HeadV2 | undefined;
    const key =
      found?.key ??
      Number(this.#sql.insert.run(scope, entity.type, prefix, entity.id, entity.createdtime ?? null, writtenMs ?? null).lastInsertRowid);
    if (found && writtenMs !== undefined && found.writtenMs !== writtenMs) this.#sql.setWritten.run(writtenMs, key);
    if (found && entity.createdtime !== undefined) this.#sql.setCreated.run(entity.createdtime, key);
    for (const [name, value] of Object.entries(entity.info ?? {}))
      if (value !== null) this.#sql.putInfo.run(key, name, JSON.stringify(value));
    for (const [name, value] of Object.entries(entity.configs ?? {})) if (value !== null) this.#sql.putConfig.run(key, name, value);
    for (const { id, values } of entity.metrics ?? []) {
      for (const [time, value] of Object.entries(values ?? {})) {
        const timestampMs = timestampOf(time);
        if (timestampMs !== undefined && value !== null) this.#sql.putMetric.run(key, id, timestampMs, JSON.stringify(value));
      }
    }
    for (const { id, timestamp, info = {} } of entity.events ?? []) this.#putEvent(key, timestamp, id, info);
    for (const [type, ids] of Object.entries(entity.relatesto ?? {})) this.#sql.putRelation.run(key, 'to', type, JSON.stringify(ids));
    for (const [type, ids] of Object.entries(entity.isrelatedto ?? {})) this.#sql.putRelation.run(key, 'by', type, JSON.stringify(ids));
  }

  /** Merges the entity of an application, and what its metrics add to those of its run (`scope`). Must run inside `Database.write`. */
  putApplication(scope: string, entity: EntityV2): void {
    const prefix = sortablePrefix(entity.idprefix);
    const newest = (): Map<string, { timestampMs: number; value: number }> => {
      const key = (this.#sql.exact.get(scope, entity.type, prefix, entity.id) as HeadV2 | undefined)?.key;
      const known = (entity.metrics ?? []).map(({ id }) => [id, key === undefined ? undefined : this.#newest(key, id)] as const);
      return new Map(known.flatMap(([id, point]) => (point ? [[id, point] as const] : [])));
    };
    const before = entity.metrics?.length ? newest() : undefined;
    this.put(scope, entity);
    if (!before) return;
    for (const [id, { timestampMs, value }] of newest())
      this.#sql.addToRun.run(scope, id, timestampMs, value - (before.get(id)?.value ?? 0));
  }

  /** Metrics of a run: of each the sum over its applications, and when one of them was measured last, ms. */
  runMetrics(scope: string): { readonly id: string; readonly timestampMs: number; readonly value: number }[] {
    return this.#sql.ofRun.all(scope) as { id: string; timestampMs: number; value: number }[];
  }

  #newest(key: number, metric: string): { timestampMs: number; value: number } | undefined {
    const row = this.#sql.newest.get(key, metric, allTimes.startMs, allTimes.endMs) as { timestampMs: number; value: string } | undefined;
    const value = Number(row?.value);
    return row && { timestampMs: row.timestampMs, value: Number.isFinite(value) ? value : 0 };
  }

  /** Adds an event; of one that is there the facts by their names. */
  #putEvent(key: number, timestampMs: number, name: string, info: Record<string, JsonValue>): void {
    if (this.#sql.newEvent.run(key, timestampMs, name, JSON.stringify(info)).changes > 0) return;
    const known = this.#sql.eventInfo.get(key, timestampMs, name) as { info: string } | undefined;
    const before = known ? this.#values.object(known.info, 'v2_events', { entity: key, timestamp_ms: timestampMs, name }) : {};
    this.#sql.putEvent.run(key, timestampMs, name, JSON.stringify(Object.fromEntries(Object.entries(before).concat(Object.entries(info)))));
  }

  /** One entity by its id, whatever its prefix unless given. */
  find(scope: string, type: string, id: string, prefix?: string): HeadV2 | undefined {
    if (prefix !== undefined) return this.#sql.exact.get(scope, type, prefix, id) as HeadV2 | undefined;
    return this.#sql.byId.get(scope, type, id) as HeadV2 | undefined;
  }

  /** Entities of an id with prefixes before one, by prefix; of very many the first. */
  named(scope: string, type: string, id: string, beforePrefix: string): HeadV2[] {
    return this.#sql.named.all(scope, type, id, beforePrefix, mostOfOneId) as unknown as HeadV2[];
  }

  /** Entities of a type by prefix and id, from the given ones on (inclusive). Read some at a time: between two of them anything may be written. */
  *list(scope: string, type: string, from: { prefix: string; id: string } = { prefix: '', id: '' }): Generator<HeadV2, undefined> {
    let rows = this.#sql.listFrom.all(scope, type, from.prefix, from.id, rowsAtOnce) as unknown as HeadV2[];
    for (;;) {
      yield* rows;
      const last = rows.at(-1);
      if (!last || rows.length < rowsAtOnce) return;
      rows = this.#sql.listAfter.all(scope, type, last.prefix, last.id, rowsAtOnce) as unknown as HeadV2[];
    }
  }

  /** The types of a scope's entities, sorted: read one by one, whatever the number of entities. */
  types(scope: string): string[] {
    const types: string[] = [];
    let next = this.#sql.firstType.get(scope) as { type: string } | undefined;
    for (; next; next = this.#sql.typeAfter.get(scope, next.type) as typeof next) types.push(next.type);
    return types;
  }

  *info(key: number): Gradually<Record<string, JsonValue>> {
    const rows = yield* this.#named(this.#sql.info, key, (row) =>
      this.#values.named([row], 'v2_info', ({ name }) => ({ entity: key, name })),
    );
    return yield* gradualRecord(rows.flat());
  }

  /** Rows of an entity by name. */
  #named<Read>({ first, next }: PageStatements, key: number, take: (row: NameValueRow) => Read): Gradually<Read[]> {
    return gradualRows(
      () => first.all(key, partsAtOnce) as unknown as NameValueRow[],
      ({ name }) => next.all(key, name, partsAtOnce) as unknown as NameValueRow[],
      take,
    );
  }

  infoOf(key: number, name: string): JsonValue | undefined {
    const row = this.#sql.infoOf.get(key, name) as { value: string } | undefined;
    return row && this.#values.read(row.value, 'v2_info', { entity: key, name });
  }

  /** Those of the wanted names. */
  *configs(key: number, isWanted: (name: string) => boolean = () => true): Gradually<Record<string, string>> {
    const rows = yield* this.#named(this.#sql.configs, key, ({ name, value }) => [name, value] as const);
    return yield* gradualRecord(rows.filter(([name]) => isWanted(name)));
  }

  configOf(key: number, name: string): string | undefined {
    return (this.#sql.configOf.get(key, name) as { value: string } | undefined)?.value;
  }

  /** At most `limit` points of each wanted metric within the given times, newest first. */
  *metrics(
    key: number,
    range: { limit: number; startMs: number; endMs: number; wanted?: ((name: string) => boolean) | undefined },
  ): Gradually<MetricPoints[]> {
    const found: { id: string; points: { timestampMs: number; value: JsonValue }[] }[] = [];
    // Metric by metric, so that of a long series only what is wanted is read.
    let next = this.#sql.lastMetric.get(key) as { name: string } | undefined;
    for (; next; next = this.#sql.metricBefore.get(key, next.name) as { name: string } | undefined) {
      const { name } = next;
      if (range.wanted && !range.wanted(name)) continue;
      const points = yield* this.#points(key, name, range);
      if (points.length > 0) found.push({ id: name, points: points.flat() });
    }
    return found;
  }

  /** The points of a metric, newest first; empty for one that cannot be read. */
  #points(key: number, name: string, { limit, startMs, endMs }: { limit: number; startMs: number; endMs: number }) {
    let left = limit;
    const rowsUntil = (untilMs: number): PointRow[] => {
      // A negative limit is none.
      const rows =
        left === 0 ? [] : this.#sql.points.all(key, name, startMs, untilMs, left < 0 ? partsAtOnce : Math.min(left, partsAtOnce));
      left = limit < 0 ? limit : left - rows.length;
      return rows as unknown as PointRow[];
    };
    return gradualRows(
      () => rowsUntil(endMs),
      ({ timestampMs }) => rowsUntil(timestampMs - 1),
      ({ timestampMs, value: written }) => {
        const value = this.#values.read(written, 'v2_metrics', { entity: key, name, timestamp_ms: timestampMs });
        return value === undefined ? [] : [{ timestampMs, value }];
      },
    );
  }

  /** The newest value of a metric, of those in a range of times. */
  newestOf(key: number, metric: string, { startMs, endMs } = allTimes): number | bigint | undefined {
    const row = this.#sql.newest.get(key, metric, startMs, endMs) as { value: string } | undefined;
    return row && (/^-?\d+$/.test(row.value) ? BigInt(row.value) : Number(row.value));
  }

  /** Events, newest first. */
  events(key: number): Gradually<EventV2[]> {
    return gradualRows<EventRow, EventV2>(
      () => this.#sql.events.all(key, partsAtOnce) as unknown as EventRow[],
      ({ timestampMs, name }) => this.#sql.eventsAfter.all(key, timestampMs, timestampMs, name, partsAtOnce) as unknown as EventRow[],
      ({ name, timestampMs, info }) => ({
        id: name,
        timestamp: timestampMs,
        info: this.#values.object(info, 'v2_events', { entity: key, timestamp_ms: timestampMs, name }),
      }),
    );
  }

  hasEvent(key: number, id: string): boolean {
    return this.#sql.hasEvent.get(key, id) !== undefined;
  }

  /** Relations of a direction: type → ids. */
  relations(key: number, direction: 'to' | 'by'): Record<string, string[]> {
    const rows = this.#sql.relations.all(key, direction) as { type: string; ids: string }[];
    return Object.fromEntries(
      rows.map(({ type, ids }) => {
        const value = this.#values.read(ids, 'v2_relations', { entity: key, direction, type });
        return [type, Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []];
      }),
    );
  }
}

function prepareStatements(prepare: (sql: string) => Statement) {
  const pagesOf = (table: string): PageStatements => ({
    first: prepare(`SELECT name, value FROM ${table} WHERE entity = ? ORDER BY name LIMIT ?`),
    next: prepare(`SELECT name, value FROM ${table} WHERE entity = ? AND name > ? ORDER BY name LIMIT ?`),
  });
  const head = 'key, scope, type, prefix, id, created_ms AS createdMs, written_ms AS writtenMs';
  return {
    exact: prepare(`SELECT ${head} FROM v2_entities WHERE scope = ? AND type = ? AND prefix = ? AND id = ?`),
    byId: prepare(`SELECT ${head} FROM v2_entities WHERE scope = ? AND type = ? AND id = ? ORDER BY prefix LIMIT 1`),
    named: prepare(`SELECT ${head} FROM v2_entities WHERE scope = ? AND type = ? AND id = ? AND prefix < ? ORDER BY prefix LIMIT ?`),
    listFrom: prepare(
      `SELECT ${head} FROM v2_entities WHERE scope = ? AND type = ? AND (prefix, id) >= (?, ?) ORDER BY prefix, id LIMIT ?`,
    ),
    listAfter: prepare(
      `SELECT ${head} FROM v2_entities WHERE scope = ? AND type = ? AND (prefix, id) > (?, ?) ORDER BY prefix, id LIMIT ?`,
    ),
    firstType: prepare('SELECT type FROM v2_entities WHERE scope = ? ORDER BY type LIMIT 1'),
    typeAfter: prepare('SELECT type FROM v2_entities WHERE scope = ? AND type > ? ORDER BY type LIMIT 1'),
    insert: prepare('INSERT INTO v2_entities (scope, type, prefix, id, created_ms, written_ms) VALUES (?, ?, ?, ?, ?, ?)'),
    setCreated: prepare('UPDATE v2_entities SET created_ms = ? WHERE key = ?'),
    setWritten: prepare('UPDATE v2_entities SET written_ms = ? WHERE key = ?'),
    putInfo: prepare('INSERT INTO v2_info (entity, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'),
    putConfig: prepare('INSERT INTO v2_configs (entity, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'),
    putMetric: prepare(
      'INSERT INTO v2_metrics (entity, name, timestamp_ms, value) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    ),
    putEvent: prepare(
      'INSERT INTO v2_events (entity, timestamp_ms, name, info) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET info = excluded.info',
    ),
    newEvent: prepare('INSERT INTO v2_events (entity, timestamp_ms, name, info) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'),
    eventInfo: prepare('SELECT info FROM v2_events WHERE entity = ? AND timestamp_ms = ? AND name = ?'),
    putRelation: prepare(
      'INSERT INTO v2_relations (entity, direction, type, ids) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET ids = excluded.ids',
    ),
    info: pagesOf('v2_info'),
    infoOf: prepare('SELECT value FROM v2_info WHERE entity = ? AND name = ?'),
    configs: pagesOf('v2_configs'),
    configOf: prepare('SELECT value FROM v2_configs WHERE entity = ? AND name = ?'),
    lastMetric: prepare('SELECT name FROM v2_metrics WHERE entity = ? ORDER BY name DESC LIMIT 1'),
    metricBefore: prepare('SELECT name FROM v2_metrics WHERE entity = ? AND name < ? ORDER BY name DESC LIMIT 1'),
    points: prepare(
      'SELECT timestamp_ms AS timestampMs, value FROM v2_metrics WHERE entity = ? AND name = ? AND timestamp_ms >= ? AND timestamp_ms <= ? ORDER BY timestamp_ms DESC LIMIT ?',
    ),
    newest: prepare(
      `SELECT timestamp_ms AS timestampMs, value FROM v2_metrics
       WHERE entity = ? AND name = ? AND timestamp_ms BETWEEN ? AND ? ORDER BY timestamp_ms DESC LIMIT 1`,
    ),
    addToRun: prepare(
      `INSERT INTO v2_run_metrics (scope, name, timestamp_ms, value) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET timestamp_ms = max(timestamp_ms, excluded.timestamp_ms), value = value + excluded.value`,
    ),
    ofRun: prepare('SELECT name AS id, timestamp_ms AS timestampMs, value FROM v2_run_metrics WHERE scope = ? ORDER BY name DESC'),
    events: prepare(
      'SELECT name, timestamp_ms AS timestampMs, info FROM v2_events WHERE entity = ? ORDER BY timestamp_ms DESC, name LIMIT ?',
    ),
    eventsAfter: prepare(
      `SELECT name, timestamp_ms AS timestampMs, info FROM v2_events
       WHERE entity = ? AND timestamp_ms <= ? AND NOT (timestamp_ms = ? AND name <= ?) ORDER BY timestamp_ms DESC, name LIMIT ?`,
    ),
    hasEvent: prepare('SELECT 1 AS found FROM v2_events WHERE entity = ? AND name = ? LIMIT 1'),
    relations: prepare('SELECT type, ids FROM v2_relations WHERE entity = ? AND direction = ? ORDER BY type'),
  };
}

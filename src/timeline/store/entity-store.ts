// Entities of timeline v1 in the database: put and merge, read by id, list by time or primary filter, delete what is too old.
// Rules: LeveldbTimelineStore of Hadoop 3.4. Puts run inside one change of the database; reads are synchronous.
import type { Database, Statement } from '../../storage/sqlite.ts';
import {
  type JsonValue,
  putErrorCodes,
  type TimelineEntity,
  type TimelineEvent,
  type TimelinePutError,
} from '../../wire/timeline/entity.ts';
import { valueKey } from '../../wire/timeline/exact-json.ts';
import { isSystemType } from '../../wire/timeline/system-names.ts';
import { StoredValues } from './stored-value.ts';

/** Parts of an entity that a reader may ask for (TimelineReader.Field). */
export const entityFields = ['EVENTS', 'LASTEVENTONLY', 'RELATEDENTITIES', 'PRIMARYFILTERS', 'OTHERINFO'] as const;
export type EntityField = (typeof entityFields)[number];

/** An entity to be put; `domain` is set. `events` null (not absent) forbids that a new one has no start time. */
export type EntityPut = Omit<TimelineEntity, 'events' | 'domain'> & { domain: string; events?: TimelineEvent[] | null };

/** What identifies an entity in the database, and what is always shown of it. */
export interface EntityHead {
  readonly key: number;
  readonly type: string;
  readonly id: string;
  readonly startMs: number;
  readonly domain: string;
}

/** A filter on a name and a value. */
export interface NameValue {
  readonly name: string;
  readonly value: JsonValue;
}

/** A list query; times in ms since the epoch. */
export interface EntityQuery {
  readonly type: string;
  readonly primaryFilter?: NameValue;
  readonly secondaryFilters?: readonly NameValue[];
  /** Start time above. */
  readonly windowStartMs?: number;
  /** Start time not above. */
  readonly windowEndMs?: number;
  readonly fromId?: string;
  /** Only entities inserted not after this. */
  readonly fromInsertedMs?: number;
  readonly limit: number;
  readonly fields: ReadonlySet<EntityField>;
  /** Whether the reader may see an entity of this domain. */
  readonly visible: (head: EntityHead) => boolean;
}

export interface EventQuery {
  readonly type: string;
  readonly ids: readonly string[];
  readonly eventTypes?: ReadonlySet<string>;
  readonly windowStartMs?: number;
  readonly windowEndMs?: number;
  readonly limit: number;
}

interface ViewRow {
  view: number;
  key: number;
  type: string;
  id: string;
  startMs: number;
  insertedMs: number;
  domain: string;
}

/** The start time of an entity put without any; on the wire Java's Long.MAX_VALUE, which is what Hadoop stores. */
export const noStartMs = Number.MAX_SAFE_INTEGER;
const farFutureMs = Number.MAX_SAFE_INTEGER;
const plain = '';

/** The wire form of a start time; 2^63 is written as Long.MAX_VALUE. */
const startTimeValue = (startMs: number): number => (startMs >= noStartMs ? 2 ** 63 : startMs);

export class EntityStore {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #values: StoredValues;

  constructor(database: Database) {
    this.#sql = prepareStatements((text) => database.prepare(text));
    this.#values = new StoredValues(database);
  }

  /** The entity's head, or undefined. */
  head(type: string, id: string): EntityHead | undefined {
    return this.#sql.head.get(type, id) as EntityHead | undefined;
  }

  /**
   * Merges entities, each by itself; must run inside `Database.write`. `nowMs` becomes the insert time of new ones.
   * Returns the errors of entities (or parts of them) that could not be stored.
   */
  put(entities: readonly EntityPut[], nowMs: number): TimelinePutError[] {
    const errors: TimelinePutError[] = [];
    for (const entity of entities) {
      const code = this.#putOne(entity, nowMs);
      if (code !== undefined) errors.push({ entity: entity.entity, entitytype: entity.entitytype, errorcode: code });
    }
    return errors;
  }

  #putOne(entity: EntityPut, nowMs: number): number | undefined {
    let head = this.head(entity.entitytype, entity.entity);
    if (!head) {
      const startMs = startTimeOf(entity);
      if (startMs === undefined) return putErrorCodes.NO_START_TIME;
      head = this.#create(entity.entitytype, entity.entity, startMs, nowMs, entity.domain);
    }
    const filters: { name: string; key: string; value: JsonValue }[] = [];
    for (const [name, values] of Object.entries(entity.primaryfilters ?? {})) {
      for (const value of values) if (value !== null) filters.push({ name, key: valueKey(value), value });
    }
    const views = [this.#view(head, plain, plain), ...filters.map(({ name, key }) => this.#view(head, name, key))];
    for (const view of views) {
      for (const { timestamp, eventtype, eventinfo } of entity.events ?? []) {
        this.#sql.putEvent.run(view, timestamp, eventtype, JSON.stringify(eventinfo ?? {}));
      }
      for (const [name, value] of Object.entries(entity.otherinfo ?? {}))
        if (value !== null) this.#sql.putInfo.run(view, name, JSON.stringify(value));
      for (const { name, key, value } of filters) this.#sql.putFilter.run(view, name, key, JSON.stringify(value));
    }
    return this.#relate(head, entity, nowMs);
  }

  /** Records the relations of `head` on the entities it names, creating those that do not exist yet. */
  #relate(head: EntityHead, entity: EntityPut, nowMs: number): number | undefined {
    let code: number | undefined;
    for (const [type, ids] of Object.entries(entity.relatedentities ?? {})) {
      for (const id of ids) {
        const known = this.head(type, id);
        // What the resource manager alone writes does not come about because somebody relates to it.
        const target =
          known ?? (isSystemType(type) && !isSystemType(head.type) ? undefined : this.#create(type, id, head.startMs, nowMs, head.domain));
        if (target?.domain !== head.domain) code = putErrorCodes.FORBIDDEN_RELATION;
        else this.#sql.putRelation.run(this.#view(target!, plain, plain), head.type, head.id);
      }
    }
    return code;
  }

  #create(type: string, id: string, startMs: number, nowMs: number, domain: string): EntityHead {
    const { lastInsertRowid } = this.#sql.insertEntity.run(type, id, startMs, nowMs, domain);
    const head = { key: Number(lastInsertRowid), type, id, startMs, domain };
    this.#view(head, plain, plain);
    return head;
  }

  #eventOf(view: number, { timestamp, type, info }: EventRow): TimelineEvent {
    const key = { view, timestamp_ms: timestamp, type };
    return { timestamp, eventtype: type, eventinfo: this.#values.object(info, 'view_events', key) };
  }

  /** The key of the plain view of an entity; of none where that was lost. */
  #plainView(head: EntityHead): number {
    const found = this.#sql.view.get(head.type, plain, plain, head.startMs, head.id) as { key: number } | undefined;
    return found?.key ?? -1;
  }

  /** The key of a view of an entity, made where it is missing. */
  #view(head: EntityHead, filterName: string, filterValue: string): number {
    const found = this.#sql.view.get(head.type, filterName, filterValue, head.startMs, head.id) as { key: number } | undefined;
    if (found) return found.key;
    return Number(this.#sql.insertView.run(head.key, head.type, filterName, filterValue, head.startMs, head.id).lastInsertRowid);
  }

  /** One entity with the parts asked for, or undefined. */
  get(type: string, id: string, fields: ReadonlySet<EntityField>): TimelineEntity | undefined {
    const head = this.head(type, id);
    return head && this.#read(head, this.#plainView(head), fields);
  }

  /** The entities a query selects, newest start first, equal ones by id. */
  list(query: EntityQuery): TimelineEntity[] {
    if (query.limit <= 0) return [];
    const startAboveMs = query.windowStartMs ?? Number.MIN_SAFE_INTEGER;
    let untilMs = query.windowEndMs ?? farFutureMs;
    let fromId = '';
    if (query.fromId !== undefined) {
      const from = this.head(query.type, query.fromId);
      if (!from) return [];
      if (from.startMs <= untilMs) {
        untilMs = from.startMs;
        fromId = from.id;
      }
    }
    const filter = query.primaryFilter;
    const rows = this.#sql.list.iterate(
      query.type,
      filter?.name ?? plain,
      filter ? valueKey(filter.value) : plain,
      startAboveMs,
      untilMs,
      untilMs,
      fromId,
    );
    const found: TimelineEntity[] = [];
    for (const row of rows as Iterable<unknown> as Iterable<ViewRow>) {
      if (query.fromInsertedMs !== undefined && row.insertedMs > query.fromInsertedMs) continue;
      if (!query.visible(row) || !this.#matches(row.view, query.secondaryFilters ?? [])) continue;
      found.push(this.#read(row, row.view, query.fields));
      if (found.length >= query.limit) break;
    }
    return found;
  }

  /** Whether all filters hold: other info of that name equals the value, or, where there is none, the primary filters contain it. */
  #matches(view: number, filters: readonly NameValue[]): boolean {
    return filters.every(({ name, value }) => {
      const info = this.#sql.infoOf.get(view, name) as { value: string } | undefined;
      const wanted = valueKey(value);
      const known = info && this.#values.read(info.value, 'view_info', { view, name });
      if (known !== undefined) return valueKey(known) === wanted;
      return this.#sql.hasFilter.get(view, name, wanted) !== undefined;
    });
  }

  /** Events of the given entities that exist, newest entity first. */
  events(query: EventQuery, visible: (head: EntityHead) => boolean): { entity: string; entitytype: string; events: TimelineEvent[] }[] {
    const heads = [...new Set(query.ids)]
      .map((id) => this.head(query.type, id))
      .filter((head) => head !== undefined && visible(head)) as EntityHead[];
    heads.sort((left, right) => right.startMs - left.startMs || (left.id < right.id ? -1 : 1));
    return heads.map((head) => {
      const events: TimelineEvent[] = [];
      const view = this.#plainView(head);
      if (query.limit > 0) {
        const rows = this.#sql.eventsWithin.iterate(view, query.windowStartMs ?? Number.MIN_SAFE_INTEGER, query.windowEndMs ?? farFutureMs);
        for (const row of rows as Iterable<unknown> as Iterable<EventRow>) {
          if (query.eventTypes && !query.eventTypes.has(row.type)) continue;
          events.push(this.#eventOf(view, row));
          if (events.length >= query.limit) break;
        }
      }
      return { entity: head.id, entitytype: head.type, events };
    });
  }

  #read(head: EntityHead, view: number, fields: ReadonlySet<EntityField>): TimelineEntity {
    const entity: TimelineEntity = { entitytype: head.type, entity: head.id, starttime: startTimeValue(head.startMs), domain: head.domain };
    if (fields.has('EVENTS'))
      entity.events = (this.#sql.eventsOf.all(view) as unknown as EventRow[]).map((row) => this.#eventOf(view, row));
    else if (fields.has('LASTEVENTONLY'))
      entity.events = (this.#sql.lastEventOf.all(view) as unknown as EventRow[]).map((row) => this.#eventOf(view, row));
    if (fields.has('RELATEDENTITIES')) entity.relatedentities = grouped(this.#sql.relationsOf.all(view) as { type: string; id: string }[]);
    if (fields.has('PRIMARYFILTERS')) {
      const filters: Record<string, JsonValue[]> = {};
      const rows = this.#sql.filtersOf.all(view) as { name: string; key: string; value: string }[];
      const keyOf = ({ name, key }: (typeof rows)[number]) => ({ view, name, value_key: key });
      for (const [name, value] of this.#values.named(rows, 'view_filters', keyOf)) add(filters, name, value);
      entity.primaryfilters = filters;
    }
    if (fields.has('OTHERINFO')) {
      const rows = this.#sql.allInfoOf.all(view) as { name: string; value: string }[];
      entity.otherinfo = fromEntries(this.#values.named(rows, 'view_info', ({ name }) => ({ view, name })));
    }
    return entity;
  }

  /**
   * Deletes up to `most` entities that started at or before `untilMs`, with their views and relations on both sides;
   * must run inside `Database.write`. Returns how many.
   */
  expire(untilMs: number, most: number): number {
    const old = this.#sql.oldEntities.all(untilMs, most) as { key: number; type: string; id: string }[];
    for (const { key, type, id } of old) {
      for (const { key: view } of this.#sql.viewsOf.all(key) as { key: number }[]) {
        for (const remove of this.#sql.removeFromView) remove.run(view);
      }
      this.#sql.removeViews.run(key);
      this.#sql.removeRelationsFrom.run(type, id);
      this.#sql.removeEntity.run(key);
    }
    return old.length;
  }
}

interface EventRow {
  timestamp: number;
  type: string;
  info: string;
}

/** An object from pairs whose names come from callers (`__proto__` is a name like any other). */
function fromEntries<Value>(pairs: Iterable<readonly [string, Value]>): Record<string, Value> {
  return Object.fromEntries(pairs);
}

function add<Value>(lists: Record<string, Value[]>, name: string, value: Value): void {
  if (Object.hasOwn(lists, name)) lists[name]?.push(value);
  else Object.defineProperty(lists, name, { value: [value], enumerable: true, writable: true, configurable: true });
}

function grouped(rows: readonly { type: string; id: string }[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const { type, id } of rows) add(groups, type, id);
  return groups;
}

/** The start time of a new entity: its own, else that of its first event; undefined when it may not be stored. */
function startTimeOf(entity: EntityPut): number | undefined {
  if (entity.starttime !== undefined) return Math.min(entity.starttime, noStartMs);
  if (entity.events === null) return undefined;
  return (entity.events ?? []).reduce((first, { timestamp }) => Math.min(first, timestamp), noStartMs);
}

function prepareStatements(prepare: (sql: string) => Statement) {
  const headColumns = 'e.key AS key, e.type AS type, e.id AS id, e.start_ms AS startMs, e.inserted_ms AS insertedMs, e.domain AS domain';
  return {
    head: prepare(`SELECT ${headColumns} FROM entities e WHERE type = ? AND id = ?`),
    insertEntity: prepare('INSERT INTO entities (type, id, start_ms, inserted_ms, domain) VALUES (?, ?, ?, ?, ?)'),
    view: prepare('SELECT key FROM views WHERE type = ? AND filter_name = ? AND filter_value = ? AND start_ms = ? AND id = ?'),
    insertView: prepare('INSERT INTO views (entity, type, filter_name, filter_value, start_ms, id) VALUES (?, ?, ?, ?, ?, ?)'),
    putEvent: prepare(
      'INSERT INTO view_events (view, timestamp_ms, type, info) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET info = excluded.info',
    ),
    putInfo: prepare('INSERT INTO view_info (view, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'),
    putFilter: prepare('INSERT INTO view_filters (view, name, value_key, value) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'),
    putRelation: prepare('INSERT INTO relations (view, type, id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
    list: prepare(
      `SELECT v.key AS view, ${headColumns} FROM views v JOIN entities e ON e.key = v.entity
       WHERE v.type = ? AND v.filter_name = ? AND v.filter_value = ? AND v.start_ms > ? AND v.start_ms <= ? AND NOT (v.start_ms = ? AND v.id < ?)
       ORDER BY v.start_ms DESC, v.id`,
    ),
    infoOf: prepare('SELECT value FROM view_info WHERE view = ? AND name = ?'),
    hasFilter: prepare('SELECT 1 AS found FROM view_filters WHERE view = ? AND name = ? AND value_key = ?'),
    eventsOf: prepare('SELECT timestamp_ms AS timestamp, type, info FROM view_events WHERE view = ? ORDER BY timestamp_ms DESC, type'),
    lastEventOf: prepare(
      'SELECT timestamp_ms AS timestamp, type, info FROM view_events WHERE view = ? ORDER BY timestamp_ms DESC, type LIMIT 1',
    ),
    eventsWithin: prepare(
      'SELECT timestamp_ms AS timestamp, type, info FROM view_events WHERE view = ? AND timestamp_ms > ? AND timestamp_ms <= ? ORDER BY timestamp_ms DESC, type',
    ),
    relationsOf: prepare('SELECT type, id FROM relations WHERE view = ? ORDER BY type, id'),
    filtersOf: prepare('SELECT name, value_key AS key, value FROM view_filters WHERE view = ? ORDER BY name, value_key'),
    allInfoOf: prepare('SELECT name, value FROM view_info WHERE view = ? ORDER BY name'),
    oldEntities: prepare('SELECT key, type, id FROM entities WHERE start_ms <= ? ORDER BY start_ms LIMIT ?'),
    viewsOf: prepare('SELECT key FROM views WHERE entity = ?'),
    removeFromView: ['view_events', 'view_info', 'view_filters', 'relations'].map((table) =>
      prepare(`DELETE FROM ${table} WHERE view = ?`),
    ),
    removeViews: prepare('DELETE FROM views WHERE entity = ?'),
    removeRelationsFrom: prepare('DELETE FROM relations WHERE type = ? AND id = ?'),
    removeEntity: prepare('DELETE FROM entities WHERE key = ?'),
  };
}

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
import { type EntityEvents, EntityLists } from './entity-lists.ts';
import { EntityParts } from './entity-parts.ts';
import { type EntityField, type EntityHead, type EntityQuery, type EventQuery, noStartMs } from './entity-query.ts';

/** An entity to be put; `domain` is set. `events` null (not absent) forbids that a new one has no start time. */
export type EntityPut = Omit<TimelineEntity, 'events' | 'domain'> & { domain: string; events?: TimelineEvent[] | null };

const plain = '';

export class EntityStore {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #parts: EntityParts;
  readonly #lists: EntityLists;

  constructor(database: Database) {
    this.#sql = prepareStatements((text) => database.prepare(text));
    this.#parts = new EntityParts(database);
    this.#lists = new EntityLists(database, this.#parts, (type, id) => this.head(type, id));
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
    return head && this.#parts.read(head, this.#plainView(head), fields);
  }

  /**
   * The entities a query selects, newest start first, equal ones by id; undefined for each that was looked at and is not among them. Whoever
   * reads may pause anywhere.
   */
  search(query: EntityQuery): Iterable<TimelineEntity | undefined> {
    return this.#lists.entities(query);
  }

  /** What `search` finds, at once: for lists that are known to be short. */
  list(query: EntityQuery): TimelineEntity[] {
    return [...this.search(query)].filter((entity) => entity !== undefined);
  }

  /** Events of the given entities that exist, newest entity first; those of one with many come in several parts, each under its name. */
  events(query: EventQuery, visible: (head: EntityHead) => boolean): Iterable<EntityEvents | undefined> {
    return this.#lists.events(query, visible);
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

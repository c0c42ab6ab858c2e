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
import type { AgingEntities } from './retention.ts';
import { SearchIndex } from './search-index.ts';

/** An entity to be put; `domain` is set. `events` null (not absent) forbids that a new one has no start time. */
export type EntityPut = Omit<TimelineEntity, 'events' | 'domain'> & { domain: string; events?: TimelineEvent[] | null };

const plain = '';

/** Gives the error code of an entity that may not be put; `head` is what is stored of it. */
export type Refusal = (entity: EntityPut, head: EntityHead | undefined) => number | undefined;

/** A view as a put finds it; `isNew`: the put made it. */
interface View {
  readonly key: number;
  readonly isNew: boolean;
}

export class EntityStore implements AgingEntities {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #parts: EntityParts;
  readonly #lists: EntityLists;
  readonly #index: SearchIndex;

  constructor(database: Database) {
    this.#sql = prepareStatements((text) => database.prepare(text));
    this.#parts = new EntityParts(database);
    this.#index = new SearchIndex(database);
    this.#lists = new EntityLists(database, this.#parts, this.#index, (type, id) => this.head(type, id));
  }

  /** The entity's head, or undefined. */
  head(type: string, id: string): EntityHead | undefined {
    return this.#sql.head.get(type, id) as EntityHead | undefined;
  }

  /**
   * Merges entities, each by itself; must run inside `Database.write`. `nowMs` becomes the insert time of new ones. `refused` gives the error
   * code of an entity that may not be put, by its head where there is one. Returns the errors of entities (or parts of them) that are not stored.
   */
  put(entities: readonly EntityPut[], nowMs: number, refused: Refusal = () => undefined): TimelinePutError[] {
    const errors: TimelinePutError[] = [];
    for (const entity of entities) {
      const head = this.head(entity.entitytype, entity.entity);
      const code = refused(entity, head) ?? this.#putOne(entity, head, nowMs);
      if (code !== undefined) errors.push({ entity: entity.entity, entitytype: entity.entitytype, errorcode: code });
    }
    return errors;
  }

  #putOne(entity: EntityPut, known: EntityHead | undefined, nowMs: number): number | undefined {
    const startMs = known ? known.startMs : startTimeOf(entity);
    if (startMs === undefined) return putErrorCodes.NO_START_TIME;
    const { entitytype: type, entity: id } = entity;
    const made = known ? undefined : this.#create(type, id, startMs, nowMs, entity.domain);
    const head = (known ?? made?.head) as EntityHead;
    const filters = new Map<string, { name: string; key: string; value: JsonValue }>();
    for (const [name, values] of Object.entries(entity.primaryfilters ?? {})) {
      for (const value of values) {
        if (value === null) continue;
        const key = valueKey(value);
        filters.set(`${name} ${key}`, { name, key, value });
      }
    }
    const views: View[] = [made?.view ?? this.#view(head, plain, plain)];
    for (const { name, key } of filters.values()) views.push(this.#view(head, name, key, made !== undefined));
    const info = Object.entries(entity.otherinfo ?? {}).flatMap(([name, value]) =>
      value === null ? [] : [{ name, value, text: JSON.stringify(value) }],
    );
    const events = (entity.events ?? []).map((event) => ({ ...event, text: JSON.stringify(event.eventinfo ?? {}) }));
    for (const view of views) {
      for (const { timestamp, eventtype, text } of events) this.#sql.putEvent.run(view.key, timestamp, eventtype, text);
      for (const { name, key, value } of filters.values()) this.#sql.putFilter.run(view.key, name, key, JSON.stringify(value));
    }
    for (const one of info) this.#putInfo(head, views, one);
    return this.#relate(head, entity, nowMs);
  }

  /** Sets other info in views, and keeps what it is looked up by. */
  #putInfo(head: EntityHead, views: readonly View[], { name, value, text }: { name: string; value: JsonValue; text: string }): void {
    const former = new Set<string>();
    let isChanged = false;
    for (const { key, isNew } of views) {
      const before = isNew ? undefined : (this.#sql.infoOf.get(key, name) as { value: string } | undefined)?.value;
      if (before === text) continue;
      if (before !== undefined) former.add(before);
      isChanged = true;
      this.#sql.putInfo.run(key, name, text);
    }
    for (const before of former) if (!this.#sql.anyInfo.get(head.key, name, before)) this.#index.remove(head, name, before);
    if (isChanged) this.#index.add(head, name, value);
  }

  /** Records the relations of `head` on the entities it names, creating those that do not exist yet. */
  #relate(head: EntityHead, entity: EntityPut, nowMs: number): number | undefined {
    let code: number | undefined;
    for (const [type, ids] of Object.entries(entity.relatedentities ?? {})) {
      for (const id of ids) {
        const known = this.head(type, id);
        // What the resource manager alone writes does not come about because somebody relates to it.
        const target =
          known ??
          (isSystemType(type) && !isSystemType(head.type) ? undefined : this.#create(type, id, head.startMs, nowMs, head.domain).head);
        if (target?.domain !== head.domain) code = putErrorCodes.FORBIDDEN_RELATION;
        else this.#sql.putRelation.run(this.#view(target!, plain, plain).key, head.type, head.id);
      }
    }
    return code;
  }

  #create(type: string, id: string, startMs: number, nowMs: number, domain: string): { head: EntityHead; view: View } {
    const { lastInsertRowid } = this.#sql.insertEntity.run(type, id, startMs, nowMs, domain);
    const head = { key: Number(lastInsertRowid), type, id, startMs, domain };
    this.#index.inserted(head, nowMs);
    return { head, view: this.#view(head, plain, plain, true) };
  }

  /** The key of the plain view of an entity; of none where that was lost. */
  #plainView(head: EntityHead): number {
    const found = this.#sql.view.get(head.type, plain, plain, head.startMs, head.id) as { key: number } | undefined;
    return found?.key ?? -1;
  }

  /** A view of an entity, made where it is missing; `isMissing`: it is known to be. */
  #view(head: EntityHead, filterName: string, filterValue: string, isMissing = false): View {
    const of = [head.type, filterName, filterValue, head.startMs, head.id] as const;
    const found = isMissing ? undefined : (this.#sql.view.get(...of) as { key: number } | undefined);
    if (found) return { key: found.key, isNew: false };
    return { key: Number(this.#sql.insertView.run(head.key, ...of).lastInsertRowid), isNew: true };
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

  /** The types of entities there are, in their order. */
  *types(): Generator<string, undefined> {
    for (let row = this.#sql.typeAfter.get(''); row; row = this.#sql.typeAfter.get(row['type'] ?? '')) yield String(row['type']);
  }

  /** What `search` finds, at once: for lists that are known to be short. */
  list(query: EntityQuery): TimelineEntity[] {
    return [...this.search(query)].filter((entity) => entity !== undefined);
  }

  /** Events of the given entities that exist, newest entity first; those of one with many come in several parts, each under its name. */
  events(query: EventQuery, visible: (head: EntityHead) => boolean): Iterable<EntityEvents | undefined> {
    return this.#lists.events(query, visible);
  }

  /** Deletes entities that started at or before `untilMs`, with their views and relations on both sides (retention.ts). */
  expire(untilMs: number, most: number): { readonly rows: number; readonly entities: number } {
    let [rows, entities] = [0, 0];
    while (rows < most) {
      const old = this.#sql.oldEntity.get(untilMs) as EntityHead | undefined;
      if (!old) return { rows: rows + this.#index.forget(untilMs, most), entities };
      const view = this.#sql.viewOf.get(old.key) as { key: number } | undefined;
      if (view) rows += this.#expireView(old, view.key, most - rows);
      else {
        rows += 1 + Number(this.#sql.removeRelationsFrom.run(old.type, old.id, old.type, old.id, most).changes);
        if (this.#sql.relationFrom.get(old.type, old.id)) continue;
        this.#sql.removeEntity.run(old.key);
        entities += 1;
      }
    }
    return { rows, entities };
  }

  /** Deletes up to about `most` rows of a view, and the view itself once it has none. Returns how many. */
  #expireView(head: EntityHead, view: number, most: number): number {
    let rows = 0;
    for (const { name, value } of this.#sql.someInfo.all(view, Math.max(1, most)) as { name: string; value: string }[]) {
      this.#index.remove(head, name, value);
      this.#sql.removeInfo.run(view, name);
      rows += 2;
    }
    for (const remove of this.#sql.removeFromView) if (rows < most) rows += Number(remove.run(view, view, most - rows).changes);
    if (rows >= most) return rows;
    this.#sql.removeView.run(view);
    return rows + 1;
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
    typeAfter: prepare('SELECT type FROM entities WHERE type > ? ORDER BY type LIMIT 1'),
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
    infoOf: prepare('SELECT value FROM view_info WHERE view = ? AND name = ?'),
    anyInfo: prepare(
      'SELECT 1 AS found FROM views v JOIN view_info i ON i.view = v.key WHERE v.entity = ? AND i.name = ? AND i.value = ? LIMIT 1',
    ),
    oldEntity: prepare(`SELECT ${headColumns} FROM entities e WHERE start_ms <= ? ORDER BY start_ms LIMIT 1`),
    viewOf: prepare('SELECT key FROM views WHERE entity = ? LIMIT 1'),
    someInfo: prepare('SELECT name, value FROM view_info WHERE view = ? LIMIT ?'),
    removeInfo: prepare('DELETE FROM view_info WHERE view = ? AND name = ?'),
    removeFromView: [
      ['view_events', 'timestamp_ms, type'],
      ['view_filters', 'name, value_key'],
      ['relations', 'type, id'],
    ].map(([table, key]) =>
      prepare(`DELETE FROM ${table} WHERE view = ? AND (${key}) IN (SELECT ${key} FROM ${table} WHERE view = ? LIMIT ?)`),
    ),
    removeView: prepare('DELETE FROM views WHERE key = ?'),
    relationFrom: prepare('SELECT 1 AS found FROM relations WHERE type = ? AND id = ? LIMIT 1'),
    removeRelationsFrom: prepare(
      'DELETE FROM relations WHERE type = ? AND id = ? AND view IN (SELECT view FROM relations WHERE type = ? AND id = ? LIMIT ?)',
    ),
    removeEntity: prepare('DELETE FROM entities WHERE key = ?'),
  };
}

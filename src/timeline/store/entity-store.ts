// Entities of timeline v1 in the database: put and merge, read by id, list by time or primary filter, delete what is too old.
// Rules: LeveldbTimelineStore of Hadoop 3.4. Puts run inside one change of the database; reads are synchronous.
import type { Database, Statement } from '../../storage/sqlite.ts';
import { putErrorCodes, type TimelineEntity, type TimelineEvent, type TimelinePutError } from '../../wire/timeline/entity.ts';
import { valueKey } from '../../wire/timeline/exact-json.ts';
import { isSystemType } from '../../wire/timeline/system-names.ts';
import { type EntityEvents, EntityLists } from './entity-lists.ts';
import { EntityParts, type StoredView } from './entity-parts.ts';
import { type EntityField, type EntityHead, type EntityQuery, type EventQuery, noStartMs } from './entity-query.ts';
import { atOnce, type Gradually } from './gradually.ts';
import { InfoChanges } from './info-changes.ts';
import type { AgingEntities } from './retention.ts';
import { type Info, SearchIndex } from './search-index.ts';
import { documentOf, type FilterValue, longestDocument, merged, noParts, type PutParts, type ViewParts } from './view-document.ts';

/** An entity to be put; `domain` is set. `events` null (not absent) forbids that a new one has no start time. */
export type EntityPut = Omit<TimelineEntity, 'events' | 'domain'> & { domain: string; events?: TimelineEvent[] | null };

const plain = '';

/** Gives the error code of an entity that may not be put; `head` is what is stored of it. */
export type Refusal = (entity: EntityPut, head: EntityHead | undefined) => number | undefined;

/** A view as a put finds it; `isNew`: the put made it. */
interface View extends StoredView {
  readonly isNew: boolean;
}

/** Entities that are put at one time. */
interface Putting {
  readonly nowMs: number;
  /** Those that were not there before. */
  readonly made: EntityHead[];
}

/**
 * Values of primary filters that one entity may have over its time: each has a view of its own, which bears all that is put with it, and a change of other info
 * looks at all of them.
 */
export const mostFilterValues = 256;

/** How many parts are written for a put: each view has all of them. */
export function partsOfPut({ primaryfilters, otherinfo, events, relatedentities }: Omit<EntityPut, 'domain'>): number {
  const lengths = (lists: Readonly<Record<string, readonly unknown[]>> | null | undefined) =>
    Object.values(lists ?? {}).reduce((sum, { length }) => sum + length, 0);
  const filters = lengths(primaryfilters);
  return (1 + filters) * (1 + filters + Object.keys(otherinfo ?? {}).length + (events?.length ?? 0)) + lengths(relatedentities);
}

export class EntityStore implements AgingEntities {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #parts: EntityParts;
  readonly #lists: EntityLists;
  readonly #index: SearchIndex;
  readonly #longest: number;

  /**
   * `longest`: of the texts as which views are stored, in characters; larger ones have a row for each part. `longestTail`: how many values stay in
   * memory to be looked up.
   */
  constructor(database: Database, { longest = longestDocument, longestTail }: { longest?: number; longestTail?: number } = {}) {
    this.#longest = longest;
    this.#sql = prepareStatements((text) => database.prepare(text));
    this.#parts = new EntityParts(database);
    this.#index = new SearchIndex(database, (key) => this.#infoAfter(key), longestTail);
    this.#lists = new EntityLists(database, this.#parts, this.#index, (type, id) => this.head(type, id));
  }

  /** The entity's head, or undefined. */
  head(type: string, id: string): EntityHead | undefined {
    return this.#sql.head.get(type, id) as EntityHead | undefined;
  }

  /**
   * Merges entities, each by itself; must run inside `Database.write`. `nowMs` becomes the insert time of new ones. `refused` gives the error
   * code of an entity that may not be put, by its head where there is one. Returns the errors of entities (or parts of them) that are not stored, those
   * of refused ones last, as Hadoop's TimelineDataManager adds them.
   */
  put(entities: readonly EntityPut[], nowMs: number, refused: Refusal = () => undefined): TimelinePutError[] {
    const errors: TimelinePutError[] = [];
    const refusals: TimelinePutError[] = [];
    const putting: Putting = { nowMs, made: [] };
    for (const entity of entities) {
      const head = this.head(entity.entitytype, entity.entity);
      const refusal = refused(entity, head);
      const errorOf = (errorcode: number) => ({ entity: entity.entity, entitytype: entity.entitytype, errorcode });
      if (refusal !== undefined) refusals.push(errorOf(refusal));
      else for (const code of this.#putOne(entity, head, putting)) errors.push(errorOf(code));
    }
    this.#index.inserted(putting.made, nowMs);
    this.#index.work();
    return [...errors, ...refusals];
  }

  /** Writes what is kept in memory to be looked up, for the next start; must run inside `Database.write`. */
  settle(): void {
    this.#index.settle();
  }

  /** The other info that views show of entities made after one. */
  *#infoAfter(key: number): Generator<Info, undefined> {
    for (const row of this.#sql.viewsAfter.iterate(key)) {
      const head = row as unknown as EntityHead;
      const view = { key: Number(row['view']), document: row['document'] as string | null };
      for (const [name, value] of this.#parts.infoOf(view)) yield { head, name, value };
    }
  }

  /** Puts an entity; the codes of what is not stored of it. */
  #putOne(entity: EntityPut, known: EntityHead | undefined, putting: Putting): number[] {
    const startMs = known ? known.startMs : startTimeOf(entity);
    if (startMs === undefined) return [putErrorCodes.NO_START_TIME];
    const { entitytype: type, entity: id } = entity;
    const put = putParts(entity);
    if (this.#hasTooManyFilters(known, put)) return [putErrorCodes.IO_EXCEPTION];
    // What new views hold is the put alone: one text for all of them.
    const fresh = documentOf(put, this.#longest);
    const made = known ? undefined : this.#create({ type, id, startMs, domain: entity.domain }, putting, fresh);
    const head = (known ?? made?.head) as EntityHead;
    const views: View[] = [made?.view ?? this.#view(head, plain, plain, { document: fresh })];
    for (const { name, key } of put.filters) views.push(this.#view(head, name, key, { isMissing: made !== undefined, document: fresh }));
    if (made) this.#begin(head, views, put);
    else {
      const changes = new InfoChanges(put);
      for (const view of views) this.#putInto(view, put, changes);
      this.#noteInfo(head, changes);
    }
    return entity.relatedentities ? this.#relate(head, entity.relatedentities, putting) : [];
  }

  /** Keeps what the first put of an entity brings: no view of it showed anything before. */
  #begin(head: EntityHead, views: readonly View[], put: PutParts): void {
    for (const { key, document } of views) if (document === null) this.#putRows(key, put);
    for (const [name, value] of put.info) this.#index.add(head, name, value);
  }

  #hasTooManyFilters(known: EntityHead | undefined, { filters }: ViewParts): boolean {
    if (filters.length > mostFilterValues) return true;
    if (!known || filters.length === 0) return false;
    const views = Number(this.#sql.countViews.get(known.key)?.['views']);
    if (views + filters.length <= 1 + mostFilterValues) return false;
    const isNew = ({ name, key }: FilterValue) => !this.#sql.view.get(known.type, name, key, known.startMs, known.id);
    return views + filters.filter(isNew).length > 1 + mostFilterValues;
  }

  /** Adds a put to a view, as one text or, where that would be long, row by row. */
  #putInto(view: View, put: PutParts, changes: InfoChanges): void {
    const { key, document, isNew } = view;
    if (isNew) {
      changes.into(() => undefined);
      if (document === null) this.#putRows(key, put);
      return;
    }
    if (document === null) {
      changes.into((name) => (this.#sql.infoOf.get(key, name) as { value: string } | undefined)?.value);
      for (const name of put.cleared) this.#sql.removeInfo.run(key, name);
      this.#putRows(key, put);
      return;
    }
    const before = this.#parts.partsOf(view, document);
    const known = new Map(before.info);
    changes.into((name) => (known.has(name) ? JSON.stringify(known.get(name)) : undefined));
    const after = merged(before, put);
    const text = documentOf(after, this.#longest);
    if (text === document) return;
    this.#sql.setDocument.run(text, key);
    if (text === null) this.#putRows(key, after);
  }

  #putRows(view: number, { events, info, filters }: ViewParts): void {
    for (const { timestamp, eventtype, eventinfo } of events)
      this.#sql.putEvent.run(view, timestamp, eventtype, JSON.stringify(eventinfo ?? {}));
    for (const { name, key, value } of filters) this.#sql.putFilter.run(view, name, key, JSON.stringify(value));
    for (const [name, value] of info) this.#sql.putInfo.run(view, name, JSON.stringify(value));
  }

  /** Keeps what other info is looked up by. */
  #noteInfo(head: EntityHead, changes: InfoChanges): void {
    const { former, changed } = changes;
    // Values that another view still shows stay.
    const views = former.size === 0 ? [] : (this.#sql.documentsOf.all(head.key) as unknown as (StoredView & { document: string })[]);
    for (const [name, text] of changes.gone(views.map((view) => this.#parts.partsOf(view, view.document).info)))
      if (!this.#sql.anyInfo.get(head.key, name, text)) this.#index.remove(head, name, text);
    for (const [name, value] of changed) this.#index.add(head, name, value);
  }

  /** Records the relations of `head` on the entities it names, creating those that do not exist yet; a code for each that is not recorded. */
  #relate(head: EntityHead, related: NonNullable<EntityPut['relatedentities']>, putting: Putting): number[] {
    const codes: number[] = [];
    const empty = documentOf(noParts, this.#longest);
    for (const [type, ids] of Object.entries(related)) {
      for (const id of new Set(ids)) {
        const known = this.head(type, id);
        // What the resource manager alone writes does not come about because another entity relates to it.
        const target =
          known ??
          (isSystemType(type) && !isSystemType(head.type)
            ? undefined
            : this.#create({ type, id, startMs: head.startMs, domain: head.domain }, putting, empty).head);
        if (target?.domain !== head.domain) codes.push(putErrorCodes.FORBIDDEN_RELATION);
        else this.#sql.putRelation.run(this.#view(target!, plain, plain, { document: empty }).key, head.type, head.id);
      }
    }
    return codes;
  }

  /** Makes an entity and its plain view, which holds `document`. */
  #create(of: Omit<EntityHead, 'key'>, { nowMs, made }: Putting, document: string | null): { head: EntityHead; view: View } {
    const { type, id, startMs, domain } = of;
    const { lastInsertRowid } = this.#sql.insertEntity.run(type, id, startMs, nowMs, domain);
    const head = { ...of, key: Number(lastInsertRowid) };
    made.push(head);
    return { head, view: this.#view(head, plain, plain, { isMissing: true, document }) };
  }

  /** The plain view of an entity; undefined where that was lost. */
  #plainView(head: EntityHead): StoredView | undefined {
    return this.#sql.view.get(head.type, plain, plain, head.startMs, head.id) as unknown as StoredView | undefined;
  }

  /** A view of an entity, made with `document` where it is missing; `isMissing`: it is known to be. */
  #view(
    head: EntityHead,
    filterName: string,
    filterValue: string,
    { isMissing = false, document }: { isMissing?: boolean; document: string | null },
  ): View {
    const of = [head.type, filterName, filterValue, head.startMs, head.id] as const;
    const found = isMissing ? undefined : (this.#sql.view.get(...of) as unknown as StoredView | undefined);
    if (found) return { key: found.key, document: found.document, isNew: false };
    const made = this.#sql.insertView.run(head.key, ...of, document);
    // One may be left of an entity that was lost (a row that could not be read): it begins anew.
    const key = made.changes > 0 ? made.lastInsertRowid : this.#sql.takeView.get(head.key, document, ...of)?.['key'];
    return { key: Number(key), document, isNew: true };
  }

  /** One entity with the parts asked for, or undefined: at once, for those that are known to be small. */
  get(type: string, id: string, fields: ReadonlySet<EntityField>): TimelineEntity | undefined {
    const head = this.head(type, id);
    return head && atOnce(this.read(head, fields));
  }

  /** The same of an entity that may have very many parts. */
  read(head: EntityHead, fields: ReadonlySet<EntityField>): Gradually<TimelineEntity> {
    return this.#parts.read(head, this.#plainView(head), fields);
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
      if (!old) {
        const lastMade = Number(this.#sql.lastMade.get()?.['key'] ?? 0);
        return { rows: rows + this.#index.forget(untilMs, most, lastMade), entities };
      }
      const view = this.#sql.viewOf.get(old.key) as unknown as StoredView | undefined;
      if (view) rows += this.#expireView(old, view, most - rows);
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
  #expireView(head: EntityHead, { key: view, document }: StoredView, most: number): number {
    if (document !== null) {
      const { info } = this.#parts.partsOf({ key: view, document }, document);
      for (const [name, value] of info) this.#index.remove(head, name, JSON.stringify(value), true);
      const related = Number(this.#sql.removeRelationsTo.run(view, view, Math.max(1, most)).changes);
      if (related >= Math.max(1, most)) return related;
      this.#sql.removeView.run(view);
      return related + info.length + 1;
    }
    let rows = 0;
    for (const { name, value } of this.#sql.someInfo.all(view, Math.max(1, most)) as { name: string; value: string }[]) {
      this.#index.remove(head, name, value, true);
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
export function startTimeOf(entity: Omit<EntityPut, 'domain'>): number | undefined {
  if (entity.starttime !== undefined) return Math.min(entity.starttime, noStartMs);
  if (entity.events === null) return undefined;
  return (entity.events ?? []).reduce((first, { timestamp }) => Math.min(first, timestamp), noStartMs);
}

/** What a put brings, but for relations; other info that is null takes back what stood there. */
function putParts({ primaryfilters, otherinfo, events }: EntityPut): PutParts {
  const filters = Object.entries(primaryfilters ?? {}).flatMap(([name, values]) =>
    values.flatMap((value) => (value === null ? [] : [{ name, key: valueKey(value), value }])),
  );
  const info = Object.entries(otherinfo ?? {}).filter(([, value]) => value !== null);
  const cleared = new Set(Object.keys(otherinfo ?? {}).filter((name) => otherinfo?.[name] === null));
  return { ...merged(noParts, { events: events ?? [], info, filters, cleared }), cleared };
}

function prepareStatements(prepare: (sql: string) => Statement) {
  const headColumns = 'e.key AS key, e.type AS type, e.id AS id, e.start_ms AS startMs, e.inserted_ms AS insertedMs, e.domain AS domain';
  const removeSome = (table: string, key: string) =>
    prepare(`DELETE FROM ${table} WHERE view = ? AND (${key}) IN (SELECT ${key} FROM ${table} WHERE view = ? LIMIT ?)`);
  return {
    lastMade: prepare('SELECT max(key) AS key FROM entities'),
    viewsAfter: prepare(
      `SELECT ${headColumns}, v.key AS view, v.document AS document FROM entities e JOIN views v ON v.entity = e.key WHERE e.key > ? ORDER BY e.key`,
    ),
    typeAfter: prepare('SELECT type FROM entities WHERE type > ? ORDER BY type LIMIT 1'),
    head: prepare(`SELECT ${headColumns} FROM entities e WHERE type = ? AND id = ?`),
    insertEntity: prepare('INSERT INTO entities (type, id, start_ms, inserted_ms, domain) VALUES (?, ?, ?, ?, ?)'),
    view: prepare('SELECT key, document FROM views WHERE type = ? AND filter_name = ? AND filter_value = ? AND start_ms = ? AND id = ?'),
    insertView: prepare(
      'INSERT INTO views (entity, type, filter_name, filter_value, start_ms, id, document) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    takeView: prepare(
      `UPDATE views SET entity = ?, document = ? WHERE type = ? AND filter_name = ? AND filter_value = ? AND start_ms = ? AND id = ?
       RETURNING key`,
    ),
    setDocument: prepare('UPDATE views SET document = ? WHERE key = ?'),
    countViews: prepare('SELECT count(*) AS views FROM views WHERE entity = ?'),
    documentsOf: prepare('SELECT key, document FROM views WHERE entity = ? AND document IS NOT NULL'),
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
    viewOf: prepare('SELECT key, document FROM views WHERE entity = ? LIMIT 1'),
    someInfo: prepare('SELECT name, value FROM view_info WHERE view = ? LIMIT ?'),
    removeInfo: prepare('DELETE FROM view_info WHERE view = ? AND name = ?'),
    removeRelationsTo: removeSome('relations', 'type, id'),
    removeFromView: [
      removeSome('view_events', 'timestamp_ms, type'),
      removeSome('view_filters', 'name, value_key'),
      removeSome('relations', 'type, id'),
    ],
    removeView: prepare('DELETE FROM views WHERE key = ?'),
    relationFrom: prepare('SELECT 1 AS found FROM relations WHERE type = ? AND id = ? LIMIT 1'),
    removeRelationsFrom: prepare(
      'DELETE FROM relations WHERE type = ? AND id = ? AND view IN (SELECT view FROM relations WHERE type = ? AND id = ? LIMIT ?)',
    ),
    removeEntity: prepare('DELETE FROM entities WHERE key = ?'),
  };
}

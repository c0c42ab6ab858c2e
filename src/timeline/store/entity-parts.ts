// What is stored of an entity of timeline v1, read part by part.
import { setOwn } from '../../lib/own-member.ts';
import type { Database, Statement } from '../../storage/sqlite.ts';
import type { JsonValue, TimelineEntity, TimelineEvent } from '../../wire/timeline/entity.ts';
import { valueKey } from '../../wire/timeline/exact-json.ts';
import { type EntityField, type EntityHead, type NameValue, noStartMs } from './entity-query.ts';
import { atOnce, type Gradually, gradualRecord, gradualRows, partsAtOnce } from './gradually.ts';
import { StoredValues } from './stored-value.ts';
import { noParts, partsOf, type ViewParts } from './view-document.ts';

/** An event as it is stored. */
export interface EventRow {
  timestamp: number;
  type: string;
  info: string;
}

interface RelationRow {
  readonly type: string;
  readonly id: string;
}
interface InfoRow {
  readonly name: string;
  readonly value: string;
}
interface FilterRow extends InfoRow {
  readonly key: string;
}

/** A view as it is stored; `document` is null where its parts have rows of their own. */
export interface StoredView {
  readonly key: number;
  readonly document: string | null;
}

/** The wire form of a start time; 2^63 is written as Long.MAX_VALUE. */
const startTimeValue = (startMs: number): number => (startMs >= noStartMs ? 2 ** 63 : startMs);

const infoOnly: ReadonlySet<EntityField> = new Set<EntityField>(['OTHERINFO']);

/** Reads the parts of one view of an entity. */
export class EntityParts {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #values: StoredValues;

  constructor(database: Database) {
    this.#sql = prepareStatements((text) => database.prepare(text));
    this.#values = new StoredValues(database);
  }

  /** An event of a view as it is shown. */
  eventOf(view: number, { timestamp, type, info }: EventRow): TimelineEvent {
    const key = { view, timestamp_ms: timestamp, type };
    return { timestamp, eventtype: type, eventinfo: this.#values.object(info, 'view_events', key) };
  }

  /** The parts of a view that is stored as one text. */
  partsOf({ key }: StoredView, document: string): ViewParts {
    return partsOf(this.#values.object(document, 'views', { key }));
  }

  /** The other info of a view. */
  infoOf(view: StoredView): ViewParts['info'] {
    return atOnce(this.#wanted(view, infoOnly)).info;
  }

  /** Whether all filters hold: other info of that name equals the value, or, where there is none, the primary filters contain it. */
  matches(view: StoredView, filters: readonly NameValue[]): boolean {
    const parts = view.document === null ? undefined : this.partsOf(view, view.document);
    return filters.every(({ name, value }) => {
      const wanted = valueKey(value);
      const known = parts ? parts.info.find(([of]) => of === name)?.[1] : this.#infoOf(view.key, name);
      if (known !== undefined) return valueKey(known) === wanted;
      if (parts) return parts.filters.some((filter) => filter.name === name && filter.key === wanted);
      return this.#sql.hasFilter.get(view.key, name, wanted) !== undefined;
    });
  }

  #infoOf(view: number, name: string): JsonValue | undefined {
    const info = this.#sql.infoOf.get(view, name) as { value: string } | undefined;
    return info && this.#values.read(info.value, 'view_info', { view, name });
  }

  /** The entity as a view shows it, with the parts asked for; as an empty one where the view was lost. */
  *read(head: EntityHead, view: StoredView | undefined, fields: ReadonlySet<EntityField>): Gradually<TimelineEntity> {
    const entity: TimelineEntity = { entitytype: head.type, entity: head.id, starttime: startTimeValue(head.startMs), domain: head.domain };
    const { events, info, filters } = yield* this.#wanted(view, fields);
    if (fields.has('EVENTS') || fields.has('LASTEVENTONLY')) entity.events = [...events];
    if (fields.has('RELATEDENTITIES')) entity.relatedentities = grouped(view ? yield* this.#relations(view.key) : []);
    if (fields.has('PRIMARYFILTERS')) {
      const values: Record<string, JsonValue[]> = {};
      for (const { name, value } of filters) add(values, name, value);
      entity.primaryfilters = values;
    }
    if (fields.has('OTHERINFO')) entity.otherinfo = yield* gradualRecord(info);
    return entity;
  }

  #relations(view: number): Gradually<RelationRow[]> {
    return gradualRows<RelationRow, RelationRow>(
      () => this.#sql.relationsOf.all(view, partsAtOnce) as unknown as RelationRow[],
      ({ type, id }) => this.#sql.relationsAfter.all(view, type, id, partsAtOnce) as unknown as RelationRow[],
      (row) => row,
    );
  }

  #events(view: number): Gradually<TimelineEvent[]> {
    return gradualRows<EventRow, TimelineEvent>(
      () => this.#sql.eventsOf.all(view, partsAtOnce) as unknown as EventRow[],
      ({ timestamp, type }) => this.#sql.eventsAfter.all(view, timestamp, timestamp, type, partsAtOnce) as unknown as EventRow[],
      (row) => this.eventOf(view, row),
    );
  }

  *#info(view: number): Gradually<ViewParts['info']> {
    const rows = yield* gradualRows<InfoRow, ViewParts['info']>(
      () => this.#sql.infoFirst.all(view, partsAtOnce) as unknown as InfoRow[],
      ({ name }) => this.#sql.infoAfter.all(view, name, partsAtOnce) as unknown as InfoRow[],
      (row) => this.#values.named([row], 'view_info', ({ name }) => ({ view, name })),
    );
    return rows.flat();
  }

  /** Of the parts of a view at least those that are asked for. */
  *#wanted(view: StoredView | undefined, fields: ReadonlySet<EntityField>): Gradually<ViewParts> {
    if (!view) return noParts;
    const isLastOnly = !fields.has('EVENTS');
    if (view.document !== null) {
      const parts = this.partsOf(view, view.document);
      return isLastOnly ? { ...parts, events: parts.events.slice(0, 1) } : parts;
    }
    const { key } = view;
    const filters = fields.has('PRIMARYFILTERS') ? (this.#sql.filtersOf.all(key) as unknown as FilterRow[]) : [];
    const last = isLastOnly && fields.has('LASTEVENTONLY') ? (this.#sql.eventsOf.all(key, 1) as unknown as EventRow[]) : [];
    return {
      events: isLastOnly ? last.map((row) => this.eventOf(key, row)) : yield* this.#events(key),
      info: fields.has('OTHERINFO') ? yield* this.#info(key) : [],
      filters: filters.flatMap((row) => {
        const value = this.#values.read(row.value, 'view_filters', { view: key, name: row.name, value_key: row.key });
        return value === undefined ? [] : [{ name: row.name, key: row.key, value }];
      }),
    };
  }
}

function add<Value>(lists: Record<string, Value[]>, name: string, value: Value): void {
  if (Object.hasOwn(lists, name)) lists[name]?.push(value);
  else setOwn(lists, name, [value]);
}

/** Ids by their type. */
export function grouped(rows: readonly RelationRow[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const { type, id } of rows) add(groups, type, id);
  return groups;
}

function prepareStatements(prepare: (sql: string) => Statement) {
  return {
    infoOf: prepare('SELECT value FROM view_info WHERE view = ? AND name = ?'),
    hasFilter: prepare('SELECT 1 AS found FROM view_filters WHERE view = ? AND name = ? AND value_key = ?'),
    eventsOf: prepare(
      'SELECT timestamp_ms AS timestamp, type, info FROM view_events WHERE view = ? ORDER BY timestamp_ms DESC, type LIMIT ?',
    ),
    eventsAfter: prepare(
      `SELECT timestamp_ms AS timestamp, type, info FROM view_events
       WHERE view = ? AND timestamp_ms <= ? AND NOT (timestamp_ms = ? AND type <= ?) ORDER BY timestamp_ms DESC, type LIMIT ?`,
    ),
    relationsOf: prepare('SELECT type, id FROM relations WHERE view = ? ORDER BY type, id LIMIT ?'),
    relationsAfter: prepare('SELECT type, id FROM relations WHERE view = ? AND (type, id) > (?, ?) ORDER BY type, id LIMIT ?'),
    filtersOf: prepare('SELECT name, value_key AS key, value FROM view_filters WHERE view = ? ORDER BY name, value_key'),
    infoFirst: prepare('SELECT name, value FROM view_info WHERE view = ? ORDER BY name LIMIT ?'),
    infoAfter: prepare('SELECT name, value FROM view_info WHERE view = ? AND name > ? ORDER BY name LIMIT ?'),
  };
}

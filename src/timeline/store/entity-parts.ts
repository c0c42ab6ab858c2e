// What is stored of an entity of timeline v1, read part by part.
import type { Database, Statement } from '../../storage/sqlite.ts';
import type { JsonValue, TimelineEntity, TimelineEvent } from '../../wire/timeline/entity.ts';
import { valueKey } from '../../wire/timeline/exact-json.ts';
import { type EntityField, type EntityHead, type NameValue, noStartMs } from './entity-query.ts';
import { StoredValues } from './stored-value.ts';

/** An event as it is stored. */
export interface EventRow {
  timestamp: number;
  type: string;
  info: string;
}

/** The wire form of a start time; 2^63 is written as Long.MAX_VALUE. */
const startTimeValue = (startMs: number): number => (startMs >= noStartMs ? 2 ** 63 : startMs);

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

  /** Whether all filters hold: other info of that name equals the value, or, where there is none, the primary filters contain it. */
  matches(view: number, filters: readonly NameValue[]): boolean {
    return filters.every(({ name, value }) => {
      const info = this.#sql.infoOf.get(view, name) as { value: string } | undefined;
      const wanted = valueKey(value);
      const known = info && this.#values.read(info.value, 'view_info', { view, name });
      if (known !== undefined) return valueKey(known) === wanted;
      return this.#sql.hasFilter.get(view, name, wanted) !== undefined;
    });
  }

  /** The entity as a view shows it, with the parts asked for. */
  read(head: EntityHead, view: number, fields: ReadonlySet<EntityField>): TimelineEntity {
    const entity: TimelineEntity = { entitytype: head.type, entity: head.id, starttime: startTimeValue(head.startMs), domain: head.domain };
    if (fields.has('EVENTS')) entity.events = (this.#sql.eventsOf.all(view) as unknown as EventRow[]).map((row) => this.eventOf(view, row));
    else if (fields.has('LASTEVENTONLY'))
      entity.events = (this.#sql.lastEventOf.all(view) as unknown as EventRow[]).map((row) => this.eventOf(view, row));
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

function prepareStatements(prepare: (sql: string) => Statement) {
  return {
    infoOf: prepare('SELECT value FROM view_info WHERE view = ? AND name = ?'),
    hasFilter: prepare('SELECT 1 AS found FROM view_filters WHERE view = ? AND name = ? AND value_key = ?'),
    eventsOf: prepare('SELECT timestamp_ms AS timestamp, type, info FROM view_events WHERE view = ? ORDER BY timestamp_ms DESC, type'),
    lastEventOf: prepare(
      'SELECT timestamp_ms AS timestamp, type, info FROM view_events WHERE view = ? ORDER BY timestamp_ms DESC, type LIMIT 1',
    ),
    relationsOf: prepare('SELECT type, id FROM relations WHERE view = ? ORDER BY type, id'),
    filtersOf: prepare('SELECT name, value_key AS key, value FROM view_filters WHERE view = ? ORDER BY name, value_key'),
    allInfoOf: prepare('SELECT name, value FROM view_info WHERE view = ? ORDER BY name'),
  };
}

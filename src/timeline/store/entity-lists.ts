// Lists of entities and of their events, read some rows at a time: whoever reads may pause anywhere, nothing stays open meanwhile.
import { compareTexts } from '../../lib/text-order.ts';
import type { Database, Statement } from '../../storage/sqlite.ts';
import type { TimelineEntity, TimelineEvent } from '../../wire/timeline/entity.ts';
import { valueKey } from '../../wire/timeline/exact-json.ts';
import type { EntityParts, EventRow, StoredView } from './entity-parts.ts';
import type { EntityHead, EntityQuery, EventQuery } from './entity-query.ts';
import type { Position } from './info-key.ts';
import type { SearchIndex } from './search-index.ts';

interface ViewRow extends EntityHead {
  readonly view: number;
  readonly document: string | null;
  readonly insertedMs: number;
}

/** The events of an entity that a query selects. */
export interface EntityEvents {
  readonly entity: string;
  readonly entitytype: string;
  readonly events: readonly TimelineEvent[];
}

/** A list of rows that stands at a place: those of one start time by id, then those that started earlier. */
interface Place {
  startMs: number;
  /** Rows of `startMs` from this id on, without it where it was read already. */
  id: string;
  inclusive: boolean;
  /** False: nothing that is wanted lies before it, and it is not known yet whether something does from it on. */
  isSure?: boolean;
}

/** A value by which rows are looked up. */
interface LookUp {
  readonly name: string;
  readonly key: string;
}

const rowsAtOnce = 100;
const eventsAtOnce = 500;
/** From so many rows on a primary filter does not select few. */
const fewRows = 300;
const farPastMs = Number.MIN_SAFE_INTEGER;
const farFutureMs = Number.MAX_SAFE_INTEGER;
const plain = '';

export class EntityLists {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #parts: EntityParts;
  readonly #index: SearchIndex;
  readonly #headOf: (type: string, id: string) => EntityHead | undefined;

  constructor(database: Database, parts: EntityParts, index: SearchIndex, headOf: (type: string, id: string) => EntityHead | undefined) {
    this.#sql = prepareStatements((text) => database.prepare(text));
    this.#parts = parts;
    this.#index = index;
    this.#headOf = headOf;
  }

  /** The entities a query selects, newest start first, equal ones by id; undefined for each that was looked at and is not among them. */
  *entities(query: EntityQuery): Generator<TimelineEntity | undefined, undefined> {
    const place = query.limit > 0 ? this.#placeOf(query) : undefined;
    if (!place) return;
    const looked = this.#lookUp(query);
    let left = query.limit;
    for (;;) {
      if (query.fromInsertedMs !== undefined && !this.#skip(query.type, query.fromInsertedMs, place)) return;
      const rows = place.isSure === false ? [] : this.#rows(query, place, Math.min(rowsAtOnce, Math.max(left, 10)), looked);
      if (rows.length === 0 && place.isSure !== false) return;
      if (rows.length === 0) yield undefined;
      for (const { row } of rows) {
        const isWanted = row !== undefined && this.#isWanted(query, row);
        yield isWanted ? yield* this.#parts.read(row, viewOfRow(row), query.fields) : undefined;
        if (isWanted) left -= 1;
        if (left <= 0) return;
      }
    }
  }

  /** Where a list begins; undefined where it has nothing. */
  #placeOf(query: EntityQuery): Place | undefined {
    const untilMs = query.windowEndMs ?? farFutureMs;
    const start = { startMs: untilMs, id: '', inclusive: true };
    if (query.fromId === undefined) return start;
    const from = this.#headOf(query.type, query.fromId);
    if (!from) return undefined;
    return from.startMs <= untilMs ? { startMs: from.startMs, id: from.id, inclusive: true } : start;
  }

  /**
   * The secondary filter by which the rows of a query are looked up; undefined where they are read in the order of start times alone: there is
   * no such filter, or the primary filter selects few.
   */
  #lookUp(query: EntityQuery): LookUp | undefined {
    const found = (query.secondaryFilters ?? []).flatMap((filter) => {
      const key = this.#index.keyOf(filter);
      return key === undefined ? [] : [{ name: filter.name, key }];
    });
    const [first] = found;
    if (!first || !query.primaryFilter) return first;
    const [selected] = this.#sql.count.all(...viewOf(query), fewRows) as { count: number }[];
    return selected && selected.count < fewRows ? undefined : first;
  }

  /** Moves the place on to where entities were inserted by a time. False: there are none any more. */
  #skip(type: string, insertedByMs: number, place: Place): boolean {
    const next = this.#index.insertedBy(type, insertedByMs, place.startMs);
    if (!next) return false;
    if (next.startMs < place.startMs) Object.assign(place, { startMs: next.startMs, id: '', inclusive: true });
    place.isSure = next.isSure;
    return true;
  }

  /** The next places of a list, at most `most`; `place` moves behind them. None: there are no more. */
  #rows(query: EntityQuery, place: Place, most: number, looked: LookUp | undefined): Standing[] {
    const rows = looked
      ? this.#lookedUp(query, place, most, looked)
      : this.#range(this.#sql.byView, viewOf(query), query, place, most).map(standing);
    const last = rows.at(-1);
    if (last) Object.assign(place, { startMs: last.startMs, id: last.id, inclusive: false });
    return rows;
  }

  /** Where entities stand that a value is looked up for, in their order: by what is indexed of them, by rows of their own, and by primary filters. */
  #lookedUp(query: EntityQuery, place: Place, most: number, { name, key }: LookUp): Standing[] {
    const of = [query.type, name, key, ...viewOf(query).slice(1)];
    const from = { startMs: place.startMs, id: place.id, isInclusive: place.inclusive, afterMs: query.windowStartMs ?? farPastMs };
    const found = place.startMs <= from.afterMs ? [] : this.#index.find(query.type, name, key, from, most);
    const [, filterName, filterValue] = viewOf(query);
    const rowAt = ({ startMs, id }: Position) =>
      this.#sql.rowAt.get(query.type, filterName, filterValue, startMs, id) as unknown as ViewRow | undefined;
    return merged(
      [
        found.map((position) => ({ ...position, row: rowAt(position) })),
        this.#range(this.#sql.byInfo, of, query, place, most).map(standing),
        this.#range(this.#sql.byPrimary, of, query, place, most).map(standing),
      ],
      most,
    );
  }

  /** Rows from a place on: of the same start time, then of earlier ones. */
  #range(by: RangeStatements, of: readonly string[], { windowStartMs = farPastMs }: EntityQuery, place: Place, most: number): ViewRow[] {
    if (place.startMs <= windowStartMs) return [];
    const same = place.inclusive ? by.sameFrom : by.sameAfter;
    const rows = same.all(...of, place.startMs, place.id, most) as unknown as ViewRow[];
    if (rows.length < most) rows.push(...(by.earlier.all(...of, windowStartMs, place.startMs, most - rows.length) as unknown as ViewRow[]));
    return rows;
  }

  #isWanted(query: EntityQuery, row: ViewRow): boolean {
    if (query.fromInsertedMs !== undefined && row.insertedMs > query.fromInsertedMs) return false;
    return query.visible(row) && (query.secondaryFilters === undefined || this.#parts.matches(viewOfRow(row), query.secondaryFilters));
  }

  /**
   * Events of the given entities that exist, newest entity first; those of one with many come in several parts, each under its name. Undefined
   * for some that were looked at in vain.
   */
  *events(query: EventQuery, visible: (head: EntityHead) => boolean): Generator<EntityEvents | undefined, undefined> {
    const heads = [...new Set(query.ids)]
      .map((id) => this.#headOf(query.type, id))
      .filter((head) => head !== undefined && visible(head)) as EntityHead[];
    heads.sort((left, right) => right.startMs - left.startMs || (left.id < right.id ? -1 : 1));
    for (const head of heads) yield* this.#eventsOf(head, query);
  }

  *#eventsOf(head: EntityHead, query: EventQuery): Generator<EntityEvents | undefined, undefined> {
    const named = (events: TimelineEvent[]): EntityEvents => ({ entity: head.id, entitytype: head.type, events });
    yield named([]);
    const view = this.#sql.view.get(head.type, plain, plain, head.startMs, head.id) as unknown as StoredView | undefined;
    if (!view) return;
    const startMs = query.windowStartMs ?? farPastMs;
    if (view.document !== null) {
      const endMs = query.windowEndMs ?? Number.POSITIVE_INFINITY;
      const isWanted = ({ timestamp, eventtype }: TimelineEvent) =>
        timestamp > startMs && timestamp <= endMs && (!query.eventTypes || query.eventTypes.has(eventtype));
      const wanted = this.#parts.partsOf(view, view.document).events.filter(isWanted);
      yield named(wanted.slice(0, Math.max(0, query.limit)));
      return;
    }
    // Between the last moment and the next: before all events of that moment, whatever their type.
    const place = { timestamp: query.windowEndMs === undefined ? Number.POSITIVE_INFINITY : query.windowEndMs + 0.5, type: '' };
    let left = query.limit;
    while (left > 0) {
      const bounds = [startMs, place.timestamp, place.timestamp, place.type] as const;
      const rows = this.#sql.eventsWithin.all(view.key, ...bounds, eventsAtOnce) as unknown as EventRow[];
      const wanted = rows.filter(({ type }) => !query.eventTypes || query.eventTypes.has(type)).slice(0, left);
      yield wanted.length === 0 ? undefined : named(wanted.map((row) => this.#parts.eventOf(view.key, row)));
      if (rows.length < eventsAtOnce) return;
      left -= wanted.length;
      Object.assign(place, rows.at(-1));
    }
  }
}

const viewOfRow = ({ view, document }: ViewRow): StoredView => ({ key: view, document });

/** The view of a query: type, name and value of its primary filter. */
const viewOf = ({ type, primaryFilter: filter }: EntityQuery): [string, string, string] => [
  type,
  filter?.name ?? plain,
  filter ? valueKey(filter.value) : plain,
];

/** A place of a list, and the row there is; none where what was looked up is not so. */
interface Standing extends Position {
  readonly row: ViewRow | undefined;
}

const standing = (row: ViewRow): Standing => ({ startMs: row.startMs, id: row.id, row });

/** The first places of lists in one, each once, in the order of the database (of bytes). */
function merged(lists: readonly (readonly Standing[])[], most: number): Standing[] {
  const [only, ...others] = lists.filter((list) => list.length > 0);
  if (!only || others.length === 0) return [...(only ?? [])];
  const byPlace = new Map<string, Standing>();
  for (const one of lists.flat()) {
    const at = `${one.startMs} ${one.id}`;
    if (!byPlace.get(at)?.row) byPlace.set(at, one);
  }
  return [...byPlace.values()].sort((a, b) => b.startMs - a.startMs || compareTexts(a.id, b.id)).slice(0, most);
}

/** Statements that read rows of a list from a place on. */
interface RangeStatements {
  readonly sameFrom: Statement;
  readonly sameAfter: Statement;
  readonly earlier: Statement;
}

const columns =
  'v.key AS view, v.document AS document, e.key AS key, e.type AS type, e.id AS id, e.start_ms AS startMs, e.inserted_ms AS insertedMs, e.domain AS domain';

function prepareStatements(prepare: (sql: string) => Statement) {
  /** `from`: the tables and what selects in them; `x` is the one whose order counts. */
  const range = (from: string, x: string): RangeStatements => ({
    sameFrom: prepare(`SELECT ${columns} ${from} AND ${x}.start_ms = ? AND ${x}.id >= ? ORDER BY ${x}.id LIMIT ?`),
    sameAfter: prepare(`SELECT ${columns} ${from} AND ${x}.start_ms = ? AND ${x}.id > ? ORDER BY ${x}.id LIMIT ?`),
    earlier: prepare(`SELECT ${columns} ${from} AND ${x}.start_ms > ? AND ${x}.start_ms < ? ORDER BY ${x}.start_ms DESC, ${x}.id LIMIT ?`),
  });
  // The order of the tables is given (CROSS JOIN): what is looked up comes first.
  const viewOfSame =
    'CROSS JOIN views v ON v.type = x.type AND v.filter_name = ?4 AND v.filter_value = ?5 AND v.start_ms = x.start_ms AND v.id = x.id CROSS JOIN entities e ON e.key = v.entity';
  return {
    byView: range(
      'FROM views v CROSS JOIN entities e ON e.key = v.entity WHERE v.type = ? AND v.filter_name = ? AND v.filter_value = ?',
      'v',
    ),
    byInfo: range(`FROM info_values x ${viewOfSame} WHERE x.type = ?1 AND x.name = ?2 AND x.value = ?3`, 'x'),
    byPrimary: range(`FROM views x ${viewOfSame} WHERE x.type = ?1 AND x.filter_name = ?2 AND x.filter_value = ?3`, 'x'),
    rowAt: prepare(
      `SELECT ${columns} FROM views v CROSS JOIN entities e ON e.key = v.entity
       WHERE v.type = ? AND v.filter_name = ? AND v.filter_value = ? AND v.start_ms = ? AND v.id = ?`,
    ),
    count: prepare('SELECT count(*) AS count FROM (SELECT 1 FROM views WHERE type = ? AND filter_name = ? AND filter_value = ? LIMIT ?)'),
    view: prepare('SELECT key, document FROM views WHERE type = ? AND filter_name = ? AND filter_value = ? AND start_ms = ? AND id = ?'),
    eventsWithin: prepare(
      `SELECT timestamp_ms AS timestamp, type, info FROM view_events
       WHERE view = ? AND timestamp_ms > ? AND timestamp_ms <= ? AND NOT (timestamp_ms = ? AND type <= ?) ORDER BY timestamp_ms DESC, type LIMIT ?`,
    ),
  };
}

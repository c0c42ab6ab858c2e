// Lists of entities and of their events, read some rows at a time: whoever reads may pause anywhere, nothing stays open meanwhile.
import type { Database, Statement } from '../../storage/sqlite.ts';
import type { TimelineEntity, TimelineEvent } from '../../wire/timeline/entity.ts';
import { valueKey } from '../../wire/timeline/exact-json.ts';
import type { EntityParts, EventRow } from './entity-parts.ts';
import type { EntityHead, EntityQuery, EventQuery } from './entity-query.ts';

interface ViewRow extends EntityHead {
  readonly view: number;
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
}

const rowsAtOnce = 100;
const eventsAtOnce = 500;
const farPastMs = Number.MIN_SAFE_INTEGER;
const farFutureMs = Number.MAX_SAFE_INTEGER;
const plain = '';

export class EntityLists {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #parts: EntityParts;
  readonly #headOf: (type: string, id: string) => EntityHead | undefined;

  constructor(database: Database, parts: EntityParts, headOf: (type: string, id: string) => EntityHead | undefined) {
    this.#sql = prepareStatements((text) => database.prepare(text));
    this.#parts = parts;
    this.#headOf = headOf;
  }

  /** The entities a query selects, newest start first, equal ones by id; undefined for each that was looked at and is not among them. */
  *entities(query: EntityQuery): Generator<TimelineEntity | undefined, undefined> {
    const place = query.limit > 0 ? this.#placeOf(query) : undefined;
    if (!place) return;
    let left = query.limit;
    for (;;) {
      const rows = this.#rows(query, place, Math.min(rowsAtOnce, Math.max(left, 10)));
      if (rows.length === 0) return;
      for (const row of rows) {
        const isWanted = this.#isWanted(query, row);
        yield isWanted ? this.#parts.read(row, row.view, query.fields) : undefined;
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

  /** The next rows of a list, at most `most`; `place` moves behind them. None: there are no more. */
  #rows({ type, primaryFilter: filter, windowStartMs: startAboveMs = farPastMs }: EntityQuery, place: Place, most: number): ViewRow[] {
    const view = [type, filter?.name ?? plain, filter ? valueKey(filter.value) : plain] as const;
    const rows: ViewRow[] = [];
    if (place.startMs > startAboveMs) {
      const same = place.inclusive ? this.#sql.sameFrom : this.#sql.sameAfter;
      rows.push(...(same.all(...view, place.startMs, place.id, most) as unknown as ViewRow[]));
    }
    if (rows.length < most)
      rows.push(...(this.#sql.earlier.all(...view, startAboveMs, place.startMs, most - rows.length) as unknown as ViewRow[]));
    const last = rows.at(-1);
    if (last) Object.assign(place, { startMs: last.startMs, id: last.id, inclusive: false });
    return rows;
  }

  #isWanted(query: EntityQuery, row: ViewRow): boolean {
    if (query.fromInsertedMs !== undefined && row.insertedMs > query.fromInsertedMs) return false;
    return query.visible(row) && (query.secondaryFilters === undefined || this.#parts.matches(row.view, query.secondaryFilters));
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
    const view = this.#sql.view.get(head.type, plain, plain, head.startMs, head.id) as { key: number } | undefined;
    if (!view) return;
    const startMs = query.windowStartMs ?? farPastMs;
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

function prepareStatements(prepare: (sql: string) => Statement) {
  const columns =
    'v.key AS view, e.key AS key, e.type AS type, e.id AS id, e.start_ms AS startMs, e.inserted_ms AS insertedMs, e.domain AS domain';
  const from = `SELECT ${columns} FROM views v JOIN entities e ON e.key = v.entity WHERE v.type = ? AND v.filter_name = ? AND v.filter_value = ?`;
  return {
    sameFrom: prepare(`${from} AND v.start_ms = ? AND v.id >= ? ORDER BY v.id LIMIT ?`),
    sameAfter: prepare(`${from} AND v.start_ms = ? AND v.id > ? ORDER BY v.id LIMIT ?`),
    earlier: prepare(`${from} AND v.start_ms > ? AND v.start_ms < ? ORDER BY v.start_ms DESC, v.id LIMIT ?`),
    view: prepare('SELECT key FROM views WHERE type = ? AND filter_name = ? AND filter_value = ? AND start_ms = ? AND id = ?'),
    eventsWithin: prepare(
      `SELECT timestamp_ms AS timestamp, type, info FROM view_events
       WHERE view = ? AND timestamp_ms > ? AND timestamp_ms <= ? AND NOT (timestamp_ms = ? AND type <= ?) ORDER BY timestamp_ms DESC, type LIMIT ?`,
    ),
  };
}

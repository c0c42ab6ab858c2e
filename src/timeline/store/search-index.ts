// What lists look up besides the order of start times: which entities have a value of other info, and when those that started in a second
// were inserted first. Kept with each put, inside its change.
import type { Database, Statement } from '../../storage/sqlite.ts';
import type { JsonValue } from '../../wire/timeline/entity.ts';
import { parseExact, valueKey } from '../../wire/timeline/exact-json.ts';
import type { EntityHead, NameValue } from './entity-query.ts';
import { type From, InfoIndex, type InfoOf } from './info-index.ts';
import type { Position } from './info-key.ts';

/** Longest key of a value that is looked up; larger ones are found by looking at entities. */
const longestKey = 200;
/** How many seconds are looked at for the next in which something was inserted early enough: few, for mostly it is one of the first, then many. */
const secondsAtOnce = [64, 20_000];
const msOfSecond = 1000;

/** A value of other info that a view of an entity shows. */
export interface Info {
  readonly head: EntityHead;
  readonly name: string;
  readonly value: JsonValue;
}

export class SearchIndex {
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #info: InfoIndex;

  /** `infoAfter`: the other info that views of the entities made after one show. `longestTail`: how many values stay in memory. */
  constructor(database: Database, infoAfter: (key: number) => Iterable<Info>, longestTail?: number) {
    this.#sql = prepareStatements((text) => database.prepare(text));
    const unindexed = (key: number) =>
      Iterator.from(infoAfter(key)).flatMap(({ head, name, value }) => infoOf(head, name, valueKey(value)));
    this.#info = new InfoIndex(database, unindexed, longestTail);
  }

  /** The key by which a filter is looked up; undefined where it cannot be: values of stores of earlier versions stand by their text. */
  keyOf({ value }: NameValue): string | undefined {
    if (typeof value !== 'string' && typeof value !== 'boolean' && !Number.isSafeInteger(value)) return undefined;
    const key = valueKey(value);
    return key.length <= longestKey && key !== '0' ? key : undefined;
  }

  /** Entities were made. Of those that follow each other many started in the same second. */
  inserted(made: readonly EntityHead[], nowMs: number): void {
    let last: { readonly type: string; readonly second: number } | undefined;
    for (const { type, startMs } of made) {
      const second = Math.floor(startMs / msOfSecond);
      if (last?.type === type && last.second === second) continue;
      this.#sql.insertion.run(type, second, nowMs);
      last = { type, second };
    }
  }

  /** A view of an entity has a value of other info. */
  add(head: EntityHead, name: string, value: JsonValue): void {
    for (const info of infoOf(head, name, valueKey(value))) {
      if (head.key > this.#info.boundary) this.#info.add(info);
      else this.#sql.add.run(head.type, name, info.expression, head.startMs, head.id);
    }
  }

  /** A view of an entity has a value no more, and no other has it; `isGone`: the entity goes. `written` is its stored text. */
  remove(head: EntityHead, name: string, written: string, isGone = false): void {
    const expression = keyOfText(written);
    for (const info of infoOf(head, name, expression)) this.#info.remove(info, isGone);
    if (head.key <= this.#info.boundary) this.#sql.remove.run(head.type, name, written, expression, head.startMs, head.id);
  }

  /** Where entities stand that may have a value, besides those that are looked up by rows, in their order, at most `most`. */
  find(type: string, name: string, expression: string, from: From, most: number): Position[] {
    return this.#info.find(type, name, expression, from, most);
  }

  /** Goes on with what there is to write; must run inside a change. */
  work(): void {
    this.#info.work();
  }

  /** Writes all that is in memory alone; must run inside a change. */
  settle(): void {
    this.#info.settle();
  }

  /**
   * The latest start time, not after `startMs`, at which an entity may be that was inserted by `untilMs`; `isSure` false: none was seen down to
   * there. Undefined: there is none at all.
   */
  insertedBy(type: string, untilMs: number, startMs: number): { startMs: number; isSure: boolean } | undefined {
    let low: number | undefined;
    for (const most of secondsAtOnce) {
      const found = this.#sql.insertedBy.get(untilMs, type, Math.floor(startMs / msOfSecond), most);
      if (found?.['hit'] != null) return { startMs: Math.min(startMs, lastMsOf(Number(found['hit']))), isSure: true };
      if (found?.['low'] == null) return undefined;
      low = Number(found['low']);
    }
    return low === undefined ? undefined : { startMs: Math.min(startMs, lastMsOf(low - 1)), isSure: false };
  }

  /**
   * Forgets what was kept of entities that started at or before `untilMs`, about `most` rows: there are none any more. `lastMade`: the one that was
   * made last, of those that are left. Returns how many rows went.
   */
  forget(untilMs: number, most: number, lastMade: number): number {
    const before = Math.floor(untilMs / msOfSecond);
    let forgotten = this.#info.forget(untilMs, most, lastMade);
    for (let row = this.#sql.typeAfter.get(''); row && forgotten < most; row = this.#sql.typeAfter.get(row['type'] ?? ''))
      forgotten += Number(this.#sql.forget.run(row['type'] ?? '', row['type'] ?? '', before, most).changes);
    return forgotten;
  }
}

const lastMsOf = (second: number): number => second * msOfSecond + msOfSecond - 1;

/** What is looked up of a value; nothing where its key is long. */
const infoOf = (head: EntityHead, name: string, expression: string): InfoOf[] =>
  expression.length <= longestKey ? [{ head, name, expression }] : [];

function keyOfText(written: string): string {
  try {
    return valueKey(parseExact(written));
  } catch {
    return written;
  }
}

function prepareStatements(prepare: (sql: string) => Statement) {
  return {
    insertion: prepare(
      `INSERT INTO insertions (type, second, first_ms) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET first_ms = excluded.first_ms WHERE excluded.first_ms < first_ms`,
    ),
    add: prepare('INSERT INTO info_values (type, name, value, start_ms, id) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING'),
    remove: prepare('DELETE FROM info_values WHERE type = ? AND name = ? AND value IN (?, ?) AND start_ms = ? AND id = ?'),
    insertedBy: prepare(
      `SELECT max(CASE WHEN first_ms <= ? THEN second END) AS hit, min(second) AS low
       FROM (SELECT second, first_ms FROM insertions WHERE type = ? AND second <= ? ORDER BY second DESC LIMIT ?)`,
    ),
    typeAfter: prepare('SELECT type FROM insertions WHERE type > ? ORDER BY type LIMIT 1'),
    forget: prepare(
      'DELETE FROM insertions WHERE type = ? AND second IN (SELECT second FROM insertions WHERE type = ? AND second < ? ORDER BY second LIMIT ?)',
    ),
  };
}

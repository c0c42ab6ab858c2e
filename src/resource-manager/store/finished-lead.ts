// Which index leads to the rows of a list of ended applications: the one whose entries for what is asked are fewest.
import type { Database, Statement } from '../../storage/sqlite.ts';
import type { FinishedFilter } from './finished-rows.ts';

/** Where a list finds its rows instead of looking at all. */
export type FinishedLead =
  /** The rows with one of these values; `few`: not more than one would look at for a page. */
  | { readonly kind: 'values'; readonly condition: string; readonly values: readonly string[]; readonly few: boolean }
  /** These rows, in ascending order. */
  | { readonly kind: 'numbers'; readonly numbers: readonly number[]; readonly few: boolean };

/** Entries of an index are counted up to this many: with more of each, the first column leads. */
const mostCounted = 5000;
/** Rows of a time that are looked up before a list begins, at most. */
const mostOfTime = 20_000;
/** More rows than that are not few. */
const mostFew = 1000;
/** Each value is a question of its own. */
const mostValues = 8;

/** What has an index, with the condition that it serves, the likeliest to lead to few rows first. */
const columns = [
  ['names', 'name = ?'],
  ['tags', 'number IN (SELECT number FROM finished_tags WHERE tag = ?)'],
  ['users', 'user = ?'],
  ['queues', 'queue = ?'],
  ['types', 'lower(type) = ?'],
  ['states', 'state = ?'],
] as const satisfies readonly (readonly ['names' | keyof FinishedFilter, string])[];

const times = [
  ['finished_ms', 'finishedFromMs', 'finishedToMs'],
  ['started_ms', 'startedFromMs', 'startedToMs'],
] as const satisfies readonly (readonly [string, keyof FinishedFilter, keyof FinishedFilter])[];

const countTags = 'SELECT count(*) AS count FROM (SELECT 1 FROM finished_tags WHERE tag = ? LIMIT ?)';
const countOf = (condition: string): string =>
  `SELECT count(*) AS count FROM (SELECT 1 FROM finished_applications WHERE ${condition} LIMIT ?)`;
const numbersOf = (column: string): string => `SELECT number FROM finished_applications WHERE ${column} >= ? AND ${column} <= ? LIMIT ?`;

/** Finds the lead of a filter. */
export class FinishedLeads {
  readonly #counts: Readonly<Record<(typeof columns)[number][0], Statement>>;
  readonly #numbers: Readonly<Record<(typeof times)[number][0], Statement>>;

  constructor(database: Pick<Database, 'prepare'>) {
    const counting = (name: string, condition: string) => database.prepare(name === 'tags' ? countTags : countOf(condition));
    this.#counts = Object.fromEntries(columns.map(([name, condition]) => [name, counting(name, condition)])) as never;
    this.#numbers = Object.fromEntries(times.map(([column]) => [column, database.prepare(numbersOf(column))])) as never;
  }

  /** Undefined where a look at all rows is not dearer. It holds for rows that are there now; those that come later are not in it. */
  of(filter: FinishedFilter): FinishedLead | undefined {
    let fewest = Number.POSITIVE_INFINITY;
    let lead: FinishedLead | undefined;
    for (const [name, condition] of columns) {
      const values = name === 'names' ? (filter.name === undefined ? undefined : [filter.name]) : filter[name];
      if (!values || values.length > mostValues) continue;
      const count = values.reduce((sum, value) => sum + (this.#counts[name].get(value, mostCounted) as { count: number }).count, 0);
      if (count >= fewest) continue;
      fewest = count;
      lead = { kind: 'values', condition, values, few: count <= mostFew };
    }
    for (const [column, from, to] of times) {
      if (filter[from] === undefined && filter[to] === undefined) continue;
      const most = Math.min(mostOfTime, fewest);
      const rows = this.#numbers[column].all(filter[from] ?? 0, filter[to] ?? Number.MAX_SAFE_INTEGER, most) as { number: number }[];
      if (rows.length >= most) continue;
      fewest = rows.length;
      lead = { kind: 'numbers', numbers: rows.map(({ number }) => number).sort((a, b) => a - b), few: rows.length <= mostFew };
    }
    return lead;
  }
}

// Reading ended applications: in the order of their end, or page by page in the order of one of their members. Statements are prepared
// once for each combination of filters.

import type { Database, Statement } from '../../storage/sqlite.ts';
import { type FinishedLead, FinishedLeads } from './finished-lead.ts';
import type { FinishedBrief, FinishedFilter, FinishedOrder, FinishedPlace } from './finished-rows.ts';
import { faultOfKeptText, SoundTexts } from './kept-texts.ts';

export const briefColumns = 'number, id, user, name, queue, type, tags, state, final_status, started_ms, finished_ms, priority';

/** Rows asked for by their numbers at a time. */
const numbersPerQuestion = 200;

/** The place of the first number above another. */
function firstAbove(numbers: readonly number[], after: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Query {
  readonly where: string[];
  readonly values: (string | number)[];
}

/** The questions about ended applications; the table is the store's. */
export class FinishedQueries {
  readonly #database: Database;
  /** By their text; there are as many as combinations of filters, not of values. */
  readonly #prepared = new Map<string, Statement>();
  readonly #leads: FinishedLeads;
  readonly #sound = { json: new SoundTexts(), xml: new SoundTexts() };

  constructor(database: Database) {
    this.#database = database;
    this.#leads = new FinishedLeads(database);
  }

  /** What leads to the rows of a filter; undefined: all are looked at. */
  lead(filter: FinishedFilter): FinishedLead | undefined {
    return this.#leads.of(filter);
  }

  /** Up to `limit` rows with numbers above `after`, in order of ending; fewer: there are no more. */
  slice(filter: FinishedFilter, after: number, limit: number, text: 'json' | 'xml' | 'none', lead?: FinishedLead): FinishedBrief[] {
    if (lead?.kind === 'numbers') return this.#ofNumbers(lead.numbers, filter, after, limit, text);
    const of = (condition: string | undefined, value: string[]) => {
      const { where, values } = filtered(filter, { where: ['number > ?', ...(condition ? [condition] : [])], values: [after, ...value] });
      return this.#rows(text, `WHERE ${where.join(' AND ')} ORDER BY number`, values, limit);
    };
    if (!lead) return of(undefined, []);
    const [only, ...others] = lead.values;
    if (only === undefined) return [];
    if (others.length === 0) return of(lead.condition, [only]);
    // A row may have several of the values (tags).
    const found = new Map(lead.values.flatMap((value) => of(lead.condition, [value]).map((row) => [row.number, row])));
    return [...found.values()].sort((a, b) => a.number - b.number).slice(0, limit);
  }

  #ofNumbers(
    numbers: readonly number[],
    filter: FinishedFilter,
    after: number,
    limit: number,
    text: 'json' | 'xml' | 'none',
  ): FinishedBrief[] {
    const found: FinishedBrief[] = [];
    for (let at = firstAbove(numbers, after); at < numbers.length && found.length < limit; at += numbersPerQuestion) {
      const some = JSON.stringify(numbers.slice(at, at + numbersPerQuestion));
      const { where, values } = filtered(filter, { where: ['number IN (SELECT value FROM json_each(?))'], values: [some] });
      found.push(...this.#rows(text, `WHERE ${where.join(' AND ')} ORDER BY number`, values, limit - found.length));
    }
    return found;
  }

  /** Up to `limit` rows behind `after` in an order; the database looks at these and at what filters leave out among them. */
  page(filter: FinishedFilter, { column, descending }: FinishedOrder, after: FinishedPlace | undefined, limit: number): FinishedBrief[] {
    const columns = column === 'id' ? ['id'] : [column, 'id'];
    const place: Query = { where: [], values: [] };
    if (after) {
      place.where.push(`(${columns.join(', ')}) ${descending ? '<' : '>'} (${columns.map(() => '?').join(', ')})`);
      place.values.push(...(column === 'id' ? [after[1]] : after));
    }
    const { where, values } = filtered(filter, place);
    const order = columns.map((name) => `${name} ${descending ? 'DESC' : 'ASC'}`).join(', ');
    return this.#rows('none', `${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY ${order}`, values, limit);
  }

  /** The latest ended applications, newest first, of the given public states. */
  newest(states: readonly string[] | undefined, limit: number): FinishedBrief[] {
    const { where, values } = filtered(states ? { states } : {}, { where: [], values: [] });
    return this.#rows('none', `${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY number DESC`, values, limit);
  }

  #rows(text: 'json' | 'xml' | 'none', rest: string, values: readonly (string | number)[], limit: number): FinishedBrief[] {
    // A text that is none is no fault of its row, which the statement would set aside for it.
    const kept = text === 'none' ? 'NULL' : `CASE typeof(${text}) WHEN 'text' THEN ${text} END`;
    const sql = `SELECT ${briefColumns}, ${kept} AS text FROM finished_applications ${rest} LIMIT ?`;
    let statement = this.#prepared.get(sql);
    if (!statement) this.#prepared.set(sql, (statement = this.#database.prepare(sql)));
    const rows = statement.all(...values, Math.trunc(limit)) as unknown as FinishedBrief[];
    return text === 'none' ? rows : rows.map((row) => this.#withSoundText(row, text));
  }

  /** A damaged text would spoil the list that it goes into: what is made of the document takes its place. */
  #withSoundText(row: FinishedBrief, format: 'json' | 'xml'): FinishedBrief {
    if (row.text === null || this.#sound[format].has(row.number)) return row;
    if (faultOfKeptText(format, row.text, row.id) !== undefined) return { ...row, text: null };
    this.#sound[format].add(row.number);
    return row;
  }
}

/** Adds the conditions of a filter. A unary plus keeps the database from leaving the order's index for one of the filter. */
function filtered(filter: FinishedFilter, { where, values }: Query): Query {
  const oneOf = (column: string, words: readonly string[] | undefined) => {
    if (!words) return;
    where.push(`+${column} IN (SELECT value FROM json_each(?))`);
    values.push(JSON.stringify(words));
  };
  const compare = (column: string, comparison: '=' | '>=' | '<=', value: string | number | undefined) => {
    if (value === undefined) return;
    where.push(`+${column} ${comparison} ?`);
    values.push(value);
  };
  oneOf('state', filter.states);
  oneOf('user', filter.users);
  oneOf('lower(type)', filter.types);
  oneOf('queue', filter.queues);
  compare('name', '=', filter.name);
  compare('final_status', '=', filter.finalStatus);
  compare('started_ms', '>=', filter.startedFromMs);
  compare('started_ms', '<=', filter.startedToMs);
  compare('finished_ms', '>=', filter.finishedFromMs);
  compare('finished_ms', '<=', filter.finishedToMs);
  return { where, values };
}

// Rows that cannot be read are set aside: kept as they are in the table `rejected_rows` of their store, so that nothing is lost and nobody
// stumbles over them.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { RowCheck, StoredRow, StoredValue } from './store-kind.ts';

/** The values that tell a row from all others of its table, by column. */
export type RowKey = Readonly<Record<string, StoredValue | bigint>>;

/** A row that cannot be read, and why. */
export interface BrokenRow {
  readonly table: string;
  readonly key: RowKey;
  readonly fault: string;
}

/** A row's key as people are told it. */
export const keyText = (key: BrokenRow['key']): string =>
  Object.values(key)
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)))
    .join(' ');

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  readonly isKey: boolean;
}

/** Where rows go that were set aside. */
export const rejectedTable = 'rejected_rows';

/** A name in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The tables of a database that hold what it is for. */
export const tablesOf = (database: DatabaseSync): string[] =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> ? ORDER BY name")
    .all(rejectedTable)
    .map((row) => String(row['name']));

/** The columns of a table, those of its key first. */
export function columnsOf(database: DatabaseSync, table: string): Column[] {
  const columns = database
    .prepare(`PRAGMA table_info(${quoted(table)})`)
    .all()
    .map((row) => ({
      name: String(row['name']),
      type: String(row['type']).toUpperCase(),
      isNullable: row['notnull'] === 0 && row['pk'] === 0,
      isKey: row['pk'] !== 0,
      place: Number(row['pk']),
    }));
  if (columns.some(({ isKey }) => isKey)) return columns.sort((a, b) => Number(b.isKey) - Number(a.isKey) || a.place - b.place);
  return [{ name: 'rowid', type: 'INTEGER', isNullable: false, isKey: true }, ...columns];
}

/** The statement that reads all rows of a table, its key first. */
export const selectAll = (table: string, columns: readonly Column[]): string =>
  `SELECT ${columns.map(({ name }) => quoted(name)).join(', ')} FROM ${quoted(table)}`;

/** The rows of a table that cannot be read, each with its first fault. */
export function brokenRows(database: DatabaseSync, table: string, checks: readonly RowCheck[]): BrokenRow[] {
  const columns = columnsOf(database, table);
  const statement = database.prepare(selectAll(table, columns));
  statement.setReadBigInts(true);
  const own = checks.filter((check) => check.table === table);
  const broken: BrokenRow[] = [];
  for (const row of statement.iterate()) {
    const fault = faultOfRow(row, columns, own);
    if (fault === undefined) continue;
    broken.push({
      table,
      fault,
      key: Object.fromEntries(columns.filter(({ isKey }) => isKey).map(({ name }) => [name, row[name] ?? null])),
    });
  }
  return broken;
}

function faultOfRow(row: Record<string, SQLOutputValue>, columns: readonly Column[], checks: readonly RowCheck[]): string | undefined {
  const plain: Record<string, StoredValue> = {};
  for (const column of columns) {
    const value = row[column.name] ?? null;
    const fault = faultOfValue(value, column);
    if (fault !== undefined) return `${column.name} ${fault}`;
    plain[column.name] = typeof value === 'bigint' ? Number(value) : value;
  }
  for (const { fault } of checks) {
    const found = fault(plain as StoredRow);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What is wrong with a value of a column. */
export function faultOfValue(value: SQLOutputValue, { type, isNullable }: Pick<Column, 'type' | 'isNullable'>): string | undefined {
  if (value === null) return isNullable ? undefined : 'is missing';
  if (type === 'TEXT') return typeof value === 'string' ? undefined : 'is no text';
  if (type === 'BLOB') return value instanceof Uint8Array ? undefined : 'is no bytes';
  if (type !== 'INTEGER') return undefined;
  if (typeof value !== 'bigint') return typeof value === 'number' ? undefined : 'is no number';
  return Number.isSafeInteger(Number(value)) ? undefined : 'is a number that is too large';
}

/** The keys of the rows of a table that have these values, as far as they are known. */
export function rowsWith(database: DatabaseSync, table: string, known: readonly (readonly [column: string, SQLOutputValue])[]): RowKey[] {
  const given = [...new Map(known.filter(([, value]) => value !== null))];
  const keys = columnsOf(database, table).filter(({ isKey }) => isKey);
  const statement = database.prepare(`${selectAll(table, keys)} WHERE ${given.map(([name]) => `${quoted(name)} IS ?`).join(' AND ')}`);
  statement.setReadBigInts(true);
  return statement.all(...given.map(([, value]) => value));
}

/** Sets a row aside; must run in a transaction. Does nothing where the row is gone. */
export function setAside(database: DatabaseSync, { table, key, fault }: BrokenRow): void {
  const names = Object.keys(key);
  const where = names.map((name) => `${quoted(name)} IS ?`).join(' AND ');
  const values = names.map((name) => key[name] ?? null);
  const statement = database.prepare(`${selectAll(table, columnsOf(database, table))} WHERE ${where}`);
  statement.setReadBigInts(true);
  const row = statement.get(...values);
  if (!row) return;
  database.exec(
    `CREATE TABLE IF NOT EXISTS ${rejectedTable} (number INTEGER PRIMARY KEY, place TEXT NOT NULL, content TEXT NOT NULL, fault TEXT NOT NULL)`,
  );
  database.prepare(`INSERT INTO ${rejectedTable} (place, content, fault) VALUES (?, ?, ?)`).run(table, contentOf(row), fault);
  database.prepare(`DELETE FROM ${quoted(table)} WHERE ${where}`).run(...values);
}

/** A row as JSON: whole numbers as texts, bytes in base64. */
const contentOf = (row: Record<string, SQLOutputValue>): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        if (typeof value === 'bigint') return [name, String(value)];
        return [name, value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value];
      }),
    ),
  );

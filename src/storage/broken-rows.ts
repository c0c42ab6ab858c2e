// Rows that cannot be read are set aside: kept as they are in the table `rejected_rows` of their store, so that nothing is lost and nobody
// stumbles over them.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { RemadeColumn, RowCheck, StoredRow, StoredValue, StoreKind } from './store-kind.ts';

/** The values that tell a row from all others of its table, by column. */
export type RowKey = Readonly<Record<string, StoredValue | bigint>>;

/** A row that cannot be read, and why. */
export interface BrokenRow {
  readonly table: string;
  readonly key: RowKey;
  readonly fault: string;
}

/** A value that is made anew from the rest of its row where it is emptied. */
export interface BrokenValue extends BrokenRow {
  readonly column: string;
}

/** What cannot be read of a table. */
export interface Broken {
  readonly rows: readonly BrokenRow[];
  /** Of rows that can. */
  readonly values: readonly BrokenValue[];
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

/** The rows of a table that cannot be read, each with its first fault, and the values of others that are emptied. */
export function findBroken(
  database: DatabaseSync,
  table: string,
  { rows: checks, remade = [] }: Pick<StoreKind, 'rows' | 'remade'>,
): Broken {
  const columns = columnsOf(database, table);
  const statement = database.prepare(selectAll(table, columns));
  statement.setReadBigInts(true);
  const own = checks.filter((check) => check.table === table);
  const emptied = remade.filter((one) => one.table === table && columns.some(({ name }) => name === one.column));
  const needed = columns.filter(({ name }) => !emptied.some(({ column }) => column === name));
  const rows: BrokenRow[] = [];
  const values: BrokenValue[] = [];
  for (const row of statement.iterate()) {
    const keyOf = () => Object.fromEntries(columns.filter(({ isKey }) => isKey).map(({ name }) => [name, row[name] ?? null]));
    const fault = faultOfRow(row, needed, own);
    if (fault !== undefined) rows.push({ table, key: keyOf(), fault });
    else for (const value of brokenValues(row, emptied)) values.push({ table, key: keyOf(), ...value });
  }
  return { rows, values };
}

function faultOfRow(row: Record<string, SQLOutputValue>, columns: readonly Column[], checks: readonly RowCheck[]): string | undefined {
  for (const column of columns) {
    const fault = faultOfValue(row[column.name] ?? null, column);
    if (fault !== undefined) return `${column.name} ${fault}`;
  }
  const plain = plainRow(row);
  for (const { fault } of checks) {
    const found = fault(plain);
    if (found !== undefined) return found;
  }
  return undefined;
}

function brokenValues(row: Record<string, SQLOutputValue>, emptied: readonly RemadeColumn[]): Pick<BrokenValue, 'column' | 'fault'>[] {
  if (emptied.length === 0) return [];
  const plain = plainRow(row);
  return emptied.flatMap(({ column, fault: faultOf }) => {
    const fault = faultOf(plain);
    return fault === undefined ? [] : [{ column, fault: `${column} ${fault}` }];
  });
}

const plainRow = (row: Record<string, SQLOutputValue>): StoredRow =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value])) as StoredRow;

/** What is wrong with a value of a column. */
export function faultOfValue(value: SQLOutputValue, { type, isNullable }: Pick<Column, 'type' | 'isNullable'>): string | undefined {
  if (value === null) return isNullable ? undefined : 'is missing';
  if (type === 'TEXT') return typeof value === 'string' ? undefined : 'is no text';
  if (type === 'BLOB') return value instanceof Uint8Array ? undefined : 'is no bytes';
  if (type !== 'INTEGER') return undefined;
  if (typeof value !== 'bigint') return typeof value === 'number' ? undefined : 'is no number';
  return Number.isSafeInteger(Number(value)) ? undefined : 'is a number that is too large';
}

/** What a row has to have, as a condition with its values. */
function rowOf(known: RowKey): { readonly where: string; readonly values: readonly RowKey[string][] } {
  const names = Object.keys(known);
  return { where: names.map((name) => `${quoted(name)} IS ?`).join(' AND '), values: names.map((name) => known[name] ?? null) };
}

/** The keys of the rows of a table that have these values, as far as they are known. */
export function rowsWith(database: DatabaseSync, table: string, known: readonly (readonly [column: string, SQLOutputValue])[]): RowKey[] {
  const given = Object.fromEntries(known.filter(([, value]) => value !== null));
  const keys = columnsOf(database, table).filter(({ isKey }) => isKey);
  const { where, values } = rowOf(given);
  const statement = database.prepare(`${selectAll(table, keys)} WHERE ${where}`);
  statement.setReadBigInts(true);
  return statement.all(...values);
}

/** Sets a row aside; must run in a transaction. Does nothing where the row is gone. */
export function setAside(database: DatabaseSync, { table, key, fault }: BrokenRow): void {
  const { where, values } = rowOf(key);
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

/** Empties a value; must run in a transaction. What it was made of is there. */
export function empty(database: DatabaseSync, { table, key, column }: BrokenValue): void {
  const { where, values } = rowOf(key);
  database.prepare(`UPDATE ${quoted(table)} SET ${quoted(column)} = NULL WHERE ${where}`).run(...values);
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

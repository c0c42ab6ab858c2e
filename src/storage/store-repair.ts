// Repairs the file of a store that nobody has open: rows that cannot be read are set aside, and of a damaged file everything that can be
// read goes into a new one. Nothing is thrown away: what was there is kept under another name.
import { chownSync, closeSync, copyFileSync, existsSync, openSync, readSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { syncFolderNow } from '../lib/whole-writes.ts';
import { columnsOf, empty, findBroken, quoted, rejectedTable, selectAll, setAside, tablesOf } from './broken-rows.ts';
import { examineStore } from './store-examination.ts';
import { keepStoreFile, markOf } from './store-file.ts';
import type { StoreKind } from './store-kind.ts';

const companions = ['', '-wal', '-shm', '-journal'];

/** Repairs what can be repaired; answers what was done, in sentences. `stamp` names what is kept of a damaged file. Nothing else may have the file open. */
export function repairStore(kind: StoreKind, path: string, stamp: string): string[] {
  const { isDamaged, broken, brokenValues, findings } = examineStore(kind, path);
  if (isDamaged) return rebuild(kind, path, stamp);
  if (broken.length + brokenValues.length === 0) return findings.map(({ what }) => `${what}: nothing was done`);
  const database = new DatabaseSync(path);
  try {
    return repairRows(kind, database);
  } finally {
    database.close();
  }
}

/** Sets aside all rows that cannot be read, and empties values that are made anew. */
function repairRows(kind: StoreKind, database: DatabaseSync): string[] {
  const found = tablesOf(database).map((table) => findBroken(database, table, kind));
  const rows = found.flatMap((one) => one.rows);
  const values = found.flatMap((one) => one.values);
  if (rows.length + values.length === 0) return [];
  database.exec('BEGIN IMMEDIATE');
  for (const row of rows) setAside(database, row);
  for (const value of values) empty(database, value);
  database.exec('COMMIT');
  return [
    ...(rows.length > 0 ? [`${rows.length} rows were set aside in the table ${rejectedTable}`] : []),
    ...(values.length > 0 ? [`${values.length} ready-made answers were emptied`] : []),
  ];
}

/** A new file from what can be read of the damaged one, which is kept. */
function rebuild(kind: StoreKind, path: string, stamp: string): string[] {
  const [coming, copy, kept] = [`${path}.coming`, `${path}.copy`, `${path}.damaged-${stamp}`];
  for (const old of [coming, copy]) for (const tail of companions) rmSync(old + tail, { force: true });
  const source = openCopy(path, copy);
  // SQLite would make it as the umask says.
  closeSync(openSync(coming, 'a', 0o600));
  const target = new DatabaseSync(coming);
  try {
    const found = copyInto(kind, source, target);
    const aside = repairRows(kind, target);
    target.exec('PRAGMA journal_mode = WAL');
    target.close();
    for (const tail of companions) if (existsSync(path + tail)) renameSync(path + tail, kept + tail);
    giveTo(coming, existsSync(kept) ? kept : dirname(path));
    renameSync(coming, path);
    syncFolderNow(dirname(path));
    const opened = new DatabaseSync(path);
    keepStoreFile(opened, path);
    opened.close();
    giveTo(markOf(path), path);
    const rows = [...found].filter(([, count]) => count > 0).map(([table, count]) => `${count} of ${table}`);
    return [
      ...(existsSync(kept) ? [`what was there is kept as ${kept}`] : []),
      rows.length === 0 ? 'no row could be read: a new store was begun' : `rows that were read into the new file: ${rows.join(', ')}`,
      ...aside,
    ];
  } finally {
    source?.close();
    if (target.isOpen) target.close();
    for (const old of [coming, copy]) for (const tail of companions) rmSync(old + tail, { force: true });
  }
}

/** A copy of the damaged file that can be read as far as it goes; undefined where it is none at all. */
function openCopy(path: string, copy: string): DatabaseSync | undefined {
  if (!existsSync(path) || !statSync(path).isFile() || statSync(path).size < 512) return undefined;
  for (const tail of ['', '-wal']) if (existsSync(path + tail)) copyFileSync(path + tail, copy + tail);
  // SQLite reads nothing of a file that was cut: its missing pages become empty ones.
  const { pages, pageBytes } = headerOf(copy);
  if (pages * pageBytes > statSync(copy).size && pages * pageBytes < longestCopyBytes) truncateSync(copy, pages * pageBytes);
  try {
    const database = new DatabaseSync(copy);
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch {
    return undefined;
  }
}

/** A file that root makes belongs to whom the one before belonged. */
function giveTo(path: string, before: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(before);
  chownSync(path, uid, gid);
}

/** No store is longer; a header may say anything. */
const longestCopyBytes = 2 ** 40;

/** Size and number of pages, https://sqlite.org/fileformat2.html#the_database_header. */
function headerOf(path: string): { readonly pages: number; readonly pageBytes: number } {
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  readSync(file, header, 0, 100, 0);
  closeSync(file);
  const pageBytes = header.readUInt16BE(16);
  return { pages: header.readUInt32BE(28), pageBytes: pageBytes === 1 ? 65_536 : pageBytes };
}

/** Fills the new file; answers how many rows came into each table. */
function copyInto(kind: StoreKind, source: DatabaseSync | undefined, target: DatabaseSync): Map<string, number> {
  const newest = kind.migrations.at(-1)?.id ?? 0;
  const written = Number(readOr(() => source?.prepare('PRAGMA user_version').get()?.['user_version'], 0));
  // What it was is what the next start brings up to date.
  const version = written > 0 && written <= newest ? written : newest;
  for (const { id, sql } of kind.migrations) if (id <= version) target.exec(sql);
  target.exec(`PRAGMA user_version = ${version}`);
  const counts = new Map<string, number>();
  if (!source) return counts;
  const aside = readOr(() => source.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(rejectedTable)?.['sql'], undefined);
  if (typeof aside === 'string') target.exec(aside);
  target.exec('BEGIN');
  for (const table of [...tablesOf(target), ...(aside === undefined ? [] : [rejectedTable])])
    counts.set(table, copyTable(table, source, target));
  copySequences(source, target);
  target.exec('COMMIT');
  return counts;
}

function copyTable(table: string, source: DatabaseSync, target: DatabaseSync): number {
  const known = new Set(readOr(() => columnsOf(source, table), []).map(({ name }) => name));
  const columns = columnsOf(target, table).filter(({ name }) => known.has(name));
  if (columns.length === 0) return 0;
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const insert = target.prepare(`INSERT OR IGNORE INTO ${quoted(table)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`);
  let count = 0;
  const take = (row: Record<string, SQLOutputValue>): void => {
    const values = columns.map(({ name }) => row[name] as SQLInputValue);
    count += Number(insert.run(...values).changes);
  };
  // From both ends, as far as it goes: what lies between two damaged places is lost.
  for (const isReverse of [0, 1]) {
    readOr(() => {
      source.exec(`PRAGMA reverse_unordered_selects = ${isReverse}`);
      const statement = source.prepare(selectAll(table, columns));
      statement.setReadBigInts(true);
      for (const row of statement.iterate()) take(row);
    }, undefined);
  }
  return count;
}

/** Numbers that were given are not given again. */
function copySequences(source: DatabaseSync, target: DatabaseSync): void {
  const rows = readOr(() => source.prepare('SELECT name, seq FROM sqlite_sequence').all(), []);
  for (const { name, seq } of rows) {
    if (typeof name !== 'string' || typeof seq !== 'number') continue;
    const known = target.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?').run(seq, name).changes;
    if (Number(known) === 0) target.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, seq);
  }
}

/** What is read, or something else where it cannot be. */
function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

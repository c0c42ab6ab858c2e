// What is wrong with the file of a store, looked at without changing it, and what a repair would do.
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type BrokenRow, type BrokenValue, findBroken, keyText, rejectedTable, tablesOf } from './broken-rows.ts';
import { isBusy } from './store-faults.ts';
import { markOf } from './store-file.ts';
import type { StoreKind } from './store-kind.ts';

/** Something that is wrong. */
export interface StoreFinding {
  readonly what: string;
  /** What a repair does about it; undefined: it can do nothing. */
  readonly plan: string | undefined;
  /** What helps where a repair does nothing. */
  readonly remedy?: string;
}

/** What was found in one file. */
export interface StoreExamination {
  readonly isThere: boolean;
  /** Version of the schema; undefined where it cannot be read. */
  readonly version: number | undefined;
  /** Rows in all tables, as far as they can be counted. */
  readonly rows: number;
  /** Rows that were set aside before. */
  readonly rejected: number;
  readonly findings: readonly StoreFinding[];
  /** The file has to be made anew from what can be read of it. */
  readonly isDamaged: boolean;
  readonly broken: readonly BrokenRow[];
  /** Values of sound rows. */
  readonly brokenValues: readonly BrokenValue[];
}

/** So many rows of a table are named; the others are counted. */
const namedRows = 5;
const rebuilt = (path: string): string =>
  `What can be read of it goes into a new file; the damaged one is kept beside it (${path}.damaged-…).`;
const begun = (path: string): string => `A new store is begun; what is there now is kept beside it (${path}.damaged-…).`;
const nothing = { version: undefined, rows: 0, rejected: 0, broken: [], brokenValues: [] };

/** Looks at all of the file: pages, version, every row. Takes as long as reading it. */
export function examineStore(kind: StoreKind, path: string): StoreExamination {
  const isMarked = existsSync(markOf(path));
  if (!existsSync(path)) {
    if (!isMarked) return { ...nothing, isThere: false, findings: [], isDamaged: false };
    const what = `is gone, though a store was kept there (${markOf(path)} says so)`;
    return { ...nothing, isThere: false, findings: [{ what, plan: begun(path) }], isDamaged: true };
  }
  if (statSync(path).isDirectory()) return damaged('is a folder', begun(path));
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    return examined(database, kind, path, isMarked);
  } catch (error) {
    if (!isBusy(error)) return damaged(`is damaged (${(error as Error).message})`, rebuilt(path));
    return {
      ...nothing,
      isThere: true,
      isDamaged: false,
      findings: [{ what: 'is locked by another program', plan: undefined, remedy: `End that program ("lsof ${path}" names it).` }],
    };
  } finally {
    database?.close();
  }
}

const damaged = (what: string, plan: string): StoreExamination => ({
  ...nothing,
  isThere: true,
  findings: [{ what, plan }],
  isDamaged: true,
});

function examined(database: DatabaseSync, kind: StoreKind, path: string, isMarked: boolean): StoreExamination {
  const tables = tablesOf(database);
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  const newest = kind.migrations.at(-1)?.id ?? 0;
  if (version > newest) {
    const what = `was written by a newer version: it has schema ${version}, this version knows ${newest}`;
    return {
      ...nothing,
      isThere: true,
      version,
      isDamaged: false,
      findings: [{ what, plan: undefined, remedy: 'Use the version that wrote it.' }],
    };
  }
  if (tables.length === 0) {
    if (isMarked) return damaged(`is empty, though a store was kept there (${markOf(path)} says so)`, begun(path));
    return { ...nothing, isThere: true, version, isDamaged: false, findings: [] };
  }
  const faults = database
    .prepare('PRAGMA integrity_check(1)')
    .all()
    .map((row) => String(row['integrity_check']).replaceAll(/\s+/g, ' '));
  if (faults[0] !== 'ok') return damaged(`is damaged (${faults[0]})`, rebuilt(path));
  const count = (table: string): number => Number(database.prepare(`SELECT count(*) AS rows FROM "${table}"`).get()?.['rows']);
  const found = tables.map((table) => findBroken(database, table, kind));
  const broken = found.flatMap(({ rows }) => rows);
  const brokenValues = found.flatMap(({ values }) => values);
  const isRejecting = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(rejectedTable) !== undefined;
  return {
    isThere: true,
    version,
    rows: tables.reduce((sum, table) => sum + count(table), 0),
    rejected: isRejecting ? count(rejectedTable) : 0,
    isDamaged: false,
    broken,
    brokenValues,
    findings: [
      ...[...Map.groupBy(broken, ({ table }) => table)].map(([table, rows]) => ({
        what: `${rows.length} rows of ${table} cannot be read: ${namesOf(rows)}`,
        plan: `They are set aside in the table ${rejectedTable}; everything else stays as it is.`,
      })),
      ...[...Map.groupBy(brokenValues, ({ table }) => table)].map(([table, values]) => ({
        what: `${values.length} ready-made answers in ${table} are damaged: ${namesOf(values)}`,
        plan: 'They are emptied, and made anew from the rest of their rows where they are asked for; nothing is lost.',
      })),
    ],
  };
}

function namesOf(rows: readonly BrokenRow[]): string {
  const named = rows.slice(0, namedRows).map(({ key, fault }) => `${keyText(key)} (${fault})`);
  return [...named, ...(rows.length > namedRows ? ['…'] : [])].join(', ');
}

// What SQLite does to find the rows of a statement: it may go through all rows that begin alike where a longer index would lead to the ones that are meant.
import type { Database } from '../sqlite.ts';

/** A database that hands on everything, and which statements were prepared with it. */
export function recordingStatements(database: Database): { readonly recorded: Database; readonly statements: readonly string[] } {
  const statements: string[] = [];
  const prepare = (sql: string) => {
    statements.push(sql);
    return database.prepare(sql);
  };
  return { recorded: Object.setPrototypeOf({ prepare }, database) as Database, statements };
}

const found = /^(?:SEARCH|SCAN) \S+(?: USING (?:COVERING )?(?:INDEX \S+|INTEGER PRIMARY KEY|PRIMARY KEY))?(?: \((.*)\))?$/;

/** Columns that a statement on one table compares with a parameter by `=`, and by which its rows are not found: they are looked through. */
export function lookedThrough(database: Database, sql: string): string[] {
  const where = /\bWHERE\b(.*)$/s.exec(sql)?.[1];
  if (where === undefined) return [];
  // What stands in brackets is an alternative, or another statement.
  let sure = where;
  for (let before = ''; before !== sure; ) [before, sure] = [sure, sure.replace(/\([^()]*\)/g, '')];
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
  const step = plan.length === 1 || plan[1]?.detail.startsWith('USE TEMP B-TREE') ? found.exec(plan[0]!.detail) : null;
  if (step === null) return [];
  const searched = new Set([...(step[1] ?? '').matchAll(/\b(\w+)=\?/g)].map(([, column]) => column));
  const compared = [...sure.matchAll(/\b(\w+) = \?/g)].map(([, column]) => column!);
  // The key of a table of SQLite has this name in plans, whatever its own.
  return searched.has('rowid') ? [] : compared.filter((column) => !searched.has(column));
}

// SQLite as the stores of the servers use it: WAL, full sync on commit, and group commit: all writes queued in one turn of the
// event loop go in one transaction. Reads are immediate and see only what is committed.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Logger } from '../lib/log.ts';

/** A prepared statement of node:sqlite. */
export type Statement = StatementSync;

/** One numbered step of a schema; `id` counts from 1 without gaps. */
export interface Migration {
  readonly id: number;
  readonly sql: string;
}

/** A database of one component. */
export interface Database {
  /** Prepares a statement; keep it, do not prepare on hot paths. */
  prepare(sql: string): Statement;
  /**
   * Queues a change; everything queued in this turn of the event loop is committed in one transaction.
   * The promise resolves when the change is durable; it rejects when the change threw (then only this change is undone).
   */
  write(change: () => void): Promise<void>;
  /** Runs what is queued now, in one transaction; for shutting down and for tests. Changes queued by these wait for the next turn. */
  flush(): void;
  /** How many changes wait to be committed. */
  readonly pendingWrites: number;
  /** Brings the schema up to date. Throws when the file was written by a newer version. */
  migrate(migrations: readonly Migration[]): void;
  /** Commits what waits and closes the file; later writes are rejected, those of the last changes too. A second call does nothing. */
  close(): void;
}

interface Queued {
  readonly change: () => void;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Opens (and creates) the database file; `:memory:` keeps it in memory. What is created here, file or folder, is private to the user:
 * it holds keys and tokens.
 * @throws Error naming the file when it cannot be opened or is no database
 */
export function openDatabase(path: string, options: { logger: Logger }): Database {
  const database = openFile(path);
  let queue: Queued[] = [];
  let scheduled = false;
  let closed = false;

  function flush(): void {
    scheduled = false;
    if (queue.length === 0) return;
    const batch = queue;
    queue = [];
    const outcomes: { item: Queued; failure?: { error: unknown } }[] = [];
    try {
      database.exec('BEGIN IMMEDIATE');
      for (const item of batch) {
        database.exec('SAVEPOINT change');
        try {
          item.change();
          outcomes.push({ item });
        } catch (error) {
          database.exec('ROLLBACK TO change');
          outcomes.push({ item, failure: { error } });
        }
        database.exec('RELEASE change');
      }
      database.exec('COMMIT');
    } catch (error) {
      options.logger.error({ err: error, path, changes: batch.length }, 'a commit failed');
      if (database.isTransaction) database.exec('ROLLBACK');
      for (const item of batch) item.failed(error);
      return;
    }
    for (const { item, failure } of outcomes) {
      if (failure) item.failed(failure.error);
      else item.done();
    }
  }

  return {
    prepare: (sql) => database.prepare(sql),
    write(change) {
      if (closed) return Promise.reject(new Error('the database is closed'));
      return new Promise<void>((done, failed) => {
        queue.push({ change, done, failed });
        if (!scheduled) {
          scheduled = true;
          setImmediate(flush);
        }
      });
    },
    flush,
    get pendingWrites() {
      return queue.length;
    },
    migrate(migrations) {
      const current = (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
      const newest = migrations.at(-1)?.id ?? 0;
      if (current > newest)
        throw new Error(
          `${path} has schema ${current}, this version knows ${newest}: use the version that wrote it, or another data folder`,
        );
      for (const { id, sql } of migrations) {
        if (id <= current) continue;
        database.exec('BEGIN IMMEDIATE');
        try {
          database.exec(sql);
          database.exec(`PRAGMA user_version = ${id}`);
          database.exec('COMMIT');
        } catch (error) {
          database.exec('ROLLBACK');
          throw error;
        }
      }
    },
    close() {
      if (closed) return;
      closed = true;
      flush();
      database.close();
    },
  };
}

/** The connection, with the pragmas of every database here. */
function openFile(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (path !== ':memory:') {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // SQLite would create the file as the umask says; its -wal and -shm files take over the mode of the file.
      closeSync(openSync(path, 'a', 0o600));
    }
    database = new DatabaseSync(path, { timeout: 5000 });
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8000; PRAGMA wal_autocheckpoint = 2000;',
    );
    return database;
  } catch (error) {
    database?.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${path} cannot be opened as a database (${reason}): repair it, restore a copy, or use another data folder`, {
      cause: error,
    });
  }
}

// SQLite as the stores of the servers use it: WAL and group commit: all writes queued in one turn of the event loop, or while the disk is
// busy with those before, go in one transaction, and are durable when they are answered. Reads are immediate and see only what is committed.
import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Histogram } from '../lib/histogram.ts';
import type { Logger } from '../lib/log.ts';
import { mayGoUnheard } from '../lib/unheard.ts';
import { Failure } from '../model/errors.ts';
import { type BrokenRow, findBroken, keyText, rejectedTable, setAside } from './broken-rows.ts';
import { CheckedStatement } from './checked-statement.ts';
import { CheckpointsAside, type CheckpointsAsideOptions } from './checkpoints-aside.ts';
import { GroupCommit, type LogSync, type TransactionWatch } from './group-commit.ts';
import { logSync } from './log-sync.ts';
import { StoreUnusable, storeFault } from './store-faults.ts';
import { faultOfStart, inMemory, keepStoreFile, openStoreFile, whatHelps } from './store-file.ts';
import type { Migration, RowCheck, StoreKind } from './store-kind.ts';
import { storePlace } from './store-place.ts';

/**
 * A prepared statement of node:sqlite; what fails with the file throws a Failure STORE_…. Rows with a column of another type than their table
 * says are set aside, and not among those that are read.
 */
export interface Statement {
  get(...parameters: SQLInputValue[]): ReturnType<StatementSync['get']>;
  all(...parameters: SQLInputValue[]): ReturnType<StatementSync['all']>;
  run(...parameters: SQLInputValue[]): ReturnType<StatementSync['run']>;
  iterate(...parameters: SQLInputValue[]): Iterable<Record<string, SQLOutputValue>>;
}

/** A database of one component. */
export interface Database {
  /** Prepares a statement; keep it, do not prepare on hot paths. */
  prepare(sql: string): Statement;
  /**
   * Queues a change; everything queued in this turn of the event loop, or until the disk has what was committed before, is committed in one
   * transaction. The promise resolves when the change is durable. It rejects when the change threw (then only this change is undone), and
   * with a Failure STORE_… when it cannot be kept: then nothing of it is there, but where the disk failed after it was written.
   * `patienceMs`: nobody waits for it, so no commit is made for it alone until then; in its order it goes with any that is.
   */
  write(change: () => void, patienceMs?: number): Promise<void>;
  /** Commits what is queued as if none of it was patient. */
  hurry(): void;
  /** Runs what is queued now, in one transaction; for shutting down and for tests. Changes queued by these wait for the next turn. */
  flush(): void;
  /** Tells what becomes of changes and of their transactions, at once. */
  watch(watch: TransactionWatch): void;
  /** How many changes wait to be committed. */
  readonly pendingWrites: number;
  /** How long changes took until they were durable. */
  readonly commitTimes: Histogram;
  /** Failure STORE_GONE where its files are not any more where they were opened: no change is kept again. */
  displaced(): Failure | undefined;
  /** Why changes cannot be kept, as far as the last tells; undefined while they are. */
  trouble(): Failure | undefined;
  /** Brings the schema up to date. @throws StoreUnusable when the file was written by a newer version */
  migrate(migrations: readonly Migration[]): void;
  /** Sets aside the rows that cannot be read, in tables that are looked at with each start; each is named in the log. */
  lookThrough(checks: readonly RowCheck[]): void;
  /** Sets a row aside that could not be read, and names it in the log. */
  reject(broken: BrokenRow): void;
  /** Commits what waits and closes the file; later writes are rejected, those of the last changes too. A second call does nothing. */
  close(): void;
}

/** What a database is opened with. */
export interface DatabaseOptions {
  readonly logger: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** Brings the log to the disk; default: the system's way. */
  readonly sync?: LogSync | undefined;
  /** Checkpoints are made in a thread of their own, once the log is long: for stores that many write to. */
  readonly checkpointsAside?: Pick<CheckpointsAsideOptions, 'fromBytes' | 'longestLogFrames'> | undefined;
}

/**
 * Opens (and creates) the database file; `:memory:` keeps it in memory. What is created here, file or folder, is private to the user:
 * it holds keys and tokens.
 * @throws StoreUnusable naming the file when it cannot be opened, is damaged, or is empty where a store was
 */
export function openDatabase(path: string, { logger, clock = systemClock, sync, checkpointsAside }: DatabaseOptions): Database {
  const database = openStoreFile(path);
  const log = path === inMemory ? undefined : (sync ?? logSync(path));
  const isAside = log !== undefined && checkpointsAside !== undefined;
  const displaced = path === inMemory ? undefined : storePlace(path);
  const commits = new GroupCommit({
    database,
    path,
    clock,
    logger,
    sync: isAside ? new CheckpointsAside({ database, path, clock, logger, log, ...checkpointsAside }) : log,
    displaced,
  });
  const inTransaction = (run: () => void) => {
    database.exec('BEGIN IMMEDIATE');
    try {
      run();
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw storeFault(error, path);
    }
  };
  const told = ({ table, key, fault }: BrokenRow) =>
    logger.error(
      { store: path, table, key: keyText(key), fault },
      `a row cannot be read and is set aside; ${rejectedTable} of the store keeps it`,
    );
  const setAsideNow = (broken: readonly BrokenRow[]): boolean => {
    const move = () => {
      for (const row of broken) setAside(database, row);
    };
    const tell = () => {
      for (const row of broken) told(row);
    };
    try {
      if (database.isTransaction) move();
      else inTransaction(move);
      tell();
      return true;
    } catch {
      void mayGoUnheard(commits.write(move).then(tell));
      return false;
    }
  };
  return {
    prepare(sql) {
      return new CheckedStatement(sql, { database, path, setAside: setAsideNow });
    },
    write: (change, patienceMs) => commits.write(change, patienceMs),
    hurry: () => commits.hurry(),
    flush: () => commits.flush(),
    displaced: () => displaced?.(),
    trouble: () => commits.trouble,
    watch: (watch) => commits.watch(watch),
    commitTimes: commits.times,
    get pendingWrites() {
      return commits.pending;
    },
    migrate(migrations) {
      const current = (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
      const newest = migrations.at(-1)?.id ?? 0;
      if (current > newest)
        throw new StoreUnusable(
          `${path} was written by a newer version: it has schema ${current}, this version knows ${newest}.`,
          'Use the version that wrote it, or another data folder.',
        );
      for (const { id, sql } of migrations) {
        if (id <= current) continue;
        try {
          inTransaction(() => database.exec(`${sql}; PRAGMA user_version = ${id}`));
        } catch (error) {
          if (error instanceof Failure) throw error;
          const reason = error instanceof Error ? error.message : String(error);
          throw new StoreUnusable(`${path} cannot be brought to schema ${id} (${reason}).`, whatHelps, { cause: error });
        }
      }
      keepStoreFile(database, path);
    },
    lookThrough(checks) {
      const tables = new Set(checks.filter(({ atStart }) => atStart).map(({ table }) => table));
      const broken = [...tables].flatMap((table) => findBroken(database, table, { rows: checks }).rows);
      if (broken.length === 0) return;
      inTransaction(() => {
        for (const row of broken) setAside(database, row);
      });
      for (const row of broken) told(row);
    },
    reject(broken) {
      told(broken);
      // Where it cannot be set aside now it is found again when it is read next.
      void mayGoUnheard(commits.write(() => setAside(database, broken)));
    },
    close() {
      if (commits.close()) database.close();
    },
  };
}

/** Opens the store of a kind: its schema is brought up to date, rows that cannot be read are set aside. @throws StoreUnusable as openDatabase */
export function openStore(path: string, kind: StoreKind, options: DatabaseOptions): Database {
  const database = openDatabase(path, options);
  try {
    database.migrate(kind.migrations);
    database.lookThrough(kind.rows);
    return database;
  } catch (error) {
    database.close();
    throw faultOfStart(path, error);
  }
}

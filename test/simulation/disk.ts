// The disk of the resource manager: SQLite in memory behind the group commit of `src/storage/group-commit.ts`, whose log comes to the disk in
// virtual time. What is committed is seen at once; it is durable, and answered, when it is synced. A process that dies loses what it had not
// committed; a machine that dies loses what was not synced too. The disk may be full or fail, before it wrote or after.
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import type { Random } from '../../src/lib/random.ts';
import { failure } from '../../src/model/errors.ts';
import { type CommittedDatabase, GroupCommit, type LogSync } from '../../src/storage/group-commit.ts';
import type { Database, Statement } from '../../src/storage/sqlite.ts';
import type { Migration } from '../../src/storage/store-kind.ts';

const path = '/disk/state.sqlite';
const isFull = () => failure('STORE_DISK_FULL', { folder: '/disk', file: path });
const hasFailed = () => failure('STORE_DISK_FAILED', { folder: '/disk', file: path, reason: 'disk I/O error' });

/** The process that writes. */
export interface DiskUser {
  readonly clock: Clock;
  readonly isAlive: () => boolean;
  /** It comes to a point at which it may die; false: it is dead. */
  readonly reach: (effect: 'commit' | 'sync', moment: 'before' | 'after') => boolean;
}

/** Thrown inside a process that is dead. */
class Dead extends Error {}

/** One connection for all histories of a thread: its schema and statements are prepared once, between histories it is emptied. */
class Connection {
  readonly database = new DatabaseSync(':memory:');
  readonly #statements = new Map<string, Statement>();
  #migrated = 0;
  #empty: Statement[] | undefined;

  prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.database.prepare(sql)));
    return statement;
  }

  run(sql: string): void {
    this.prepare(sql).run();
  }

  migrate(migrations: readonly Migration[]): void {
    for (const { id, sql } of migrations) {
      if (id <= this.#migrated) continue;
      this.database.exec(sql);
      this.#migrated = id;
      this.#empty = undefined;
    }
  }

  empty(): void {
    if (this.database.isTransaction) this.run('ROLLBACK');
    if (!this.#empty) {
      const tables = this.database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as { name: string }[];
      this.#empty = tables.map(({ name }) => this.database.prepare(`DELETE FROM ${name}`));
    }
    for (const statement of this.#empty) statement.run();
  }
}

/** Kept for the histories to come. */
const spare: Connection[] = [];

export class Disk {
  readonly #connection = spare.pop() ?? new Connection();
  readonly #random: Random;
  #isCommitting = false;
  /** Nothing can be written. */
  full = false;
  /** One commit in so many fails; 0: none. */
  failing = 0;
  /** The next commit fails, before it writes or after. */
  #failsOnce: { readonly when: 'before' | 'after'; readonly failed: () => void } | undefined;
  /** How often something was written that was said to have failed. */
  uncertain = 0;
  /** Until what is committed is synced, at most; 0: it is when it is committed. */
  slowestMs = 0;

  constructor(random: Random, slowestMs = 0) {
    this.#random = random;
    this.slowestMs = slowestMs;
    this.#connection.empty();
  }

  /** The database as one process sees it: once it is dead nothing of what it queued happens. */
  open(user: DiskUser): Database {
    const connection = this.#connection;
    const commits = new GroupCommit({
      database: this.#transactions(user),
      path,
      clock: user.clock,
      logger: silentLogger,
      sync: this.slowestMs > 0 ? this.#logSync(user) : undefined,
      displaced: undefined,
    });
    return {
      prepare: (sql) => connection.prepare(sql),
      write: (change, patienceMs) =>
        new Promise((done, failed) => {
          commits.write(change, patienceMs).then(
            () => user.isAlive() && done(),
            (error: unknown) => user.isAlive() && failed(error),
          );
        }),
      hurry: () => commits.hurry(),
      flush: () => commits.flush(),
      displaced: () => undefined,
      trouble: () => undefined,
      watch: (watch) => commits.watch(watch),
      commitTimes: commits.times,
      get pendingWrites() {
        return commits.pending;
      },
      migrate: (migrations) => connection.migrate(migrations),
      lookThrough: () => undefined,
      reject: ({ table, fault }) => {
        throw new Error(`what was written in ${table} cannot be read: ${fault}`);
      },
      close: () => undefined,
    };
  }

  /** Rows of what is committed: of what a check looks at alone, often. */
  rows(sql: string, ...parameters: string[]): unknown[] {
    return this.#connection.prepare(sql).all(...parameters);
  }

  /** What was committed and not synced is lost with the machine, and stays where only the process died. */
  died(withMachine: boolean): void {
    if (this.#isCommitting) this.#rollBack();
    if (this.#connection.database.isTransaction) this.#connection.run(withMachine ? 'ROLLBACK' : 'COMMIT');
  }

  /** Commits are parts of one transaction that ends with the next sync. */
  #transactions({ isAlive, reach }: DiskUser): CommittedDatabase {
    const connection = this.#connection;
    const isCommitting = () => this.#isCommitting;
    const run = (sql: string): void => {
      switch (sql) {
        case 'BEGIN IMMEDIATE':
          if (!connection.database.isTransaction) connection.run('BEGIN IMMEDIATE');
          connection.run('SAVEPOINT batch');
          this.#isCommitting = true;
          return;
        case 'COMMIT':
          if (this.full) throw isFull();
          if (this.#fails('before')) throw hasFailed();
          if (!reach('commit', 'before')) throw new Dead();
          connection.run('RELEASE batch');
          this.#isCommitting = false;
          if (this.slowestMs === 0) connection.run('COMMIT');
          if (!reach('commit', 'after')) throw new Dead();
          return;
        case 'ROLLBACK':
          return this.#rollBack();
        // Only changes that break a rule of the schema would need these; there are none.
        case 'SAVEPOINT change':
        case 'RELEASE change':
          return;
        default:
          throw new Error(`unexpected: ${sql}`);
      }
    };
    const exec = (sql: string): void => {
      if (!isAlive()) throw new Dead();
      run(sql);
    };
    return {
      exec,
      prepare: (sql) => ({ run: () => exec(sql) }),
      get isTransaction() {
        return isCommitting();
      },
    };
  }

  #rollBack(): void {
    this.#connection.run('ROLLBACK TO batch');
    this.#connection.run('RELEASE batch');
    this.#isCommitting = false;
  }

  /** The next commit fails, before it writes or (where it is synced later) after; `failed` hears of it. */
  failOnce(when: 'before' | 'after', failed: () => void): void {
    this.#failsOnce = { when, failed };
  }

  /** It works from now on. */
  heal(): void {
    this.full = false;
    this.failing = 0;
    this.#failsOnce = undefined;
  }

  #fails(now: 'before' | 'after'): boolean {
    if (this.#failsOnce?.when === now) {
      const { failed } = this.#failsOnce;
      this.#failsOnce = undefined;
      failed();
      return true;
    }
    return this.failing > 0 && this.#random.int(this.failing) === 0;
  }

  #logSync({ clock, isAlive, reach }: DiskUser): LogSync {
    const connection = this.#connection;
    return {
      start: (done) => {
        clock.setTimer(this.#random.int(this.slowestMs + 1), () => {
          if (!isAlive() || !reach('sync', 'before')) return;
          if (connection.database.isTransaction) connection.run('COMMIT');
          if (!reach('sync', 'after')) return;
          // It was written, and nobody can be sure of it.
          const fails = this.#fails('after');
          if (fails) this.uncertain++;
          done(fails ? hasFailed() : undefined);
        });
      },
      now: () => undefined,
      close: () => undefined,
    };
  }

  /** The history is over. */
  close(): void {
    spare.push(this.#connection);
  }
}

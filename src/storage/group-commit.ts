// Group commit: what is queued while the disk is busy goes in one transaction, and is told as durable when the log of the database is on the
// disk (docs/protocol.md, P1). Neither a lock of another program nor a slow disk stops the thread: a lock is asked for again, and the disk is waited for aside.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Timer } from '../lib/clock.ts';
import { Histogram } from '../lib/histogram.ts';
import type { Logger } from '../lib/log.ts';
import { Failure } from '../model/errors.ts';
import { isBusy, isStoreFault, storeFault } from './store-faults.ts';

interface Queued {
  readonly change: () => void;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
  /** When it was queued, ms since the epoch. */
  readonly sinceMs: number;
  /** Nobody waits for it: it goes with a commit that is made for others. */
  readonly isPatient: boolean;
}

/** A change that was committed, or that failed alone; it is told when its transaction is on the disk. */
interface Outcome {
  readonly item: Queued;
  readonly failure?: { readonly error: unknown };
}

/** Brings what was written to the log onto the disk. */
export interface LogSync {
  /** Without stopping the thread. */
  start(done: (error: unknown) => void): void;
  /** Stops the thread. @throws an error of the system */
  now(): void;
  close(): void;
}

/** What transactions need of a database. */
export interface CommittedDatabase extends Pick<DatabaseSync, 'exec' | 'isTransaction'> {
  prepare(sql: string): { run(): unknown };
}

export interface GroupCommitOptions {
  readonly database: CommittedDatabase;
  /** The file, as errors name it. */
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Undefined where nothing is on a disk. */
  readonly sync: LogSync | undefined;
  /** A Failure where the file is not the one any more that stands at `path`; undefined where it is in no file. */
  readonly displaced: (() => Failure | undefined) | undefined;
}

/** What is told of transactions to whoever keeps something of the database in memory. */
export interface TransactionWatch {
  /** A change begins. */
  begun(): void;
  /** The change that was begun last failed, and is undone alone. */
  failed(): void;
  /** All others that were begun are committed. */
  committed(): void;
  /** All that were begun since the last commit are undone. */
  undone(): void;
}

/** How long a change waits for another program's lock before it is refused. */
const busyTimeoutMs = 5000;
/** Pause between two tries to get it. */
const busyRetryMs = 50;

/** The queue of changes of one database. */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  /** From a change until it is durable. */
  readonly times = new Histogram('heddle_store_commit_seconds', 'From a change of the store until it is durable.');
  readonly #savepoint: ReturnType<CommittedDatabase['prepare']>;
  readonly #release: ReturnType<CommittedDatabase['prepare']>;
  readonly #watches: TransactionWatch[] = [];
  #queue: Queued[] = [];
  /** Something in the queue is not patient, or not any longer. */
  #isDue = false;
  /** When what is patient is due. */
  #patience: Timer | undefined;
  /** Committed, on their way to the disk. */
  #syncing: Outcome[] | undefined;
  #scheduled = false;
  #closed = false;
  /** What changes failed with last; undefined while they are kept. */
  #trouble: Failure | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#savepoint = options.database.prepare('SAVEPOINT change');
    this.#release = options.database.prepare('RELEASE change');
  }

  /** Changes that are not committed yet. */
  get pending(): number {
    return this.#queue.length;
  }

  /** Why changes cannot be kept, as far as the last tells; undefined while they are. */
  get trouble(): Failure | undefined {
    return this.#trouble;
  }

  watch(watch: TransactionWatch): void {
    this.#watches.push(watch);
  }

  /**
   * Queues a change. Resolves when it is durable, rejects when it threw or cannot be kept: then nothing of it is. With patience it goes with the
   * next commit that is made for another one, behind all that was queued before; alone at the latest when that is over.
   */
  write(change: () => void, patienceMs = 0): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the database is closed'));
    return new Promise<void>((done, failed) => {
      this.#queue.push({ change, done, failed, sinceMs: this.#options.clock.steadyMs(), isPatient: patienceMs > 0 });
      if (patienceMs === 0) this.hurry();
      else if (!this.#isDue) this.#patience ??= this.#options.clock.setTimer(patienceMs, () => this.hurry());
    });
  }

  /** Commits with the end of this turn, or as soon as the disk has what was committed before, also what is patient. */
  hurry(): void {
    if (this.#queue.length === 0) return;
    this.#isDue = true;
    this.#schedule();
  }

  /** Commits what is queued and waits for the disk, here and now. */
  flush(): void {
    this.#syncNow(this.#commit() ?? []);
  }

  /** Commits what waits; later writes are rejected. Answers false where it was closed before. */
  close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    // Nobody is served any more: the lock of another program is waited for.
    this.#options.database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    this.flush();
    this.#patience?.cancel();
    this.#rejectAll(new Error('the database is closed'));
    if (!this.#syncing) this.#options.sync?.close();
    return true;
  }

  /** While the disk is busy nothing is begun: a transaction of its own would be durable no earlier, and cost as much as one for all. */
  #schedule(): void {
    if (this.#scheduled || this.#syncing || !this.#isDue || this.#queue.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    if (this.#closed) return;
    const outcomes = this.#commit();
    if (!outcomes && this.#queue.length > 0) {
      // Another program holds the lock. Those who waited long enough are refused; the others' turn comes again.
      this.#options.clock.setTimer(busyRetryMs, () => this.#turn());
      return;
    }
    this.#scheduled = false;
    this.#startSync(outcomes ?? []);
    // What the changes queued themselves.
    this.#schedule();
  }

  /**
   * One transaction of all that is queued; what became of each. Undefined where the lock is not to be had: everything stays queued, but what
   * waited too long.
   */
  #commit(): Outcome[] | undefined {
    if (this.#queue.length === 0) return [];
    const { database, displaced } = this.#options;
    try {
      const gone = displaced?.();
      if (gone) throw gone;
      database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      this.#notBegun(error);
      return undefined;
    }
    const batch = this.#queue;
    this.#queue = [];
    this.#isDue = false;
    this.#patience?.cancel();
    this.#patience = undefined;
    try {
      const outcomes = batch.map((item) => this.#carryOut(item));
      database.exec('COMMIT');
      for (const watch of this.#watches) watch.committed();
      this.#noTrouble();
      return outcomes;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      for (const watch of this.#watches) watch.undone();
      this.#failed(batch, error);
      return [];
    }
  }

  #carryOut(item: Queued): Outcome {
    const { database } = this.#options;
    this.#savepoint.run();
    for (const watch of this.#watches) watch.begun();
    try {
      item.change();
      this.#release.run();
      return { item };
    } catch (error) {
      const fault = storeFault(error, this.#options.path);
      // Where the file is at fault nothing of the transaction is kept: changes of one turn belong together.
      if (!database.isTransaction || isStoreFault(fault)) throw fault;
      database.exec('ROLLBACK TO change; RELEASE change');
      for (const watch of this.#watches) watch.failed();
      return { item, failure: { error: fault } };
    }
  }

  #notBegun(error: unknown): void {
    const batch = this.#queue;
    this.#queue = [];
    if (!isBusy(error) || this.#closed) {
      this.#isDue = false;
      this.#failed(batch, error);
      return;
    }
    const nowMs = this.#options.clock.steadyMs();
    const late = batch.filter(({ sinceMs }) => nowMs - sinceMs >= busyTimeoutMs);
    this.#queue = batch.filter((item) => !late.includes(item));
    this.#isDue = this.#queue.length > 0;
    if (late.length > 0) this.#failed(late, error);
  }

  #failed(batch: readonly Queued[], error: unknown): void {
    const { logger, path } = this.#options;
    if (batch.length === 0) return;
    const fault = storeFault(error, path);
    const trouble = fault instanceof Failure ? fault : undefined;
    // A disk that stays full is told once, not with each change.
    if (trouble === undefined || trouble.code !== this.#trouble?.code)
      logger.error({ err: fault, path, changes: batch.length }, 'a commit failed');
    this.#trouble = trouble;
    for (const { failed } of batch) failed(fault);
  }

  #noTrouble(): void {
    if (this.#trouble === undefined) return;
    this.#trouble = undefined;
    this.#options.logger.info({ path: this.#options.path }, 'changes are kept again');
  }

  #startSync(outcomes: Outcome[]): void {
    const { sync } = this.#options;
    if (!sync) return this.#settle(outcomes);
    if (outcomes.length === 0) return;
    this.#syncing = outcomes;
    sync.start((error) => {
      this.#syncing = undefined;
      // What was written may stand in a file that was removed meanwhile.
      this.#synced(outcomes, error ?? this.#options.displaced?.());
      if (this.#closed) sync.close();
      else this.#schedule();
    });
  }

  #syncNow(outcomes: readonly Outcome[]): void {
    const { sync } = this.#options;
    if (!sync) return this.#settle(outcomes);
    // Those on their way are told here as well; nothing is left of them when the answer comes.
    const round = [...(this.#syncing?.splice(0) ?? []), ...outcomes];
    if (round.length === 0) return;
    try {
      sync.now();
      this.#settle(round);
    } catch (error) {
      this.#synced(round, error);
    }
  }

  #synced(round: readonly Outcome[], error: unknown): void {
    if (error === undefined) this.#settle(round);
    else
      this.#failed(
        round.map(({ item }) => item),
        error,
      );
  }

  #rejectAll(error: Error): void {
    for (const { failed } of this.#queue.splice(0)) failed(error);
  }

  #settle(outcomes: readonly Outcome[]): void {
    const nowMs = this.#options.clock.steadyMs();
    for (const { item, failure } of outcomes) {
      if (failure) item.failed(failure.error);
      else item.done();
      // How long a patient one was left says nothing of the disk.
      if (!item.isPatient) this.times.add(nowMs - item.sinceMs);
    }
  }
}

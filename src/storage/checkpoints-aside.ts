// Checkpoints in a thread of their own: what the log of a database holds is copied into its file, and brought to the disk, beside the thread
// that writes. SQLite would do so inside of a COMMIT and stop all answers meanwhile: for stores that many write to.
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { LogSync } from './group-commit.ts';

export interface CheckpointsAsideOptions {
  readonly database: Pick<DatabaseSync, 'exec' | 'prepare'>;
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Brings the log to the disk. */
  readonly log: LogSync;
  /** Size of the log from which on there are checkpoints, bytes; default 8 MiB. */
  readonly fromBytes?: number | undefined;
  /** From so many frames on the log is begun anew, which the thread that writes alone can do; default 16,384 (64 MiB). */
  readonly longestLogFrames?: number | undefined;
}

/** Pause between two checkpoints, ms. */
const pauseMs = 500;
/** As all stores are opened (store-file.ts): where there is no thread, SQLite goes on by itself. */
const usualPages = 2000;

// JavaScript, so that the thread loads nothing: it needs a connection and its orders alone.
const threadSource = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(workerData, { timeout: 0 });
database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
parentPort.on('message', () => {
  try {
    parentPort.postMessage({ frames: Number(checkpoint.get().log) });
  } catch (error) {
    parentPort.postMessage({ frames: 0, reason: String(error && error.message) });
  }
});
`;

/** What a checkpoint came to: how many frames the log has, or why it failed. */
interface Report {
  readonly frames: number;
  readonly reason?: string;
}

/** Watches the log grow each time that it is brought to the disk. */
export class CheckpointsAside implements LogSync {
  readonly #options: Required<CheckpointsAsideOptions>;
  #worker: Worker | undefined;
  #timer: Timer | undefined;
  /** Running, or about to. */
  #busy = false;
  #written = false;
  #closed = false;
  #isTroubled = false;

  constructor(options: CheckpointsAsideOptions) {
    this.#options = {
      ...options,
      fromBytes: options.fromBytes ?? 8 * 1024 * 1024,
      longestLogFrames: options.longestLogFrames ?? 16_384,
    };
    options.database.exec('PRAGMA wal_autocheckpoint = 0');
  }

  start(done: (error: unknown) => void): void {
    this.#options.log.start((error) => {
      done(error);
      this.#written = true;
      if (!this.#busy) this.#next();
    });
  }

  now(): void {
    this.#options.log.now();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    if (this.#worker) {
      // The thread's connection may end after this one: the file is whole without the log.
      try {
        this.#options.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // The log stays and is read with the next start.
      }
      void this.#worker.terminate();
    }
    this.#options.log.close();
  }

  /** Begins a checkpoint where the log is long enough for one. */
  #next(): void {
    if (this.#closed || !this.#written) return;
    try {
      if (!this.#isLong()) return;
      this.#written = false;
      this.#busy = true;
      this.#worker ??= this.#thread();
      this.#worker.postMessage('checkpoint');
    } catch (error) {
      this.#without(error);
    }
  }

  #isLong(): boolean {
    const { path, fromBytes } = this.#options;
    return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) >= fromBytes;
  }

  #thread(): Worker {
    const { path } = this.#options;
    const worker = new Worker(threadSource, {
      eval: true,
      workerData: path,
      name: 'checkpoints',
      resourceLimits: { maxOldGenerationSizeMb: 16 },
    });
    // It keeps nobody from ending.
    worker.unref();
    let isRepeated = false;
    worker.on('message', ({ frames, reason }: Report) => {
      if (this.#closed) return;
      this.#tell(reason);
      const isLong = frames >= this.#options.longestLogFrames;
      if (isLong && !isRepeated) {
        // What was written meanwhile is little now; the rest is less.
        isRepeated = true;
        worker.postMessage('checkpoint');
        return;
      }
      if (isLong) this.#beginAnew();
      isRepeated = false;
      this.#timer = this.#options.clock.setTimer(pauseMs, () => {
        this.#busy = false;
        // What failed is tried again, also where nothing more is written.
        this.#written ||= reason !== undefined;
        this.#next();
      });
    });
    worker.on('error', (error) => this.#without(error));
    return worker;
  }

  /** Tells once of a trouble that lasts, and of its end. */
  #tell(reason: string | undefined): void {
    const { logger, path } = this.#options;
    if (reason !== undefined && !this.#isTroubled) logger.warn({ reason, store: path }, 'a checkpoint failed; it is tried again');
    if (reason === undefined && this.#isTroubled) logger.info({ store: path }, 'checkpoints are made again');
    this.#isTroubled = reason !== undefined;
  }

  /** Copies the rest here, where nobody writes meanwhile: the next write begins at the log's front. */
  #beginAnew(): void {
    try {
      this.#options.database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    } catch (error) {
      this.#options.logger.warn({ err: error, store: this.#options.path }, 'the log of a store could not be begun anew; it is tried again');
    }
  }

  /** Goes on without a thread. */
  #without(error: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    const { database, logger, path } = this.#options;
    logger.warn({ err: error, store: path }, 'no thread for checkpoints: they are made with commits');
    database.exec(`PRAGMA wal_autocheckpoint = ${usualPages}`);
  }
}

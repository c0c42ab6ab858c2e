// Writes of the node's records: committed in groups, in their order, and tried again until they are durable. Nothing that was to be
// written is dropped while the process lives; the newest of the writes to a record counts.
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { Failure } from '../../model/errors.ts';
import type { Database } from '../../storage/sqlite.ts';

/** Time between tries while nothing can be written. */
const retryMs = 1000;
/** How long another program may lock the database (a backup, say) before that is told. */
const patienceMs = 60_000;

interface Waiting {
  readonly change: () => void;
  readonly done: (() => void)[];
}

/** The writes of one database. */
export class RecordWriter {
  readonly #database: Pick<Database, 'write' | 'hurry'>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** What could not be written yet, by record, the oldest first; once there is any, all that follows waits behind it. */
  readonly #waiting = new Map<string, Waiting>();
  /** The newest write of each record that is under way, until it is durable. */
  readonly #newest = new Map<string, Promise<void>>();
  readonly #listeners: ((trouble: string | undefined) => void)[] = [];
  /** The last write that was given to the database. */
  #last: Promise<void> = Promise.resolve();
  #barriers = 0;
  #retrying = false;
  #trouble: string | undefined;
  #failingSinceMs: number | undefined;
  #timer: Timer | undefined;
  #closed = false;

  constructor(database: Pick<Database, 'write' | 'hurry'>, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#database = database;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Why nothing can be written now; undefined while it can. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Calls `listener` whenever `trouble` changes. */
  onTrouble(listener: (trouble: string | undefined) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Writes a change of the record that `key` names. Resolves when it, or a newer one of that record, is durable; until then not at all.
   * `patienceMs`: so long it may wait for a commit that is made for others.
   */
  write(key: string, change: () => void, patienceMs = 0): Promise<void> {
    if (this.#waiting.size > 0) return new Promise((done) => this.#wait(key, change, [done]));
    const writing: Promise<void> = this.#database.write(change, patienceMs).then(
      () => this.#settled(key, writing),
      (error: unknown) => {
        // A newer write of the record must not be undone by this one: it stands for both.
        const newest = this.#newest.get(key);
        if (newest !== writing) return newest;
        this.#failed(error);
        return new Promise<void>((done) => this.#wait(key, change, [done])).then(() => this.#settled(key, writing));
      },
    );
    this.#newest.set(key, writing);
    this.#last = writing;
    return writing;
  }

  /** Resolves when all that was given to `write` so far is durable. */
  async durable(): Promise<void> {
    // They become durable in their order: nothing is written for it, so that nobody waits for a further way to the disk.
    if (this.#waiting.size === 0) {
      this.#database.hurry();
      await this.#last;
    }
    // One may have failed alone.
    if (this.#waiting.size > 0) await this.write(`durable ${this.#barriers++}`, () => undefined);
  }

  #settled(key: string, writing: Promise<void>): void {
    if (this.#newest.get(key) === writing) this.#newest.delete(key);
  }

  /** What still waits is given up. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #wait(key: string, change: () => void, done: readonly (() => void)[]): void {
    const former = this.#waiting.get(key);
    this.#waiting.delete(key);
    this.#waiting.set(key, { change, done: [...(former?.done ?? []), ...done] });
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#retrying || this.#closed) return;
    this.#retrying = true;
    this.#timer = this.#clock.setTimer(retryMs, () => void this.#retry());
  }

  async #retry(): Promise<void> {
    for (;;) {
      const tried = new Map(this.#waiting);
      try {
        await this.#database.write(() => {
          for (const { change } of tried.values()) change();
        });
      } catch (error) {
        this.#failed(error);
        this.#retrying = false;
        this.#retryLater();
        return;
      }
      for (const [key, each] of tried) {
        // A newer write of the record came meanwhile and waits for the next round.
        if (this.#waiting.get(key) === each) this.#waiting.delete(key);
        for (const tell of each.done) tell();
      }
      if (this.#waiting.size > 0) continue;
      this.#retrying = false;
      this.#failingSinceMs = undefined;
      this.#tell(undefined);
      return;
    }
  }

  #failed(error: unknown): void {
    if (this.#closed) return;
    const nowMs = this.#clock.steadyMs();
    this.#failingSinceMs ??= nowMs;
    if (error instanceof Failure && error.code === 'STORE_BUSY' && nowMs - this.#failingSinceMs < patienceMs) return;
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#trouble === undefined) this.#logger.error({ err: error }, 'the state of the node cannot be saved; trying again until it can');
    this.#tell(reason);
  }

  #tell(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    if (trouble === undefined) this.#logger.warn('the state of the node can be saved again');
    for (const listener of this.#listeners) listener(trouble);
  }
}

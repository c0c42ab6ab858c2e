// Deletes what is older than the time to live (of version 1 as LeveldbTimelineStore.EntityDeletionThread does), in bites, so that no
// transaction is long: others are served while one is on its way to the disk.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import type { Database } from '../../storage/sqlite.ts';

/** What holds entities that age. */
export interface AgingEntities {
  /**
   * Deletes what is of `untilMs` or older, until about `most` rows are gone; must run inside `Database.write`. Of an entity with very many rows
   * it deletes some and leaves the rest for the next call.
   */
  expire(untilMs: number, most: number): { readonly rows: number; readonly entities: number };
}

export interface RetentionOptions {
  readonly database: Database;
  readonly entities: AgingEntities;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Age at which an entity goes, ms. */
  readonly ttlMs: number;
  /** Pause between passes, ms. */
  readonly intervalMs: number;
  /** Rows of one transaction. */
  readonly biteSize?: number;
}

/** Starts the passes; the first one runs at once. `pass` is one more, and answers how many entities it deleted. */
export function startRetention(options: RetentionOptions): Repetition & { pass(): Promise<number> } {
  const biteSize = options.biteSize ?? 200;

  async function pass(closing?: AbortSignal): Promise<number> {
    let deleted = 0;
    for (;;) {
      let bite = { rows: 0, entities: 0 };
      await options.database.write(() => {
        bite = options.entities.expire(options.clock.now() - options.ttlMs, biteSize);
      });
      deleted += bite.entities;
      if (bite.rows < biteSize || closing?.aborted) return deleted;
    }
  }

  const repetition = repeat({
    clock: options.clock,
    firstMs: 0,
    intervalMs: options.intervalMs,
    async run(closing) {
      const deleted = await pass(closing);
      if (deleted > 0) options.logger.info({ deleted }, 'old timeline entities deleted');
    },
    failed: (error) => options.logger.error({ err: error }, 'deleting old timeline entities failed'),
  });
  return { ...repetition, pass: () => pass() };
}

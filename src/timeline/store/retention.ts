// Deletes entities whose start lies further back than the time to live (LeveldbTimelineStore.EntityDeletionThread), in slices, so that
// no transaction is long.
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Database } from '../../storage/sqlite.ts';
import type { EntityStore } from './entity-store.ts';

export interface RetentionOptions {
  readonly database: Database;
  readonly entities: EntityStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Age at which an entity goes, ms. */
  readonly ttlMs: number;
  /** Pause between passes, ms. */
  readonly intervalMs: number;
  /** Entities of one transaction. */
  readonly sliceSize?: number;
}

/** Starts the passes; the first one runs at once. */
export function startRetention(options: RetentionOptions): { pass(): Promise<number>; stop(): void } {
  const sliceSize = options.sliceSize ?? 200;
  let stopped = false;
  let timer: Timer | undefined;

  async function pass(): Promise<number> {
    let deleted = 0;
    for (;;) {
      let slice = 0;
      await options.database.write(() => {
        slice = options.entities.expire(options.clock.now() - options.ttlMs, sliceSize);
      });
      deleted += slice;
      if (slice < sliceSize || stopped) return deleted;
    }
  }

  function schedule(delayMs: number): void {
    timer = options.clock.setTimer(delayMs, () => {
      pass()
        .then((deleted) => {
          if (deleted > 0) options.logger.info({ deleted }, 'old timeline entities deleted');
        })
        .catch((error: unknown) => {
          if (!stopped) options.logger.error({ err: error }, 'deleting old timeline entities failed');
        })
        .finally(() => {
          if (!stopped) schedule(options.intervalMs);
        });
    });
  }
  schedule(0);
  return {
    pass,
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}

// Files that others write while this process runs: looked at now and then, read again once one of them was written.
import { statSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { Timers } from '../lib/timers.ts';

/** How files are followed. */
export interface FollowOptions {
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What the log says once they were read again, and where that failed: what was read before stays then. */
  readonly says: { readonly again: string; readonly failed: string };
}

/** Calls `read` after one of the files was written or its mode or owner changed. Gives how to stop. */
export function followFiles(files: readonly string[], read: () => void, { intervalMs, clock, logger, says }: FollowOptions): () => void {
  const timers = new Timers(clock);
  let state = stateOf(files);
  const look = () => {
    timers.set('look', intervalMs, look);
    const now = stateOf(files);
    if (now === state) return;
    state = now;
    try {
      read();
      logger.info({ files }, says.again);
    } catch (error) {
      logger.error({ err: error }, says.failed);
    }
  };
  timers.set('look', intervalMs, look);
  return () => timers.close();
}

/** What files look like from outside: it is another text when one of them was written, or given to others or taken from them (ctime). */
const stateOf = (files: readonly string[]): string =>
  files
    .map((path) => {
      const state = statSync(path, { throwIfNoEntry: false });
      return state ? `${state.mtimeMs} ${state.ctimeMs} ${state.size} ${state.ino}` : 'absent';
    })
    .join('\n');

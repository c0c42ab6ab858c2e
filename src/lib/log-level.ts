// How much a logger writes, which can be changed while its server runs: until that is started anew, or for a time.
import type { Clock, Timer } from './clock.ts';
import type { Logger } from './log.ts';

/** How much a logger writes now. */
export interface LevelNow {
  /** One of pino's, or `silent`. */
  readonly level: string;
  /** Where the level was changed for a time: when that ends, ms since the epoch, and the level of afterwards. */
  readonly change?: { readonly untilMs: number; readonly afterwards: string };
}

/** A level that counts for a time, and the one that it stands in for. */
interface Change {
  readonly untilMs: number;
  readonly afterwards: string;
  readonly timer: Timer;
}

/** By their loggers: several services of a role share one. */
const changes = new WeakMap<Logger, Change>();

/** How much it writes now. */
export function levelOf(logger: Logger): LevelNow {
  const change = changes.get(logger);
  return { level: logger.level, ...(change && { change: { untilMs: change.untilMs, afterwards: change.afterwards } }) };
}

/**
 * Has it write from another level on. With `forMs` for so long: afterwards it is as it was before all changes for a time; without, a change that was
 * made for a time is over with it.
 */
export function changeLevel(
  logger: Logger,
  level: string,
  { clock, forMs }: { readonly clock: Clock; readonly forMs?: number | undefined },
): void {
  const before = changes.get(logger);
  before?.timer.cancel();
  changes.delete(logger);
  if (forMs !== undefined) {
    const afterwards = before?.afterwards ?? logger.level;
    const timer = clock.setTimer(forMs, () => {
      changes.delete(logger);
      logger.level = afterwards;
      logger.info({ writtenFrom: afterwards }, 'the log is written from its usual level on again');
    });
    changes.set(logger, { untilMs: clock.now() + forMs, afterwards, timer });
  }
  logger.level = level;
}

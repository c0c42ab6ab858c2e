// The last lines of a server's own log, as `/api/v1/server-log` of every server tells them.
import { fields, type JsonOf, many, optional, text, truth, whole, word } from '../../lib/json-shape.ts';

/** Levels of lines, the least urgent first. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
/** The longest time for which the level of a server can be changed. */
export const longestLevelChangeMs = 7 * 86_400_000;
export type LogLevel = (typeof logLevels)[number];

/** A line of a log. */
export const serverLogLine = fields({
  /** Among all lines since the server started. */
  number: whole({ minimum: 1 }),
  /** ms since the epoch. */
  time: whole(),
  level: word(...logLevels),
  /** The sentence. */
  message: text(),
  /** What stands in fields beside it, as JSON. */
  fields: text(),
});
export type ServerLogLine = JsonOf<typeof serverLogLine>;

/** Lines that are still kept, the latest last. */
export const serverLog = fields({
  /** From which level on lines are written at all: one of `trace` to `fatal`, or `silent`. */
  writtenFrom: text(),
  /** Where that was changed for a time: when it ends, ms since the epoch, and from which level on lines are written afterwards. */
  change: optional(fields({ untilMs: whole(), afterwards: text() })),
  lines: many(serverLogLine),
  /** There are earlier ones of them than are listed. */
  more: truth(),
});
export type ServerLog = JsonOf<typeof serverLog>;

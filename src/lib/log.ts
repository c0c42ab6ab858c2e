// Loggers: pino, JSON lines on stderr. Messages are constant sentences, facts stand in fields beside them.
import { type Logger as PinoLogger, pino } from 'pino';
import type { LogName } from './log-names.ts';
import { LogRing } from './log-ring.ts';

/** A logger of one subsystem; derive with `child({ … })`. */
export type Logger = PinoLogger;

/** Fields that may carry a secret are removed from every line. */
const redacted = [
  'token',
  'secret',
  '*.token',
  '*.secret',
  'authorization',
  '*.authorization',
  'headers.cookie',
  'headers.authorization',
  'secretEnvironment',
  '*.secretEnvironment',
];

/** What each logger that keeps its last lines, and all that are derived from it, have: derived ones inherit from it. */
const ringOf: unique symbol = Symbol('last lines');

/** The last lines of a logger and of all that it was derived from, as they were written: nothing redacted stands in them. Undefined for one that keeps none. */
export const lastLines = (logger: Logger): LogRing | undefined => (logger as Logger & { readonly [ringOf]?: LogRing })[ringOf];

/** A logger whose lines, once they are written, can be looked at: the last ones are kept. */
export function keepingLastLines(options: { readonly name: string; readonly level: string }, write: (line: string) => void): Logger {
  const ring = new LogRing();
  const logger = pino(
    { name: options.name, level: options.level, base: undefined, redact: redacted },
    {
      write(line: string) {
        write(line);
        ring.add(line);
      },
    },
  );
  return Object.assign(logger, { [ringOf]: ring });
}

/** A logger writing JSON lines to stderr, or what `textOf` makes of each. `level` is one of pino's (default `info`). */
export function createLogger(options: { name: LogName; level?: string; textOf?: ((line: string) => string) | undefined }): Logger {
  const out = pino.destination({ dest: 2, sync: true });
  const { name, textOf, level = 'info' } = options;
  return keepingLastLines({ name, level }, textOf ? (line) => void out.write(textOf(line)) : (line) => void out.write(line));
}

/** A logger that writes nothing. */
export const silentLogger: Logger = pino({ level: 'silent' });

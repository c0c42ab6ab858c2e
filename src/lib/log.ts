// Loggers: pino, JSON lines on stderr. Messages are constant sentences, facts stand in fields beside them.
import { type Logger as PinoLogger, pino } from 'pino';
import type { LogName } from './log-names.ts';

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

/** A logger writing JSON lines to stderr, or what `textOf` makes of each. `level` is one of pino's (default `info`). */
export function createLogger(options: { name: LogName; level?: string; textOf?: ((line: string) => string) | undefined }): Logger {
  const out = pino.destination({ dest: 2, sync: true });
  const { textOf } = options;
  return pino(
    { name: options.name, level: options.level ?? 'info', base: undefined, redact: redacted },
    textOf ? { write: (line: string) => void out.write(textOf(line)) } : out,
  );
}

/** A logger that writes nothing. */
export const silentLogger: Logger = pino({ level: 'silent' });

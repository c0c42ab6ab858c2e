// The files that queues come from: read again on request and when they change; what is wrong with them named by file, key and remedy.
import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Configuration } from '../config/load.ts';
import { ConfigurationError } from '../config/table.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { type Repetition, repeat } from '../lib/repeat.ts';
import { ConfigurationRefused, type PolicyKind } from '../scheduler/policy.ts';

const fileNames: Record<PolicyKind, string | undefined> = {
  capacity: 'capacity-scheduler.xml',
  fair: 'fair-scheduler.xml',
  fifo: undefined,
};

/** Name of the file that holds the policy's queues, as messages call it; undefined where it has none. */
export function queueFileName(kind: PolicyKind, configuration: Configuration): string | undefined {
  const other = kind === 'fair' ? configuration.get('yarn.scheduler.fair.allocation.file')?.trim() : undefined;
  return other || fileNames[kind];
}

/** Where that file lies; undefined without a folder of settings. */
export function queueFilePath(kind: PolicyKind, configuration: Configuration): string | undefined {
  const name = queueFileName(kind, configuration);
  if (name === undefined || isAbsolute(name)) return name;
  return configuration.confDir === undefined ? undefined : join(configuration.confDir, name);
}

/** The refusal of a policy as an error of the settings: the place that set the key, the key, what is wrong, what mends it. */
export function refusalOf(error: ConfigurationRefused, kind: PolicyKind, configuration: Configuration): ConfigurationError {
  const file = queueFileName(kind, configuration) ?? 'the settings of the scheduler';
  const key = error.key ?? 'queues';
  const source = configuration.originIn(file, key) ?? file;
  return new ConfigurationError(
    source,
    key,
    // Hadoop's texts may begin with the name of a class.
    error.message.replace(/^(?:\w+\.)+\w+Exception: /, '').replace(/\.\s*$/, ''),
    error.remedy ?? `Repair it in ${source}; the queues that run stay as they are.`,
  );
}

/** Runs what queues may be refused by. @throws ConfigurationError that names file, key and remedy */
export function refusable<T>(kind: PolicyKind, configuration: Configuration, build: () => T): T {
  try {
    return build();
  } catch (error) {
    throw error instanceof ConfigurationRefused ? refusalOf(error, kind, configuration) : error;
  }
}

/** What lies in the queue files now. */
export interface QueueFiles {
  /** Keys of capacity-scheduler.xml with what overrides them. */
  readonly properties: ReadonlyMap<string, string>;
  /** Text of fair-scheduler.xml. */
  readonly allocations?: string | undefined;
}

export interface QueueFileWatchOptions {
  readonly path: string;
  /** How often the file is looked at, ms. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes the file over. @throws ConfigurationError where it may not */
  readonly reload: () => void;
}

/**
 * Looks at a file now and then, as Hadoop's AllocationFileLoaderService does, and reloads it once it has changed and then stayed the same
 * for one interval: a file that is being written is not read. A look costs one stat and works on every file system.
 */
export function watchQueueFile(options: QueueFileWatchOptions): Repetition {
  const { path, intervalMs, clock, logger, reload } = options;
  let loaded = stampOf(path);
  let seen = loaded;
  return repeat({
    clock,
    intervalMs,
    run() {
      const now = stampOf(path);
      const hasSettled = now === seen;
      seen = now;
      if (now === loaded || !hasSettled) return;
      loaded = now;
      reload();
      logger.info({ file: path }, 'the queues were read again, because their file changed');
    },
    failed: (error) =>
      logger.error({ file: path, problem: (error as Error).message }, 'the changed queues are refused, those that run stay'),
  });
}

/** What tells one state of a file from another; '' where there is none. */
function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return '';
  }
}

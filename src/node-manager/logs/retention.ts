// Deletes what applications of the past left: logs after their time (NonAggregatingLogHandler), folders of applications that a crash
// kept from being cleaned up.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import type { NodeFolders } from '../folders.ts';

/** What retention needs. */
export interface RetentionOptions {
  readonly folders: NodeFolders;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long logs stay after their application's end. */
  readonly retainMs: number;
  /** Whether the node still has the application. */
  readonly isKnown: (applicationId: string) => boolean;
  /** Hears of applications whose logs were deleted. */
  readonly deleted?: (applicationId: string) => void;
}

const longestIntervalMs = 3_600_000;
const isApplication = (name: string) => /^application_\d+_\d+$/.test(name);

/** Looks now, and again and again until closed. */
export function startRetention(options: RetentionOptions): Repetition {
  const { clock, logger } = options;
  return repeat({
    clock,
    firstMs: 0,
    intervalMs: Math.max(1000, Math.min(options.retainMs, longestIntervalMs)),
    run: () => deleteOldLogs(options),
    failed: (error) => logger.warn({ err: error }, 'old logs could not be deleted'),
  });
}

/** Deletes the logs of applications that are gone for longer than they are kept. A folder's own time is that of its last container. */
export async function deleteOldLogs({ folders, clock, retainMs, isKnown, deleted }: RetentionOptions): Promise<void> {
  for (const root of folders.logs) {
    for (const name of await readdir(root).catch(() => [])) {
      if (!isApplication(name) || isKnown(name)) continue;
      const folder = join(root, name);
      let newestMs = (await stat(folder).catch(() => undefined))?.mtimeMs ?? 0;
      for (const container of await readdir(folder).catch(() => []))
        newestMs = Math.max(newestMs, (await stat(join(folder, container)).catch(() => undefined))?.mtimeMs ?? 0);
      if (clock.now() - newestMs < retainMs) continue;
      await folders.remove(folder);
      deleted?.(name);
    }
  }
}

/** Deletes the working folders of applications that the node does not have any more. */
export async function deleteStrayFolders(folders: NodeFolders, isKnown: (applicationId: string) => boolean): Promise<void> {
  for (const local of folders.local) {
    for (const user of await readdir(join(local, 'usercache')).catch(() => [])) {
      const applications = join(local, 'usercache', user, 'appcache');
      for (const name of await readdir(applications).catch(() => []))
        if (isApplication(name) && !isKnown(name)) await folders.remove(join(applications, name));
    }
  }
}

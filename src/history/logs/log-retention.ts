// Deletes gathered logs after their time (AggregatedLogDeletionService): whole folders of applications that have ended, single old
// files of those that still run.
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogStore } from '../../client/log-store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { isFinalApplicationState } from '../../model/application-states.ts';
import { userLogFolder } from '../../wire/files/aggregated-log-folder.ts';
import type { Applications } from '../jobs/applications.ts';

/** What retention needs. */
export interface LogRetentionOptions {
  readonly store: Pick<LogStore, 'tree' | 'gathered' | 'remove'>;
  readonly applications: Pick<Applications, 'find'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long logs stay. */
  readonly retainMs: number;
  readonly intervalMs: number;
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** Looks again and again until closed, the first time soon after the start. */
export function startLogRetention(options: LogRetentionOptions): Repetition {
  const { clock, logger, intervalMs } = options;
  return repeat({
    clock,
    firstMs: Math.min(intervalMs, 30_000),
    intervalMs,
    async run() {
      const deleted = await deleteOldLogs(options);
      if (deleted > 0) logger.info({ deleted }, 'old logs were deleted');
    },
    failed: (error) => logger.error({ err: error }, 'old logs could not be deleted'),
  });
}

/** Deletes what is too old; gives the number of folders and files. */
export async function deleteOldLogs({ store, applications, clock, retainMs }: LogRetentionOptions): Promise<number> {
  const { tree } = store;
  const endMs = clock.now() - retainMs;
  let deleted = 0;
  const isRunning = async (applicationId: string) => {
    const application = await applications.find(applicationId);
    return application !== undefined && !isFinalApplicationState(application.state);
  };
  if (store.gathered) {
    for (const [applicationId, files] of await store.gathered()) {
      const old = files.filter(({ modifiedMs }) => modifiedMs < endMs);
      // Of an ended application all goes together.
      if (old.length === 0 || (old.length < files.length && !(await isRunning(applicationId)))) continue;
      for (const { path } of old) await store.remove(path);
      deleted += old.length;
    }
    return deleted;
  }
  for (const user of await namesIn(tree.root)) {
    const own = userLogFolder(tree, user);
    for (const bucket of await namesIn(own)) {
      for (const applicationId of await namesIn(join(own, bucket))) {
        if (!/^application_\d+_\d+$/.test(applicationId)) continue;
        deleted += await deleteOld(join(own, bucket, applicationId), endMs, () => isRunning(applicationId));
      }
      // Only an empty folder goes.
      await rmdir(join(own, bucket)).catch(() => undefined);
    }
  }
  return deleted;
}

async function deleteOld(folder: string, endMs: number, isRunning: () => Promise<boolean>): Promise<number> {
  const files = await Promise.all(
    (await namesIn(folder)).map(async (name) => ({
      path: join(folder, name),
      timeMs: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs,
    })),
  );
  const old = files.filter(({ timeMs }) => timeMs !== undefined && timeMs < endMs);
  const folderMs = (await stat(folder).catch(() => undefined))?.mtimeMs ?? Infinity;
  if (old.length === 0 && (files.length > 0 || folderMs >= endMs)) return 0;
  if (await isRunning()) {
    for (const { path } of old) await rm(path, { force: true });
    return old.length;
  }
  if (old.length < files.length) return 0;
  await rm(folder, { recursive: true, force: true });
  return 1;
}

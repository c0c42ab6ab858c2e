// Ends containers that write more logs than they may (ContainersMonitorImpl.LogMonitorThread).
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { Container } from '../containers/container.ts';
import type { NodeFolders } from '../folders.ts';

/** What the monitor needs. */
export interface LogSizeMonitorOptions {
  readonly folders: NodeFolders;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly containers: ReadonlyMap<string, Container>;
  readonly kill: (container: Container, exitCode: number, diagnostics: string) => void;
  readonly intervalMs: number;
  /** Bytes of a container's logs in one log folder, and in all of them. */
  readonly folderLimitBytes: number;
  readonly totalLimitBytes: number;
}

/** Looks again and again until closed. */
export function startLogSizeMonitor(options: LogSizeMonitorOptions): Repetition {
  const { folders, clock, logger, containers } = options;

  const check = async (container: Container) => {
    const { pid, id: containerId } = container;
    if (pid === undefined || container.killed) return;
    let total = 0;
    for (const folder of folders.containerLogs(container.order.applicationId, containerId)) {
      const bytes = await sizeOf(folder);
      total += bytes;
      const tooMuch =
        bytes > options.folderLimitBytes
          ? `the container single log directory limit.\nLimit: ${options.folderLimitBytes} Log Directory Size: ${bytes} Log Directory: ${folder}`
          : total > options.totalLimitBytes
            ? `the container total log limit.\nLimit: ${options.totalLimitBytes} Total Size: >=${total}`
            : undefined;
      if (tooMuch === undefined) continue;
      const words = `Container [pid=${pid},containerID=${containerId}] is logging beyond ${tooMuch}\nKilling container.\n`;
      logger.warn({ container: containerId, bytes }, 'ending a container that logs too much');
      options.kill(container, exitStatus.killedForExcessLogs, words);
      return;
    }
  };
  return repeat({
    clock,
    intervalMs: options.intervalMs,
    async run() {
      for (const container of [...containers.values()]) await check(container);
    },
    failed: (error) => logger.warn({ err: error }, 'the sizes of logs could not be read'),
  });
}

/** Bytes of all files below; what is gone meanwhile counts nothing. */
async function sizeOf(path: string): Promise<number> {
  const facts = await lstat(path).catch(() => undefined);
  if (!facts) return 0;
  if (!facts.isDirectory()) return facts.size;
  let bytes = 0;
  for (const name of await readdir(path).catch((): string[] => [])) bytes += await sizeOf(join(path, name));
  return bytes;
}

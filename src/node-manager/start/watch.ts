// What goes on while a node runs: its containers' memory and logs are watched, rolled logs gathered, the cache of local files cut.
import type { ContainerManager } from '../containers/container-manager.ts';
import { startUsageMonitor } from '../containers/usage-monitor.ts';
import { startLogSizeMonitor } from '../logs/log-size-monitor.ts';
import type { ContainerPieces } from './build-containers.ts';
import type { NodeState } from './open-state.ts';
import type { StartOptions } from './start-options.ts';

/** Starts all of it. */
export function watchContainers(
  { settings, dependencies, closer }: StartOptions,
  { folders }: NodeState,
  { engine, manager, channel, logs }: ContainerPieces & { readonly manager: ContainerManager },
): void {
  const { clock, logger } = dependencies;
  const { containers } = manager;
  const kill: typeof manager.kill = (...parameters) => manager.kill(...parameters);
  const monitor = startUsageMonitor({
    engine,
    clock,
    logger,
    containers,
    kill,
    checkPhysical: settings.physicalMemoryCheckEnabled,
    checkVirtual: settings.virtualMemoryCheckEnabled,
    virtualRatio: settings.virtualMemoryRatio,
    checkIntervalMs: settings.containerMonitorIntervalMs,
    report: (...parameters) => channel.usage(...parameters),
  });
  closer.add('monitor', () => monitor.stop());
  logs.aggregator.begin(manager.applications);
  if (!settings.logMonitorEnabled) return;
  const logMonitor = startLogSizeMonitor({
    folders,
    clock,
    logger,
    containers,
    kill,
    intervalMs: settings.logMonitorIntervalMs,
    folderLimitBytes: settings.logMonitorFolderLimitBytes,
    totalLimitBytes: settings.logMonitorTotalLimitBytes,
  });
  closer.add('log monitor', () => logMonitor.stop());
}

/** Cuts the cache of local files to its size, again and again. */
export function cutCache({ settings, dependencies, closer }: StartOptions, { cache }: Pick<ContainerPieces, 'cache'>): void {
  const { clock, logger } = dependencies;
  const cutLater = () =>
    clock.setTimer(settings.localizerCacheCleanupIntervalMs, () => {
      cache.evict().catch((error: unknown) => logger.warn({ err: error }, 'the cache of local files could not be cut'));
      timer = cutLater();
    });
  let timer = cutLater();
  closer.add('eviction', () => timer.cancel());
}

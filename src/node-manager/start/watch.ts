// What goes on while a node runs: its containers' memory and logs are watched, rolled logs gathered, the cache of local files cut.
import { repeat } from '../../lib/repeat.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import { startUsageMonitor } from '../containers/usage-monitor.ts';
import { startLogSizeMonitor } from '../logs/log-size-monitor.ts';
import type { ContainerPieces } from './build-containers.ts';
import type { NodeState } from './open-state.ts';
import type { StartOptions } from './start-options.ts';

/** Starts all of it. */
export function watchContainers(
  { settings, dependencies, closer, metrics }: StartOptions,
  { folders }: NodeState,
  { engine, manager, channel, logs, publisher }: ContainerPieces & { readonly manager: ContainerManager },
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
    report: (node, used, running) => {
      // The first report comes before any look: it knows no cores yet.
      if (metrics.usage) metrics.usageRecord.addNode(clock.now(), node, used, running);
      metrics.usage = { node, containers: used };
      channel.usage(node, used, running);
    },
    used: (looks, tookMs) => {
      metrics.monitorTookMs = tookMs;
      metrics.usageRecord.addContainers(looks);
      publisher?.containersUsed(looks);
    },
  });
  closer.add('monitor', () => monitor.close());
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
  closer.add('log monitor', () => logMonitor.close());
}

/** Cuts the cache of local files to its size, again and again. */
export function cutCache({ settings, dependencies, closer }: StartOptions, { cache }: Pick<ContainerPieces, 'cache'>): void {
  const { clock, logger } = dependencies;
  const eviction = repeat({
    clock,
    intervalMs: settings.localizerCacheCleanupIntervalMs,
    run: () => cache.evict(),
    failed: (error) => logger.warn({ err: error }, 'the cache of local files could not be cut'),
  });
  closer.add('eviction', () => eviction.close());
}

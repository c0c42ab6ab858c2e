// What a node does before it tells the cluster of itself: its services start, and what an earlier process left is taken up or deleted.
import type { AuxiliaryServices } from '../auxiliary/services.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import type { Gpus } from '../devices/gpus.ts';
import { deleteStrayFolders, startRetention } from '../logs/retention.ts';
import type { NodeLogs } from './build-logs.ts';
import type { NodeState } from './open-state.ts';
import type { StartOptions } from './start-options.ts';

/** Starts the auxiliary services, and follows the manifest where one is named. @throws what a service throws */
export async function startAuxiliaryServices(
  { settings, dependencies, closer }: StartOptions,
  auxiliary: AuxiliaryServices,
): Promise<void> {
  const { clock, logger } = dependencies;
  closer.add('auxiliary services', () => auxiliary.stop());
  await auxiliary.start();
  if (!settings.auxiliaryManifestEnabled || settings.auxiliaryManifest === undefined) return;
  const { followManifest } = await import('../auxiliary/manifest.ts');
  const { auxiliaryManifest: path, auxiliaryManifestReloadMs: reloadMs } = settings;
  const manifest = await followManifest({ path, reloadMs, services: auxiliary, clock, logger });
  closer.add('manifest', () => manifest.close());
}

/** Adopts the containers of an earlier process, then deletes what belongs to no application any more: devices, folders, old logs. */
export async function adoptEarlierProcess(
  { settings, dependencies, closer }: StartOptions,
  { folders, records }: NodeState,
  { manager, gpus, logs }: { readonly manager: ContainerManager; readonly gpus: Gpus | undefined; readonly logs: NodeLogs },
): Promise<void> {
  const { clock, logger } = dependencies;
  // Until the node has joined the cluster, its containers are left to the next start.
  closer.add('adopted containers', () => manager.leaveRunning());
  await manager.recover(records);
  gpus?.keepOnly((containerId) => manager.containers.get(containerId)?.ended === false);
  const isKnown = (applicationId: string) => manager.applications.has(applicationId);
  if (settings.deleteDebugDelaySeconds === 0) await deleteStrayFolders(folders, isKnown);
  const retention = startRetention({
    folders,
    clock,
    logger,
    retainMs: settings.logRetainSeconds * 1000,
    isKnown: (applicationId) => isKnown(applicationId) || logs.aggregator.waiting(applicationId) !== undefined,
    deleted: (applicationId) => logs.left.deleted(applicationId),
  });
  closer.add('retention', () => retention.close());
}

// The queue configuration that runs, and the watch over its file.
import { schedulerSettings } from '../../config/settings/scheduler.ts';
import { queueFiles, withRulesFile } from '../../scheduler-settings/policy-options.ts';
import { queueFileName, queueFilePath, refusable, watchQueueFile } from '../../scheduler-settings/queue-files.ts';
import { isDurable, QueueConfiguration } from '../queue-configuration.ts';
import { QueueHistory } from '../queue-history.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import type { BuiltScheduler } from './build-scheduler.ts';
import type { Starting } from './starting.ts';

/** Builds it over the policy that runs; `changed` hears that queues changed. */
export function buildQueues(
  { configuration, clock, logger, closer }: Starting,
  store: ResourceManagerStore,
  { kind, policy, stored, checkFiles }: BuiltScheduler,
  changed: () => void,
): QueueConfiguration {
  const { configurationStoreClass, queueFileCheckIntervalMs } = configuration.values(schedulerSettings);
  const queues = new QueueConfiguration({
    policy,
    file: queueFiles(configuration).properties,
    complete: (properties) => withRulesFile(properties, configuration),
    stored,
    readFiles: () => {
      const files = queueFiles(configuration.withFileReadAgain(queueFileName(kind, configuration) ?? ''));
      checkFiles(files);
      return files;
    },
    storeClass: configurationStoreClass,
    store,
    logger,
    history: new QueueHistory(isDurable(configurationStoreClass) ? store : undefined, clock, logger),
    changed,
  });
  const path = queueFilePath(kind, configuration);
  if (path !== undefined && queueFileCheckIntervalMs > 0 && !queues.mutable) {
    const watch = watchQueueFile({
      path,
      intervalMs: queueFileCheckIntervalMs,
      clock,
      logger,
      reload: () => void refusable(kind, configuration, () => queues.refresh()),
    });
    closer.add('queue file', () => watch.close());
  }
  return queues;
}

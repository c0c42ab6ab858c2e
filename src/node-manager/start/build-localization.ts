// The cache of the files that containers ask for, with what it may fetch from where.
import { serverAddress } from '../../config/web-addresses.ts';
import { currentBoot } from '../../lib/boot.ts';
import { nodeStagingPath, stagingUserHeader } from '../../wire/cluster/staging.ts';
import { LocalCache } from '../localization/cache.ts';
import type { FetchSources } from '../localization/fetch-options.ts';
import { beginProcess } from '../localization/user-process.ts';
import type { NodeEngine } from './build-engine.ts';
import type { NodeState } from './open-state.ts';
import type { StartOptions } from './start-options.ts';

const bytesPerMiB = 1024 * 1024;

/** Builds the cache; entries whose files are gone or damaged are forgotten before it resolves. */
export async function buildLocalization(
  options: StartOptions,
  { folders, store, records, users, resourceManagerAgent }: NodeState,
  { reading }: Pick<NodeEngine, 'reading'>,
): Promise<LocalCache> {
  const { configuration, settings, dependencies } = options;
  const { clock, logger } = dependencies;
  const actAs: FetchSources['actAs'] = users
    ? (...parameters) => users.begin(...parameters)
    : reading.length > 0
      ? async (_user, script, parameters, signal) => beginProcess(reading, script, parameters, signal)
      : undefined;
  const cache = new LocalCache(
    {
      folders,
      store,
      clock,
      logger,
      metrics: options.metrics,
      targetBytes: settings.localizerCacheTargetMiB * bytesPerMiB,
      limits: {
        maximumBytes: settings.localizerMaximumBytes,
        maximumEntries: settings.localizerMaximumEntries,
        maximumRatio: settings.localizerMaximumRatio,
        stallMs: settings.localizerStallMs,
        totalMs: settings.localizerTimeoutMs,
      },
      concurrentFetches: settings.localizerFetchThreads,
      sources: {
        property: (key) => configuration.get(key),
        actAs,
        staged: (path, user) => ({
          url: `http://${serverAddress(configuration, 'resource-manager').address}${nodeStagingPath}/${path}`,
          headers: { [stagingUserHeader]: encodeURIComponent(user) },
          agent: resourceManagerAgent,
        }),
      },
      boot: currentBoot(),
    },
    records.localized,
  );
  await cache.verify();
  return cache;
}

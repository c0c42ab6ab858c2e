// What the cluster follows, from the settings.

import type { Configuration } from '../../config/load.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { heddleSettings } from '../../config/settings/heddle.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { collectorAddress } from '../../config/timeline-versions.ts';
import { serverAddress } from '../../config/web-addresses.ts';
import type { ClusterSettings } from '../cluster/settings.ts';
import { hadoopVersion } from '../http/cluster-facts.ts';
import type { WebAddress } from './web-address.ts';

/** `NONE`: any; `EqualToRM`: that of this resource manager (ResourceTrackerService). */
const minimumNodeVersion = (text: string): string | undefined =>
  text === 'NONE' || text === '' ? undefined : text === 'EqualToRM' ? hadoopVersion : text;

/** The settings of a cluster that started at `startedMs` and is reached at `address`. */
export function clusterSettings(configuration: Configuration, startedMs: number, address: WebAddress): ClusterSettings {
  const common = configuration.values(commonSettings);
  const own = configuration.values(resourceManagerSettings);
  const heddle = configuration.values(heddleSettings);
  const { url: timelineUrl } = serverAddress(configuration, 'timeline');
  const collector = collectorAddress(configuration);
  // Settings that name the history count although this resource manager does not publish (RMAppAttemptImpl).
  const namesHistory = configuration.origin(commonSettings.applicationHistoryEnabled.key) !== undefined;
  const leadsToHistory = common.applicationHistoryEnabled && (common.timelineEnabled || namesHistory);
  return {
    clusterTimestamp: startedMs,
    maximumAttempts: own.globalMaximumAttempts ?? own.maximumAttempts,
    masterExpiryMs: own.masterExpiryMs,
    nodeExpiryMs: own.nodeExpiryMs,
    untrackedNodeRemovalMs: own.untrackedNodeRemovalMs,
    containerExpiryMs: own.containerAllocationExpiryMs,
    logAggregationEnabled: common.logAggregationEnabled,
    // RMAppLogAggregation takes its default for what is no time.
    logTimeoutMs:
      common.logAggregationStatusTimeoutMs > 0
        ? common.logAggregationStatusTimeoutMs
        : commonSettings.logAggregationStatusTimeoutMs.default,
    masterBlacklistThreshold: own.masterBlacklistingEnabled ? own.masterBlacklistingThreshold : undefined,
    minimumNodeVersion: minimumNodeVersion(own.nodeMinimumVersion),
    opportunistic: own.opportunisticAllocation,
    placementConstraints: own.placementConstraintsHandler !== 'disabled',
    placementTries: own.placementConstraintsHandler === 'placement-processor' ? own.placementConstraintTries : undefined,
    webUrl: () => address.url,
    masterUrl: () => address.url,
    timelineUrl: () => (common.timelineEnabled ? timelineUrl : undefined),
    timelineCollectorUrl: collector && `${serverAddress(configuration, 'reader').scheme}://${collector}`,
    applicationPage: (id) => (leadsToHistory ? `${timelineUrl}/applicationhistory/app/${id}` : `${address.url}/cluster/app/${id}`),
    retentionMs: heddle.retentionMs,
    retentionCount: heddle.retentionCount,
    masterEnvironment: {},
  };
}

// Who hears of everything that happens to applications: the timeline, where the settings have it.
import { userInfo } from 'node:os';
import { SystemMetricsPublisher } from '../../client/system-metrics-publisher.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import type { ClusterObserver } from '../cluster/observer.ts';
import { timelinePublisher } from '../publishing/timeline-publisher.ts';
import type { Starting } from './starting.ts';
import type { WebAddress } from './web-address.ts';

/** The publisher as an observer of the cluster; undefined where nothing is published. */
export function buildPublisher({ configuration, clock, logger, closer }: Starting, address: WebAddress): ClusterObserver | undefined {
  const common = configuration.values(commonSettings);
  const own = configuration.values(resourceManagerSettings);
  if (!common.timelineEnabled || !common.systemMetricsPublisherEnabled || !own.metricsPublisherEnabled) return undefined;
  const versions = common.timelineVersions.length > 0 ? common.timelineVersions : [common.timelineVersion];
  const publisher = new SystemMetricsPublisher({
    url: `http://${common.timelineWebAddress}`,
    user: userInfo().username,
    clock,
    logger,
    // The application history reads version 1, whichever version clients use.
    version1: common.applicationHistoryEnabled || versions.some((version) => version.startsWith('1')),
    version2: versions.some((version) => version.startsWith('2')),
    containers: own.metricsPublisherContainersEnabled,
  });
  closer.add('timeline publisher', () => publisher.close());
  return timelinePublisher({ publisher, clock, trackingUrl: (id) => `${address.url}/proxy/${id}/`, scheme: 'http' });
}

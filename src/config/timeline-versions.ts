import type { Configuration } from './load.ts';
import { commonSettings } from './settings/common.ts';
import { resourceManagerSettings } from './settings/resource-manager.ts';
import { timelineSettings } from './settings/timeline.ts';
import { parseAddress } from './values.ts';
import { serverAddress } from './web-addresses.ts';

/** Whether the timeline serves version 2 beside version 1. */
export function wantsTimelineVersion2(configuration: Configuration): boolean {
  const { timelineVersions, timelineVersion } = configuration.values(commonSettings);
  return (timelineVersions.length > 0 ? timelineVersions : [timelineVersion]).some((version) => version.startsWith('2'));
}

/**
 * Where the collector of version 2 is for others (`host:port`); undefined where it is not served, is at a port that only it knows, or hears
 * nothing of applications from the resource manager: it takes nothing about those that it does not know.
 */
export function collectorAddress(configuration: Configuration): string | undefined {
  const { timelineEnabled, systemMetricsPublisherEnabled } = configuration.values(commonSettings);
  const { metricsPublisherEnabled } = configuration.values(resourceManagerSettings);
  if (!timelineEnabled || !systemMetricsPublisherEnabled || !metricsPublisherEnabled || !wantsTimelineVersion2(configuration))
    return undefined;
  const { collectorBindHost, collectorBindPortRanges } = configuration.values(timelineSettings);
  const port = Number(/^\d+/.exec(collectorBindPortRanges)?.[0] ?? 0);
  if (port === 0) return undefined;
  const isEverywhere = ['0.0.0.0', '::', '[::]'].includes(collectorBindHost);
  // Who listens everywhere is reached where the timeline itself is.
  const host = isEverywhere ? parseAddress(serverAddress(configuration, 'timeline').address, port)?.host : collectorBindHost;
  return host === undefined ? undefined : `${host}:${port}`;
}

import type { Configuration } from './load.ts';
import { commonSettings } from './settings/common.ts';

/** Whether the timeline serves version 2 beside version 1. */
export function wantsTimelineVersion2(configuration: Configuration): boolean {
  const { timelineVersions, timelineVersion } = configuration.values(commonSettings);
  return (timelineVersions.length > 0 ? timelineVersions : [timelineVersion]).some((version) => version.startsWith('2'));
}

// What the timeline servers say of themselves: the Hadoop version whose interfaces they speak.
import type { Shape } from '../../wire/codec/describe.ts';
import type { timelineAbout } from '../../wire/timeline/v1-records.ts';

const hadoopVersion = '3.4.2';
const buildVersion = `${hadoopVersion} from heddle by heddle source checksum heddle`;
const builtOn = '2025-08-20T10:30Z';

/** The about object of one of the interfaces. */
export const aboutOf = (about: string): Shape<typeof timelineAbout> => ({
  About: about,
  'timeline-service-version': hadoopVersion,
  'timeline-service-build-version': buildVersion,
  'timeline-service-version-built-on': builtOn,
  'hadoop-version': hadoopVersion,
  'hadoop-build-version': buildVersion,
  'hadoop-version-built-on': builtOn,
});

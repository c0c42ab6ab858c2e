// The domain of a put, which both versions of the timeline describe alike, each by a class of its own package.
import { type JavaType, javaLong, javaText } from './jackson.ts';

/** TimelineDomain of a package. */
export const domainBean = (records: string): JavaType => ({
  kind: 'bean',
  name: `${records}.TimelineDomain`,
  members: {
    id: javaText,
    description: javaText,
    owner: javaText,
    readers: javaText,
    writers: javaText,
    createdtime: javaLong,
    modifiedtime: javaLong,
  },
});

// A job's configuration (`/conf`): ConfInfo of Hadoop's app module.
import { list, object, record, type Shape, text } from '../codec/describe.ts';
import { redactedValue } from '../files/job-configuration.ts';
import type { PropertyFacts } from './facts.ts';

export const configuration = record(
  'conf',
  { path: text(), property: list(object({ name: text(), value: text(), source: list(text()) })) },
  { json: 'natural' },
);

/**
 * The properties of the file at `path` (a URI such as `file:/…/job.xml`). The sources of each are those that the file names, then the file
 * itself (Configuration.getPropertySources); one that the job had hidden was set by the program. What is set to nothing is not set.
 */
export const configurationView = (path: string, properties: readonly PropertyFacts[]): Shape<typeof configuration> => ({
  path,
  property: properties
    .filter(({ value }) => value !== '')
    .map(({ name, value, sources = [] }) => ({ name, value, source: isListed(value, sources) ? sources : [...sources, path] })),
});

/** Whether the job itself names the property among those that are to be hidden ({@link redactJobConfiguration}). */
const isListed = (value: string, sources: readonly string[]): boolean => value === redactedValue && sources.join() === 'programmatically';

/** A local path as the URI that Hadoop shows. */
export const fileUri = (path: string): string => (path.startsWith('/') ? `file:${path}` : path);

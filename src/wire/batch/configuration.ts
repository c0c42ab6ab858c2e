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
 * The properties of the file at `path` (a URI such as `file:/…/job.xml`). A configuration read from a file knows no older origin
 * than that file, so each property has it as its only source; a redacted one was set by the program. What is set to nothing is not set.
 */
export const configurationView = (path: string, properties: readonly PropertyFacts[]): Shape<typeof configuration> => ({
  path,
  property: properties
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => ({ name, value, source: [value === redactedValue ? 'programmatically' : path] })),
});

/** A local path as the URI that Hadoop shows. */
export const fileUri = (path: string): string => (path.startsWith('/') ? `file:${path}` : path);

// Who reads and writes elsewhere for a job.
import type { JobConfiguration } from '../job-configuration.ts';
import type { RemoteReader } from './remote-store.ts';

/** The job's user, and its settings. */
export const readerOf = (configuration: JobConfiguration): RemoteReader => ({
  property: (name) => configuration.get(name),
  user: configuration.text('mapreduce.job.user.name', ''),
});

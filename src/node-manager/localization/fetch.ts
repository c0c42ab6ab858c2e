// Brings the bytes of a local resource to a file here, by the scheme of its URI. The source must still be what the submitter saw: its
// time is compared (FSDownload.verifyAndCopy). What is seldom needed is loaded when it is.
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import { LocalizationFailure } from './errors.ts';
import { fetchFile } from './fetch-file.ts';
import type { FetchOptions, RemoteFetch } from './fetch-options.ts';
import { FetchWatch } from './limits.ts';

/** The fetchers of other machines' files by scheme. */
const remote: Readonly<Record<string, () => Promise<(fetch: RemoteFetch) => Promise<void>>>> = {
  http: async () => (await import('./fetch-web.ts')).fetchWeb,
  https: async () => (await import('./fetch-web.ts')).fetchWeb,
  staging: async () => (await import('./fetch-web.ts')).fetchStaged,
  webhdfs: async () => (await import('./fetch-webhdfs.ts')).fetchWebHdfs,
  swebhdfs: async () => (await import('./fetch-webhdfs.ts')).fetchWebHdfs,
  s3: async () => (await import('./fetch-s3.ts')).fetchS3,
  s3a: async () => (await import('./fetch-s3.ts')).fetchS3,
  s3n: async () => (await import('./fetch-s3.ts')).fetchS3,
};

/** Fetches `resource` to the file `target`; a folder comes whole. @throws LocalizationFailure */
export async function fetchResource(resource: LocalResource, target: string, options: FetchOptions): Promise<void> {
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(resource.resource)?.[1]?.toLowerCase() ?? 'file';
  if (scheme === 'file') return fetchFile(resource, target, options);
  const load = Object.hasOwn(remote, scheme) ? remote[scheme] : undefined;
  if (!load) throw new LocalizationFailure(`No FileSystem for scheme "${scheme}"`, 'org.apache.hadoop.fs.UnsupportedFileSystemException');
  const { limits, clock, sources, owner } = options;
  const watch = new FetchWatch(clock, limits, resource.resource, options.signal);
  try {
    await (await load())({ resource, target, limits, clock, sources, owner, watch });
  } catch (error) {
    // What ended the fetch says more than how its parts broke.
    throw watch.signal.aborted && watch.signal.reason instanceof LocalizationFailure ? watch.signal.reason : error;
  } finally {
    watch.close();
  }
}

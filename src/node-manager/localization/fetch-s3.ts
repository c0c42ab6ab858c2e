// Downloads objects from stores that speak S3.

import { refusalText } from '../../client/refusal-text.ts';
import { type S3Bucket, s3Refusal } from '../../client/s3.ts';
import { connectionReason } from '../../lib/connection-reason.ts';
import { LocalizationFailure } from './errors.ts';
import type { RemoteFetch } from './fetch-options.ts';
import { receive } from './fetch-web.ts';
import { checkSize, checkTime } from './source-facts.ts';

/** Fetches `s3a://bucket/key` (and `s3:`, `s3n:`). @throws LocalizationFailure */
export async function fetchS3(request: RemoteFetch): Promise<void> {
  const { resource, target, clock, watch, sources } = request;
  const uri = resource.resource;
  const found = /^[a-z0-9]+:\/\/([^/?#]+)\/(.+)$/i.exec(uri);
  if (!found) throw new LocalizationFailure(`${uri} names no object: write s3a://bucket/key`, 'java.lang.IllegalArgumentException');
  const { S3Bucket: Bucket, s3Settings } = await import('../../client/s3.ts');
  let bucket: S3Bucket;
  try {
    bucket = new Bucket(found[1]!, s3Settings(sources.property, found[1]!), () => clock.now());
  } catch (error) {
    throw new LocalizationFailure((error as Error).message, 'java.lang.IllegalArgumentException');
  }
  let response: Response;
  try {
    response = await bucket.request('GET', decoded(found[2]!), { signal: watch.signal });
  } catch (error) {
    const cause = error instanceof Error ? (error.cause instanceof Error ? error.cause : error) : undefined;
    throw new LocalizationFailure(`${uri}: ${(cause && connectionReason(cause)) || 'failed'}`);
  }
  watch.moved();
  if (!response.ok) {
    const { code, message } = s3Refusal(response.status, await refusalText(response));
    if (response.status === 404) throw new LocalizationFailure(`No such file or directory: ${uri}`, 'java.io.FileNotFoundException');
    if (response.status === 403) throw new LocalizationFailure(`${uri}: ${message} (${code})`, 'java.nio.file.AccessDeniedException');
    throw new LocalizationFailure(`${uri}: ${message} (${code})`);
  }
  const modified = Date.parse(response.headers.get('last-modified') ?? '');
  if (resource.timestamp >= 0) checkTime(uri, resource.timestamp, Number.isNaN(modified) ? 0 : modified, clock.now());
  checkSize(uri, resource.size, await receive(response, target, uri, request));
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

// Leaves files with the resource manager, for the containers of one application.
import { checked } from '../lib/json-shape.ts';
import { type StagedFile, stagedFile, stagingPath } from '../wire/cluster/staging.ts';
import type { Authorize } from './credentials.ts';
import { putFile } from './put-file.ts';
import { remoteFailure } from './remote-failure.ts';

/**
 * Uploads the file at `path` as `name` for an application of `user`. The resource manager compares the content's SHA-256; repeating
 * an upload is harmless. @throws Unreachable, RemoteFailure, the file system's error
 */
export async function stageFile(
  cluster: { readonly url: string; readonly user: string; readonly authorize?: Authorize | undefined },
  target: { readonly applicationId: string; readonly name: string },
  path: string,
): Promise<StagedFile> {
  const place = [cluster.user, target.applicationId, target.name].map(encodeURIComponent).join('/');
  const url = new URL(`${cluster.url}${stagingPath}/${place}`);
  url.searchParams.set('user.name', cluster.user);
  const proof = await cluster.authorize?.('PUT', url);
  const { status, text } = await putFile(path, ({ sha256 }) => ({
    url,
    headers: { accept: 'application/json', 'content-digest': `sha-256=:${sha256.toString('base64')}:`, ...proof },
  }));
  if (status < 200 || status > 299) throw remoteFailure({ url: url.href, status }, text);
  const { value, fault } = checked(stagedFile, JSON.parse(text));
  if (fault !== undefined) throw remoteFailure({ url: url.href, status }, `the answer cannot be read: ${fault}`);
  return value;
}

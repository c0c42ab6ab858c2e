// Leaves files with the resource manager, for the containers of one application.
import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { type StagedFile, stagingPath } from '../wire/cluster/staging.ts';
import { remoteFailure, Unreachable } from './http.ts';

/**
 * Uploads the file at `path` as `name` for an application of `user`. The resource manager compares the content's SHA-256; repeating
 * an upload is harmless. @throws Unreachable, RemoteFailure, the file system's error
 */
export async function stageFile(
  cluster: { readonly url: string; readonly user: string },
  target: { readonly applicationId: string; readonly name: string },
  path: string,
): Promise<StagedFile> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const place = [cluster.user, target.applicationId, target.name].map(encodeURIComponent).join('/');
  const url = new URL(`${cluster.url}${stagingPath}/${place}`);
  url.searchParams.set('user.name', cluster.user);
  // Opened before the request: what is wrong with the file is not the server's fault.
  const body = await openAsBlob(path);
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(url, {
      method: 'PUT',
      headers: { accept: 'application/json', 'content-digest': `sha-256=:${hash.digest('base64')}:` },
      body,
    });
    text = await answer.text();
  } catch (error) {
    throw new Unreachable(url.href, error);
  }
  if (!answer.ok) throw remoteFailure({ url: url.href, status: answer.status }, text);
  return JSON.parse(text) as StagedFile;
}

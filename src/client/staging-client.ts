// Leaves files with the resource manager, for the containers of one application.
import { createHash } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
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
  // Opened before the request: what is wrong with the file is not the server's fault.
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const content = () => file.createReadStream({ start: 0, ...(size > 0 ? { end: size - 1 } : { end: 0 }), autoClose: false });
    const hash = createHash('sha256');
    for await (const chunk of content()) hash.update(chunk as Buffer);
    const place = [cluster.user, target.applicationId, target.name].map(encodeURIComponent).join('/');
    const url = new URL(`${cluster.url}${stagingPath}/${place}`);
    url.searchParams.set('user.name', cluster.user);
    const headers = { accept: 'application/json', 'content-length': size, 'content-digest': `sha-256=:${hash.digest('base64')}:` };
    const { status, text } = await put(url, headers, size > 0 ? content() : undefined);
    if (status < 200 || status > 299) throw remoteFailure({ url: url.href, status }, text);
    return JSON.parse(text) as StagedFile;
  } finally {
    await file.close();
  }
}

/** Sends a body piece by piece, as fast as it is taken: `fetch` would hold a file in memory. @throws Unreachable */
async function put(
  url: URL,
  headers: OutgoingHttpHeaders,
  body: ReadStream | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => {
      body?.destroy();
      reject(new Unreachable(url.href, error));
    };
    const sending = request(url, { method: 'PUT', headers }, (response) => {
      // Whoever refuses a body does not read it to its end: from here on only the answer counts.
      sending.off('error', failed).on('error', () => undefined);
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', failed);
      response.on('end', () => {
        body?.destroy();
        resolve({ status: response.statusCode ?? 0, text });
      });
    });
    sending.on('error', failed);
    body?.on('error', (error) => sending.destroy(error));
    if (body) body.pipe(sending);
    else sending.end();
  });
}

// Sends files with PUT, piece by piece, as fast as they are taken: `fetch` would hold them in memory.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Unreachable } from './http.ts';

/** A server that neither takes anything nor answers for so long is given up. */
const silenceMs = 120_000;

/** What a server said of a file. */
export interface PutAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends the file at `path`; `prepare` says where to, and the headers, from its length and sum. @throws Unreachable, the file system's
 * error
 */
export async function putFile(
  path: string,
  prepare: (facts: { readonly bytes: number; readonly sha256: Buffer }) => { readonly url: URL; readonly headers: OutgoingHttpHeaders },
  signal?: AbortSignal,
): Promise<PutAnswer> {
  // Opened before the request: what is wrong with the file is not the server's fault.
  const file = await open(path);
  try {
    const { size: bytes } = await file.stat();
    const content = () => file.createReadStream({ start: 0, end: Math.max(0, bytes - 1), autoClose: false });
    const hash = createHash('sha256');
    for await (const chunk of content()) hash.update(chunk as Buffer);
    const { url, headers } = prepare({ bytes, sha256: hash.digest() });
    return await put(url, { ...headers, 'content-length': bytes }, bytes > 0 ? content() : undefined, signal);
  } finally {
    await file.close();
  }
}

/** Sends a body; servers may answer `100 Continue` unasked, which `fetch` does not take. @throws Unreachable, the body's error as its cause */
export async function put(
  url: URL,
  headers: OutgoingHttpHeaders,
  body: Readable | undefined,
  signal: AbortSignal | undefined,
): Promise<PutAnswer> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('../lib/plain-http.ts');
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => {
      body?.destroy();
      reject(new Unreachable(url.href, error));
    };
    const sending = request(url, { method: 'PUT', headers, timeout: silenceMs, ...(signal && { signal }) }, (response) => {
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
    sending.on('timeout', () => sending.destroy(new Error(`nothing moved for ${silenceMs / 1000} seconds`)));
    body?.on('error', (error) => sending.destroy(error));
    if (body) body.pipe(sending);
    else sending.end();
  });
}

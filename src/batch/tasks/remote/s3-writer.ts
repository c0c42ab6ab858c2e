// Writing to stores that speak S3: a multipart upload is an object from its completion on, and nothing before (as the committers of S3A use it).
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { refusalText } from '../../../client/refusal-text.ts';
import { listUploads } from '../../../client/s3-listing.ts';
import { BrokenOff, patienceOf, persist } from './calls.ts';
import { RemoteFailure } from './remote-failure.ts';
import type { RemoteReader } from './remote-store.ts';
import { type S3Call, s3Calls } from './s3-store.ts';
import type { RemoteWriter, Upload } from './writer.ts';

/** The store takes 10,000 parts a file, of at least 5 MiB but for the last. */
const partBytes = 16 << 20;
const largestPartCount = 10_000;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const element = (xml: string, name: string): string | undefined => new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1];
const escaped = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const keyOf = (path: string) => path.replace(/^\/+/, '');

/** Writes below `folder` (a path) of the bucket of `s3a://bucket`. */
export function s3Writer(root: string, folder: string, reader: RemoteReader): RemoteWriter {
  const { ask, refusal, text } = s3Calls(root, reader);
  const prefix = `${keyOf(folder)}/`;
  const send = async (call: S3Call, method: string, key: string): Promise<string> => {
    const response = await ask(method, key, call);
    if (!response.ok) throw await refusal(response, key);
    const answer = await text(response, key);
    // The store may begin to answer before it knows that it fails.
    if (answer.includes('<Error>')) throw new RemoteFailure(`${root}/${key}: ${element(answer, 'Message') ?? 'the store failed'}`);
    return answer;
  };
  const withBody = (bytes: Buffer, query: Record<string, string> = {}): S3Call => ({ query, body: bytes, bodySha256: sha256(bytes) });
  const abort = async (key: string, uploadId: string) => {
    const response = await ask('DELETE', key, { query: { uploadId } });
    if (!response.ok && response.status !== 404) throw await refusal(response, key);
  };
  return {
    async upload(file, path, signal) {
      const key = keyOf(path);
      const token = element(await send({ query: { uploads: '' } }, 'POST', key), 'UploadId');
      if (token === undefined) throw new RemoteFailure(`${root}/${key}: the store gave no upload`);
      const parts: string[] = [];
      const handle = await open(file);
      try {
        const { size } = await handle.stat();
        const step = Math.max(partBytes, Math.ceil(size / largestPartCount));
        // An empty file is one part without bytes.
        for (let at = 0; at < size || parts.length === 0; at += step) {
          signal?.throwIfAborted();
          const bytes = Buffer.allocUnsafe(Math.min(step, size - at));
          for (let filled = 0; filled < bytes.length; ) {
            const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, at + filled);
            if (bytesRead === 0) throw new RemoteFailure(`${file} became shorter while it was sent`);
            filled += bytesRead;
          }
          const response = await ask('PUT', key, withBody(bytes, { partNumber: String(parts.length + 1), uploadId: token }), signal);
          if (!response.ok) throw await refusal(response, key);
          const tag = response.headers.get('etag');
          if (tag === null) throw new RemoteFailure(`${root}/${key}: the store gave no tag of a part`);
          parts.push(tag);
        }
      } catch (error) {
        await abort(key, token).catch(() => {});
        throw error;
      } finally {
        await handle.close();
      }
      return { path, token, parts };
    },
    complete: ({ path, token, parts }: Upload) =>
      persist(patienceOf(reader), async () => {
        const key = keyOf(path);
        const list = parts.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`).join('');
        const body = Buffer.from(`<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`);
        const response = await ask('POST', key, withBody(body, { uploadId: token }));
        if (response.status === 404) {
          // Of a commit that is repeated: it was completed before.
          const found = await ask('HEAD', key);
          if (found.ok) return;
          throw new RemoteFailure(`${root}/${key}: ${element(await refusalText(response), 'Message') ?? 'its upload is gone'}`);
        }
        if (!response.ok) throw await refusal(response, key);
        const answer = await text(response, key);
        if (answer.includes('<Error>')) throw new RemoteFailure(`${root}/${key}: ${element(answer, 'Message') ?? 'the store failed'}`);
        if (!answer.includes('CompleteMultipartUploadResult'))
          throw new BrokenOff(`${root}/${key}: the store does not say whether its upload is completed`);
      }),
    abort: ({ path, token }) => abort(keyOf(path), token),
    async put(path, bytes) {
      await send(withBody(bytes), 'PUT', keyOf(path));
    },
    async clear() {
      const left = await listUploads((query) => send({ query }, 'GET', ''), prefix);
      for (const { key, uploadId } of left) await abort(key, uploadId);
    },
  };
}

// Objects of stores that speak S3, seen as files: a folder is what several keys begin with (S3AFileSystem).
import { refusalText } from '../../../client/refusal-text.ts';
import { S3Bucket, type S3Request, s3Refusal, s3Settings } from '../../../client/s3.ts';
import { BadListing, listObjects } from '../../../client/s3-listing.ts';
import { systemClock } from '../../../lib/clock.ts';
import { withoutTrailing } from '../../../lib/trailing.ts';
import { answerOf, bodyOf, checkPart, patienceOf, textOf } from './calls.ts';
import { RemoteFailure } from './remote-failure.ts';
import type { RemoteEntry, RemoteReader, RemoteStore } from './remote-store.ts';

/** What a request to a bucket carries. */
export type S3Call = Omit<S3Request, 'signal'>;

/** Requests to the bucket of `s3a://bucket`, and what is thrown for a refusal. @throws RemoteFailure where it cannot be reached as it is configured */
export function s3Calls(root: string, reader: RemoteReader) {
  const patience = patienceOf(reader);
  const name = root.slice(root.indexOf('//') + 2);
  let bucket: S3Bucket;
  try {
    bucket = new S3Bucket(name, s3Settings(reader.property, name), () => systemClock.now());
  } catch (error) {
    throw new RemoteFailure((error as Error).message, 'java.lang.IllegalArgumentException');
  }
  const ask = async (method: string, key: string, options: S3Call = {}, signal?: AbortSignal) => {
    const what = `${root}/${key}`;
    return answerOf(what, { patience, signal, nowMs: () => systemClock.now() }, (limited) =>
      bucket.request(method, key, { ...options, signal: limited }),
    );
  };
  const refusal = async (response: Response, key: string) => {
    const { code, message } = s3Refusal(response.status, await refusalText(response));
    const javaClass =
      response.status === 403
        ? 'java.nio.file.AccessDeniedException'
        : response.status === 404
          ? 'java.io.FileNotFoundException'
          : 'java.io.IOException';
    return new RemoteFailure(`${root}/${key}: ${message} (${code})`, javaClass);
  };
  const text = (response: Response, key: string) => textOf(response, `${root}/${key}`, patience);
  return { ask, refusal, text };
}

/** The bucket of `s3a://bucket`. */
export function s3Store(root: string, reader: RemoteReader): RemoteStore {
  const { ask, refusal, text } = s3Calls(root, reader);
  const keyOf = (path: string) => withoutTrailing(path.replace(/^\/+/, ''), '/');
  const list = (prefix: string) =>
    listObjects(
      async (query) => {
        const response = await ask('GET', '', { query });
        if (!response.ok) throw await refusal(response, prefix);
        return text(response, prefix);
      },
      prefix,
      '/',
    ).catch((error: unknown) => {
      throw error instanceof BadListing ? new RemoteFailure(`${root}/${prefix}: ${error.message}`) : error;
    });
  const below = (key: string) => (key === '' ? '' : `${key}/`);
  return {
    async status(path) {
      const key = keyOf(path);
      const { objects, folders } = await list(below(key));
      if (key === '' || objects.length > 0 || folders.length > 0) return { path, isFolder: true, length: 0 };
      const response = await ask('HEAD', key);
      if (response.status === 404) return undefined;
      if (!response.ok) throw await refusal(response, key);
      const length = Number(response.headers.get('content-length') ?? Number.NaN);
      if (!Number.isSafeInteger(length)) throw new RemoteFailure(`${root}/${key}: the store does not say how long it is`);
      return { path, isFolder: false, length };
    },
    async entries(path) {
      const prefix = below(keyOf(path));
      const { objects, folders } = await list(prefix);
      const files = objects
        // An object with the name of the folder itself marks one that is empty.
        .filter(({ key }) => key !== prefix && !key.endsWith('/'))
        .map(({ key, bytes }): RemoteEntry => ({ path: `/${key}`, isFolder: false, length: bytes }));
      return [...files, ...folders.map((folder): RemoteEntry => ({ path: `/${prefix}${folder}`, isFolder: true, length: 0 }))];
    },
    async *read(path, start, seen, signal) {
      const key = keyOf(path);
      const response = await ask('GET', key, start === 0 ? {} : { headers: { range: `bytes=${start}-` } }, signal);
      if (response.status === 416) return;
      if (!response.ok) throw await refusal(response, key);
      checkPart(response, start, `${root}/${key}`, seen);
      yield* bodyOf(response, `${root}/${key}`, patienceOf(reader));
    },
  };
}

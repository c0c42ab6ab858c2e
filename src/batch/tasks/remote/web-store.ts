// Files of web servers: one address is one file. Parts of it can be read where the server has ranges (RFC 9110, 14).
import { systemClock } from '../../../lib/clock.ts';
import { answerOf, bodyOf, checkPart, patienceOf } from './calls.ts';
import { RemoteFailure } from './remote-failure.ts';
import type { RemoteReader, RemoteStore } from './remote-store.ts';

/** Credentials in an address become a header, and are shown nowhere. */
function withoutCredentials(address: string): { readonly url: string; readonly headers: Record<string, string> } {
  const url = new URL(address);
  const { username, password } = url;
  url.username = url.password = '';
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url: url.href, headers: username === '' ? {} : { authorization: `Basic ${Buffer.from(plain).toString('base64')}` } };
}

/** The web server of `http://host:port`. */
export function webStore(root: string, reader: RemoteReader): RemoteStore {
  if (!URL.canParse(root)) throw new RemoteFailure(`${root} is no address`, 'java.lang.IllegalArgumentException');
  const patience = patienceOf(reader);
  const ask = async (path: string, init: RequestInit, signal?: AbortSignal) => {
    const { url, headers } = withoutCredentials(root + path);
    // Bytes as they lie there: a part of a compressed answer means nothing.
    const all = { ...headers, 'accept-encoding': 'identity', ...(init.headers as Record<string, string> | undefined) };
    const response = await answerOf(url, { patience, signal, nowMs: () => systemClock.now() }, (limited) =>
      fetch(url, { ...init, headers: all, redirect: 'follow', signal: limited }),
    );
    return { response, url };
  };
  const refusal = (status: number, url: string) =>
    new RemoteFailure(
      `Server returned HTTP response code: ${status} for URL: ${url}`,
      status === 404 ? 'java.io.FileNotFoundException' : 'java.io.IOException',
    );
  return {
    async status(path) {
      const { response, url } = await ask(path, { method: 'HEAD' });
      if (response.status === 404) return undefined;
      if (!response.ok) throw refusal(response.status, url);
      const length = Number(response.headers.get('content-length') ?? Number.NaN);
      if (!Number.isSafeInteger(length)) throw new RemoteFailure(`${url}: the server does not say how long it is`);
      return { path, isFolder: false, length, whole: response.headers.get('accept-ranges') !== 'bytes' };
    },
    async *read(path, start, seen, signal) {
      const { response, url } = await ask(path, start === 0 ? {} : { headers: { range: `bytes=${start}-` } }, signal);
      if (response.status === 416) return;
      if (!response.ok) throw refusal(response.status, url);
      checkPart(response, start, url, seen);
      yield* bodyOf(response, url, patience);
    },
  };
}

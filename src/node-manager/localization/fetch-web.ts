// Downloads over HTTP: web addresses, and files that clients left with the resource manager.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { proxiedHeader } from '../../auth/proxy-user.ts';
import { connectionReason } from '../../lib/connection-reason.ts';
import { request as askHttp } from '../../lib/plain-http.ts';
import { digestOf } from '../../wire/cluster/staging.ts';
import { LocalizationFailure } from './errors.ts';
import type { RemoteFetch, StagedPlace } from './fetch-options.ts';
import type { FetchWatch } from './limits.ts';
import { checkSize, checkTime, notPublic } from './source-facts.ts';

/** The answer of the resource manager to a request for what was left with it. */
function askStaging({ url, headers, agent }: StagedPlace, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const asking = askHttp(url, { headers, signal, ...(agent ? { agent } : {}) }, (answer) => {
      const known = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const status = answer.statusCode ?? 502;
      // Statuses without a body take none.
      const body = status === 204 || status === 205 || status === 304 ? null : (Readable.toWeb(answer) as ReadableStream);
      resolve(new Response(body, { status, headers: known }));
    });
    asking.on('error', reject);
    asking.end();
  });
}

/**
 * An answer of an address that a user gave, whatever its status. `what` names the source in the failure. Servers of the cluster give none: they
 * see by the header that it is not the node that asks, whose place on its machine would count as its owner's. Redirects keep it.
 * @throws LocalizationFailure where no server answers
 */
export function ask(url: string, what: string, { watch }: Pick<RemoteFetch, 'watch'>, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set(proxiedHeader, '1');
  return answered(what, watch, fetch(url, { ...options, headers, signal: watch.signal }));
}

async function answered(what: string, watch: FetchWatch, answer: Promise<Response>): Promise<Response> {
  try {
    const response = await answer;
    watch.moved();
    return response;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause instanceof Error ? error.cause : error) : undefined;
    const refused = (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
    const javaClass = refused ? 'java.net.ConnectException' : 'java.io.IOException';
    throw new LocalizationFailure(`${what}: ${(cause && connectionReason(cause)) || 'failed'}`, javaClass);
  }
}

/** Writes the body of an answer to a file and gives its length. @throws LocalizationFailure where it breaks off or is too long */
export async function receive(
  response: Response,
  target: string,
  what: string,
  { limits, watch }: RemoteFetch,
  hear: (chunk: Uint8Array) => void = () => {},
): Promise<number> {
  const tooLarge = () => new LocalizationFailure(`${what} is larger than ${limits.maximumBytes} bytes`);
  const announced = Number(response.headers.get('content-length') ?? Number.NaN);
  if (announced > limits.maximumBytes) throw tooLarge();
  let bytes = 0;
  const counted = async function* (source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) {
      watch.moved();
      bytes += chunk.length;
      hear(chunk);
      if (bytes > limits.maximumBytes) throw tooLarge();
      yield chunk;
    }
  };
  try {
    await pipeline(Readable.fromWeb((response.body ?? new Blob([]).stream()) as never), counted, createWriteStream(target), {
      signal: watch.signal,
    });
  } catch (error) {
    if (error instanceof LocalizationFailure) throw error;
    const { code, cause, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC') throw new LocalizationFailure(`${what}: No space left on device`);
    const reason = cause instanceof Error ? connectionReason(cause) : message;
    throw new LocalizationFailure(`${what} broke off after ${bytes} bytes: ${reason}`);
  }
  return bytes;
}

/** Fetches `http:` and `https:`. @throws LocalizationFailure */
export async function fetchWeb(request: RemoteFetch): Promise<void> {
  const { resource, target, clock } = request;
  const uri = resource.resource;
  if (!URL.canParse(uri)) throw new LocalizationFailure(`${uri} is no address`, 'java.lang.IllegalArgumentException');
  const { username, password } = new URL(uri);
  const address = new URL(uri);
  address.username = '';
  address.password = '';
  const shown = address.href;
  const headers = username
    ? { authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}` }
    : undefined;
  const response = await ask(shown, shown, request, { redirect: 'follow', ...(headers ? { headers } : {}) });
  if (response.status === 404) throw new LocalizationFailure(shown, 'java.io.FileNotFoundException');
  if (!response.ok) throw new LocalizationFailure(`Server returned HTTP response code: ${response.status} for URL: ${shown}`);
  // Hadoop's HTTP file system knows no times and takes 0 for all; a real time is compared when the server names one.
  const modified = Date.parse(response.headers.get('last-modified') ?? '');
  if (resource.timestamp > 0 && !Number.isNaN(modified)) checkTime(shown, resource.timestamp, modified, clock.now());
  checkSize(shown, resource.size, await receive(response, target, shown, request));
}

/** Fetches `staging:/user/upload/name` from the resource manager. @throws LocalizationFailure */
export async function fetchStaged(request: RemoteFetch): Promise<void> {
  const { resource, target, sources, owner } = request;
  const uri = resource.resource;
  // The cache of files of all users asks no more who may read them.
  if (resource.visibility === 'PUBLIC') throw notPublic(uri);
  const parts = partsOf(uri);
  if (!parts) throw new LocalizationFailure(`${uri} is not staging:/user/application/name`, 'java.lang.IllegalArgumentException');
  const place = sources.staged?.(parts, owner.user);
  if (!place) throw new LocalizationFailure(`${uri}: this node has no resource manager to ask`);
  const response = await answered(uri, request.watch, askStaging(place, request.watch.signal));
  if (response.status === 404) throw new LocalizationFailure(`File ${uri} does not exist`, 'java.io.FileNotFoundException');
  if (!response.ok) {
    const denied = response.status === 401 || response.status === 403;
    throw new LocalizationFailure(
      denied
        ? `Permission denied: user=${owner.user}, access=READ, file=${uri}`
        : `${uri}: the resource manager answered ${response.status}`,
      denied ? 'org.apache.hadoop.security.AccessControlException' : 'java.io.IOException',
    );
  }
  const expected = digestOf(response.headers.get('repr-digest'));
  const hash = createHash('sha256');
  checkSize(uri, resource.size, await receive(response, target, uri, request, (chunk) => hash.update(chunk)));
  if (expected !== undefined && hash.digest('hex') !== expected)
    throw new LocalizationFailure(`${uri} was damaged on its way`, 'org.apache.hadoop.fs.ChecksumException');
}

/** User, application and name, encoded again; nothing else may become part of the address that is asked as a node. */
function partsOf(uri: string): string | undefined {
  try {
    const parts = uri
      .slice(uri.indexOf(':') + 1)
      .replace(/^\/+/, '')
      .split('/')
      .map(decodeURIComponent);
    if (parts.length !== 3 || parts.some((part) => part === '' || part === '.' || part === '..')) return undefined;
    return parts.map(encodeURIComponent).join('/');
  } catch {
    return undefined;
  }
}

// Objects in stores that speak S3: requests signed with AWS Signature Version 4, settings as Hadoop's S3A file system names them.

import { createHash, createHmac } from 'node:crypto';
import { withoutTrailing } from '../lib/trailing.ts';
import type { PutAnswer } from './put-file.ts';

/** How a bucket is reached. */
export interface S3Settings {
  /** `https://host[:port]`; undefined: Amazon's for the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Undefined: requests are not signed (public buckets). */
  readonly credentials: { readonly accessKey: string; readonly secretKey: string; readonly sessionToken: string | undefined } | undefined;
  /** The bucket in the path instead of in the host. */
  readonly pathStyle: boolean;
}

/** Names that AWS allows for buckets; they become part of a host. */
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** A bucket that cannot be reached as it is named or configured. */
export class BadBucket extends Error {
  override readonly name = 'BadBucket';
}

/**
 * Settings of a bucket: `fs.s3a.bucket.NAME.…` before `fs.s3a.…` before AWS's own environment variables.
 * @throws BadBucket
 */
export function s3Settings(
  property: (key: string) => string | undefined,
  bucket: string,
  environment: NodeJS.ProcessEnv = process.env,
): S3Settings {
  if (!bucketName.test(bucket)) throw new BadBucket(`'${bucket.slice(0, 100)}' is no name of a bucket`);
  const get = (name: string) => property(`fs.s3a.bucket.${bucket}.${name}`)?.trim() || property(`fs.s3a.${name}`)?.trim() || undefined;
  const isOn = (name: string): boolean | undefined => {
    const text = get(name)?.toLowerCase();
    if (text !== undefined && text !== 'true' && text !== 'false')
      throw new BadBucket(`fs.s3a.${name}: '${text.slice(0, 100)}' is neither true nor false`);
    return text === undefined ? undefined : text === 'true';
  };
  const accessKey = get('access.key') ?? environment['AWS_ACCESS_KEY_ID'];
  const secretKey = get('secret.key') ?? environment['AWS_SECRET_ACCESS_KEY'];
  const named = get('endpoint');
  const plain = isOn('connection.ssl.enabled') === false;
  const endpoint =
    named === undefined || named === 'central' ? undefined : /^https?:\/\//.test(named) ? named : `http${plain ? '' : 's'}://${named}`;
  if (endpoint !== undefined && !URL.canParse(endpoint)) throw new BadBucket(`fs.s3a.endpoint: '${named}' is no address`);
  return {
    endpoint: endpoint === undefined ? undefined : withoutTrailing(endpoint, '/'),
    region: get('endpoint.region') ?? environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'] ?? 'us-east-1',
    credentials:
      accessKey && secretKey
        ? { accessKey, secretKey, sessionToken: get('session.token') ?? (get('access.key') ? undefined : environment['AWS_SESSION_TOKEN']) }
        : undefined,
    pathStyle: isOn('path.style.access') || (endpoint !== undefined && /^https?:\/\/(\[|\d+\.\d+\.\d+\.\d+|localhost)/.test(endpoint)),
  };
}

const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
/** Percent-encoding of everything but RFC 3986's unreserved characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Hash of an empty body. */
export const emptyBodySha256 = sha256('');

/** The headers that sign a request. `path` is encoded already; `headers` are signed too, their names in lower case. */
export function signedHeaders(
  request: {
    readonly method: string;
    readonly host: string;
    readonly path: string;
    readonly query: readonly (readonly [string, string])[];
    readonly headers?: Readonly<Record<string, string>>;
    readonly bodySha256: string;
    readonly timeMs: number;
  },
  { region, credentials }: Pick<S3Settings, 'region' | 'credentials'>,
): Record<string, string> {
  const time = `${new Date(request.timeMs).toISOString().replace(/[-:]|\.\d{3}/g, '')}`;
  const own: Record<string, string> = { ...request.headers, 'x-amz-content-sha256': request.bodySha256, 'x-amz-date': time };
  if (!credentials) return own;
  if (credentials.sessionToken !== undefined) own['x-amz-security-token'] = credentials.sessionToken;
  const signed = Object.entries({ ...own, host: request.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const query = request.query
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const lines = signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}\n`).join('');
  const canonical = [request.method, request.path, query, lines, names, request.bodySha256].join('\n');
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = hmac(hmac(hmac(hmac(`AWS4${credentials.secretKey}`, day), region), 's3'), 'aws4_request');
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex');
  return {
    ...own,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKey}/${scope},SignedHeaders=${names},Signature=${signature}`,
  };
}

/** What an S3 request may carry. */
export interface S3Request {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Hex, of the body. */
  readonly bodySha256?: string;
  readonly signal?: AbortSignal;
}

/** One bucket. */
export class S3Bucket {
  readonly name: string;
  readonly #settings: S3Settings;
  readonly #now: () => number;

  constructor(name: string, settings: S3Settings, now: () => number) {
    this.name = name;
    this.#settings = settings;
    this.#now = now;
  }

  /** Stores the file at `path` as `key`; the answer as it is. @throws Unreachable, the file system's error */
  async putFile(key: string, path: string, signal: AbortSignal): Promise<PutAnswer> {
    const { putFile } = await import('./put-file.ts');
    return putFile(
      path,
      ({ sha256: sum }) => {
        const { url, headers } = this.#signed('PUT', key, { bodySha256: sum.toString('hex') });
        return { url: new URL(url), headers };
      },
      signal,
    );
  }

  /** Sends a request for the object `key`, or for the bucket itself with an empty key; the answer as it is. */
  async request(method: string, key: string, options: S3Request = {}): Promise<Response> {
    const { url, headers } = this.#signed(method, key, options);
    const { body, signal } = options;
    return fetch(url, {
      ...{ method, headers, redirect: 'follow' as const },
      ...(body ? { body: new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.length) } : {}),
      ...(signal ? { signal } : {}),
    });
  }

  /** Address and headers of a request. */
  #signed(method: string, key: string, options: S3Request): { url: string; headers: Record<string, string> } {
    const { endpoint, region, pathStyle } = this.#settings;
    const base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
    if (!pathStyle) base.hostname = `${this.name}.${base.hostname}`;
    const path = `${pathStyle ? `/${this.name}` : ''}/${key.split('/').map(encode).join('/')}`;
    const query = Object.entries(options.query ?? {});
    const bodySha256 = options.bodySha256 ?? emptyBodySha256;
    const headers = signedHeaders(
      { method, host: base.host, path, query, bodySha256, timeMs: this.#now(), ...(options.headers ? { headers: options.headers } : {}) },
      this.#settings,
    );
    const queryText = query.length === 0 ? '' : `?${query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')}`;
    return { url: `${base.origin}${path}${queryText}`, headers };
  }
}

/** The code and sentence in a refusal's XML; the status where there is none. */
export function s3Refusal(status: number, body: string): { readonly code: string; readonly message: string } {
  const part = (name: string) => new RegExp(`<${name}>([^<]{1,1000})</${name}>`).exec(body)?.[1];
  return { code: part('Code') ?? String(status), message: part('Message') ?? `the store answered ${status}` };
}

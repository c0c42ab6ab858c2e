// A store for tests that speaks as much S3 as gathered logs need; its listings have one entry a page.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running store. */
export interface S3Fixture extends AsyncDisposable {
  readonly objects: Map<string, { readonly body: Buffer; readonly modified: Date }>;
  /** How many uploads in parts were begun and not ended. */
  readonly uploadsLeft: () => number;
  /** Method and key or query of each request. */
  readonly asked: string[];
  /** Refuses everything while true. */
  broken: boolean;
  /** What reaches the bucket `logs` in it. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Starts a store with the bucket `logs`. */
export async function startS3Fixture(): Promise<S3Fixture> {
  const objects = new Map<string, { body: Buffer; modified: Date }>();
  const asked: string[] = [];
  const parts = new Map<string, { readonly key: string; readonly bodies: Map<number, Buffer> }>();
  let serial = 0;
  /** Uploads in parts: begun, sent, listed, completed, given up. */
  const uploads = (method: string, key: string, query: URLSearchParams, body: Buffer, response: ServerResponse) => {
    if (query.has('uploads')) {
      if (method === 'GET') {
        const below = [...parts].filter(([, upload]) => upload.key.startsWith(query.get('prefix') ?? ''));
        const entries = below.map(
          ([id, upload]) => `<Upload><Key>${encodeURIComponent(upload.key)}</Key><UploadId>${id}</UploadId></Upload>`,
        );
        return response.end(`<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${entries.join('')}</ListMultipartUploadsResult>`);
      }
      parts.set(`upload${++serial}`, { key, bodies: new Map() });
      return response.end(`<InitiateMultipartUploadResult><UploadId>upload${serial}</UploadId></InitiateMultipartUploadResult>`);
    }
    const id = query.get('uploadId') ?? '';
    const upload = parts.get(id);
    if (upload === undefined)
      return response.writeHead(404).end('<Error><Code>NoSuchUpload</Code><Message>no such upload</Message></Error>');
    if (method === 'PUT') {
      const number = Number(query.get('partNumber'));
      upload.bodies.set(number, body);
      return response.writeHead(200, { etag: `"${id}-${number}"` }).end();
    }
    parts.delete(id);
    if (method === 'DELETE') return response.writeHead(204).end();
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&quot;([^&]+)&quot;<\/ETag>/g)];
    const bodies = named.map(([, number, tag]) => (tag === `${id}-${number}` ? upload.bodies.get(Number(number)) : undefined));
    if (bodies.length === 0 || bodies.includes(undefined))
      return response.end('<Error><Code>InvalidPart</Code><Message>a part is not there</Message></Error>');
    objects.set(key, { body: Buffer.concat(bodies as Buffer[]), modified: new Date() });
    return response.end('<CompleteMultipartUploadResult/>');
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://store');
    const body = Buffer.concat(await request.toArray());
    const key = decodeURIComponent(url.pathname).replace(/^\/logs\//, '');
    asked.push(`${request.method} ${key || url.search}`);
    if (fixture.broken || !request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=key/'))
      return response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>');
    if (url.searchParams.has('uploads') || url.searchParams.has('uploadId'))
      return uploads(request.method ?? '', key, url.searchParams, body, response);
    if (request.method === 'PUT') {
      objects.set(key, { body, modified: new Date() });
      return response.end();
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return response.writeHead(204).end();
    }
    const found = objects.get(key);
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (found && from > 0 && from >= found.body.length) return response.writeHead(416).end();
    if (found)
      return response
        .writeHead(from > 0 ? 206 : 200, {
          ...(from > 0 ? { 'content-range': `bytes ${from}-${found.body.length - 1}/${found.body.length}` } : {}),
          'content-length': found.body.length - from,
        })
        .end(found.body.subarray(from));
    if (url.searchParams.get('list-type') !== '2') return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    const prefix = url.searchParams.get('prefix') ?? '';
    const delimiter = url.searchParams.get('delimiter');
    const entries = new Set<string>();
    for (const [name, { body: bytes, modified }] of [...objects].sort()) {
      if (!name.startsWith(prefix)) continue;
      const deeper = delimiter ? name.indexOf(delimiter, prefix.length) : -1;
      if (deeper >= 0) entries.add(`<CommonPrefixes><Prefix>${encodeURIComponent(name.slice(0, deeper + 1))}</Prefix></CommonPrefixes>`);
      else
        entries.add(
          `<Contents><Key>${encodeURIComponent(name)}</Key><LastModified>${modified.toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`,
        );
    }
    const at = Number(url.searchParams.get('continuation-token') ?? 0);
    const next = at + 1 < entries.size ? `<NextContinuationToken>${at + 1}</NextContinuationToken>` : '';
    return response.end(`<ListBucketResult>${[...entries][at] ?? ''}${next}</ListBucketResult>`);
  });

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fixture: S3Fixture = {
    objects,
    uploadsLeft: () => parts.size,
    asked,
    broken: false,
    settings: {
      'fs.s3a.endpoint': `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      'fs.s3a.access.key': 'key',
      'fs.s3a.secret.key': 'secret',
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fixture;
}

// A store for tests that speaks as much S3 as gathered logs need; its listings have one entry a page.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running store. */
export interface S3Fixture extends AsyncDisposable {
  readonly objects: Map<string, { readonly body: Buffer; readonly modified: Date }>;
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
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://store');
    const body = Buffer.concat(await request.toArray());
    const key = decodeURIComponent(url.pathname).replace(/^\/logs\//, '');
    asked.push(`${request.method} ${key || url.search}`);
    if (fixture.broken || !request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=key/'))
      return response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>');
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
      return response.writeHead(from > 0 ? 206 : 200, { 'content-length': found.body.length - from }).end(found.body.subarray(from));
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

// Servers of files for tests: a web server with or without ranges, and a name node that sends readers on to a data node.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Running servers. */
export interface FileServers extends AsyncDisposable {
  /** `http://host:port`; a path below `/plain` has no ranges, one below `/silent` no length. */
  readonly web: string;
  /** `webhdfs://host:port`. */
  readonly nameNode: string;
  /** Files by path; both servers have them. */
  readonly files: Map<string, Buffer>;
  /** Method, path and range of each request. */
  readonly asked: string[];
  /** What follows so many bytes of a file's body is not sent. */
  cutAfter: number | undefined;
}

interface Status {
  readonly type: 'FILE' | 'DIRECTORY';
  readonly length: number;
  readonly pathSuffix: string;
}

/** What a name node says of a path; undefined where there is nothing. */
function statusOf(files: ReadonlyMap<string, Buffer>, path: string, pathSuffix = ''): Status | undefined {
  const file = files.get(path);
  if (file !== undefined) return { type: 'FILE', length: file.length, pathSuffix };
  const isFolder = [...files.keys()].some((name) => name.startsWith(path === '/' ? path : `${path}/`));
  return isFolder ? { type: 'DIRECTORY', length: 0, pathSuffix } : undefined;
}

function answerOfNameNode(
  files: Map<string, Buffer>,
  path: string,
  query: URLSearchParams,
): [status: number, body: object, location?: string] {
  const status = statusOf(files, path);
  if (query.get('user.name') !== 'ann')
    return [403, { RemoteException: { javaClassName: 'org.apache.hadoop.security.AccessControlException', message: 'Permission denied' } }];
  const operation = query.get('op');
  if (operation === 'CREATE') return [307, {}, `/data${path}`];
  if (operation === 'MKDIRS') return [200, { boolean: true }];
  const below = path === '/' ? path : `${path}/`;
  const inside = [...files.keys()].filter((name) => name === path || name.startsWith(below));
  if (operation === 'DELETE') {
    for (const name of inside) files.delete(name);
    return [200, { boolean: inside.length > 0 }];
  }
  if (operation === 'RENAME') {
    const destination = query.get('destination') ?? '';
    if (inside.length === 0 || statusOf(files, destination) !== undefined) return [200, { boolean: false }];
    for (const name of inside) {
      files.set(destination + name.slice(path.length), files.get(name)!);
      files.delete(name);
    }
    return [200, { boolean: true }];
  }
  if (status === undefined)
    return [404, { RemoteException: { javaClassName: 'java.io.FileNotFoundException', message: `File does not exist: ${path}` } }];
  if (operation === 'GETFILESTATUS') return [200, { FileStatus: status }];
  if (operation === 'OPEN') return [307, {}, `/data${path}?offset=${query.get('offset') ?? 0}`];
  const names = new Set([...files.keys()].filter((name) => name.startsWith(below)).map((name) => name.slice(below.length).split('/')[0]!));
  return [200, { FileStatuses: { FileStatus: [...names].map((name) => statusOf(files, below + name, name)) } }];
}

/** Starts them. */
export async function startFileServers(): Promise<FileServers> {
  const files = new Map<string, Buffer>();
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://files');
    const path = decodeURIComponent(url.pathname);
    asked.push(`${request.method} ${path}${request.headers.range === undefined ? '' : ` ${request.headers.range}`}`);
    if (path.startsWith('/webhdfs/v1')) {
      const [status, body, location] = answerOfNameNode(files, path.slice('/webhdfs/v1'.length) || '/', url.searchParams);
      return response.writeHead(status, location === undefined ? {} : { location }).end(JSON.stringify(body));
    }
    const isData = path.startsWith('/data/');
    if (isData && request.method === 'PUT') {
      // As data nodes do, unasked.
      response.writeContinue();
      files.set(path.slice('/data'.length), Buffer.concat(await request.toArray()));
      return response.writeHead(201).end();
    }
    const file = files.get(isData ? path.slice('/data'.length) : path);
    if (file === undefined) return response.writeHead(404).end();
    const hasRanges = !path.startsWith('/plain');
    const range = hasRanges ? /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] : undefined;
    const start = Number(range ?? url.searchParams.get('offset') ?? 0);
    if (range !== undefined && start >= file.length) return response.writeHead(416).end();
    const body = file.subarray(start);
    response.writeHead(range === undefined ? 200 : 206, {
      ...(hasRanges ? { 'accept-ranges': 'bytes' } : {}),
      ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${file.length - 1}/${file.length}` }),
      ...(path.startsWith('/silent') ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length }),
    });
    if (fixture.cutAfter === undefined || request.method === 'HEAD') return response.end(body);
    return response.write(body.subarray(0, fixture.cutAfter), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fixture: FileServers = {
    web: `http://127.0.0.1:${port}`,
    nameNode: `webhdfs://127.0.0.1:${port}`,
    files,
    asked,
    cutAfter: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fixture;
}

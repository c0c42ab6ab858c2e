// Files that lie with other machines: by HTTP, in stores that speak S3, with a name node. What a job needs of any of them.
import type { RemoteWriter } from './writer.ts';

/** A file or folder of a store. */
export interface RemoteEntry {
  /** Its path there, as its address has it behind the host or bucket. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Bytes; 0 of a folder. */
  readonly length: number;
  /** It can be read from its beginning alone. */
  readonly whole?: boolean;
}

/** One server or bucket. All calls reject with {@link RemoteFailure}. */
export interface RemoteStore {
  /** What lies at a path; undefined: nothing. */
  status(path: string): Promise<RemoteEntry | undefined>;
  /** What lies directly in a folder; undefined: the store cannot tell. */
  readonly entries?: (path: string) => Promise<readonly RemoteEntry[]>;
  /** The bytes of a file from a place on, as they come. */
  read(path: string, start: number, signal?: AbortSignal): AsyncIterable<Buffer>;
}

/** Thrown where a store does not do what it was asked for; named as the exception that Hadoop has for it. */
export class RemoteFailure extends Error {
  override readonly name: string;
  constructor(message: string, javaClass = 'java.io.IOException', options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = javaClass;
  }
}

/** Who reads, and by which settings (`fs.s3a.…`). */
export interface RemoteReader {
  readonly property: (name: string) => string | undefined;
  readonly user: string;
}

const remoteScheme = /^(https?|s3[an]?|s?webhdfs):\/\//i;

/** Whether a path is the address of a file that lies with another machine. */
export const isRemote = (path: string): boolean => remoteScheme.test(path);

/** An address in two: what opens the store, and the path in it. */
export function remoteParts(address: string): { readonly root: string; readonly path: string } {
  const root = /^[a-z0-9]+:\/\/[^/?#]*/i.exec(address)?.[0] ?? '';
  const path = address.slice(root.length);
  if (root === '' || root.endsWith('://')) throw new RemoteFailure(`${address} names no host`, 'java.lang.IllegalArgumentException');
  return { root, path: path === '' ? '/' : path };
}

/** The scheme of an address, as counters of file systems are named (`S3A_BYTES_READ`). */
export const schemeOf = (address: string): string => address.slice(0, address.indexOf(':')).toUpperCase();

/** Opens the store of an address. @throws RemoteFailure where it cannot be reached as it is named or configured */
export async function openRemote(root: string, reader: RemoteReader): Promise<RemoteStore> {
  const scheme = root.slice(0, root.indexOf(':')).toLowerCase();
  if (scheme.startsWith('http')) return (await import('./web-store.ts')).webStore(root);
  if (scheme.endsWith('webhdfs')) return (await import('./webhdfs-store.ts')).webHdfsStore(root, reader);
  return (await import('./s3-store.ts')).s3Store(root, reader);
}

/** Opens the store of an address for writing below a folder. @throws RemoteFailure */
export async function openWriter(root: string, folder: string, reader: RemoteReader): Promise<RemoteWriter> {
  const scheme = root.slice(0, root.indexOf(':')).toLowerCase();
  if (scheme.startsWith('http')) throw new RemoteFailure(`${root}: web servers take no output`, 'java.lang.UnsupportedOperationException');
  if (scheme.endsWith('webhdfs')) return (await import('./webhdfs-writer.ts')).webHdfsWriter(root, folder, reader);
  return (await import('./s3-writer.ts')).s3Writer(root, folder, reader);
}

const answerTimeoutMs = 60_000;

/** Sends a request and waits for the head of the answer, so long as that may take. @throws RemoteFailure where no server answers */
export async function answerOf(
  what: string,
  signal: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${answerTimeoutMs / 1000} seconds`)), answerTimeoutMs);
  try {
    return await send(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } catch (error) {
    throw brokenOff(what, error);
  } finally {
    clearTimeout(timer);
  }
}

function brokenOff(what: string, error: unknown): RemoteFailure {
  if (error instanceof RemoteFailure) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
  const refused = (cause as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  return new RemoteFailure(`${what}: ${cause.message || 'failed'}`, refused ? 'java.net.ConnectException' : 'java.io.IOException', {
    cause,
  });
}

/** The body of an answer, piece by piece. Where the server says how long it is, so much has to come. */
export async function* bodyOf(response: Response, what: string): AsyncGenerator<Buffer> {
  const announced =
    response.headers.get('content-encoding') === null ? Number(response.headers.get('content-length') ?? Number.NaN) : Number.NaN;
  let bytes = 0;
  try {
    for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      yield Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    }
  } catch (error) {
    throw brokenOff(`${what} broke off after ${bytes} bytes`, error);
  }
  if (bytes < announced) throw new RemoteFailure(`${what} broke off: ${bytes} of ${announced} bytes came`, 'java.io.EOFException');
}

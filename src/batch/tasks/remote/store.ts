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
  /** The bytes of a file from a place on, as they come. What is read on after it broke off has to be the same file: `seen` is kept from read to read. */
  read(path: string, start: number, seen: SeenFile, signal?: AbortSignal): AsyncIterable<Buffer>;
}

/** What tells whether a file is still the one whose beginning was read. */
export interface SeenFile {
  version?: string | undefined;
}

/** Thrown where a store does not do what it was asked for; named as the exception that Hadoop has for it. */
export class RemoteFailure extends Error {
  override readonly name: string;
  constructor(message: string, javaClass = 'java.io.IOException', options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = javaClass;
  }
}

/** How long and how often a server is asked. */
export interface Patience {
  /** For the head of an answer. */
  readonly answerMs: number;
  /** For the next piece of its body. */
  readonly stallMs: number;
  /** How often a call is made that fails in a way that may pass. */
  readonly attempts: number;
  /** Before the second time; each further wait is twice as long. */
  readonly waitMs: number;
}

/** Who reads, and by which settings (`fs.s3a.…`). */
export interface RemoteReader {
  readonly property: (name: string) => string | undefined;
  readonly user: string;
  readonly patience?: Patience;
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
  if (scheme.startsWith('http')) return (await import('./web-store.ts')).webStore(root, reader);
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

// Files that lie with other machines: by HTTP, in stores that speak S3, with a name node. What a job needs of any of them.
import { RemoteFailure } from './remote-failure.ts';
import type { RemoteReader, RemoteStore } from './remote-store.ts';
import type { RemoteWriter } from './writer.ts';

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

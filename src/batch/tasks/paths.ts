// Paths as job settings give them: plain, `file:/a/b` or `file:///a/b`; input also by addresses of other machines.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRemote } from './remote/store.ts';

/** Thrown for a path of a file system Heddle cannot read; the message is Hadoop's for an unknown scheme. */
export class UnsupportedFileSystem extends Error {
  override readonly name = 'UnsupportedFileSystemException';
}

/** The local path a setting names, made absolute against `workingFolder`. @throws UnsupportedFileSystem */
export function localPath(text: string, workingFolder = '/'): string {
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1];
  if (scheme === undefined) return resolve(workingFolder, text);
  if (scheme !== 'file') throw new UnsupportedFileSystem(`No FileSystem for scheme "${scheme}"`);
  const rest = text.slice(5);
  if (/%[0-9a-fA-F]{2}/.test(rest) && rest.startsWith('///')) return fileURLToPath(text);
  return resolve('/', rest.replace(/^\/\/[^/]*/, '').replace(/^\/+/, '/'));
}

/** The address of an input file as Hadoop writes it: `file:/a/b`, or what it is with another machine. */
export const inputUri = (path: string): string => (isRemote(path) ? path : `file:${path}`);

/** The form in which Hadoop writes a local path down: `file:/a/b`. */
export function fileUri(path: string): string {
  return `file:${resolve('/', path)}`;
}

// Brings the bytes of a local resource to a file here: `file:` and plain paths are copied, `http(s):` downloaded.
// The source must still be what the submitter saw: its time is compared (FSDownload.verifyAndCopy).
import { createWriteStream } from 'node:fs';
import { copyFile, cp, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { LocalResource } from '../../wire/cluster/node-channel.ts';
import { LocalizationFailure, pathText } from './errors.ts';

/** Limits of a fetch. */
export interface FetchOptions {
  readonly signal: AbortSignal;
  readonly maximumBytes: number;
  readonly nowMs: number;
}

/** Fetches `resource` to the file `target`; a folder is copied whole. @throws LocalizationFailure */
export async function fetchResource(resource: LocalResource, target: string, options: FetchOptions): Promise<void> {
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(resource.resource)?.[1]?.toLowerCase() ?? 'file';
  if (scheme === 'file') return fetchFile(resource, target, options);
  if (scheme === 'http' || scheme === 'https') return fetchHttp(resource, target, options);
  throw new LocalizationFailure(`No FileSystem for scheme "${scheme}"`, 'org.apache.hadoop.fs.UnsupportedFileSystemException');
}

async function fetchFile(resource: LocalResource, target: string, options: FetchOptions): Promise<void> {
  const uri = resource.resource;
  let source: string;
  try {
    source = /^file:/i.test(uri) ? filePath(uri) : uri;
  } catch {
    throw new LocalizationFailure(`Wrong FS: ${uri}, expected: file:///`, 'java.lang.IllegalArgumentException');
  }
  if (!source.startsWith('/')) throw new LocalizationFailure(`Wrong FS: ${uri}, expected: file:///`, 'java.lang.IllegalArgumentException');
  const text = pathText(`file://${source}`);
  const facts = await stat(source).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
      throw new LocalizationFailure(`File ${text} does not exist`, 'java.io.FileNotFoundException');
    throw new LocalizationFailure(`${text} (${error.code ?? error.message})`, 'java.io.FileNotFoundException');
  });
  checkTime(text, resource.timestamp, Math.floor(facts.mtimeMs), options.nowMs);
  if (resource.visibility === 'PUBLIC' && !(await isPublic(source)))
    throw new LocalizationFailure(`Resource ${text} is not publicly accessible and as such cannot be part of the public cache.`);
  if (facts.isDirectory()) await cp(source, target, { recursive: true, dereference: true });
  else if (facts.isFile()) await copyFile(source, target);
  else throw new LocalizationFailure(`${text} is neither a file nor a folder`);
}

/** The path of `file:/a`, `file:///a` or `file://host/a`, percent signs decoded. */
function filePath(uri: string): string {
  const url = new URL(uri);
  return fileURLToPath(`file://${url.pathname}`);
}

async function fetchHttp(resource: LocalResource, target: string, options: FetchOptions): Promise<void> {
  const uri = resource.resource;
  let response: Response;
  try {
    response = await fetch(uri, { signal: options.signal, redirect: 'follow' });
  } catch (error) {
    throw new LocalizationFailure(
      `${uri}: ${error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : 'failed'}`,
    );
  }
  if (response.status === 404) throw new LocalizationFailure(uri, 'java.io.FileNotFoundException');
  if (!response.ok || !response.body)
    throw new LocalizationFailure(`Server returned HTTP response code: ${response.status} for URL: ${uri}`);
  // Hadoop's HTTP file system knows no times and takes 0 for all; a real time is compared when the server names one.
  const modified = Date.parse(response.headers.get('last-modified') ?? '');
  if (resource.timestamp > 0 && !Number.isNaN(modified)) checkTime(uri, resource.timestamp, modified, options.nowMs);
  let bytes = 0;
  const counted = async function* (source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > options.maximumBytes) throw new LocalizationFailure(`${uri} is larger than ${options.maximumBytes} bytes`);
      yield chunk;
    }
  };
  await pipeline(Readable.fromWeb(response.body as never), counted, createWriteStream(target), { signal: options.signal });
}

function checkTime(source: string, expected: number, actual: number, nowMs: number): void {
  if (expected === actual) return;
  throw new LocalizationFailure(
    `Resource ${source} changed on src filesystem - expected: "${isoText(expected)}", was: "${isoText(actual)}", current time: "${isoText(nowMs)}"`,
  );
}

/** `2025-10-13T09:14:05.123+0000` in local time, as Hadoop's Times.formatISO8601. */
export function isoText(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return String(timeMs);
  const offset = -date.getTimezoneOffset();
  const local = new Date(timeMs + offset * 60_000).toISOString().slice(0, -1);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
}

/** Whether everybody may read the file and enter all folders above it (FSDownload.isPublic). */
async function isPublic(path: string): Promise<boolean> {
  const facts = await stat(path);
  if ((facts.mode & 0o004) === 0 || (facts.isDirectory() && (facts.mode & 0o001) === 0)) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === '/') return true;
  }
}

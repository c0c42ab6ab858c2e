// Reads zip and jar archives: the central directory, stored and deflated entries, zip64. Entries never leave the target folder.
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { LocalizationFailure } from './errors.ts';
import type { UnpackBudget } from './limits.ts';

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly mode: number;
  /** CRC-32 of the content. */
  readonly sum: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly headerOffset: number;
}

const endSignature = 0x06054b50;
const centralSignature = 0x02014b50;
const localSignature = 0x04034b50;
const maximumDirectoryBytes = 256 * 1024 * 1024;

/** Unpacks the entries whose names `wanted` accepts. @throws LocalizationFailure for a broken archive or an entry that leaves the folder. */
export async function unzip(
  file: string,
  target: string,
  options: { readonly wanted?: ((name: string) => boolean) | undefined; readonly budget: UnpackBudget; readonly signal: AbortSignal },
): Promise<void> {
  const handle = await open(file, 'r');
  try {
    for (const entry of await readDirectory(handle, file)) {
      options.signal.throwIfAborted();
      options.budget.entry();
      if (options.wanted && !options.wanted(entry.name)) continue;
      if (entry.name.startsWith('/') || entry.name.split(/[/\\]/).includes('..') || entry.name.includes('\0'))
        throw new LocalizationFailure(`expanding ${entry.name} would create file outside of ${target}`);
      const path = join(target, entry.name);
      if (entry.name.endsWith('/')) {
        await mkdir(path, { recursive: true });
        continue;
      }
      await mkdir(dirname(path), { recursive: true });
      await extract(handle, entry, path, file, options);
    }
  } catch (error) {
    options.signal.throwIfAborted();
    // What the file system says is said; anything else is the archive's fault.
    if (error instanceof LocalizationFailure || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw broken(file);
  } finally {
    await handle.close();
  }
}

async function readBytes(handle: FileHandle, position: number, length: number, file: string): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, position);
  if (bytesRead < length) throw broken(file);
  return bytes;
}

const broken = (file: string) => new LocalizationFailure(`${file} is not a zip file`, 'java.util.zip.ZipException');

async function readDirectory(handle: FileHandle, file: string): Promise<ZipEntry[]> {
  const { size } = await handle.stat();
  const tailLength = Math.min(size, 22 + 65_535);
  const tail = await readBytes(handle, size - tailLength, tailLength, file);
  let at = tailLength - 22;
  while (at >= 0 && tail.readUInt32LE(at) !== endSignature) at--;
  if (at < 0) throw broken(file);
  let count = tail.readUInt16LE(at + 10);
  let bytes = tail.readUInt32LE(at + 12);
  let offset = tail.readUInt32LE(at + 16);
  if ((count === 0xffff || bytes === 0xffffffff || offset === 0xffffffff) && at >= 20) {
    const locator = tail.subarray(at - 20, at);
    const end64 = await readBytes(handle, Number(locator.readBigUInt64LE(8)), 56, file);
    count = Number(end64.readBigUInt64LE(32));
    bytes = Number(end64.readBigUInt64LE(40));
    offset = Number(end64.readBigUInt64LE(48));
  }
  if (bytes > maximumDirectoryBytes || offset + bytes > size) throw broken(file);
  const directory = await readBytes(handle, offset, bytes, file);
  const entries: ZipEntry[] = [];
  for (let position = 0; entries.length < count; ) {
    if (position + 46 > directory.length || directory.readUInt32LE(position) !== centralSignature) throw broken(file);
    const nameLength = directory.readUInt16LE(position + 28);
    const extraLength = directory.readUInt16LE(position + 30);
    const extra = directory.subarray(position + 46 + nameLength, position + 46 + nameLength + extraLength);
    const sizes = [directory.readUInt32LE(position + 24), directory.readUInt32LE(position + 20), directory.readUInt32LE(position + 42)];
    const [entryBytes, compressedBytes, headerOffset] = wide(sizes, extra);
    entries.push({
      name: directory.toString('utf8', position + 46, position + 46 + nameLength),
      method: directory.readUInt16LE(position + 10),
      mode: directory.readUInt32LE(position + 38) >>> 16,
      sum: directory.readUInt32LE(position + 16),
      bytes: entryBytes!,
      compressedBytes: compressedBytes!,
      headerOffset: headerOffset!,
    });
    position += 46 + nameLength + extraLength + directory.readUInt16LE(position + 32);
  }
  return entries;
}

/** Sizes of more than 32 bits stand in the zip64 extra field, in order, only where the short one is full. */
function wide(sizes: number[], extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let field = at + 4;
    return sizes.map((size) => {
      if (size !== 0xffffffff) return size;
      field += 8;
      return Number(extra.readBigUInt64LE(field - 8));
    });
  }
  return sizes;
}

async function extract(
  handle: FileHandle,
  entry: ZipEntry,
  path: string,
  file: string,
  { budget, signal }: { readonly budget: UnpackBudget; readonly signal: AbortSignal },
): Promise<void> {
  const header = await readBytes(handle, entry.headerOffset, 30, file);
  if (header.readUInt32LE(0) !== localSignature) throw broken(file);
  const start = entry.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (entry.method !== 0 && entry.method !== 8)
    throw new LocalizationFailure(`${entry.name}: compression method ${entry.method} is not supported`);
  const output = createWriteStream(path, { mode: (entry.mode & 0o777) === 0 ? 0o644 : entry.mode & 0o777 });
  if (entry.compressedBytes === 0) {
    await new Promise<void>((resolve, reject) => output.on('error', reject).end(resolve));
    return;
  }
  const input = handle.createReadStream({ start, end: start + entry.compressedBytes - 1, autoClose: false });
  let written = 0;
  let sum = 0;
  const counted = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      written += chunk.length;
      if (written > entry.bytes) throw broken(file);
      sum = crc32(chunk, sum);
      budget.bytes(chunk.length);
      yield chunk;
    }
  };
  if (entry.method === 0) await pipeline(input, counted, output, { signal });
  else await pipeline(input, createInflateRaw(), counted, output, { signal });
  if (written !== entry.bytes || sum !== entry.sum) throw broken(file);
}

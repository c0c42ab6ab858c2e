// Unpacks zip and jar archives (yauzl reads them): every entry is counted, and none leaves the target folder.
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { LocalizationFailure } from './errors.ts';
import type { UnpackBudget } from './limits.ts';

/** What bounds the unpacking of one archive. */
export interface UnzipOptions {
  /** Accepts the names of entries to unpack; absent: all are. */
  readonly wanted?: ((name: string) => boolean) | undefined;
  /** Counts all entries, and the bytes of those that are unpacked. */
  readonly budget: UnpackBudget;
  readonly signal: AbortSignal;
}

/** Methods of APPNOTE 4.4.5: stored and deflated. */
const supportedMethods: ReadonlySet<number> = new Set([0, 8]);

/**
 * Unpacks `file` into the folder `target`. Of entries of one name the last stays; links become files that hold the name of their target, as
 * in Hadoop (FileUtil.unZip). @throws LocalizationFailure for an archive that is broken, encrypted, or has an entry that leaves the folder
 */
export async function unzip(file: string, target: string, options: UnzipOptions): Promise<void> {
  let archive: ZipFile | undefined;
  try {
    // Names come as bytes: yauzl would give those without the mark of UTF-8 in another encoding, and turn backslashes.
    archive = await openPromise(file, { autoClose: false, lazyEntries: true, decodeStrings: false });
    for await (const entry of archive.eachEntry()) {
      options.signal.throwIfAborted();
      options.budget.entry();
      const name = nameOf(entry);
      if (options.wanted && !options.wanted(name)) continue;
      await unpackEntry(archive, entry, name, target, options);
    }
  } catch (error) {
    options.signal.throwIfAborted();
    // What the file system says is said; anything else is the archive's fault.
    if (error instanceof LocalizationFailure || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new LocalizationFailure(`${file} is not a zip file: ${(error as Error).message}`, 'java.util.zip.ZipException');
  } finally {
    archive?.close();
  }
}

async function unpackEntry(archive: ZipFile, entry: Entry, name: string, target: string, options: UnzipOptions): Promise<void> {
  if (name.startsWith('/') || name.split(/[/\\]/).includes('..') || name.includes('\0'))
    throw new LocalizationFailure(`expanding ${name} would create file outside of ${target}`);
  const path = join(target, name);
  if (name.endsWith('/')) {
    await mkdir(path, { recursive: true });
    return;
  }
  if (entry.isEncrypted()) throw new LocalizationFailure(`${name}: encrypted entries are not supported`, 'java.util.zip.ZipException');
  if (!supportedMethods.has(entry.compressionMethod))
    throw new LocalizationFailure(`${name}: compression method ${entry.compressionMethod} is not supported`);
  await mkdir(dirname(path), { recursive: true });
  const permissions = (entry.externalFileAttributes >>> 16) & 0o777;
  const content = await archive.openReadStreamPromise(entry);
  // Made in the same turn as what listens to it: a file that cannot be opened would end this process otherwise.
  const output = createWriteStream(path, { mode: permissions || 0o644 });
  await pipeline(content, (pieces) => checked(pieces, entry, options.budget), output, { signal: options.signal });
}

/** The content, counted before it is written, and compared with the length and the sum that the directory names. */
async function* checked(content: AsyncIterable<Buffer>, entry: Entry, budget: UnpackBudget): AsyncGenerator<Buffer> {
  let bytes = 0;
  let sum = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    sum = crc32(chunk, sum);
    budget.bytes(chunk.length);
    yield chunk;
  }
  if (bytes !== entry.uncompressedSize || sum !== entry.crc32) throw new Error('the content of an entry is not what the directory says');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The name as Java reads it, in UTF-8 whether marked so or not; what is not UTF-8 is in code page 437 (APPNOTE, appendix D). */
function nameOf({ fileNameRaw, generalPurposeBitFlag }: Entry): string {
  try {
    return utf8.decode(fileNameRaw);
  } catch {
    return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, [], true);
  }
}

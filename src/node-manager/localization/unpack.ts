// Unpacks archives by their names, as Hadoop does (FSDownload.unpack): .jar and .zip, .tar, .tar.gz, .tgz; also .tar.bz2, .tar.xz and
// .tar.zst; anything else stays a file.
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BoundedPattern, boundedPattern, PatternTooSlow } from '../../lib/bounded-pattern.ts';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import { LocalizationFailure } from './errors.ts';
import { type LocalizationLimits, UnpackBudget } from './limits.ts';

/** Small pieces cost more than the bytes in them. */
const chunkBytes = 256 * 1024;

type ArchiveKind = 'zip' | 'tar' | 'gzip' | 'bzip2' | 'xz' | 'zstd';

const endings: readonly (readonly [RegExp, ArchiveKind])[] = [
  [/\.(jar|zip)$/, 'zip'],
  [/\.(tar\.gz|tgz)$/, 'gzip'],
  [/\.tar$/, 'tar'],
  [/\.(tar\.bz2|tbz2?)$/, 'bzip2'],
  [/\.(tar\.xz|txz)$/, 'xz'],
  [/\.(tar\.zst|tzst)$/, 'zstd'],
];

/** Makes of the fetched file `fetched` what the container shall see, at `target`: the file itself or a folder of the archive's entries. */
export async function unpack(
  resource: LocalResource,
  fetched: string,
  target: string,
  { signal, limits }: { signal: AbortSignal; limits: LocalizationLimits },
): Promise<void> {
  const name = basename(target).toLowerCase();
  const kind = resource.type === 'FILE' ? undefined : endings.find(([pattern]) => pattern.test(name))?.[1];
  const facts = await lstat(fetched);
  if (!kind || !facts.isFile()) return rename(fetched, target);
  await mkdir(target);
  const budget = new UnpackBudget(limits, facts.size, basename(target));
  if (kind === 'zip') {
    const { unzip } = await import('./zip.ts');
    const pattern = resource.type === 'PATTERN' ? entryPattern(resource.pattern ?? '.*') : undefined;
    await unzip(fetched, target, { budget, signal, wanted: pattern });
    // A job jar stands beside its unpacked parts.
    if (pattern) await rename(fetched, join(target, basename(target)));
    return;
  }
  const { untar } = await import('./tar.ts');
  const what = basename(target);
  try {
    await untar(await opened(kind, fetched, what, signal), target, what, budget);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LocalizationFailure) throw error;
    throw new LocalizationFailure(`Untarring ${what} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The bytes of the archive inside its compression. */
async function opened(
  kind: Exclude<ArchiveKind, 'zip'>,
  file: string,
  what: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  if (kind === 'bzip2' || kind === 'xz') return decompressedBy(kind, file, what, signal);
  const { createGunzip, createZstdDecompress } = await import('node:zlib');
  // After what is waited for: an error that nobody listens to would end this process.
  const packed = createReadStream(file, { signal, highWaterMark: chunkBytes });
  if (kind === 'tar') return packed;
  const options = { chunkSize: chunkBytes };
  const decoder = kind === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
  packed.on('error', (error) => decoder.destroy(error));
  decoder.on('close', () => packed.destroy());
  return packed.pipe(decoder);
}

/** What Node.js cannot decompress, the machine's own program does. */
async function* decompressedBy(program: 'bzip2' | 'xz', file: string, what: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const child = spawn(program, ['-dc', '--', file], { stdio: ['ignore', 'pipe', 'pipe'], signal });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < 2000) complaint += chunk.toString('utf8');
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? `the program ${program} is not installed on this node` : error.message),
    );
    child.on('close', (code) => resolve(code ?? 'killed'));
  });
  let whole = false;
  try {
    yield* child.stdout;
    whole = true;
  } finally {
    if (!whole) child.kill('SIGKILL');
  }
  const code = await ended;
  if (code !== 0) throw new LocalizationFailure(`Untarring ${what} failed: ${complaint.trim() || code}`);
}

/** A Java pattern that must match the whole entry name; it comes from a user, so its time is bounded. */
function entryPattern(text: string): (entry: string) => boolean {
  const fail = (why: string, javaClass: string) => new LocalizationFailure(`The pattern ${text.slice(0, 200)} ${why}`, javaClass);
  let pattern: BoundedPattern;
  try {
    pattern = boundedPattern(text);
  } catch {
    throw fail('is not a regular expression', 'java.util.regex.PatternSyntaxException');
  }
  return (entry) => {
    try {
      return pattern.matches(entry);
    } catch (error) {
      if (error instanceof PatternTooSlow) throw fail('takes too long', 'java.lang.IllegalArgumentException');
      throw error;
    }
  };
}

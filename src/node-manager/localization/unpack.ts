// Unpacks archives by their names, as Hadoop does (FSDownload.unpack): .jar and .zip, .tar, .tar.gz, .tgz; anything else stays a file.
import { spawn } from 'node:child_process';
import { mkdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BoundedPattern, boundedPattern, PatternTooSlow } from '../../lib/bounded-pattern.ts';
import type { LocalResource } from '../../wire/cluster/node-channel.ts';
import { LocalizationFailure } from './errors.ts';
import { unzip } from './zip.ts';

/** Makes of the fetched file `fetched` what the container shall see, at `target`: the file itself or a folder of the archive's entries. */
export async function unpack(
  resource: LocalResource,
  fetched: string,
  target: string,
  options: { signal: AbortSignal; maximumBytes: number },
): Promise<void> {
  const name = basename(target).toLowerCase();
  const kind = resource.type === 'FILE' ? undefined : archiveKind(name);
  if (!kind) return rename(fetched, target);
  await mkdir(target);
  if (kind === 'zip') {
    const pattern = resource.type === 'PATTERN' ? entryPattern(resource.pattern ?? '.*') : undefined;
    await unzip(fetched, target, { maximumBytes: options.maximumBytes, wanted: pattern });
    // A job jar stands beside its unpacked parts.
    if (pattern) await rename(fetched, join(target, basename(target)));
  } else await untar(fetched, target, kind, options.signal);
}

function archiveKind(name: string): 'zip' | 'tar' | 'tgz' | undefined {
  if (name.endsWith('.jar') || name.endsWith('.zip')) return 'zip';
  if (name.endsWith('.tar.gz') || name.endsWith('.tgz')) return 'tgz';
  return name.endsWith('.tar') ? 'tar' : undefined;
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

/** GNU tar keeps entries inside the folder by itself: it strips leading slashes and refuses `..`. */
async function untar(file: string, target: string, kind: 'tar' | 'tgz', signal: AbortSignal): Promise<void> {
  const child = spawn('tar', [kind === 'tgz' ? '-xzf' : '-xf', file, '-C', target, '--no-same-owner'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < 2000) complaint += chunk.toString('utf8');
  });
  const code = await new Promise<number | string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (exitCode) => resolve(exitCode ?? 'killed'));
  });
  if (code !== 0) throw new LocalizationFailure(`Untarring ${basename(target)} failed: ${complaint.trim() || code}`);
}

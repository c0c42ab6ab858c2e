// What a failed container left in its error files, for its diagnostics (ContainerLaunch.handleContainerExitWithFailure).
import { constants } from 'node:fs';
import { open, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isForeignLink } from '../../lib/foreign-link.ts';
import { type ErrorTail, errorFiles } from './diagnostics.ts';

/** Which files count as standard error and how much of them is shown. */
export interface ErrorFileSettings {
  /** A glob with `*`, `?` and `{a,b}`. */
  readonly pattern: string;
  readonly tailBytes: number;
}

/** Reads the error files in the log folder, if there is one; whatever cannot be read is left out. */
export async function readErrorFiles(logFolder: string | undefined, settings: ErrorFileSettings): Promise<string> {
  if (logFolder === undefined) return errorFiles(settings.tailBytes, undefined, [], undefined);
  const prelaunch = await tail(join(logFolder, 'prelaunch.err'), settings.tailBytes);
  const pattern = globPattern(settings.pattern);
  const matching: { name: string; modified: number }[] = [];
  for (const entry of await readdir(logFolder, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile() || !pattern.test(entry.name)) continue;
    const facts = await stat(join(logFolder, entry.name)).catch(() => undefined);
    if (facts) matching.push({ name: entry.name, modified: facts.mtimeMs });
  }
  matching.sort((a, b) => b.modified - a.modified);
  let newest: ErrorTail | undefined;
  if (matching[0]) {
    const text = await tail(join(logFolder, matching[0].name), settings.tailBytes);
    if (text !== undefined) newest = { name: matching[0].name, text };
  }
  return errorFiles(
    settings.tailBytes,
    prelaunch,
    matching.map(({ name }) => name),
    newest,
  );
}

/** Less room than this is none. */
const leastBytes = 1024 * 1024;

/** Which of these folders lie on a disk without room: a container may not even have been able to write why it failed. */
export async function fullDisks(folders: readonly string[]): Promise<string> {
  const full: string[] = [];
  for (const folder of folders) {
    const facts = await statfs(folder).catch(() => undefined);
    if (facts && facts.blocks > 0 && (facts.bavail * facts.bsize < leastBytes || (facts.files > 0 && facts.ffree === 0))) full.push(folder);
  }
  return full.map((folder) => `No space left on device: the disk of ${folder} is full.\n`).join('');
}

async function tail(path: string, bytes: number): Promise<string | undefined> {
  // What a container left may be a link to elsewhere or a pipe without a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(() => undefined);
  if (!file) return undefined;
  try {
    const facts = await file.stat();
    if (!facts.isFile() || isForeignLink(facts, await stat(dirname(path)))) return undefined;
    const { size } = facts;
    const buffer = Buffer.alloc(Math.min(size, bytes));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/** A file name glob as a regular expression. */
export function globPattern(glob: string): RegExp {
  let source = '';
  let depth = 0;
  for (const char of glob) {
    if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '{') {
      source += '(?:';
      depth++;
    } else if (char === '}' && depth > 0) {
      source += ')';
      depth--;
    } else if (char === ',' && depth > 0) source += '|';
    else source += char.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`);
}

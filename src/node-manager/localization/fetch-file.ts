// Copies files and folders of this machine, or of a disk that all machines share.
import type { Stats } from 'node:fs';
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import { LocalizationFailure, pathText } from './errors.ts';
import type { FetchOptions } from './fetch-options.ts';
import { UnpackBudget } from './limits.ts';
import { checkSize, checkTime, notPublic } from './source-facts.ts';

/** Copies `file:` and plain paths. @throws LocalizationFailure */
export async function fetchFile(resource: LocalResource, target: string, options: FetchOptions): Promise<void> {
  const uri = resource.resource;
  const wrong = () => new LocalizationFailure(`Wrong FS: ${uri}, expected: file:///`, 'java.lang.IllegalArgumentException');
  let source: string;
  try {
    source = /^file:/i.test(uri) ? filePath(uri) : uri;
  } catch {
    throw wrong();
  }
  if (!source.startsWith('/')) throw wrong();
  const text = pathText(`file://${source}`);
  const { actAs } = options.sources;
  if (actAs) {
    const { fetchAsUser } = await import('./fetch-as-user.ts');
    await fetchAsUser(resource, { source, text }, target, { ...options, actAs });
    if (resource.visibility === 'PUBLIC') await mustBePublic(source, text, options);
    return;
  }
  const facts = await readable(() => stat(source), text, source);
  checkTime(text, resource.timestamp, Math.floor(facts.mtimeMs), options.clock.now());
  if (facts.isFile()) checkSize(text, resource.size, facts.size);
  if (resource.visibility === 'PUBLIC') await mustBePublic(source, text, options);
  await copy(source, facts, target, text, new UnpackBudget(options.limits, undefined, text), options.signal);
}

/** Most folders below each other: links may lead in circles. */
const deepest = 64;

/** A file, or a folder with what is in it; links are followed, as Hadoop's copy does. */
async function copy(
  source: string,
  facts: Stats,
  target: string,
  text: string,
  budget: UnpackBudget,
  signal: AbortSignal,
  depth = 0,
): Promise<void> {
  signal.throwIfAborted();
  budget.entry();
  if (facts.isFile()) {
    budget.bytes(facts.size);
    return readable(() => copyFile(source, target), text, source);
  }
  if (!facts.isDirectory()) throw new LocalizationFailure(`${text} is neither a file nor a folder`);
  if (depth > deepest) throw new LocalizationFailure(`${text} is nested too deeply`);
  await mkdir(target);
  for (const name of await readable(() => readdir(source), text, source)) {
    const from = join(source, name);
    const inner = `${text}/${name}`;
    await copy(from, await readable(() => stat(from), inner, from), join(target, name), inner, budget, signal, depth + 1);
  }
}

/** Does something with the source; failures in Hadoop's words. */
async function readable<T>(use: () => Promise<T>, text: string, source: string): Promise<T> {
  try {
    return await use();
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new LocalizationFailure(`File ${text} does not exist`, 'java.io.FileNotFoundException');
    if (code === 'EACCES' || code === 'EPERM')
      throw new LocalizationFailure(`${source} (Permission denied)`, 'java.io.FileNotFoundException');
    if (code === 'ENOSPC') throw new LocalizationFailure(`${text}: No space left on device`);
    throw new LocalizationFailure(`${text} (${code === undefined ? message : `${code}: ${syscall}`})`);
  }
}

/** The path of `file:/a`, `file:///a` or `file://host/a`, percent signs decoded. */
function filePath(uri: string): string {
  const url = new URL(uri);
  return fileURLToPath(`file://${url.pathname}`);
}

/** All users may read the file, or everything in the folder, and enter all folders above (FSDownload.isPublic). @throws LocalizationFailure */
async function mustBePublic(path: string, text: string, { limits, signal }: Pick<FetchOptions, 'limits' | 'signal'>): Promise<void> {
  await mustBeReadable(path, { text, budget: new UnpackBudget(limits, undefined, text), signal });
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) throw notPublic(text);
    if (folder === '/') return;
  }
}

interface PublicWalk {
  /** What is brought, in failures. */
  readonly text: string;
  readonly budget: UnpackBudget;
  readonly signal: AbortSignal;
}

async function mustBeReadable(path: string, walk: PublicWalk, depth = 0): Promise<void> {
  walk.signal.throwIfAborted();
  walk.budget.entry();
  const facts = await readable(() => stat(path), `file://${path}`, path);
  if ((facts.mode & 0o004) === 0 || (facts.isDirectory() && (facts.mode & 0o001) === 0)) throw notPublic(walk.text);
  if (!facts.isDirectory()) return;
  if (depth > deepest) throw new LocalizationFailure(`${walk.text} is nested too deeply`);
  for (const name of await readable(() => readdir(path), `file://${path}`, path)) await mustBeReadable(join(path, name), walk, depth + 1);
}

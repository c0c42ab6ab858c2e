// Which files of other machines a job reads: the rules of FileInputFormat, and Hadoop's patterns, over what stores say.
import { basename } from 'node:path/posix';
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutTrailing } from '../../../lib/trailing.ts';
import { componentPattern, expandFolders, hasGlob, pathComponents } from '../input/glob.ts';
import { hidden, type InputFile, InvalidInput, mapFileData, type SplitRules } from '../input/splits.ts';
import { BrokenOff, NoParts, patienceOf } from './calls.ts';
import type { RemoteEntry, RemoteReader, RemoteStore, SeenFile } from './remote-store.ts';
import { openRemote, remoteParts } from './store.ts';

/** What matches a pattern whose braces have no folders in their words. */
async function matchesOf(store: RemoteStore, pattern: string): Promise<RemoteEntry[]> {
  let found: RemoteEntry[] = [{ path: '/', isFolder: true, length: 0 }];
  const parts = pathComponents(pattern);
  for (const [i, component] of parts.entries()) {
    const next: RemoteEntry[] = [];
    for (const { path, isFolder } of found) {
      if (!isFolder) continue;
      if (hasGlob(component)) {
        const matches = componentPattern(component);
        next.push(...((await store.entries?.(path)) ?? []).filter((entry) => matches.test(basename(entry.path))));
        continue;
      }
      const inner = `${path === '/' ? '' : path}/${component.replace(/\\(.)/g, '$1')}`;
      // Only what ends a path, or what is listed next, has to be there.
      if (i < parts.length - 1) next.push({ path: inner, isFolder: true, length: 0 });
      else next.push(...[await store.status(inner)].filter((entry) => entry !== undefined));
    }
    found = next;
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

async function folderFiles(store: RemoteStore, root: string, folder: string, rules: SplitRules): Promise<InputFile[]> {
  const files: InputFile[] = [];
  const entries = [...((await store.entries?.(folder)) ?? [])].sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const entry of entries) {
    if (hidden(basename(entry.path))) continue;
    if (!entry.isFolder) files.push(fileOf(root, entry));
    else if (rules.recursive) files.push(...(await folderFiles(store, root, entry.path, rules)));
    else if (rules.sequences) files.push(await mapFileOf(store, root, entry.path));
    else if (!rules.ignoreSubfolders) throw new InvalidInput(`Not a file: ${root}${entry.path}`);
  }
  return files;
}

async function mapFileOf(store: RemoteStore, root: string, folder: string): Promise<InputFile> {
  const data = await store.status(`${folder}/${mapFileData}`);
  if (data === undefined) throw new InvalidInput(`File ${root}${folder}/${mapFileData} does not exist`);
  return fileOf(root, data);
}

const fileOf = (root: string, { path, length, whole }: RemoteEntry): InputFile => ({
  path: root + path,
  length,
  ...(whole === true ? { whole } : {}),
});

/** The files that one address names, in Hadoop's order. @throws InvalidInput where there are none, RemoteFailure */
export async function listRemote(address: string, rules: SplitRules, reader: RemoteReader): Promise<InputFile[]> {
  const { root, path } = remoteParts(address);
  const store = await openRemote(root, reader);
  // A web server has no folders, and a question mark begins a query there.
  if (store.entries === undefined) {
    const entry = await store.status(path);
    if (entry === undefined) throw new InvalidInput(`Input path does not exist: ${address}`);
    return [fileOf(root, entry)];
  }
  const pattern = hasGlob(path);
  // A backslash takes what follows it as it is, also where nothing else is a pattern.
  const found =
    pattern || path.includes('\\')
      ? (await Promise.all(expandFolders(path).map((one) => matchesOf(store, one)))).flat()
      : [await store.status(path.length > 1 ? withoutTrailing(path, '/') : path)].filter((entry) => entry !== undefined);
  const visible = found.filter((entry) => !hidden(basename(entry.path)));
  if (visible.length === 0)
    throw new InvalidInput(pattern ? `Input Pattern ${address} matches 0 files` : `Input path does not exist: ${address}`);
  const files: InputFile[] = [];
  for (const entry of visible) files.push(...(entry.isFolder ? await folderFiles(store, root, entry.path, rules) : [fileOf(root, entry)]));
  return files;
}

/**
 * The bytes of a file at an address, from a place on; where they break off they are read on from there, as long as something comes.
 * @throws RemoteFailure
 */
export async function* readRemote(address: string, start: number, reader: RemoteReader, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const { root, path } = remoteParts(address);
  const store = await openRemote(root, reader);
  const { attempts, waitMs } = patienceOf(reader);
  const seen: SeenFile = {};
  let broken: BrokenOff | undefined;
  for (let at = start, failures = 0; ; ) {
    const before = at;
    try {
      for await (const piece of store.read(path, at, seen, signal)) {
        at += piece.length;
        yield piece;
      }
      return;
    } catch (error) {
      if (error instanceof NoParts && broken !== undefined) throw broken;
      if (!(error instanceof BrokenOff) || signal?.aborted === true) throw error;
      broken = error;
      // A call that never got an answer has been made several times already.
      failures = at > before ? 1 : failures + 1;
      if (failures >= attempts || (at === before && at === start)) throw error;
      await sleep(waitMs, undefined, { signal });
    }
  }
}

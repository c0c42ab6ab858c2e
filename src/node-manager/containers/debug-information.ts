// directory.info: what a container found in its folder, for people who look for a missing file. Hadoop's launch script runs `ls` and
// `find` for it before the command; here the node writes it, so that the command does not wait for five processes.
import { constants } from 'node:fs';
import { appendFile, lstat, readdir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';

const maximumDepth = 5;
/** Entries listed before the list ends with a remark. */
const maximumEntries = 2000;

/** The first part: the folder itself with the links that the script will make. */
export async function directoryInformation(workFolder: string, links: ReadonlyMap<string, string>): Promise<string> {
  const names = await readdir(workFolder).catch((): string[] => []);
  const lines = await Promise.all(names.map((name) => describe(join(workFolder, name), name)));
  return ['ls -l:', ...lines, ...[...links].map(([name, target]) => `lrwxrwxrwx ${name} -> ${target}`), ''].join('\n');
}

/** Adds everything below, links followed, and the links that lead nowhere. For the time after the start; never rejects. */
export async function addDirectoryTree(file: string, workFolder: string): Promise<void> {
  const lines: string[] = [];
  const broken: string[] = [];
  const walk = async (folder: string, shown: string, depth: number): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (lines.length >= maximumEntries) return;
      const path = join(folder, entry.name);
      const label = `${shown}/${entry.name}`;
      const target = entry.isSymbolicLink() ? await stat(path).catch(() => undefined) : entry;
      if (!target) broken.push(`${label} -> ${await readlink(path).catch(() => '')}`);
      else {
        lines.push(await describe(path, label));
        if (target.isDirectory() && depth < maximumDepth) await walk(path, label, depth + 1);
      }
    }
  };
  try {
    await walk(workFolder, '.', 1);
    if (lines.length >= maximumEntries) lines.push(`(only the first ${maximumEntries} entries)`);
    const text = ['find -L . -maxdepth 5 -ls:', ...lines, 'broken symlinks(find -L . -maxdepth 5 -type l -ls):', ...broken].join('\n');
    // What the container put in its place is left alone: a link, or a pipe, at which one would wait.
    await appendFile(file, `${text}\n`, {
      flag: constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    });
  } catch {
    // The container may have ended and its folders be gone.
  }
}

/** `-rw-r----- 1 0 0 1234 2025-10-13T09:14:05.000Z name` */
async function describe(path: string, name: string): Promise<string> {
  const facts = await lstat(path).catch(() => undefined);
  if (!facts) return name;
  const kind = facts.isDirectory() ? 'd' : facts.isSymbolicLink() ? 'l' : facts.isFile() ? '-' : '?';
  const rights = [6, 3, 0].map((shift) => {
    const bits = (facts.mode >> shift) & 7;
    return `${bits & 4 ? 'r' : '-'}${bits & 2 ? 'w' : '-'}${bits & 1 ? 'x' : '-'}`;
  });
  const target = kind === 'l' ? ` -> ${await readlink(path).catch(() => '')}` : '';
  return `${kind}${rights.join('')} ${facts.nlink} ${facts.uid} ${facts.gid} ${facts.size} ${facts.mtime.toISOString()} ${name}${target}`;
}

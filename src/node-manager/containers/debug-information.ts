// What a container found, for people who look for a missing file: directory.info lists its folder, and there is a copy of its script. Hadoop's
// launch script runs `cp`, `ls` and `find` for them before the command; here the node writes both beside it, so that the command waits for nothing.
import { constants } from 'node:fs';
import { appendFile, lstat, readdir, readlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { folderBelow, type HeldFolder } from '../../lib/folder-inside.ts';
import type { NodeFolders } from '../folders.ts';
import { writeNew } from '../new-file.ts';
import type { StartContext } from './steps/step.ts';

const maximumDepth = 5;
/** Entries listed before the list ends with a remark. */
const maximumEntries = 2000;

/** They open a folder of the node over no link that a container may have put on the way to it. */
type Folders = Pick<NodeFolders, 'hold'>;

/** Writes the copy of the script, and what stands in the folder at the start. @throws where the log folder cannot be written to */
export const describeStart = (context: StartContext): Promise<void> => describeBoth(context, false);

/** The same beside the command, and then all that is below the folder. Never rejects: the container may have ended, or put something there. */
export const describeStarted = (context: StartContext): Promise<void> => describeBoth(context, true).catch(() => undefined);

async function describeBoth({ folders, links, script, container: { order } }: StartContext, withTree: boolean): Promise<void> {
  using logs = await folders.hold(folders.containerLogs(order.applicationId, order.containerId)[0]!);
  const workFolder = folders.work(order.user, order.applicationId, order.containerId);
  const list = join(logs.path, 'directory.info');
  await Promise.all([
    writeNew({ path: join(logs.path, 'launch_container.sh'), content: script, mode: 0o640 }),
    directoryInformation(folders, workFolder, links).then((content) => writeNew({ path: list, content, mode: 0o640 })),
  ]);
  if (withTree) await addDirectoryTree(list, folders, workFolder);
}

/** The first part: the folder itself with the links that the script makes. */
export async function directoryInformation(folders: Folders, workFolder: string, links: ReadonlyMap<string, string>): Promise<string> {
  return [
    'ls -l:',
    ...(await entriesOf(folders, workFolder, links)),
    ...[...links].map(([name, target]) => `lrwxrwxrwx ${name} -> ${target}`),
    '',
  ].join('\n');
}

async function entriesOf(folders: Folders, folder: string, links: ReadonlyMap<string, string>): Promise<string[]> {
  try {
    using held = await folders.hold(folder);
    const names = (await readdir(held.path)).filter((name) => !links.has(name));
    return await Promise.all(names.map((name) => describe(join(held.path, name), name)));
  } catch {
    return [];
  }
}

/**
 * Adds everything below, links to other folders of the node followed, and the links that lead nowhere. For the time after the start: a link of the container's to
 * elsewhere is not followed, as it may not see what the node sees there. Never rejects.
 */
export async function addDirectoryTree(file: string, folders: Folders, workFolder: string): Promise<void> {
  const lines: string[] = [];
  const broken: string[] = [];
  const walk = async (folder: HeldFolder, shown: string, depth: number): Promise<void> => {
    for (const entry of await readdir(folder.path, { withFileTypes: true }).catch(() => [])) {
      if (lines.length >= maximumEntries) return;
      const label = `${shown}/${entry.name}`;
      const path = join(folder.path, entry.name);
      const link = entry.isSymbolicLink() ? await readlink(path).catch(() => '') : undefined;
      const target = link === undefined ? undefined : resolve(workFolder, shown, link);
      if (target !== undefined && (await leadsNowhere(folders, target))) {
        broken.push(`${label} -> ${link}`);
        continue;
      }
      lines.push(await describe(path, label));
      if (depth >= maximumDepth || !(entry.isDirectory() || target !== undefined)) continue;
      const below = target === undefined ? folderBelow(folder, entry.name) : folders.hold(target);
      using held = await below.catch(() => undefined);
      if (held) await walk(held, label, depth + 1);
    }
  };
  try {
    using held = await folders.hold(workFolder);
    await walk(held, '.', 1);
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

/** Whether nothing stands there, as far as that is for the container to know. */
async function leadsNowhere(folders: Folders, target: string): Promise<boolean> {
  try {
    using above = await folders.hold(dirname(target));
    await lstat(join(above.path, basename(target)));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
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

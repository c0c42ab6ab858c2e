// Files that a container is brought after its start: for another launch context, or because its master asked for them while it runs.
import { symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import type { NodeFolders } from '../folders.ts';
import type { LocalCache } from '../localization/cache.ts';
import type { NodeUsers } from '../users.ts';
import type { Container } from './container.ts';
import { checkedName, linksOf } from './steps/localize.ts';

/** What bringing a file needs. */
export interface FurtherFiles {
  readonly cache: LocalCache;
  readonly folders: NodeFolders;
  /** Absent: containers run as the node manager's own user. */
  readonly users?: NodeUsers | undefined;
}

const ownerOf = ({ order: { containerId, applicationId, user, launch } }: Container) => ({
  containerId,
  applicationId,
  user,
  tokens: launch.tokens,
});

/** Brings files to the node, where the container refers to them. @throws LocalizationFailure */
export async function bringFiles(container: Container, files: Readonly<Record<string, LocalResource>>, cache: LocalCache): Promise<void> {
  for (const name of Object.keys(files)) checkedName(name);
  await Promise.all(Object.values(files).map((file) => cache.acquire(file, ownerOf(container), container.ending.signal)));
}

/** Brings a file and links it into the container's folder; what has that name there already stays. @throws LocalizationFailure */
export async function bringFile(
  container: Container,
  name: string,
  file: LocalResource,
  { cache, folders, users }: FurtherFiles,
): Promise<void> {
  checkedName(name);
  const path = await cache.acquire(file, ownerOf(container), container.ending.signal);
  if (container.ended) return cache.release(container.id);
  const { user, applicationId, containerId } = container.order;
  const work = folders.work(user, applicationId, containerId);
  const links = await linksOf(name, path);
  if (!users) {
    for (const [link, target] of links) {
      using held = await folders.hold(dirname(join(work, link)), 0o777);
      await symlink(target, join(held.path, basename(link))).catch(ignoreExisting);
    }
    return;
  }
  const identity = await users.identityOf(user);
  if (file.visibility !== 'PUBLIC') await users.give(identity, dirname(path));
  for (const [link, target] of links) await users.act(identity, linkAsUser, [work, link, target]);
}

const linkAsUser = 'cd -- "$1" && mkdir -p -- "$(dirname -- "$2")" && { [ -e "$2" ] || [ -L "$2" ] || ln -s -- "$3" "$2"; }';

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

// Makes the folders of a container: work, temporary files, logs. Logs stay when the container ends.
import { chmod, chown, lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Identity } from '../../../engines/engine.ts';
import type { ContainerStart } from '../../../wire/cluster/container-messages.ts';
import type { NodeFolders } from '../../folders.ts';
import type { StartStep } from './step.ts';

/** In a container's working folder. */
export const secretsFolder = '.secrets';

export const makeFolders: StartStep = {
  name: 'make-folders',
  async run({ container, folders, node }) {
    const { user, applicationId, containerId } = container.order;
    if (node.users) {
      const identity = await node.users.identityOf(user);
      await makeRoom(folders, container.order, identity);
      const work = folders.work(user, applicationId, containerId);
      // What an earlier process of the node manager began, or the application put there.
      await folders.remove(work);
      await node.users.act(identity, 'umask 027; mkdir -- "$1" "$1/tmp"', [work]);
      node.users.containerUsers.hold(containerId, user, identity.userId);
      return;
    }
    await Promise.all([
      makeWork(folders, container.order),
      ...folders.containerLogs(applicationId, containerId).map((log) => make(folders, log)),
    ]);
  },
  async undo({ container, folders, node }) {
    const { user, applicationId, containerId } = container.order;
    node.users?.containerUsers.release(containerId, user);
    await folders.remove(folders.work(user, applicationId, containerId));
  },
};

async function makeWork(folders: NodeFolders, { user, applicationId, containerId, launch }: ContainerStart): Promise<void> {
  using work = await folders.hold(folders.work(user, applicationId, containerId), 0o710, { isNew: true });
  await Promise.all([
    mkdir(join(work.path, 'tmp'), { mode: 0o710 }).catch(ignoreExisting),
    Object.keys(launch.secretEnvironment ?? {}).length > 0 && mkdir(join(work.path, secretsFolder), { mode: 0o700 }).catch(ignoreExisting),
  ]);
}

async function make(folders: NodeFolders, path: string): Promise<void> {
  using _ = await folders.hold(path, 0o710, { isNew: true });
}

/**
 * The folders above a container's own. Those above the application's belong to root, and others can only go through them; the
 * application's belong to the user. Log folders are the user's once root has written there.
 */
async function makeRoom(folders: NodeFolders, { user, applicationId, containerId }: ContainerStart, identity: Identity): Promise<void> {
  for (const local of folders.usableLocal) {
    const application = folders.application(local, user, applicationId);
    await makeOpen([join(local, 'usercache'), folders.userCache(local, user), dirname(application)]);
    await mkdir(application, { mode: 0o710 }).catch(ignoreExisting);
    const { uid } = await lstat(application);
    if (uid !== identity.userId) await chown(application, identity.userId, identity.groupId);
  }
  for (const log of folders.containerLogs(applicationId, containerId)) {
    await makeOpen([dirname(log)]);
    await mkdir(log, { mode: 0o750 }).catch(ignoreExisting);
  }
}

async function makeOpen(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(path, { recursive: true });
    await chmod(path, 0o711);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

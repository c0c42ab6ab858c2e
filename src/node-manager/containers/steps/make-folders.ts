// Makes the folders of a container: work, temporary files, logs. Logs stay when the container ends.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartStep } from './step.ts';

export const makeFolders: StartStep = {
  name: 'make-folders',
  async run({ container, folders }) {
    const { user, applicationId, containerId } = container.order;
    await Promise.all([
      mkdir(join(folders.work(user, applicationId, containerId), 'tmp'), { recursive: true, mode: 0o710 }),
      ...folders.containerLogs(applicationId, containerId).map((folder) => mkdir(folder, { recursive: true, mode: 0o710 })),
    ]);
  },
  async undo({ container, folders }) {
    const { user, applicationId, containerId } = container.order;
    await rm(folders.work(user, applicationId, containerId), { recursive: true, force: true });
  },
};

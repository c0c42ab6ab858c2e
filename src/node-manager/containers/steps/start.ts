// Starts the container's process.
import { join } from 'node:path';
import type { NodeFolders } from '../../folders.ts';
import { addDirectoryTree } from '../debug-information.ts';
import type { StartStep } from './step.ts';

export const start: StartStep = {
  name: 'start',
  async run({ container, engine, folders, node, scriptFile, links }) {
    const { order } = container;
    const workFolder = folders.work(order.user, order.applicationId, order.containerId);
    const identity = await node.users?.identityOf(order.user);
    const { pid } = await engine.start({
      ...(identity && { identity }),
      containerId: order.containerId,
      user: order.user,
      script: scriptFile,
      workFolder,
      environment: node.secretsInEnvironment ? (order.launch.secretEnvironment ?? {}) : {},
      deniedDevices: node.gpus?.denied(order.containerId) ?? [],
      runtime: runtimeVariables(order.launch.environment),
      resources: Object.fromEntries(links),
      folders: {
        readOnly: folders.local.flatMap((local) => [
          folders.publicCache(local),
          join(folders.userCache(local, order.user), 'filecache'),
          folders.applicationCache(local, order.user, order.applicationId),
        ]),
        readWrite: [
          ...folders.local.map((local) => folders.application(local, order.user, order.applicationId)),
          ...folders.containerLogs(order.applicationId, order.containerId),
        ],
      },
      limits: { memoryMiB: order.resource.memoryMiB, vcores: order.resource.vcores },
    });
    container.pid = pid;
    const [logFolder] = folders.containerLogs(order.applicationId, order.containerId);
    // In a folder of another user root writes nothing.
    if (node.debug && logFolder && !identity) void describeTree(folders, logFolder, workFolder);
  },
  async undo({ container, engine }) {
    engine.forget(container.id);
  },
};

/** Never rejects: the container may have ended, or put a link there. */
async function describeTree(folders: NodeFolders, logFolder: string, workFolder: string): Promise<void> {
  try {
    using held = await folders.hold(logFolder);
    await addDirectoryTree(join(held.path, 'directory.info'), folders, workFolder);
  } catch {
    // Nobody needs it.
  }
}

/** The variables by which an order chooses and shapes its runtime. */
function runtimeVariables(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('YARN_CONTAINER_RUNTIME_')));
}

// Starts the container's process. What the order keeps secret goes to the process environment only.
import { join } from 'node:path';
import { addDirectoryTree } from '../debug-information.ts';
import type { StartStep } from './step.ts';

export const start: StartStep = {
  name: 'start',
  async run({ container, engine, folders, node, scriptFile }) {
    const { order } = container;
    const workFolder = folders.work(order.user, order.applicationId, order.containerId);
    const { pid } = await engine.start({
      containerId: order.containerId,
      user: order.user,
      script: scriptFile,
      workFolder,
      environment: order.launch.secretEnvironment ?? {},
      deniedDevices: node.gpus?.denied(order.containerId) ?? [],
      limits: { memoryMiB: order.resource.memoryMiB, vcores: order.resource.vcores },
    });
    container.pid = pid;
    const [logFolder] = folders.containerLogs(order.applicationId, order.containerId);
    if (node.debug && logFolder) void addDirectoryTree(join(logFolder, 'directory.info'), workFolder);
  },
  async undo({ container, engine }) {
    engine.forget(container.id);
  },
};

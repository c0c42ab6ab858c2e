// Starts the container's process. What the order keeps secret goes to the process environment only.
import type { StartStep } from './step.ts';

export const start: StartStep = {
  name: 'start',
  async run({ container, engine, folders, scriptFile }) {
    const { order } = container;
    const { pid } = await engine.start({
      containerId: order.containerId,
      user: order.user,
      script: scriptFile,
      workFolder: folders.work(order.user, order.applicationId, order.containerId),
      environment: order.launch.secretEnvironment ?? {},
      limits: { memoryMiB: order.resource.memoryMiB, vcores: order.resource.vcores },
    });
    container.pid = pid;
  },
  async undo({ container, engine }) {
    engine.forget(container.id);
  },
};

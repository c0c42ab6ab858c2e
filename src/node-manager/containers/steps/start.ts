// Starts the container's process.
import { join } from 'node:path';
import { describeStarted } from '../debug-information.ts';
import type { StartStep } from './step.ts';

export const start: StartStep = {
  name: 'start',
  async run(context) {
    const { container, engine, folders, node, scriptFile, links } = context;
    const { order } = container;
    const workFolder = folders.work(order.user, order.applicationId, order.containerId);
    const identity = await node.users?.identityOf(order.user);
    const started = engine.start({
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
    // In a folder of another user root writes nothing. One that could not be started is described as well.
    const describe = () => describeStarted(context);
    if (node.debug && !identity) container.described = started.then(describe, describe);
    container.pid = (await started).pid;
  },
  async undo({ container, engine }) {
    engine.forget(container.id);
  },
};

/** The variables by which an order chooses and shapes its runtime. */
function runtimeVariables(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('YARN_CONTAINER_RUNTIME_')));
}

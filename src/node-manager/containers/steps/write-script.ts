// Writes launch_container.sh and the file of credentials.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDirectoryInformation } from '../debug-information.ts';
import { containerEnvironment, expand } from '../environment.ts';
import { launchScript } from '../launch-script.ts';
import type { StartStep } from './step.ts';

/** A Hadoop credentials file (Credentials.writeTokenStorageToStream, version 0) without tokens and secrets. */
const noCredentials = Buffer.from([0x48, 0x44, 0x54, 0x53, 0, 0, 0]);

export const writeScript: StartStep = {
  name: 'write-script',
  async run(context) {
    const { container, folders, node } = context;
    const { order } = container;
    const workFolder = folders.work(order.user, order.applicationId, order.containerId);
    const logFolders = folders.containerLogs(order.applicationId, order.containerId);
    const tokenFile = join(workFolder, 'container_tokens');
    const environment = containerEnvironment(order.launch.environment, {
      ...node,
      containerId: order.containerId,
      applicationId: order.applicationId,
      user: order.user,
      isMaster: order.isMaster,
      submitTimeMs: order.submitTimeMs,
      maxAttempts: order.maxAttempts,
      workFolder,
      applicationFolders: folders.local.map((local) => folders.application(local, order.user, order.applicationId)),
      userFolders: folders.local.map((local) => `${folders.userCache(local, order.user)}/`),
      logFolders,
      tokenFile,
      devices: node.gpus?.variables(order.containerId) ?? [],
    });
    const set = new Set(environment.map(([name]) => name));
    const script = launchScript({
      environment,
      inherited: node.inherited.filter(([name]) => !set.has(name)),
      links: context.links,
      commands: order.launch.commands.map((command) => expand(command, logFolders[0]!)),
      logFolder: logFolders[0]!,
      debug: node.debug,
    });
    await Promise.all([
      ...(node.debug
        ? [
            writeFile(join(logFolders[0]!, 'launch_container.sh'), script, { mode: 0o640 }),
            writeDirectoryInformation(join(logFolders[0]!, 'directory.info'), workFolder, context.links),
          ]
        : []),
      writeFile(context.scriptFile, script, { mode: 0o700 }),
      writeFile(tokenFile, order.launch.tokens ? Buffer.from(order.launch.tokens, 'base64') : noCredentials, { mode: 0o600 }),
    ]);
  },
  // The files lie in the working folder, which goes with its own step.
  async undo() {},
};

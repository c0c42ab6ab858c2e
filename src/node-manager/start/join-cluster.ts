// The node in its cluster: it registers at the resource manager with all it has, and leaves in order.

import { cpus, totalmem } from 'node:os';
import { descriptorSources } from '../../config/node-descriptors.ts';
import { serverAddress } from '../../config/web-addresses.ts';
import { exitStatus } from '../../model/exit-status.ts';
import { nodeChannelPath } from '../../wire/cluster/node-channel.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import { type Descriptors, startDescriptors } from '../descriptors/providers.ts';
import { type NodeHealth, startHealth } from '../health/health.ts';
import { healthSettings } from '../health/health-settings.ts';
import { hadoopBuild } from '../http/version.ts';
import { Membership } from '../membership.ts';
import { type ConnectedNode, ResourceManagerChannel } from '../resource-manager-channel.ts';
import type { ContainerPieces } from './build-containers.ts';
import type { NodeState } from './open-state.ts';
import type { StartOptions } from './start-options.ts';

const bytesPerMiB = 1024 * 1024;

/** Whether the resource manager has the node. */
export function buildMembership({ configuration, dependencies, closer }: StartOptions): Membership {
  const { clock, logger } = dependencies;
  const { url: resourceManagerUrl } = serverAddress(configuration, 'resource-manager');
  const membership = new Membership({ resourceManagerUrl, clock, logger });
  closer.add('readiness', () => membership.close());
  return membership;
}

/** The channel to the resource manager, not connected yet. */
export function buildChannel(
  { configuration, dependencies, metrics }: StartOptions,
  { resourceManagerAgent: agent }: NodeState,
  membership: Membership,
): ResourceManagerChannel {
  const { clock, random, logger } = dependencies;
  return new ResourceManagerChannel({
    // The agent connects; where there is TLS with certificates, this goes on inside it.
    url: () => `ws://${serverAddress(configuration, 'resource-manager').address}${nodeChannelPath}`,
    agent,
    clock,
    random,
    logger,
    membership,
    figures: metrics.channel,
  });
}

/** Checks the node's health, now and again and again, and whenever its state can be saved no more or again; bad folders are used no more, and the resource manager hears of each check. */
export async function watchHealth(
  { configuration, dependencies, closer }: StartOptions,
  { folders, store }: NodeState,
  { channel, membership }: { readonly channel: ResourceManagerChannel; readonly membership: Membership },
): Promise<NodeHealth> {
  const { clock, logger } = dependencies;
  const health = await startHealth(healthSettings(configuration), {
    clock,
    logger,
    observer: {
      changed: (report) => {
        channel.health(report);
        membership.checked(report.healthy);
      },
      badFolders: (bad) => {
        folders.bad = bad;
      },
    },
    stateTrouble: () => store.trouble,
  });
  store.onTrouble(() => health.stateChanged());
  closer.add('health', () => health.stop());
  return health;
}

/** Finds the node's labels and attributes, now and whenever they change. @throws ConfigurationError for a provider that is none */
export function watchDescriptors({ configuration, dependencies, closer }: StartOptions, channel: ResourceManagerChannel): Descriptors {
  const { clock, logger } = dependencies;
  const descriptors = startDescriptors(descriptorSources(configuration), { clock, logger, changed: (now) => channel.descriptors(now) });
  closer.add('descriptors', () => descriptors.stop());
  return descriptors;
}

/** Connects to the resource manager, from now on or when the node may. */
export function joinCluster(
  { settings, dependencies, closer }: StartOptions,
  { store }: Pick<NodeState, 'store'>,
  pieces: ContainerPieces & { readonly manager: ContainerManager; readonly descriptors: Descriptors },
): void {
  const { address, capacity, health, descriptors, manager, channel } = pieces;
  const { logger, mayJoin } = dependencies;
  closer.add('membership', async () => {
    // A node that will be started again leaves its containers running; otherwise they end with it.
    if (settings.recoveryEnabled && settings.recoverySupervised) {
      manager.leaveRunning();
      channel.close();
    } else {
      channel.prepareToLeave();
      await manager.stopAll('Container killed on shutdown of its node');
      channel.leave();
    }
  });
  const node: ConnectedNode = {
    manager,
    describe: () => ({
      nodeId: address.nodeId,
      memory: store.memory,
      httpAddress: address.http,
      rack: '/default-rack',
      resource: capacity.current,
      version: hadoopBuild.version,
      ...descriptors.current,
      physicalMemoryMiB: Math.round(totalmem() / bytesPerMiB),
      physicalCores: cpus().length,
      opportunisticQueueLength: settings.opportunisticQueueLength,
      health: health.current,
    }),
    resourceChanged: (changed) => {
      capacity.change(changed);
      manager.resized();
    },
    ...endContainersWhenRefused(manager, logger),
  };
  if (mayJoin) void mayJoin.then(() => channel.connect(node));
  else channel.connect(node);
}

/** Ends the node's containers when the resource manager does not want it; once for each refusal after a registration. */
function endContainersWhenRefused(
  manager: ContainerManager,
  logger: StartOptions['dependencies']['logger'],
): Pick<ConnectedNode, 'registered' | 'refused'> {
  let refused = false;
  return {
    registered: () => {
      refused = false;
    },
    refused: (reason) => {
      if (refused) return;
      refused = true;
      logger.warn({ reason }, 'the resource manager does not want this node; ending its containers');
      for (const container of manager.containers.values()) manager.kill(container, exitStatus.aborted, `Container killed: ${reason}`);
    },
  };
}

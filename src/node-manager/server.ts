// The node manager role: the pieces that start, in their order. Each lies in `start/` and says there what it opens and how it is closed.

import type { Configuration } from '../config/load.ts';
import { serverAddress } from '../config/web-addresses.ts';
import { Closer } from '../lib/closer.ts';
import type { RunningRole } from '../lib/role.ts';
import { NodeAddress } from './address.ts';
import { adoptEarlierProcess, startAuxiliaryServices } from './start/adopt.ts';
import { buildAuxiliaryServices, buildCommands, buildContainers } from './start/build-containers.ts';
import { buildEngine } from './start/build-engine.ts';
import { buildLocalization } from './start/build-localization.ts';
import { buildLogs } from './start/build-logs.ts';
import { buildPublisher } from './start/build-publisher.ts';
import { buildChannel, buildMembership, joinCluster, watchDescriptors, watchHealth } from './start/join-cluster.ts';
import { mount } from './start/mount.ts';
import { openRpc } from './start/open-rpc.ts';
import { openState } from './start/open-state.ts';
import { type NodeManagerDependencies, startOptions } from './start/start-options.ts';
import { cutCache, watchContainers } from './start/watch.ts';

/**
 * Starts a node manager; `addresses.web` is its web interface. Containers of an earlier process are adopted before it joins the cluster.
 * A start that fails closes what it opened and leaves such containers running for the next. @throws ConfigurationError, or what a piece throws
 */
export async function start(configuration: Configuration, dependencies: NodeManagerDependencies): Promise<RunningRole> {
  const closer = new Closer();
  try {
    const startedMs = dependencies.clock.now();
    const options = startOptions(configuration, dependencies, closer);
    const state = await openState(options);
    const node = await buildEngine(options, state);
    const address = new NodeAddress(options.settings.address, serverAddress(configuration, 'node-manager').address);
    const membership = buildMembership(options);
    const channel = buildChannel(options, state, membership);
    const cache = await buildLocalization(options, state, node);
    const logs = await buildLogs(options, state, { ...node, address, channel });
    const health = await watchHealth(options, state, { channel, membership });
    const descriptors = watchDescriptors(options, channel);
    const auxiliary = buildAuxiliaryServices(options, state, address);
    const publisher = await buildPublisher(options, state, address);
    const pieces = { ...node, address, membership, channel, cache, logs, health, auxiliary, publisher };
    const manager = buildContainers(options, state, pieces);
    const commands = buildCommands(options, state, manager);
    const url = await mount(options, state, { ...pieces, manager, commands, startedMs });
    const rpc = await openRpc(options, { ...pieces, manager, commands });
    await startAuxiliaryServices(options, auxiliary);
    await adoptEarlierProcess(options, state, { ...pieces, manager });
    watchContainers(options, state, { ...pieces, manager });
    cutCache(options, pieces);
    joinCluster(options, state, { ...pieces, manager, descriptors });
    dependencies.logger.info({ url, nodeId: address.nodeId }, 'the node manager serves; it is ready when the resource manager has it');
    return { addresses: { web: url, ...(rpc ? { rpc } : {}) }, readiness: membership, close: () => closer.close() };
  } catch (error) {
    return closer.closeAfter(error, dependencies.logger);
  }
}

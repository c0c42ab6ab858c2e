// The manager of containers, with all that a container's start needs.

import { join } from 'node:path';
import { AuditLog } from '../../auth/audit-log.ts';
import { authorityFileOf } from '../../auth/tls-files.ts';
import { auxiliaryClassOf } from '../../config/auxiliary-classes.ts';
import { heddleSettings } from '../../config/settings/heddle.ts';
import { schemeOf } from '../../config/web-addresses.ts';
import { ownUserName } from '../../lib/own-user.ts';
import type { NodeAddress } from '../address.ts';
import { AuxiliaryServices } from '../auxiliary/services.ts';
import { ContainerCommands } from '../commands/container-commands.ts';
import { ContainerManager } from '../containers/container-manager.ts';
import { parseVariables } from '../containers/environment.ts';
import type { NodeHealth } from '../health/health.ts';
import type { LocalCache } from '../localization/cache.ts';
import type { NodeTimelinePublisher } from '../publishing/timeline-publisher.ts';
import type { ResourceManagerChannel } from '../resource-manager-channel.ts';
import type { NodeEngine } from './build-engine.ts';
import { deleteDelayMsOf, type NodeLogs } from './build-logs.ts';
import type { NodeState } from './open-state.ts';
import type { StartOptions } from './start-options.ts';

/** The auxiliary services of the settings, not started yet. */
export function buildAuxiliaryServices(
  { configuration, settings, dependencies }: StartOptions,
  { folders }: NodeState,
  address: NodeAddress,
): AuxiliaryServices {
  return new AuxiliaryServices({
    available: dependencies.auxiliaryServices ?? [],
    names: settings.auxiliaryServices.map((name) => ({ name, className: auxiliaryClassOf(configuration, name) })),
    folder: join(settings.recoveryDirectory, 'auxiliary'),
    context: {
      applicationFolders: (user, applicationId) => folders.local.map((local) => folders.application(local, user, applicationId)),
      nodeHttpAddress: () => address.http,
    },
    clock: dependencies.clock,
    logger: dependencies.logger,
  });
}

/** The other pieces that the manager uses. */
export interface ContainerPieces extends NodeEngine {
  readonly address: NodeAddress;
  readonly cache: LocalCache;
  readonly auxiliary: AuxiliaryServices;
  readonly logs: NodeLogs;
  readonly health: NodeHealth;
  readonly channel: ResourceManagerChannel;
  /** Absent where the timeline hears nothing of nodes. */
  readonly publisher: NodeTimelinePublisher | undefined;
}

/** Builds the manager; it has no containers before `recover`. */
export function buildContainers(options: StartOptions, state: NodeState, pieces: ContainerPieces): ContainerManager {
  const { common, settings, dependencies } = options;
  const { folders, store } = state;
  const { engine, capacity, cache, auxiliary, logs, health, channel, publisher } = pieces;
  return new ContainerManager(
    {
      engine,
      capacity: () => capacity.current,
      opportunisticQueueLength: settings.opportunisticQueueLength,
      folders,
      cache,
      store,
      auxiliary,
      metrics: options.metrics,
      clock: dependencies.clock,
      logger: dependencies.logger,
      node: containerSurroundings(options, state, pieces),
      sleepBeforeKillMs: settings.sleepBeforeKillMs,
      retryMinimumIntervalMs: settings.retryMinimumIntervalMs,
      maximumDiagnostics: settings.diagnosticsMaximumBytes,
      errorFiles: { pattern: settings.containerStderrPattern, tailBytes: settings.containerStderrTailBytes },
      deleteDelayMs: deleteDelayMsOf(settings),
      processUser: ownUserName(),
      disksFailed: () => health.disksFailed,
    },
    {
      containerChanged: (report) => {
        channel.report(report);
        publisher?.containerChanged(report);
      },
      applicationEnded: (application) => {
        if (!common.logAggregationEnabled) logs.left.keep(application);
        return logs.aggregator.finish(application);
      },
      signalled: (...parameters) => channel.signalled(...parameters),
    },
  );
}

/** What masters may do with the containers. */
export const buildCommands = (
  { dependencies: { clock, logger } }: StartOptions,
  { store: { memory } }: Pick<NodeState, 'store'>,
  manager: ContainerManager,
): ContainerCommands => new ContainerCommands({ manager, memory, clock, audit: new AuditLog(logger) });

/** What a container's environment and folders are made of, the same for all containers of the node. */
function containerSurroundings(
  { configuration, settings }: StartOptions,
  { users }: NodeState,
  { address, gpus }: ContainerPieces,
): ConstructorParameters<typeof ContainerManager>[0]['node'] {
  return {
    get nodeHost() {
      return address.host;
    },
    get nodePort() {
      return address.port;
    },
    get nodeHttpPort() {
      return address.webPort;
    },
    homeFolder: settings.userHomeDirectory,
    confDir: configuration.confDir,
    authorityFile: schemeOf(configuration) === 'https' ? authorityFileOf(configuration) : undefined,
    administrator: new Map([...parseVariables(settings.administratorEnvironment), ...settings.administratorEnvironmentVariables]),
    inherited: settings.environmentWhitelist.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
    gpus,
    users,
    secretsInEnvironment: configuration.values(heddleSettings).secretsInEnvironment,
    debug: configuration.get('yarn.nodemanager.log-container-debug-info.enabled') !== 'false',
  };
}

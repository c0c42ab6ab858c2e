// The node's web interface: its routes, with what each group of them works on.
import { hostname } from 'node:os';
import { AuditLog } from '../../auth/audit-log.ts';
import { ClaimedGroups } from '../../auth/claimed-groups.ts';
import { groupMapping } from '../../auth/groups.ts';
import { askManager } from '../../client/ask-manager.ts';
import { heddleSettings } from '../../config/settings/heddle.ts';
import { boundAddress } from '../../config/values.ts';
import { serverAddress } from '../../config/web-addresses.ts';
import { createAuthenticator } from '../../http/authentication.ts';
import { channelSamples } from '../../http/channel-samples.ts';
import { createCrossOrigin } from '../../http/cross-origin.ts';
import { createCrossSiteGuard } from '../../http/cross-site.ts';
import { mountDaemonRoutes } from '../../http/daemon-routes.ts';
import { frameOptionsOf } from '../../http/frame-options.ts';
import { createHostNames } from '../../http/host-names.ts';
import { instrumentationGate } from '../../http/instrumentation.ts';
import { limitsOf } from '../../http/limits.ts';
import { mountOpenApi } from '../../http/open-api.ts';
import { profiles } from '../../http/profiles.ts';
import { serverTls } from '../../http/server-tls.ts';
import { createService } from '../../http/service.ts';
import { mountWebPages } from '../../http/web-pages.ts';
import type { ContainerCommands } from '../commands/container-commands.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import { ContainerFiles } from '../files/container-files.ts';
import { NodeAccess } from '../http/access.ts';
import { type NodeBeanSources, nodeBeans } from '../http/node-beans.ts';
import { addNodeRoutes, type NodeRouteSources } from '../http/routes.ts';
import { addShellUpgrades } from '../http/shell-upgrades.ts';
import type { Membership } from '../membership.ts';
import { ContainerShells } from '../shells/shells.ts';
import type { ContainerPieces } from './build-containers.ts';
import { leftApplication, rolledLogs } from './build-logs.ts';
import type { NodeState } from './open-state.ts';
import type { StartOptions } from './start-options.ts';

/** Listens, and tells the node's address the port. Gives the base URL. @throws Error when the port is taken */
export async function mount(
  options: StartOptions,
  state: NodeState,
  pieces: ContainerPieces & {
    readonly manager: ContainerManager;
    readonly commands: ContainerCommands;
    readonly membership: Membership;
    readonly startedMs: number;
  },
): Promise<string> {
  const { configuration, settings, dependencies, closer } = options;
  const claimedGroups = new ClaimedGroups(dependencies.clock);
  const service = createService({
    name: 'node-manager',
    profile: profiles.nodeManager,
    address: boundAddress(serverAddress(configuration, 'node-manager').address, settings.bindHost),
    tls: serverTls(configuration, 'node-manager', dependencies),
    authenticator: await createAuthenticator('nodeManager', configuration, {
      ...dependencies,
      askManager: askManager(configuration),
      claimedGroups,
    }),
    hosts: createHostNames(configuration),
    limits: limitsOf(configuration),
    guard: createCrossSiteGuard(configuration, 'nodeManager'),
    frameOptions: frameOptionsOf(configuration, 'nodeManager'),
    crossOrigin: createCrossOrigin(configuration, 'nodeManager'),
    logger: dependencies.logger,
  });
  const sources = routeSources(options, state, { ...pieces, claimedGroups });
  addNodeRoutes(service, sources);
  const isAdministrator = (user: string) => sources.contents.access.isAdministrator(user);
  const gate = instrumentationGate(configuration, isAdministrator);
  const shells = shellsOf(options, state, pieces, sources);
  addShellUpgrades(service, { manager: pieces.manager, shells });
  mountDaemonRoutes(service, {
    configuration,
    daemon: 'NodeManager',
    beans: () => nodeBeans(beanSources(options, pieces)),
    rpc: options.metrics.rpc,
    samples: () => channelSamples(options.metrics.channel),
    logger: dependencies.logger,
    clock: dependencies.clock,
    gate,
    readiness: pieces.membership,
    times: [state.store.commitTimes],
  });
  mountWebPages(service, { configuration, role: 'node-manager', isAdministrator, log: dependencies, gate });
  mountOpenApi(service, {
    title: 'Heddle node manager',
    profile: profiles.nodeManager,
    described: async () => (await import('../http/described-routes.ts')).describedRoutes,
  });
  closer.add('web', () => service.close());
  closer.add('shells', () => shells.close());
  const { port, url } = await service.listen();
  pieces.address.listensOn(port);
  return url;
}

/** The shells that may be opened in containers. */
function shellsOf(
  { configuration, dependencies: { clock, logger } }: StartOptions,
  { users }: NodeState,
  { engine }: ContainerPieces,
  { contents, services }: NodeRouteSources,
): ContainerShells {
  const { shellEnabled, shellMaximum, shellMaximumPerUser, shellMaximumPerContainer, shellIdleMs } = configuration.values(heddleSettings);
  return new ContainerShells({
    ...{ engine, users, clock, logger, access: contents.access, audit: services.audit, enabled: shellEnabled },
    ...{ maximum: shellMaximum, maximumPerUser: shellMaximumPerUser, maximumPerContainer: shellMaximumPerContainer, idleMs: shellIdleMs },
  });
}

/** What the beans are made of, as it is now. */
const beanSources = (
  { metrics, common }: StartOptions,
  { manager, capacity, health, auxiliary }: Parameters<typeof mount>[2],
): NodeBeanSources => ({
  hostname: hostname(),
  isSecure: common.securityAuthentication !== 'simple',
  metrics,
  containers: () => manager.containers.values(),
  runningApplications: () => [...manager.applications.values()].filter(({ state }) => state === 'RUNNING').length,
  queued: () => manager.queued,
  capacity,
  health,
  auxiliary,
});

function routeSources(
  { configuration, common, settings, dependencies, metrics }: StartOptions,
  { folders, users }: NodeState,
  pieces: Parameters<typeof mount>[2] & { readonly claimedGroups: ClaimedGroups },
): NodeRouteSources {
  const { manager, commands, address, capacity, health, membership, gpus, auxiliary, logs, channel, startedMs } = pieces;
  const { clock } = dependencies;
  const audit = new AuditLog(dependencies.logger);
  const access = new NodeAccess({
    enabled: common.aclEnabled,
    administrators: common.adminAcl,
    groupsOf: groupMapping(common.staticGroups, pieces.claimedGroups),
    unnamedUnchecked: common.unnamedUnchecked,
  });
  const furtherTypes = Object.keys(capacity.current).filter((name) => name !== 'memoryMiB' && name !== 'vcores');
  const aggregationEnabled = common.logAggregationEnabled;
  return {
    facts: {
      address,
      startedMs,
      health,
      membership,
      capacity,
      resourceTypes: ['memory-mb (unit=Mi)', 'vcores', ...furtherTypes].join(', '),
      virtualRatio: settings.virtualMemoryRatio,
      checkVirtual: settings.virtualMemoryCheckEnabled,
      checkPhysical: settings.physicalMemoryCheckEnabled,
    },
    contents: {
      manager,
      access,
      folders,
      address,
      filterLists: common.filterEntityListByUser || common.filterApplicationListByUser,
    },
    usage: metrics.usageRecord,
    files: {
      manager,
      files: new ContainerFiles({
        ...{ engine: pieces.engine, users, folders, clock, access, audit },
        enabled: configuration.values(heddleSettings).shellEnabled,
      }),
    },
    logs: {
      manager,
      access,
      folders,
      address,
      clock,
      rolledLogs: (applicationId) => rolledLogs(logs, manager.applications.get(applicationId), applicationId),
      leftLogs: (applicationId) => leftApplication(logs, applicationId),
      logServerWebServiceUrl: common.logServerWebServiceUrl,
      historyUrl: serverAddress(configuration, 'history').url,
      aggregationEnabled,
    },
    services: { auxiliary, access, manifestEnabled: settings.auxiliaryManifestEnabled, audit },
    masters: { manager, commands, address, containerTokenKey: () => channel.containerTokenKey },
    gpus,
    links: { resourceManagerUrl: serverAddress(configuration, 'resource-manager').url },
    logServer: { logServerUrl: common.logServerUrl, aggregationEnabled },
  };
}

// The node manager role: wires the folders beside it; the only place that knows all of them.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus, totalmem, userInfo } from 'node:os';
import { join } from 'node:path';
import { groupMapping } from '../auth/groups.ts';
import { readOrCreateSecret } from '../auth/secret-file.ts';
import { openLogStore } from '../client/log-store.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { engineSettings } from '../config/settings/engines.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { ConfigurationError, type SettingsOf } from '../config/table.ts';
import { boundAddress } from '../config/values.ts';
import { createAuthenticator } from '../http/authentication.ts';
import { createCrossOrigin } from '../http/cross-origin.ts';
import { createCrossSiteGuard } from '../http/cross-site.ts';
import { mountDaemonRoutes } from '../http/daemon-routes.ts';
import { frameOptionsOf } from '../http/frame-options.ts';
import { mountOpenApi } from '../http/open-api.ts';
import { profiles } from '../http/profiles.ts';
import { createService } from '../http/service.ts';
import { Closer } from '../lib/closer.ts';
import type { RoleDependencies, RunningRole } from '../lib/role.ts';
import { exitStatus } from '../model/exit-status.ts';
import { convertUnits, isUnit, knownUnits, parseAmount } from '../model/units.ts';
import { type NodeResource, nodeChannelPath } from '../wire/cluster/node-channel.ts';
import { nodeStagingPath, stagingUserHeader } from '../wire/cluster/staging.ts';
import type { AuxiliaryService } from './auxiliary/service.ts';
import { AuxiliaryServices } from './auxiliary/services.ts';
import { ContainerManager } from './containers/container-manager.ts';
import { parseVariables } from './containers/environment.ts';
import { startUsageMonitor } from './containers/usage-monitor.ts';
import { startDescriptors } from './descriptors/providers.ts';
import { gpuResource } from './devices/gpus.ts';
import { createEngine, findGpus, findUsers } from './engine-choice.ts';
import { NodeFolders } from './folders.ts';
import { type NodeHealth, startHealth } from './health/health.ts';
import { healthSettings } from './health/health-settings.ts';
import { NodeAccess, type NodeView } from './http/context.ts';
import { queryNames } from './http/query-names.ts';
import { addNodeRoutes } from './http/routes.ts';
import { hadoopBuild } from './http/version.ts';
import { LocalCache } from './localization/cache.ts';
import { LogAggregator } from './logs/aggregation.ts';
import { LeftLogs } from './logs/left-logs.ts';
import { startLogSizeMonitor } from './logs/log-size-monitor.ts';
import { deleteStrayFolders, startRetention } from './logs/retention.ts';
import { ResourceManagerChannel } from './resource-manager-channel.ts';
import { openNodeStore } from './store/node-store.ts';

type Settings = SettingsOf<typeof nodeManagerSettings>;

/** What a node manager is given besides the usual: the services that may be plugged in. */
export interface NodeManagerDependencies extends RoleDependencies {
  readonly auxiliaryServices?: readonly AuxiliaryService[];
}

const bytesOfMiB = 1024 * 1024;

/** Starts a node manager; `addresses.web` is its web interface. Containers of an earlier life are adopted before it answers. */
export async function start(configuration: Configuration, dependencies: NodeManagerDependencies): Promise<RunningRole> {
  const { clock, random, logger } = dependencies;
  const common = configuration.values(commonSettings);
  const settings = configuration.values(nodeManagerSettings);
  const closer = new Closer();
  try {
    const startedMs = clock.now();
    const recovery = settings.recoveryDirectory;
    const users = await findUsers(configuration, dependencies);
    const folders = new NodeFolders(settings.localDirectories, settings.logDirectories, recovery, users !== undefined);
    if (!settings.recoveryEnabled) forgetEarlierLife(recovery);
    const store = openNodeStore(join(recovery, 'node.sqlite'), logger);
    closer.add('store', () => store.close());
    const records = store.load();
    const engineChoice = configuration.values(engineSettings);
    const gpus = await findGpus(engineChoice, { store, recovered: records.devices, clock, logger });
    const configured = configuredResource(settings, common.resourceTypeSettings);
    const resource = { current: gpus ? { ...configured, [gpuResource]: gpus.all.length } : configured };
    const engine = await createEngine({
      settings: engineChoice,
      node: settings,
      vcores: configured.vcores,
      devices: gpus !== undefined,
      clock,
      logger,
    });
    closer.add('engine', () => engine.close());
    const clusterSecret = readOrCreateSecret(configuration.values(heddleSettings).clusterSecretFile, random);
    const cache = new LocalCache(
      {
        folders,
        store,
        clock,
        logger,
        targetBytes: settings.localizerCacheTargetMiB * bytesOfMiB,
        limits: {
          maximumBytes: settings.localizerMaximumBytes,
          maximumEntries: settings.localizerMaximumEntries,
          maximumRatio: settings.localizerMaximumRatio,
          stallMs: settings.localizerStallMs,
          totalMs: settings.localizerTimeoutMs,
        },
        concurrentFetches: settings.localizerFetchThreads,
        sources: {
          property: (key) => configuration.get(key),
          actAs: users && ((...parameters) => users.begin(...parameters)),
          staged: (path, user) => ({
            url: `http://${common.resourceManagerWebAddress}${nodeStagingPath}/${path}`,
            headers: {
              authorization: `Bearer ${clusterSecret.toString('base64url')}`,
              [stagingUserHeader]: encodeURIComponent(user),
            },
          }),
        },
      },
      records.localized,
    );
    await cache.verify();

    const address = { nodeId: '', http: '' };
    let containerTokenKey: Buffer | undefined;
    const auxiliary = new AuxiliaryServices({
      available: dependencies.auxiliaryServices ?? [],
      names: settings.auxiliaryServices,
      folder: join(recovery, 'auxiliary'),
      context: {
        applicationFolders: (user, applicationId) => folders.local.map((local) => folders.application(local, user, applicationId)),
        nodeHttpAddress: () => address.http,
      },
      clock,
      logger,
    });

    const deleteDelayMs = settings.deleteDebugDelaySeconds < 0 ? -1 : settings.deleteDebugDelaySeconds * 1000;
    const rollSeconds = settings.logAggregationRollIntervalSeconds;
    const aggregator = new LogAggregator({
      enabled: common.logAggregationEnabled,
      store: await openLogStore({
        remoteDirectory: common.remoteLogDirectory,
        suffix: common.remoteLogDirectorySuffix,
        copies: join(recovery, 'aggregated-logs'),
        property: (key) => configuration.get(key),
        clock,
        logger,
      }),
      policy: settings.logAggregationPolicy,
      policyParameters: settings.logAggregationPolicyParameters,
      rollIntervalMs: rollSeconds <= 0 ? 0 : Math.max(rollSeconds, settings.logAggregationRollMinimumSeconds) * 1000,
      maximumRolledFiles: settings.logAggregationFilesPerApplication,
      deleteDelayMs,
      applications: () => manager.applications.values(),
      processes: async () =>
        new Map([...(await engine.usage())].map(([containerId, { processes }]) => [containerId, processes.map(({ pid }) => pid)])),
      save: (application) => store.saveApplication(application.record()),
      clock,
      nodeId: () => address.nodeId,
      folders,
      logger,
      report: (...parameters: Parameters<ResourceManagerChannel['logAggregation']>) => channel?.logAggregation(...parameters),
      retryForMs: settings.logAggregationRetryForMs,
      settled: (application, gathered) => {
        if (!gathered) leftLogs.keep(application);
        store.removeApplication(application.id);
      },
    });
    const leftLogs = new LeftLogs(store, folders, records.left);
    closer.add('log aggregation', () => aggregator.stop());
    let channel: ResourceManagerChannel | undefined;
    let health: NodeHealth | undefined;
    const processUser = userInfo().username;
    const manager = new ContainerManager(
      {
        engine,
        capacity: () => resource.current,
        opportunisticQueueLength: settings.opportunisticQueueLength,
        folders,
        cache,
        store,
        auxiliary,
        clock,
        logger,
        node: {
          get nodeHost() {
            return hostOf(address.nodeId);
          },
          get nodePort() {
            return portOf(address.nodeId);
          },
          get nodeHttpPort() {
            return portOf(address.http);
          },
          homeFolder: settings.userHomeDirectory,
          confDir: configuration.confDir,
          administrator: new Map([...parseVariables(settings.administratorEnvironment), ...settings.administratorEnvironmentVariables]),
          inherited: settings.environmentWhitelist.flatMap((name) => {
            const value = process.env[name];
            return value === undefined ? [] : [[name, value] as const];
          }),
          gpus,
          users,
          debug: configuration.get('yarn.nodemanager.log-container-debug-info.enabled') !== 'false',
        },
        sleepBeforeKillMs: settings.sleepBeforeKillMs,
        retryMinimumIntervalMs: settings.retryMinimumIntervalMs,
        maximumDiagnostics: settings.diagnosticsMaximumBytes,
        errorFiles: { pattern: settings.containerStderrPattern, tailBytes: settings.containerStderrTailBytes },
        deleteDelayMs,
        processUser,
        disksFailed: () => health?.disksFailed,
      },
      {
        containerChanged: (report) => channel?.report(report),
        applicationEnded: (application) => {
          if (!common.logAggregationEnabled) leftLogs.keep(application);
          return aggregator.finish(application);
        },
        signalled: (...parameters) => channel?.signalled(...parameters),
      },
    );

    health = await startHealth(healthSettings(configuration), {
      clock,
      logger,
      observer: {
        changed: (report) => channel?.health(report),
        badFolders: (bad) => {
          folders.bad = bad;
        },
      },
    });
    const checkedHealth = health;
    closer.add('health', () => checkedHealth.stop());
    const descriptors = startDescriptors(descriptorSettings(settings), { clock, logger, changed: (now) => channel?.descriptors(now) });
    closer.add('descriptors', () => descriptors.stop());
    const groupsOf = groupMapping(common.staticGroups);
    const furtherTypes = Object.keys(resource.current).filter((name) => name !== 'memoryMiB' && name !== 'vcores');
    const view: NodeView = {
      manager,
      gpus,
      folders,
      auxiliary,
      access: new NodeAccess({ enabled: common.aclEnabled, administrators: common.adminAcl, groupsOf, processUser }),
      startedMs,
      nodeId: () => address.nodeId,
      health: () => checkedHealth.current,
      resource: () => resource.current,
      resourceTypes: ['memory-mb (unit=Mi)', 'vcores', ...furtherTypes].join(', '),
      virtualRatio: settings.virtualMemoryRatio,
      checkVirtual: settings.virtualMemoryCheckEnabled,
      checkPhysical: settings.physicalMemoryCheckEnabled,
      filterLists: common.filterEntityListByUser || common.filterApplicationListByUser,
      manifestEnabled: settings.auxiliaryManifestEnabled,
      aggregationEnabled: common.logAggregationEnabled,
      historyUrl: `${common.httpPolicy === 'HTTPS_ONLY' ? 'https' : 'http'}://${common.historyWebAddress}`,
      rolledLogs: async (applicationId) => {
        const application = manager.applications.get(applicationId) ?? aggregator.waiting(applicationId);
        return application && aggregator.rolledFolder(application);
      },
      leftLogs: (applicationId) => aggregator.waiting(applicationId) ?? leftLogs.find(applicationId),
      logServerUrl: common.logServerUrl,
      logServerWebServiceUrl: common.logServerWebServiceUrl,
      resourceManagerUrl: `http://${common.resourceManagerWebAddress}`,
      containerTokenKey: () => containerTokenKey,
    };
    const service = createService({
      name: 'node-manager',
      profile: profiles.nodeManager,
      address: boundAddress(settings.webAddress, settings.bindHost),
      authenticator: createAuthenticator('nodeManager', configuration, dependencies),
      guard: createCrossSiteGuard(configuration, 'nodeManager'),
      frameOptions: frameOptionsOf(configuration, 'nodeManager'),
      crossOrigin: createCrossOrigin(configuration, 'nodeManager'),
      logger,
    });
    addNodeRoutes(service, view, clock);
    mountDaemonRoutes(service, configuration, 'NodeManager');
    mountOpenApi(service, 'Heddle node manager', queryNames);
    const { port, url } = await service.listen();
    closer.add('web', () => service.close());
    address.http = `${hostOf(settings.webAddress)}:${port}`;
    address.nodeId = portOf(settings.address) === 0 ? `${hostOf(settings.address)}:${port}` : settings.address;

    await auxiliary.start();
    closer.add('auxiliary services', () => auxiliary.stop());
    if (settings.auxiliaryManifestEnabled && settings.auxiliaryManifest !== undefined) {
      const { followManifest } = await import('./auxiliary/manifest.ts');
      const { auxiliaryManifest: path, auxiliaryManifestReloadMs: reloadMs } = settings;
      const manifest = await followManifest({ path, reloadMs, services: auxiliary, clock, logger });
      closer.add('manifest', () => manifest.stop());
    }
    await manager.recover(records);
    gpus?.keepOnly((containerId) => manager.containers.get(containerId)?.ended === false);
    const isKnown = (applicationId: string) => manager.applications.has(applicationId);
    if (settings.deleteDebugDelaySeconds === 0) await deleteStrayFolders(folders, isKnown);
    const retention = startRetention({
      folders,
      clock,
      logger,
      retainMs: settings.logRetainSeconds * 1000,
      isKnown: (applicationId) => isKnown(applicationId) || aggregator.waiting(applicationId) !== undefined,
      deleted: (applicationId) => leftLogs.deleted(applicationId),
    });
    closer.add('retention', () => retention.stop());
    let refused = false;
    channel = new ResourceManagerChannel({
      url: () => `ws://${common.resourceManagerWebAddress}${nodeChannelPath}`,
      headers: () => ({ authorization: `Bearer ${clusterSecret.toString('base64url')}` }),
      clock,
      random,
      logger,
      describe: () => ({
        nodeId: address.nodeId,
        httpAddress: address.http,
        rack: '/default-rack',
        resource: resource.current,
        version: hadoopBuild.version,
        ...descriptors.current,
        physicalMemoryMiB: Math.round(totalmem() / bytesOfMiB),
        physicalCores: cpus().length,
        opportunisticQueueLength: settings.opportunisticQueueLength,
        health: checkedHealth.current,
      }),
      manager: () => manager,
      registered: (key) => {
        refused = false;
        containerTokenKey = key;
      },
      resourceChanged: (changed) => {
        resource.current = changed;
        manager.resized();
      },
      refused: (reason) => {
        if (refused) return;
        refused = true;
        logger.warn({ reason }, 'the resource manager does not want this node; ending its containers');
        for (const container of manager.containers.values()) manager.kill(container, exitStatus.aborted, `Container killed: ${reason}`);
      },
    });
    const monitor = startUsageMonitor({
      engine,
      clock,
      logger,
      containers: manager.containers,
      kill: (...parameters) => manager.kill(...parameters),
      checkPhysical: settings.physicalMemoryCheckEnabled,
      checkVirtual: settings.virtualMemoryCheckEnabled,
      virtualRatio: settings.virtualMemoryRatio,
      checkIntervalMs: settings.containerMonitorIntervalMs,
      report: (...parameters) => channel?.usage(...parameters),
    });
    closer.add('monitor', () => monitor.stop());
    aggregator.begin();
    if (settings.logMonitorEnabled) {
      const logMonitor = startLogSizeMonitor({
        folders,
        clock,
        logger,
        containers: manager.containers,
        kill: (...parameters) => manager.kill(...parameters),
        intervalMs: settings.logMonitorIntervalMs,
        folderLimitBytes: settings.logMonitorFolderLimitBytes,
        totalLimitBytes: settings.logMonitorTotalLimitBytes,
      });
      closer.add('log monitor', () => logMonitor.stop());
    }
    const evict = () => {
      eviction = clock.setTimer(settings.localizerCacheCleanupIntervalMs, () => {
        cache.evict().catch((error: unknown) => logger.warn({ err: error }, 'the cache of local files could not be cut'));
        evict();
      });
    };
    let eviction = clock.setTimer(0, () => undefined);
    evict();
    closer.add('eviction', () => eviction.cancel());
    closer.add('containers', async () => {
      // A node that will be started again leaves its containers running; otherwise they end with it.
      if (settings.recoveryEnabled && settings.recoverySupervised) {
        manager.leaveRunning();
        channel?.close();
      } else {
        await manager.stopAll('Container killed on shutdown of its node');
        channel?.leave();
      }
    });
    logger.info({ url, nodeId: address.nodeId }, 'node manager is ready');
    return { addresses: { web: url }, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}

const hostOf = (address: string) => address.slice(0, address.lastIndexOf(':'));
const portOf = (address: string) => Number(address.slice(address.lastIndexOf(':') + 1));

/** What the settings say the node has (NodeManagerHardwareUtils). */
function configuredResource(settings: Settings, typeUnits: ReadonlyMap<string, string>): NodeResource {
  const detect = settings.detectHardware;
  const machineMiB = Math.floor(totalmem() / bytesOfMiB);
  const reserved = settings.systemReservedMemoryMiB >= 0 ? settings.systemReservedMemoryMiB : Math.floor(machineMiB * 0.2);
  const memoryMiB = settings.memoryMiB >= 0 ? settings.memoryMiB : detect ? Math.max(0, machineMiB - reserved) : 8192;
  const share = settings.physicalCpuLimitPercent / 100;
  const processors = settings.countLogicalProcessors ? cpus().length : physicalCores();
  const detected = Math.max(1, Math.floor(processors * share * settings.pcoresVcoresMultiplier));
  const vcores = settings.vcores >= 0 ? settings.vcores : detect ? detected : 8;
  const further = [...settings.resources].map(([name, value]) => {
    const given = parseAmount(value);
    if (!given)
      throw new ConfigurationError(
        'the settings of the node manager',
        `yarn.nodemanager.resource-type.${name}`,
        `${value} is no amount`,
        `Write a whole number, with a unit where wanted: one of ${knownUnits.join(' ')}.`,
      );
    const units = typeUnits.get(`${name}.units`) ?? '';
    return [name, isUnit(units) ? convertUnits(given.amount, given.unit, units) : given.amount] as const;
  });
  return { memoryMiB, vcores, ...Object.fromEntries(further) };
}

/** Cores that share no core with others (SysInfoLinux); all processors where the machine does not tell. */
function physicalCores(): number {
  const cores = new Set<string>();
  try {
    for (const block of readFileSync('/proc/cpuinfo', 'latin1').split(/\n\s*\n/)) {
      const core = /^core id\s*:\s*(\d+)/m.exec(block)?.[1];
      if (core !== undefined) cores.add(`${/^physical id\s*:\s*(\d+)/m.exec(block)?.[1]} ${core}`);
    }
  } catch {
    // No such file.
  }
  return cores.size || cpus().length;
}

const words = (text: string | undefined): string[] => (text ?? '').split(/\s+/).filter((word) => word !== '');

function descriptorSettings(settings: Settings): Parameters<typeof startDescriptors>[0] {
  return {
    labels: {
      provider: settings.nodeLabelsProvider,
      configured: settings.nodeLabels,
      script: settings.nodeLabelsScript,
      scriptArguments: words(settings.nodeLabelsScriptArguments),
      intervalMs: settings.nodeLabelsIntervalMs,
      timeoutMs: settings.nodeLabelsTimeoutMs,
    },
    attributes: {
      provider: settings.nodeAttributesProvider,
      configured: settings.nodeAttributes,
      script: settings.nodeAttributesScript,
      scriptArguments: words(settings.nodeAttributesScriptArguments),
      intervalMs: settings.nodeAttributesIntervalMs,
      timeoutMs: settings.nodeAttributesTimeoutMs,
    },
  };
}

/** Without recovery nothing of an earlier life counts; the files of its processes stay, so that what still runs is ended. */
function forgetEarlierLife(recovery: string): void {
  try {
    for (const name of readdirSync(recovery)) if (name.startsWith('node.sqlite')) rmSync(join(recovery, name), { force: true });
  } catch {
    // The first life.
  }
}

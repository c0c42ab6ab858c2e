// The history role: finished batch jobs and aggregated logs on one port; it knows all folders beside it.

import { join } from 'node:path';
import { ClaimedGroups } from '../auth/claimed-groups.ts';
import { openRoleKey } from '../auth/kerberos/role-key.ts';
import { askManager } from '../client/ask-manager.ts';
import { openLogStore } from '../client/log-store.ts';
import { serverAuthorization } from '../client/server-credentials.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { engineSettings } from '../config/settings/engines.ts';
import { historySettings } from '../config/settings/history.ts';
import { boundAddress } from '../config/values.ts';
import { serverAddress } from '../config/web-addresses.ts';
import { createAuthenticator } from '../http/authentication.ts';
import { crossOriginFilter } from '../http/cross-origin.ts';
import { createCrossSiteGuard } from '../http/cross-site.ts';
import { mountDaemonRoutes } from '../http/daemon-routes.ts';
import { frameOptionsOf } from '../http/frame-options.ts';
import { createHostNames } from '../http/host-names.ts';
import { instrumentationGate } from '../http/instrumentation.ts';
import { limitsOf } from '../http/limits.ts';
import { mountOpenApi } from '../http/open-api.ts';
import { profiles } from '../http/profiles.ts';
import { serverTls } from '../http/server-tls.ts';
import { createService } from '../http/service.ts';
import { mountWebPages } from '../http/web-pages.ts';
import type { Clock } from '../lib/clock.ts';
import { Closer } from '../lib/closer.ts';
import type { Logger } from '../lib/log.ts';
import { ownUserName } from '../lib/own-user.ts';
import { type Repetition, repeat } from '../lib/repeat.ts';
import type { RoleDependencies, RunningRole } from '../lib/role.ts';
import { RpcFigures } from '../lib/rpc-figures.ts';
import { Administration, Upkeep } from './administration.ts';
import { jobAccess } from './http/access.ts';
import { mountLogPages } from './http/log-pages.ts';
import { mountLogRoutes } from './http/log-routes.ts';
import { mountOwnRoutes } from './http/own-routes.ts';
import { mountHistoryPages } from './http/pages.ts';
import { mountRawLogs } from './http/raw-logs.ts';
import { mountHistoryRoutes } from './http/routes.ts';
import { clusterApplications } from './jobs/applications.ts';
import { JobStore } from './jobs/job-store.ts';
import { startLogRetention } from './logs/log-retention.ts';
import { openHistoryPorts } from './rpc/open-ports.ts';

const hadoopVersion = '3.4.2';
/** The release whose interface is served, in the form clients parse. */
const version = {
  hadoopVersion,
  hadoopBuildVersion: `${hadoopVersion} from heddle by heddle source checksum heddle`,
  hadoopVersionBuiltOn: '2025-08-20T10:30Z',
};

const described = async () => (await import('./http/described-routes.ts')).describedRoutes;

/** The jobs that have ended, as the settings say. */
function openJobs(configuration: Configuration, { clock, logger }: RoleDependencies): Promise<JobStore> {
  const settings = configuration.values(historySettings);
  return JobStore.open({
    intermediateFolder: settings.intermediateDirectory,
    doneFolder: settings.doneDirectory,
    alwaysScan: settings.alwaysScanUserDirectory,
    localUser: configuration.values(engineSettings).localUser,
    listedJobs: settings.jobListCacheSize,
    loadedJobs: settings.loadedJobsCacheSize,
    loadedTasks: settings.loadedTasksCacheSize,
    maximumTasks: settings.loadedJobMaximumTasks,
    maximumHistoryBytes: settings.maximumHistoryBytes,
    scanIntervalMs: settings.moveIntervalMs,
    sensitiveKeys: configuration.values(commonSettings).sensitiveKeys,
    clock,
    logger,
  });
}

/** Starts the history server; `addresses.web` is its REST interface and its pages. */
export async function start(configuration: Configuration, dependencies: RoleDependencies): Promise<RunningRole> {
  const { clock, logger } = dependencies;
  const common = configuration.values(commonSettings);
  const settings = configuration.values(historySettings);
  const closer = new Closer();
  try {
    const startedMs = clock.now();
    const roleKey = await openRoleKey({ role: 'history', ...dependencies, configuration });
    if (roleKey) closer.add('Kerberos key', () => roleKey.close());
    const store = await openJobs(configuration, dependencies);
    closer.add('jobs', () => store.close());
    const cleaner = new Upkeep(configuration, (now) => startCleaner(store, now, { clock, logger }));
    closer.add('cleaner', () => cleaner.close());
    const claimedGroups = new ClaimedGroups(clock);
    const bearing = { ...dependencies, askManager: askManager(configuration), claimedGroups };
    const serverUser = ownUserName();
    const { url: managerUrl } = serverAddress(configuration, 'resource-manager');
    const authorize = serverAuthorization(configuration, { ...dependencies, roleKey, user: serverUser });
    const applications = clusterApplications({ url: managerUrl, user: serverUser, authorize, clock, logger });
    const logStore = await openLogStore({
      remoteDirectory: common.remoteLogDirectory,
      suffix: common.remoteLogDirectorySuffix,
      copies: join(configuration.dataDir, 'history', 'aggregated-logs'),
      property: (key) => configuration.get(key),
      clock,
      logger,
    });
    const logRetention = new Upkeep(configuration, (now) => startRetention(now, { store: logStore, applications, clock, logger }));
    closer.add('log retention', () => logRetention.close());
    const administration = new Administration(configuration, { store, cleaner, logRetention, claimedGroups });
    const access = jobAccess({
      enabled: settings.aclsEnabled,
      administrators: settings.administrators,
      logsChecked: settings.logsChecked ?? common.aclEnabled,
      logPagesChecked: common.aclEnabled,
      logAdministrators: common.adminAcl,
      groupsOf: administration.groupsOf,
    });
    const crossOrigin = historyCrossOrigin(configuration);
    const service = createService({
      name: 'history',
      profile: profiles.history,
      address: boundAddress(serverAddress(configuration, 'history').address, settings.bindHost),
      tls: serverTls(configuration, 'history', dependencies),
      authenticator: await createAuthenticator('history', configuration, bearing),
      hosts: createHostNames(configuration),
      limits: limitsOf(configuration),
      guard: createCrossSiteGuard(configuration, 'history'),
      frameOptions: frameOptionsOf(configuration, 'history'),
      logger,
      ...(crossOrigin ? { crossOrigin } : {}),
    });
    const { tree } = logStore;
    const listsAreOn = common.aclEnabled || settings.aclsEnabled;
    const gate = instrumentationGate(configuration, (user) => access.isAdministrator(user), listsAreOn);
    const rpc = new RpcFigures();
    mountDaemonRoutes(service, { configuration, daemon: 'JobHistoryServer', rpc, logger, clock, gate });
    mountHistoryRoutes(service, { store, access, startedMs, version });
    mountWebPages(service, {
      configuration,
      role: 'history',
      isAdministrator: (user) => access.isAdministrator(user),
      log: { logger, clock },
      gate,
    });
    mountLogRoutes(service, { tree, applications, access, serverUser });
    mountRawLogs(service, { tree, access });
    mountOwnRoutes(service, { store, access, clock });
    mountHistoryPages(service, { store, access, startedMs, version: version.hadoopVersion });
    mountOpenApi(service, { title: 'Heddle history server', profile: profiles.history, described });
    mountLogPages(service, { tree, store, access });
    const { url } = await service.listen();
    closer.add('web', () => service.close());
    const needs = { store, access, pages: url, administration, roleKey, figures: rpc };
    const ports = await openHistoryPorts(configuration, dependencies, needs, closer);
    logger.info({ url }, 'history is ready');
    return { addresses: { web: url, ...ports }, close: () => closer.close() };
  } catch (error) {
    return closer.closeAfter(error, logger);
  }
}

/** The cross-origin filter where its initializer is installed and either the common or the server's own switch is on. */
function historyCrossOrigin(configuration: Configuration): ReturnType<typeof crossOriginFilter> | undefined {
  const common = configuration.values(commonSettings);
  const { crossOriginEnabled } = configuration.values(historySettings);
  const installed = common.filterInitializers.some((name) => name.endsWith('.HttpCrossOriginFilterInitializer'));
  if (!installed || !(common.corsEnabled || crossOriginEnabled)) return undefined;
  return crossOriginFilter({
    allowedOrigins: common.corsAllowedOrigins,
    allowedMethods: common.corsAllowedMethods,
    allowedHeaders: common.corsAllowedHeaders,
    maximumAge: common.corsMaximumAge,
  });
}

/** Removes old jobs now and then, the first time soon after the start; nothing where the settings turn it off. */
function startCleaner(
  store: JobStore,
  configuration: Configuration,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Repetition | undefined {
  const { cleanerEnabled, cleanerIntervalMs: intervalMs, maximumAgeMs } = configuration.values(historySettings);
  if (!cleanerEnabled) return undefined;
  return repeat({
    clock,
    firstMs: Math.min(intervalMs, 30_000),
    intervalMs,
    async run() {
      const removed = await store.clean(clock.now() - maximumAgeMs);
      if (removed > 0) logger.info({ removed }, 'old jobs were removed');
    },
    failed: (error) => logger.error({ err: error }, 'old jobs could not be removed'),
  });
}

/** Deletes gathered logs after their time; nothing where they are kept for ever. */
function startRetention(
  configuration: Configuration,
  pieces: Omit<Parameters<typeof startLogRetention>[0], 'retainMs' | 'intervalMs'>,
): Repetition | undefined {
  const { logAggregationRetainSeconds, logAggregationRetainCheckIntervalSeconds } = configuration.values(commonSettings);
  if (logAggregationRetainSeconds < 0) return undefined;
  const retainMs = logAggregationRetainSeconds * 1000;
  const intervalMs =
    logAggregationRetainCheckIntervalSeconds > 0 ? logAggregationRetainCheckIntervalSeconds * 1000 : Math.max(1000, retainMs / 10);
  return startLogRetention({ ...pieces, retainMs, intervalMs });
}

// The timeline role: version 1 and the application history on one port, the latter over Hadoop RPC on another, version 2 on two more where it is
// wanted; it knows all folders beside it.

import { join } from 'node:path';
import { AuditLog } from '../auth/audit-log.ts';
import { ClaimedGroups } from '../auth/claimed-groups.ts';
import { TokenFigures } from '../auth/delegation/token-figures.ts';
import { openRoleKey, type RoleKey } from '../auth/kerberos/role-key.ts';
import { openLogStore } from '../client/log-store.ts';
import { serverAuthorization } from '../client/server-credentials.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { timelineSettings } from '../config/settings/timeline.ts';
import { wantsTimelineVersion2 } from '../config/timeline-versions.ts';
import { boundAddress } from '../config/values.ts';
import { serverAddress } from '../config/web-addresses.ts';
import { createCrossSiteGuard } from '../http/cross-site.ts';
import { mountDaemonRoutes } from '../http/daemon-routes.ts';
import { frameOptionsOf } from '../http/frame-options.ts';
import { createHostNames } from '../http/host-names.ts';
import { instrumentationGate } from '../http/instrumentation.ts';
import { limitsOf } from '../http/limits.ts';
import { mountOpenApi } from '../http/open-api.ts';
import { profiles } from '../http/profiles.ts';
import { serverTls } from '../http/server-tls.ts';
import { createService, type Service } from '../http/service.ts';
import { mountWebPages } from '../http/web-pages.ts';
import { Closer } from '../lib/closer.ts';
import type { RoleDependencies, RunningRole } from '../lib/role.ts';
import { RpcFigures } from '../lib/rpc-figures.ts';
import { Turns } from '../lib/turns.ts';
import { openStore } from '../storage/sqlite.ts';
import { StoreReadiness } from '../storage/store-readiness.ts';
import { ContainerLogPlaces, type LogPlaces } from './application-history/container-logs.ts';
import { ApplicationHistory } from './application-history/history.ts';
import { addHistoryPages } from './http/history-pages.ts';
import { addHistoryRoutes } from './http/history-routes.ts';
import { addLogRoutes } from './http/log-routes.ts';
import type { LongAnswerParts } from './http/long-answer.ts';
import { DataFigures } from './http/read-figures.ts';
import { accessRules, systemRule, timelineAuthenticator, timelineCrossOrigin } from './http/security.ts';
import { addTimelineRoutes } from './http/v1-routes.ts';
import { openHistoryPort } from './rpc/open-port.ts';
import { DomainStore } from './store/domain-store.ts';
import { EntityStore } from './store/entity-store.ts';
import { startRetention } from './store/retention.ts';
import { timelineStore } from './store/store-kind.ts';
import { Timeline } from './v1/timeline.ts';
import { startVersion2 } from './v2-services.ts';

const described = async () => (await import('./http/described-routes.ts')).describedRoutes;
const describedWithReader = async () => {
  const { describedFlows, describedRoutes } = await import('./http/described-routes.ts');
  return { ...describedRoutes, ...describedFlows };
};

/** Starts the timeline servers; `addresses.web` is version 1 and the application history. */
export async function start(configuration: Configuration, dependencies: RoleDependencies): Promise<RunningRole> {
  const { clock, logger } = dependencies;
  const common = configuration.values(commonSettings);
  const settings = configuration.values(timelineSettings);
  const closer = new Closer();
  try {
    const roleKey = await openRoleKey({ role: 'timeline', ...dependencies, configuration });
    if (roleKey) closer.add('Kerberos key', () => roleKey.close());
    const database = openStore(join(configuration.dataDir, 'timeline', 'timeline.sqlite'), timelineStore, {
      logger,
      clock,
      checkpointsAside: {},
    });
    closer.add('database', () => database.close());
    const readiness = new StoreReadiness(database, { clock, logger, folder: configuration.dataDir });
    closer.add('readiness', () => readiness.close());
    const entities = new EntityStore(database);
    closer.add('index of values', () => database.write(() => entities.settle()));
    const claimedGroups = new ClaimedGroups(clock);
    const rules = accessRules(configuration, claimedGroups);
    const history = new ApplicationHistory(entities, rules, {
      maximumApplications: settings.maximumApplications,
      unchecked: settings.historyUnchecked,
    });
    const timeline = new Timeline({
      database,
      entities,
      domains: new DomainStore(database),
      rules,
      mayView: (applicationId, user) => history.mayView(applicationId, user),
      clock,
    });
    const isSystem = systemRule(configuration);
    await timeline.ensureDefaultDomain(rules.serverUser);
    if (settings.timeToLiveEnabled) {
      const { timeToLiveMs: ttlMs, timeToLiveIntervalMs: intervalMs } = settings;
      const retention = startRetention({ database, entities, clock, logger, ttlMs, intervalMs });
      closer.add('retention', () => retention.close());
    }
    const audit = new AuditLog(logger);
    const crossOrigin = timelineCrossOrigin(configuration);
    const hasVersion2 = wantsTimelineVersion2(configuration);
    const at = serverAddress(configuration, 'timeline');
    const tokenFigures = new TokenFigures();
    const service = createService({
      name: 'timeline',
      profile: profiles.timeline,
      address: boundAddress(at.address, settings.bindHost),
      tls: serverTls(configuration, 'timeline', dependencies),
      authenticator: await timelineAuthenticator(configuration, database, { ...dependencies, claimedGroups, tokenFigures }, audit),
      hosts: createHostNames(configuration),
      limits: limitsOf(configuration),
      guard: createCrossSiteGuard(configuration, 'timeline'),
      frameOptions: frameOptionsOf(configuration, 'timeline'),
      logger,
      refused: (refusal) => audit.refusedRequest(refusal),
      ...(crossOrigin ? { crossOrigin } : {}),
    });
    const long = { turns: new Turns(), clock, maximumSearchMs: settings.maximumSearchMs };
    const figures = new DataFigures(clock);
    addTimelineRoutes(service, { timeline, audit, isSystem, long, figures });
    const isAdministrator = (user: string) => rules.isAdmin(user);
    const gate = instrumentationGate(configuration, isAdministrator);
    const rpc = new RpcFigures();
    const watched = { rpc, tokens: tokenFigures, beans: () => [figures.bean()], times: [database.commitTimes], readiness };
    mountDaemonRoutes(service, { configuration, daemon: 'ApplicationHistoryServer', logger, clock, gate, ...watched });
    mountWebPages(service, { configuration, role: 'timeline', isAdministrator, log: { logger, clock }, gate });
    mountOpenApi(service, {
      title: 'Heddle timeline server',
      profile: profiles.timeline,
      described: hasVersion2 ? describedWithReader : described,
    });
    const logPlaces = await openLogPlaces(configuration, { ...dependencies, roleKey, rules });
    let webUrl = at.url;
    if (common.applicationHistoryEnabled)
      await addHistory(service, { ...dependencies, configuration, history, logPlaces, long, webUrl: () => webUrl });
    const version2Parts = { database, readiness, rules, claimedGroups, main: service, closer, audit, isSystem, long, logPlaces };
    const version2 = hasVersion2 ? await startVersion2(configuration, dependencies, version2Parts) : undefined;
    const { url } = await service.listen();
    // A port of 0 in the setting is known only now.
    if (at.address.endsWith(':0')) webUrl = url;
    closer.add('web', () => service.close());
    const needs = { history, audit, claimedGroups, roleKey, figures: rpc, webUrl: () => webUrl };
    const port = await openHistoryPort(configuration, dependencies, needs, closer);
    logger.info({ url }, 'timeline is ready');
    return { addresses: { web: url, ...version2, ...port }, readiness, close: () => closer.close() };
  } catch (error) {
    return closer.closeAfter(error, logger);
  }
}

/** Gives the places of container logs, by what is known of applications. */
async function openLogPlaces(
  configuration: Configuration,
  parts: RoleDependencies & { readonly roleKey: RoleKey | undefined; readonly rules: { readonly serverUser: string } },
): Promise<LogPlaces> {
  const { clock, logger, rules } = parts;
  const { remoteLogDirectory, remoteLogDirectorySuffix } = configuration.values(commonSettings);
  const { tree } = await openLogStore({
    remoteDirectory: remoteLogDirectory,
    suffix: remoteLogDirectorySuffix,
    copies: join(configuration.dataDir, 'timeline', 'aggregated-logs'),
    property: (key) => configuration.get(key),
    clock,
    logger,
  });
  const resourceManagerUrl = serverAddress(configuration, 'resource-manager').url;
  const authorize = serverAuthorization(configuration, { ...parts, user: rules.serverUser });
  const { scheme } = serverAddress(configuration, 'timeline');
  return (history) => new ContainerLogPlaces({ history, tree, resourceManagerUrl, authorize, scheme, logger });
}

/** The application history, its logs and its pages. */
async function addHistory(
  service: Service,
  parts: RoleDependencies & {
    readonly configuration: Configuration;
    readonly history: ApplicationHistory;
    readonly logPlaces: LogPlaces;
    readonly long: LongAnswerParts;
    readonly webUrl: () => string;
  },
): Promise<void> {
  const { history } = parts;
  const places = parts.logPlaces(history);
  addHistoryRoutes(service, history, parts);
  addLogRoutes(service, { base: '/ws/v1/applicationhistory', profile: profiles.timeline, placesOf: () => places });
  addHistoryPages(service, { ...parts, places });
}

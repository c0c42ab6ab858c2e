// The two servers of timeline v2: the reader and the collector, each on its own port, on the store of the timeline role.

import { isAllowed } from '../auth/access-lists.ts';
import { type Audit, AuditLog } from '../auth/audit-log.ts';
import type { ClaimedGroups } from '../auth/claimed-groups.ts';
import { ClusterSecret, isNodeIdentity } from '../auth/cluster-secret.ts';
import { groupMapping } from '../auth/groups.ts';
import { askManager } from '../client/ask-manager.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { timelineSettings } from '../config/settings/timeline.ts';
import { boundAddress } from '../config/values.ts';
import { serverAddress } from '../config/web-addresses.ts';
import { createAuthenticator } from '../http/authentication.ts';
import { mountDaemonRoutes } from '../http/daemon-routes.ts';
import { createHostNames } from '../http/host-names.ts';
import { instrumentationGate } from '../http/instrumentation.ts';
import { limitsOf } from '../http/limits.ts';
import { mountOpenApi } from '../http/open-api.ts';
import { profiles } from '../http/profiles.ts';
import { serveProvenCallers } from '../http/proven-callers.ts';
import { serverTls } from '../http/server-tls.ts';
import { createService, type Service } from '../http/service.ts';
import { withoutContent } from '../http/type-by-name.ts';
import { mountWebPages } from '../http/web-pages.ts';
import type { Closer } from '../lib/closer.ts';
import { repeat } from '../lib/repeat.ts';
import type { ReadinessSource, RoleDependencies } from '../lib/role.ts';
import { parseAccessList } from '../model/access-list.ts';
import { failure } from '../model/errors.ts';
import type { Database } from '../storage/sqlite.ts';
import type { LogPlaces } from './application-history/container-logs.ts';
import { addLogRoutes } from './http/log-routes.ts';
import type { LongAnswerParts } from './http/long-answer.ts';
import { CollectorFigures, ReaderFigures } from './http/read-figures.ts';
import type { SystemRule } from './http/security.ts';
import { addCollectorRoutes, addNodeRoutes, addSystemRoutes } from './http/v2-collector-routes.ts';
import { addReaderRoutes, type ReaderRoutesOptions } from './http/v2-reader-routes.ts';
import { FlowStore } from './store/flow-store.ts';
import { startRetention } from './store/retention.ts';
import { V2Expiry } from './store/v2-expiry.ts';
import { V2Store } from './store/v2-store.ts';
import type { AccessRules } from './v1/access.ts';
import { Collector } from './v2/collector.ts';
import { LogRecordsV2 } from './v2/log-records.ts';
import { Reader } from './v2/reader.ts';

/** What the servers are called in their beans. */
const daemonNames = { reader: 'TimelineService', collector: 'TimelineCollector' } as const;

const unknownPath = (path: string) => withoutContent(404, path);

/** Who may read version 2: every caller, unless the settings say otherwise (TimelineReaderWhitelistAuthorizationFilter, TimelineReaderWebServices.checkUser). */
function readRule(
  configuration: Configuration,
  rules: AccessRules,
  claimedGroups: ClaimedGroups,
): (user: string | undefined, owner: string | undefined) => boolean {
  const { readAuthenticationEnabled, readAllowedUsers } = configuration.values(timelineSettings);
  const { filterEntityListByUser, staticGroups } = configuration.values(commonSettings);
  const groupsOf = groupMapping(staticGroups, claimedGroups);
  const list = parseAccessList(readAllowedUsers ?? ' ');
  if (readAuthenticationEnabled) return (user) => user !== undefined && (rules.isAdmin(user) || isAllowed(list, user, groupsOf));
  if (!filterEntityListByUser || !rules.enabled) return () => true;
  return (user, owner) =>
    user !== undefined && (owner === undefined || user === owner || rules.isAdmin(user) || isAllowed(list, user, groupsOf));
}

/** Starts reader and collector; `main` answers as the reader does, too, and lets the resource manager write. Returns their addresses. */
export async function startVersion2(
  configuration: Configuration,
  dependencies: RoleDependencies,
  parts: {
    database: Database;
    readiness: ReadinessSource;
    rules: AccessRules;
    claimedGroups: ClaimedGroups;
    main: Service;
    closer: Closer;
    audit: Audit;
    isSystem: SystemRule;
    long: LongAnswerParts;
    logPlaces: LogPlaces;
  },
): Promise<{ reader: string; collector: string }> {
  const { clock, logger } = dependencies;
  const { database, readiness, rules, claimedGroups, main, closer } = parts;
  const settings = configuration.values(timelineSettings);
  const cluster = configuration.get('yarn.resourcemanager.cluster-id') || 'yarn_cluster';
  const flows = new FlowStore(database);
  const entities = new V2Store(database);
  const collector = new Collector({ database, flows, entities, cluster, clock, lingerMs: settings.collectorLingerPeriodMs });

  const figures = { reader: new ReaderFigures(clock), collector: new CollectorFigures(clock) };
  const aggregation = repeat({
    clock,
    intervalMs: settings.aggregationIntervalSeconds * 1000,
    async run() {
      const leftOut = await collector.aggregate();
      if (leftOut > 0) logger.warn({ leftOut }, 'too many metrics of entities came at once to add them all up');
    },
    failed: (error) => logger.error({ err: error }, 'metrics of applications could not be added up'),
  });
  closer.add('aggregation', async () => {
    await aggregation.close();
    await collector.aggregate();
  });
  const { timeToLiveEnabled, version2TimeToLiveMs: ttlMs, timeToLiveIntervalMs: intervalMs } = settings;
  if (timeToLiveEnabled && ttlMs > 0) {
    const retention = startRetention({ database, entities: new V2Expiry(database), clock, logger, ttlMs, intervalMs });
    closer.add('retention of version 2', () => retention.close());
  }

  const open = async (name: 'reader' | 'collector', address: string, add: (service: Service) => void): Promise<string> => {
    const authenticator = await createAuthenticator(name, configuration, {
      ...dependencies,
      askManager: askManager(configuration),
      claimedGroups,
    });
    const service = createService({
      name,
      profile: profiles.reader,
      address,
      tls: serverTls(configuration, 'reader', dependencies),
      authenticator,
      hosts: createHostNames(configuration),
      limits: limitsOf(configuration),
      logger,
      unknownPath,
    });
    add(service);
    const isAdministrator = (user: string) => rules.isAdmin(user);
    const gate = instrumentationGate(configuration, isAdministrator);
    const watched = { beans: () => [figures[name].bean()], readiness, times: [database.commitTimes] };
    const log = { logger, clock };
    mountDaemonRoutes(service, { configuration, daemon: daemonNames[name], ...log, gate, ...watched });
    mountWebPages(service, { configuration, role: name, isAdministrator, log, gate });
    mountOpenApi(service, {
      title: `Heddle timeline ${name}`,
      profile: profiles.reader,
      described: async () => {
        const { describedReader, describedCollector } = await import('./http/described-routes.ts');
        return name === 'reader' ? describedReader : describedCollector;
      },
    });
    const { url } = await service.listen();
    closer.add(name, () => service.close());
    return url;
  };
  addSystemRoutes(main, collector, parts.isSystem);
  takeNodes(configuration, dependencies, main, collector, closer);
  const mayRead = readRule(configuration, rules, claimedGroups);
  const unchecked = settings.historyUnchecked;
  const records = (of: string) => parts.logPlaces(new LogRecordsV2({ flows, entities, cluster: of, rules, unchecked }));
  const read: ReaderRoutesOptions = { reader: new Reader(flows, entities), cluster, mayRead, long: parts.long, figures: figures.reader };
  // Web pages ask the server that they come from. There the static user stands in for nobody, too.
  const { staticUser } = configuration.values(commonSettings);
  addReaderRoutes(main, { ...read, mayRead: (user = staticUser, owner) => mayRead(user, owner) });
  const reader = await open('reader', boundAddress(serverAddress(configuration, 'reader').address, settings.readerBindHost), (service) => {
    addReaderRoutes(service, read);
    addLogRoutes(service, {
      base: '/ws/v2/applicationlog',
      profile: profiles.reader,
      placesOf(call) {
        if (!mayRead(call.user, undefined)) throw failure('TIMELINE_V2_READ_REFUSED', { user: call.user ?? 'null' });
        return records(call.query.first('clusterid')?.trim() || cluster);
      },
    });
  });
  const port = /^\d+/.exec(settings.collectorBindPortRanges)?.[0] ?? '0';
  const collectorUrl = await open('collector', `${settings.collectorBindHost}:${port}`, (service) =>
    addCollectorRoutes(service, {
      collector,
      ...{ figures: figures.collector, audit: parts.audit },
      mayWrite: (user, owner) => !rules.enabled || user === owner || rules.isAdmin(user),
    }),
  );
  return { reader, collector: collectorUrl };
}

/** Lets nodes write through `main`, on connections on which they have proven that they know the cluster's secret. */
function takeNodes(
  configuration: Configuration,
  { clock, random, logger }: RoleDependencies,
  main: Service,
  collector: Collector,
  closer: Closer,
): void {
  const secret = new ClusterSecret(configuration.values(heddleSettings).clusterSecretFile, { clock, random });
  const proven = serveProvenCallers(main, {
    hint: () => secret.nodeHint,
    keyOf: (identity) => secret.nodeKeyOf(identity),
    counts: (identity) => secret.nodeKeyOf(identity) !== undefined,
    audit: new AuditLog(logger),
    clock,
    logger,
    closer,
  });
  addNodeRoutes(main, collector, (request) => isNodeIdentity(proven.identityOf(request)));
}

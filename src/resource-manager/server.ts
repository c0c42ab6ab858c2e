// The resource manager role: wires store, scheduler, cluster and web interface; the only place that knows all of them.
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isAllowed } from '../auth/access-lists.ts';
import { tokenCalls } from '../auth/delegation/token-calls.ts';
import { TokenManager } from '../auth/delegation/token-manager.ts';
import { readOrCreateSecret } from '../auth/secret-file.ts';
import { SystemMetricsPublisher } from '../client/system-metrics-publisher.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { resourceManagerSettings } from '../config/settings/resource-manager.ts';
import { schedulerSettings } from '../config/settings/scheduler.ts';
import { boundAddress } from '../config/values.ts';
import { createAuthenticator } from '../http/authentication.ts';
import { createCrossOrigin } from '../http/cross-origin.ts';
import { createCrossSiteGuard } from '../http/cross-site.ts';
import { frameOptionsOf } from '../http/frame-options.ts';
import { profiles } from '../http/profiles.ts';
import { createService } from '../http/service.ts';
import { Closer } from '../lib/closer.ts';
import type { RoleDependencies, RunningRole } from '../lib/role.ts';
import { parseAccessList } from '../model/access-list.ts';
import { failure } from '../model/errors.ts';
import type { QueueFileContents } from '../scheduler/abilities.ts';
import { checkQueueFile, createPolicy, hasEditableQueues, queueWarnings } from '../scheduler/create-policy.ts';
import { policyOptions, queueFiles, resourceTypes, withRulesFile } from '../scheduler-settings/policy-options.ts';
import { queueFileName, queueFilePath, refusable, watchQueueFile } from '../scheduler-settings/queue-files.ts';
import { openDatabase } from '../storage/sqlite.ts';
import { isFinalState } from './applications/application-states.ts';
import type { ClusterObserver } from './cluster/observer.ts';
import type { ClusterSettings } from './cluster/settings.ts';
import { Cluster } from './cluster.ts';
import type { ResourceManagerContext } from './context.ts';
import { mountAdministration } from './http/administration.ts';
import { knownCallers } from './http/callers.ts';
import { hadoopVersion } from './http/cluster-facts.ts';
import { mountContainerLogs } from './http/container-logs.ts';
import { renderFinished } from './http/finished-fragments.ts';
import { mountMasterRoutes } from './http/masters/attempts.ts';
import { mountRoutes, unknownPath } from './http/routes.ts';
import { mountStaging } from './http/staging.ts';
import { AttributeManager } from './labels/attribute-manager.ts';
import { LabelManager } from './labels/label-manager.ts';
import { readDynamicResources } from './nodes/dynamic-resources.ts';
import { Membership } from './nodes/membership.ts';
import { acceptNodes } from './nodes/node-channel.ts';
import { Racks } from './nodes/racks.ts';
import { timelinePublisher } from './publishing/timeline-publisher.ts';
import { QueueConfiguration, storedQueues } from './queue-configuration.ts';
import { PlanFollower } from './reservations/plan-follower.ts';
import { ReservationSystem } from './reservations/reservation-system.ts';
import { Access } from './security/access.ts';
import { accessRulesOf } from './security/access-rules.ts';
import { AuditLog } from './security/audit-log.ts';
import { tokenStore } from './security/token-store.ts';
import { StagingArea } from './staging/staging-area.ts';
import { buildCommands } from './start/build-commands.ts';
import { ResourceManagerStore } from './store/resource-manager-store.ts';

const containerKeyName = 'container-token-key';
const drainedName = 'drained-nodes';
const epochName = 'epoch';
const startedName = 'started';

/** `NONE`: any; `EqualToRM`: that of this resource manager (ResourceTrackerService). */
const minimumNodeVersion = (text: string): string | undefined =>
  text === 'NONE' || text === '' ? undefined : text === 'EqualToRM' ? hadoopVersion : text;

function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env['USER'] ?? 'heddle';
  }
}

/** Starts the resource manager; `addresses.web` is its REST interface. Refuses to start with a bad queue configuration. */
export async function start(configuration: Configuration, dependencies: RoleDependencies): Promise<RunningRole> {
  const { clock, logger, random } = dependencies;
  const closer = new Closer();
  try {
    const common = configuration.values(commonSettings);
    const own = configuration.values(resourceManagerSettings);
    const heddle = configuration.values(heddleSettings);
    const database = openDatabase(join(configuration.dataDir, 'resource-manager', 'state.sqlite'), { logger });
    closer.add('store', () => database.close());
    const store = new ResourceManagerStore(database);
    // Part of every id: never the same twice, whatever the machine's clock says.
    const startedMs = Math.max(clock.now(), Number(store.meta(startedName) ?? 0) + 1);
    const epoch = store.meta(epochName) === undefined ? 0 : Number(store.meta(epochName)) + 1;
    const containerTokenKey = Buffer.from(store.meta(containerKeyName) ?? random.bytes(32).toString('base64'), 'base64');
    await Promise.all([
      store.setMeta(epochName, String(epoch)),
      store.setMeta(startedName, String(startedMs)),
      store.setMeta(containerKeyName, containerTokenKey.toString('base64')),
    ]);

    const types = resourceTypes(configuration);
    const accessRules = accessRulesOf(configuration);
    const { groupsOf } = accessRules;
    const options = policyOptions(configuration, types, groupsOf, () => clock.now());
    const scheduling = configuration.values(schedulerSettings);
    const stored = storedQueues(hasEditableQueues(options.kind), scheduling.configurationStoreClass, store);
    const warnOfQueues = (files: QueueFileContents): void => {
      for (const warning of queueWarnings(options.kind, files, types)) logger.warn(warning);
    };
    const policy = refusable(options.kind, configuration, () => {
      checkQueueFile(options.kind, options, types);
      warnOfQueues(options);
      return createPolicy(stored ? { ...options, properties: withRulesFile(stored.properties, configuration) } : options);
    });
    let listening = `http://${common.resourceManagerWebAddress}`;
    const webUrl = () => listening;
    const publishes = common.timelineEnabled && common.systemMetricsPublisherEnabled && own.metricsPublisherEnabled;
    const timelineUrl = `http://${common.timelineWebAddress}`;
    // Settings that name the history count although this resource manager does not publish (RMAppAttemptImpl).
    const historySaid = configuration.origin(commonSettings.applicationHistoryEnabled.key) !== undefined;
    const leadsToHistory = common.applicationHistoryEnabled && (common.timelineEnabled || historySaid);
    const settings: ClusterSettings = {
      clusterTimestamp: startedMs,
      maximumAttempts: own.globalMaximumAttempts ?? own.maximumAttempts,
      masterExpiryMs: own.masterExpiryMs,
      nodeExpiryMs: own.nodeExpiryMs,
      untrackedNodeRemovalMs: own.untrackedNodeRemovalMs,
      containerExpiryMs: own.containerAllocationExpiryMs,
      logAggregationEnabled: common.logAggregationEnabled,
      masterBlacklistThreshold: own.masterBlacklistingEnabled ? own.masterBlacklistingThreshold : undefined,
      minimumNodeVersion: minimumNodeVersion(own.nodeMinimumVersion),
      opportunistic: own.opportunisticAllocation,
      placementConstraints: own.placementConstraintsHandler !== 'disabled',
      placementTries: own.placementConstraintsHandler === 'placement-processor' ? own.placementConstraintTries : undefined,
      webUrl,
      masterUrl: webUrl,
      timelineUrl: () => (common.timelineEnabled ? timelineUrl : undefined),
      applicationPage: (id) => (leadsToHistory ? `${timelineUrl}/applicationhistory/app/${id}` : `${listening}/cluster/app/${id}`),
      retentionMs: heddle.retentionMs,
      retentionCount: heddle.retentionCount,
      masterEnvironment: {},
    };
    const observers: ClusterObserver[] = [];
    if (publishes) {
      const versions = common.timelineVersions.length > 0 ? common.timelineVersions : [common.timelineVersion];
      const publisher = new SystemMetricsPublisher({
        url: timelineUrl,
        user: userInfo().username,
        clock,
        logger,
        // The application history reads version 1, whichever version clients use.
        version1: common.applicationHistoryEnabled || versions.some((version) => version.startsWith('1')),
        version2: versions.some((version) => version.startsWith('2')),
        containers: own.metricsPublisherContainersEnabled,
      });
      closer.add('timeline publisher', () => publisher.close());
      observers.push(
        timelinePublisher({
          publisher,
          clock,
          trackingUrl: (id) => `${listening}/proxy/${id}/`,
          scheme: 'http',
        }),
      );
    }
    const labels: LabelManager = new LabelManager({
      enabled: own.nodeLabelsEnabled,
      distributed: own.nodeLabelsConfigurationType === 'distributed',
      store,
      queueUsing: (label) => policy.labels?.queueUsing(label),
      partitionsChanged: (partitions) => {
        policy.labels?.setPartitions(partitions);
        cluster.scheduleSoon();
      },
      nodesChanged: () => {
        for (const node of cluster.view.nodes()) policy.updateNode(node.id, { label: labels.labelOf(node.id) });
        cluster.scheduleSoon();
      },
    });
    const attributes: AttributeManager = new AttributeManager({
      store,
      changed: (hosts) => cluster.attributesChanged((node) => hosts.has(node.host)),
    });
    policy.labels?.setPartitions(labels.partitions());
    const racks = new Racks({ script: common.topologyScript, table: common.topologyTable, implementation: common.topologyMapping }, logger);
    const context = {} as { -readonly [K in keyof ResourceManagerContext]: ResourceManagerContext[K] };
    const cluster = new Cluster({
      clock,
      logger,
      store,
      policy,
      types,
      settings,
      membership: new Membership(
        own.nodesIncludePath,
        own.nodesExcludePath,
        JSON.parse(store.meta(drainedName) ?? '[]') as string[],
        (nodeIds) =>
          void store
            .setMeta(drainedName, JSON.stringify(nodeIds))
            .catch((error: unknown) => logger.error({ err: error }, 'the drained nodes could not be stored')),
      ),
      labels: {
        labelOf: (nodeId) => labels.labelOf(nodeId),
        reported: (nodeId, told) =>
          void labels
            .reported(nodeId, told)
            .catch((error: unknown) => logger.warn({ err: error, nodeId, told }, 'labels that a node tells of itself were not accepted')),
      },
      attributes,
      containerTokenKey,
      session: random.bytes(16).toString('hex'),
      epoch,
      observers,
      render: (application) => renderFinished(context, application),
    });
    closer.add('cluster', () => cluster.close());
    cluster.useDynamicResources(readDynamicResources(configuration.confDir, types));
    const tokens = new TokenManager({
      kind: 'RM_DELEGATION_TOKEN',
      store: tokenStore(store, logger),
      clock,
      random,
      keyUpdateIntervalMs: own.delegationKeyUpdateIntervalMs,
      renewIntervalMs: own.delegationTokenRenewIntervalMs,
      maximumLifetimeMs: own.delegationTokenMaximumLifetimeMs,
    });
    const { reservable } = policy;
    const reservations: ReservationSystem | undefined =
      own.reservationSystemEnabled && reservable
        ? new ReservationSystem({
            store,
            clock,
            clusterTimestamp: startedMs,
            planQueues: () => reservable.list(),
            maximumAllocation: () => policy.maximumAllocation(),
            maximumPeriodicityMs: own.reservationMaximumPeriodicityMs,
            late: !own.reservationFavorsEarly,
            changed: () => planFollower?.follow(),
            ...(own.reservationAclEnabled && common.aclEnabled
              ? { allows: (user, plan, acl) => isAllowed(parseAccessList(plan.rules?.access[acl] ?? '*'), user, groupsOf) }
              : {}),
          })
        : undefined;
    const planFollower: PlanFollower | undefined = reservations
      ? new PlanFollower({
          reservations,
          policy,
          clock,
          logger,
          stepMs: own.reservationPlanFollowerStepMs,
          end(id, diagnostics) {
            const application = cluster.view.application(id);
            if (application) void cluster.kill(application, diagnostics);
          },
          followed: () => cluster.scheduleSoon(),
        })
      : undefined;
    closer.add('plan follower', () => planFollower?.close());
    const queues = new QueueConfiguration({
      policy,
      file: queueFiles(configuration).properties,
      complete: (properties) => withRulesFile(properties, configuration),
      stored,
      readFiles: () => {
        const files = queueFiles(configuration.withFileReadAgain(queueFileName(options.kind, configuration) ?? ''));
        checkQueueFile(options.kind, files, types);
        warnOfQueues(files);
        return files;
      },
      storeClass: scheduling.configurationStoreClass,
      store,
      changed: () => cluster.scheduleSoon(),
    });
    const queueFile = queueFilePath(options.kind, configuration);
    if (queueFile !== undefined && scheduling.queueFileCheckIntervalMs > 0 && !queues.mutable) {
      const watch = watchQueueFile({
        path: queueFile,
        intervalMs: scheduling.queueFileCheckIntervalMs,
        clock,
        logger,
        reload: () => void refusable(options.kind, configuration, () => queues.refresh()),
      });
      closer.add('queue file', () => watch.close());
    }
    const processUser = currentUser();
    const audit = new AuditLog(logger);
    const access = new Access({ aclEnabled: common.aclEnabled, adminAcl: common.adminAcl, processUser, groupsOf, policy, audit });
    Object.assign(context, {
      cluster,
      commands: buildCommands({ configuration, clock, cluster, store, policy, types, access, audit }),
      caller: knownCallers({ security: common.securityAuthentication !== 'simple', staticUser: common.staticUser, groupsOf }),
      access,
      audit,
      processUser,
      queues,
      policy,
      store,
      labels,
      attributes,
      racks,
      reservations,
      tokens,
      configuration,
      types,
      groupsOf,
      refreshAccess: accessRules.refresh,
      clock,
      random,
      logger,
      startedMs,
      webUrl,
    } satisfies ResourceManagerContext);

    const service = createService({
      name: 'resource-manager',
      profile: profiles.resourceManager,
      address: boundAddress(common.resourceManagerWebAddress, own.bindHost),
      authenticator: createAuthenticator('resourceManager', configuration, {
        clock,
        random,
        mayImpersonate: accessRules.mayImpersonate,
        tokens: tokenCalls({
          tokens,
          mayImpersonate: accessRules.mayImpersonate,
          anyHolderCancels: false,
          nobody: () => ({ refusal: failure('ILLEGAL_ARGUMENT', { reason: 'Null user' }) }),
          changed: ({ operation, user, remoteAddress }) => {
            audit.changed({ user, remoteAddress }, { operation, target: 'delegation token' });
          },
        }),
      }),
      logger,
      crossOrigin: createCrossOrigin(configuration, 'resourceManager'),
      guard: createCrossSiteGuard(configuration, 'resourceManager'),
      frameOptions: frameOptionsOf(configuration, 'resourceManager'),
      refused: (refusal) => audit.refusedRequest(refusal),
      unknownPath,
    });
    mountRoutes(service, context);
    mountMasterRoutes(service, cluster);
    mountAdministration(service, context);
    mountContainerLogs(service, context);
    const clusterSecret = readOrCreateSecret(heddle.clusterSecretFile, random);
    const staging = new StagingArea({
      folder: heddle.stagingDirectory,
      clock,
      logger,
      maximumFileBytes: heddle.stagingMaximumFileBytes,
      userQuotaBytes: heddle.stagingUserQuotaBytes,
      unusedRetentionMs: heddle.stagingUnusedRetentionMs,
      applicationOf: (applicationId) => {
        const application = cluster.findAny(applicationId);
        return application && { user: application.user, ended: isFinalState[application.state] };
      },
    });
    mountStaging(service, context, staging, clusterSecret);
    cluster.observe({
      applicationFinished: ({ id, user }) =>
        void staging
          .applicationEnded(user, id)
          .catch((error: unknown) => logger.warn({ err: error, id }, 'staged files could not be removed')),
    });
    planFollower?.run();
    if (own.recoveryEnabled) cluster.recover();
    await staging.begin();
    closer.add('staging area', () => staging.close());
    const { url } = await service.listen();
    closer.add('web', () => service.close());
    if (common.resourceManagerWebAddress.endsWith(':0')) listening = url;
    const channel = acceptNodes({
      cluster,
      service,
      clock,
      random,
      logger,
      secret: clusterSecret,
      racks,
    });
    closer.add('node channel', () => channel.close());
    cluster.scheduleSoon();
    logger.info({ url }, 'the resource manager is ready');
    return { addresses: { web: listening }, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}

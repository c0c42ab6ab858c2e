// Gives the commands their ports: the cluster, what stands beside it, and the settings they follow.

import { readDynamicResources } from '../../config/dynamic-resources.ts';
import { type Configuration, readAgain } from '../../config/load.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { securitySettings } from '../../config/settings/security.ts';
import type { Clock } from '../../lib/clock.ts';
import { PacedTurns } from '../../lib/paced-turns.ts';
import { parseApplicationId } from '../../model/ids.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { queueFileName, refusalOf } from '../../scheduler-settings/queue-files.ts';
import { mostNotesCharacters } from '../../wire/cluster/master-protocol.ts';
import { SubmissionKeys } from '../applications/submission-keys.ts';
import type { Cluster } from '../cluster.ts';
import { bindCommands, type CommandPorts, type Commands } from '../commands/commands.ts';
import type { ApplicationPorts } from '../commands/find-application.ts';
import type { AttributeManager } from '../labels/attribute-manager.ts';
import type { LabelManager } from '../labels/label-manager.ts';
import type { Racks } from '../nodes/racks.ts';
import type { QueueConfiguration } from '../queue-configuration.ts';
import type { ReservationSystem } from '../reservations/reservation-system.ts';
import type { AccessRules } from '../security/access-rules.ts';
import type { StagingArea } from '../staging/staging-area.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import type { BuiltSchedules } from './build-schedules.ts';
import type { BuiltSecurity } from './build-security.ts';
import type { BuiltWebhooks } from './build-webhooks.ts';

/** What commands are built of. */
export interface CommandParts {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly store: ResourceManagerStore;
  readonly cluster: Cluster;
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  readonly useMaximumPriority: (maximum: number) => void;
  readonly labels: LabelManager;
  readonly attributes: AttributeManager;
  readonly racks: Racks;
  readonly queues: QueueConfiguration;
  readonly staging: StagingArea;
  readonly rules: AccessRules;
  readonly security: Pick<BuiltSecurity, 'access' | 'audit' | 'tokens' | 'registry'>;
  readonly webhooks: BuiltWebhooks;
  readonly schedules: BuiltSchedules;
  /** Undefined where reservations are off. */
  readonly reservations: ReservationSystem | undefined;
}

/** The commands of one resource manager. */
export const buildCommands = (parts: CommandParts): Commands =>
  bindCommands({
    ...submissionPorts(parts),
    ...applicationPorts(parts),
    ...masterPorts(parts),
    ...nodePorts(parts),
    ...labelPorts(parts),
    ...queuePorts(parts),
    ...besidePorts(parts),
  });

/** A tenth of the time at most is spent on copies of the scheduler, on which submissions are tried. */
const triesPace = { restPart: 9, mostWaiting: 32 } as const;

/** Whether they would be refused costs little, and whoever is turned away hears it from the submission itself. */
const admissionsPace = { restPart: 4, mostWaiting: 8 } as const;

/** A fifth of the time, for one at a time: copies of the scheduler on which other queues are tried. */
const queueTriesPace = { restPart: 4, mostWaiting: 4 } as const;

type Ports<Names extends keyof CommandPorts> = Pick<CommandPorts, Names>;

function submissionPorts(parts: CommandParts): Ports<'newApplication' | 'submit' | 'trySubmission'> {
  const { clock, cluster, policy, types } = parts;
  const submit = submitPorts(parts);
  return {
    newApplication: {
      newApplicationId: () => cluster.newApplicationId(),
      upcomingApplicationId: () => cluster.upcomingApplicationId(),
      policy,
    },
    submit,
    trySubmission: {
      ...{ submit, policy, types },
      turns: { placement: new PacedTurns(clock, triesPace), admission: new PacedTurns(clock, admissionsPace) },
      handlesConstraints: cluster.settings.placementConstraints ?? false,
    },
  };
}

function submitPorts(parts: CommandParts): Ports<'submit'>['submit'] {
  const { configuration, clock, cluster, store, policy, types } = parts;
  const { access, audit } = parts.security;
  const own = configuration.values(resourceManagerSettings);
  return {
    applications: {
      submissionOf(id) {
        const isKnown = cluster.view.application(id) || (!cluster.isFreshId(parseApplicationId(id)) && store.finished(id));
        return isKnown ? (cluster.view.submission(id) ?? Promise.resolve()) : undefined;
      },
      beyondRoom: (user, submission) => cluster.view.submissionRoom.refusalOf(user, submission),
      reserveId: (clusterTimestamp, sequence) => cluster.reserveSequence(clusterTimestamp, sequence),
      create: (application) => cluster.submit(application),
    },
    keys: new SubmissionKeys(store.submissionKeys()),
    clock,
    admission: {
      policy,
      access,
      types,
      settings: {
        masterLabel: own.nodeLabelsEnabled ? own.masterLabel || undefined : undefined,
        taggingUsers: own.applicationTagPlacementEnabled ? own.applicationTagPlacementUsers : undefined,
      },
    },
    limits: () => ({
      configuredMaximum: policy.configuredMaximum(),
      maximumTags: own.maximumTags,
      maximumTagLength: own.maximumTagLength,
      lowerCaseTags: own.applicationTagLowercase,
      types,
    }),
    audit,
  };
}

function applicationPorts({
  configuration,
  clock,
  cluster,
  policy,
  security,
}: CommandParts): Ports<
  'kill' | 'failAttempt' | 'move' | 'setPriority' | 'setLifetime' | 'setInstances' | 'signal' | 'masterAccess' | 'readRun'
> {
  const { access, audit } = security;
  const application: ApplicationPorts = { applications: cluster, access, audit };
  return {
    kill: { ...application, kill: (...parameters) => cluster.killByUser(...parameters) },
    failAttempt: { ...application, failAttempt: (failed, attempt) => cluster.failAttempt(failed, attempt) },
    move: { ...application, access, policy, settled: (same) => cluster.settled(same), move: (moved, queue) => cluster.move(moved, queue) },
    setPriority: {
      ...application,
      policy,
      settled: (same) => cluster.settled(same),
      setPriority: (changed, priority) => cluster.setPriority(changed, priority),
    },
    setLifetime: { ...application, clock, setLifetime: (changed, expiryMs) => cluster.setLifetime(changed, expiryMs) },
    setInstances: {
      ...application,
      policy,
      settled: (same) => cluster.settled(same),
      setInstances: (changed, change) => cluster.setInstances(changed, change),
    },
    signal: {
      containers: {
        find: (containerId) => findContainer(cluster, containerId),
        signal: (container, signal) => cluster.signal(container, signal),
      },
      access,
      audit,
      isUnchecked: configuration.values(resourceManagerSettings).signalsUnchecked,
    },
    masterAccess: { applications: cluster, audit },
    readRun: application,
  };
}

/** A live container with its application. */
function findContainer({ view }: Cluster, containerId: string) {
  const container = view.container(containerId);
  const application = container && view.application(container.applicationId);
  return container && application && { container, application };
}

function masterPorts({ cluster, policy, types }: CommandParts): Ports<'register' | 'allocate' | 'finish'> {
  const handlesConstraints = cluster.settings.placementConstraints ?? false;
  return {
    register: {
      masters: {
        register: (application, attempt, at) => cluster.registerMaster(application, attempt, at),
        isSupersededRegistration: (attempt, registrationId) => cluster.isSupersededRegistration(attempt, registrationId),
        ending: (applicationId) => cluster.view.ending(applicationId),
        tokenOf: (application, container) => cluster.tokenOf(application, container),
        notesOf: (applicationId) => cluster.notesOf(applicationId),
      },
      policy,
      handlesConstraints,
    },
    allocate: { masters: cluster, policy, types, handlesConstraints, mostNotesCharacters },
    finish: {
      masters: {
        unregister: (application, attempt, last) => cluster.unregisterMaster(application, attempt, last),
        ending: (applicationId) => cluster.view.ending(applicationId),
      },
    },
  };
}

function nodePorts({
  configuration,
  cluster,
  types,
  racks,
  security,
}: CommandParts): Ports<'resizeNode' | 'refreshNodes' | 'refreshNodeSizes' | 'drainNode' | 'resumeNode'> {
  const { access, audit } = security;
  const { nodeResourceUnchecked, decommissionTimeoutSeconds: leaveSeconds } = configuration.values(resourceManagerSettings);
  const node = { nodes: { find: (nodeId: string) => cluster.view.node(nodeId) }, access, audit };
  return {
    resizeNode: {
      ...node,
      types,
      isUnchecked: nodeResourceUnchecked,
      resize: (resized, resource, overcommitTimeoutMs) => cluster.resizeNode(resized, resource, overcommitTimeoutMs),
    },
    refreshNodes: {
      ...node,
      leaveSeconds,
      async refresh(seconds) {
        const changed = await cluster.refreshMembership(seconds);
        racks.refresh();
        return changed;
      },
    },
    refreshNodeSizes: { ...node, refresh: async () => cluster.useDynamicResources(readDynamicResources(configuration.confDir, types)) },
    drainNode: { ...node, leaveSeconds, drain: (drained, seconds) => cluster.drainNode(drained, seconds) },
    resumeNode: { ...node, resume: (resumed) => cluster.resumeNode(resumed) },
  };
}

function labelPorts({
  configuration,
  cluster,
  labels,
  attributes,
  security: { access, audit },
}: CommandParts): Ports<'labels' | 'attributes'> {
  const isCentralized = configuration.values(resourceManagerSettings).nodeLabelsConfigurationType === 'centralized';
  const nodes = {
    unknown(names: readonly string[]): readonly string[] {
      const hosts = new Set([...cluster.view.nodes()].map(({ host }) => host));
      return names.filter((name) => !cluster.view.node(name) && !hosts.has(name.replace(/:0$/, '')));
    },
  };
  return { labels: { labels, nodes, access, audit, isCentralized }, attributes: { attributes, nodes, access, audit } };
}

function queuePorts({
  clock,
  configuration,
  policy,
  queues,
  security: { access, audit },
  useMaximumPriority,
}: CommandParts): Ports<'queueAccess' | 'queues' | 'tryQueues' | 'refreshQueues' | 'refreshPriority' | 'schedulerLogs'> {
  return {
    queueAccess: { access },
    queues: { queues, policy, access, audit },
    tryQueues: { queues, policy, access, clock, turns: new PacedTurns(clock, queueTriesPace) },
    refreshQueues: {
      ...{ queues, policy, access, audit },
      fileName: () => queueFileName(policy.names.short, configuration),
      explained: (refusal) => refusalOf(refusal, policy.names.short, configuration),
    },
    refreshPriority: {
      refresh() {
        const { maximumApplicationPriority } = readAgain(configuration).values(resourceManagerSettings);
        useMaximumPriority(maximumApplicationPriority);
        return maximumApplicationPriority;
      },
      access,
      audit,
    },
    schedulerLogs: { access, clock, written: { untilMs: 0 } },
  };
}

function besidePorts({
  configuration,
  clock,
  cluster,
  policy,
  reservations,
  staging,
  rules,
  security,
  webhooks,
  schedules,
}: CommandParts): Ports<'refreshAccess' | 'reservations' | 'tokens' | 'bearerTokens' | 'webhooks' | 'schedules' | 'staging'> {
  const { access, audit, tokens, registry } = security;
  const { tokenMaximumLifetimeMs: maximumLifetimeMs } = configuration.values(securitySettings);
  const { filterInitializers } = configuration.values(commonSettings);
  const hasHadoopFilter = filterInitializers.some((name) => name.endsWith('.AuthenticationFilterInitializer'));
  return {
    refreshAccess: { refresh: rules.refresh, access, audit },
    reservations: { system: reservations, policy, audit },
    tokens: { tokens, audit, simpleName: hasHadoopFilter ? 'simple' : 'SIMPLE' },
    webhooks: { ...webhooks, access, audit },
    schedules: { ...schedules, access, audit },
    bearerTokens: { registry, access, policy, audit, clock, maximumLifetimeMs },
    staging: { area: staging, applications: cluster, audit },
  };
}

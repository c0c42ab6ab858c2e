// What handlers that read work with: the cluster's state, how it is shown, and who may see it. Made once a resource manager.

import type { TokenFigures } from '../../auth/delegation/token-figures.ts';
import type { Configuration } from '../../config/load.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { schemeOf } from '../../config/web-addresses.ts';
import type { ChannelFigures } from '../../lib/channel-figures.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { RpcFigures } from '../../lib/rpc-figures.ts';
import type { Resource, ResourceTypes } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { ClusterMetrics } from '../../wire/cluster/cluster-info.ts';
import type { Cluster } from '../cluster.ts';
import type { LabelManager } from '../labels/label-manager.ts';
import type { Access } from '../security/access.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { ApplicationCounters } from './application-counters.ts';
import { LiveFacets } from './application-facets.ts';
import { ApplicationViews } from './applications-view.ts';
import { type ClusterEvent, clusterEvents } from './cluster-events.ts';
import { ContainerCounters } from './container-counters.ts';
import type { EventLog } from './event-log.ts';
import { FragmentCache, waitingAgeMs } from './fragments.ts';
import { KeptLists } from './kept-lists.ts';
import { useOfMachines } from './machine-use.ts';
import { MasterDelays } from './master-delays.ts';
import { OncePerMoment } from './moment.ts';
import { UsageHistory, type UsageSample } from './usage-history.ts';

/** What is owed to a receiver. */
export interface OutboxFigures {
  readonly receiver: string;
  /** Messages that were not taken yet. */
  readonly size: number;
  /** Messages given up, over restarts. */
  readonly givenUp: number;
}

/** Programs that hear of what happens by themselves. */
export interface EventHooks {
  /** An event, with the id that it has in the stream. */
  hear(id: string, timeMs: number, event: ClusterEvent): void;
  list(): readonly { readonly figures: HookFigures }[];
}

/** How one of them fares; but for `waiting`, `deadLetters` and `dropped` in this process. */
interface HookFigures {
  readonly waiting: number;
  readonly delivered: number;
  readonly failures: number;
  readonly deadLetters: number;
  readonly dropped: number;
  readonly failingSinceMs: number | undefined;
}

/** What is read. */
export interface ReadState {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cluster: Cluster;
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  readonly store: ResourceManagerStore;
  readonly labels: LabelManager;
  /** What others are owed. */
  readonly outboxes: readonly OutboxFigures[];
  readonly webhooks: EventHooks;
  /** What it and nodes told each other. */
  readonly channel: ChannelFigures;
  /** What its ports of Hadoop RPC served. */
  readonly rpc: RpcFigures;
  /** What was done to delegation tokens. */
  readonly tokenFigures: TokenFigures;
  readonly access: Access;
  /** Whether a user's file that was left here (`staging:/…`) is still there; undefined: the address names none of theirs. */
  readonly hasStaged: (user: string, address: string) => Promise<boolean | undefined>;
  /** The user of this process. */
  readonly processUser: string;
  /** When this resource manager started, ms since the epoch. */
  readonly startedMs: number;
  /** Base URL of the web interface, once it listens. */
  readonly webUrl: () => string;
  /** The same in links: loopback addresses by their name, as Hadoop resolves them. */
  readonly resolvedUrl: () => string;
}

/** The state with how it is shown. */
export interface Parts extends ReadState, Shown {
  readonly counters: ApplicationCounters;
  /** What there is to choose from in lists, of applications that live. */
  readonly liveFacets: LiveFacets;
  readonly containerCounters: ContainerCounters;
  readonly masterDelays: MasterDelays;
  /** What happened lately. */
  readonly events: EventLog<ClusterEvent>;
  /** How much of it was in use lately. */
  readonly usage: UsageHistory;
  /** Whether lists leave out applications that the caller may not view (`yarn.webapp.filter-entity-list-by-user`). */
  readonly listsOnlyVisible: boolean;
}

/** The parts of a resource manager; the counters begin to count. */
export function buildParts(state: ReadState, shown: Shown): Parts {
  const { filterEntityListByUser, filterApplicationListByUser } = state.configuration.values(commonSettings);
  const { displayPerUserApplications } = state.configuration.values(resourceManagerSettings);
  const counters = new ApplicationCounters(state.store.applicationTotals());
  state.cluster.observe(counters);
  const liveFacets = new LiveFacets();
  state.cluster.observe(liveFacets);
  const containerCounters = new ContainerCounters((nodeId) => state.labels.labelOf(nodeId));
  state.cluster.observe(containerCounters);
  const masterDelays = new MasterDelays(state.clock);
  state.cluster.observe(masterDelays);
  const { log: events, observer } = clusterEvents(state.clock, ({ number, timeMs, event }) =>
    state.webhooks.hear(`${state.startedMs}-${number}`, timeMs, event),
  );
  state.cluster.observe(observer);
  return {
    ...state,
    ...shown,
    counters,
    liveFacets,
    containerCounters,
    masterDelays,
    events,
    usage: new UsageHistory(() => usageOf(state), state.clock),
    listsOnlyVisible: filterEntityListByUser || filterApplicationListByUser || displayPerUserApplications,
  };
}

/** The cluster at this moment, as the scheduler counts it, nodes with labels included. */
function usageOf({ policy, cluster }: ReadState): Omit<UsageSample, 'timeMs'> {
  const { appsPending, appsRunning, containersAllocated, acrossPartitions: across, ...ofDefault } = policy.metrics();
  const used = across ? across.used.map((amount, type) => amount - (across.reserved[type] ?? 0)) : ofDefault.allocated;
  const { pending, total } = across ?? ofDefault;
  const machines = useOfMachines(cluster.view.nodes());
  const of = (amounts: Resource, type: number): number => Math.max(0, amounts[type] ?? 0);
  return {
    totalMemoryMiB: of(total, 0),
    usedMemoryMiB: of(used, 0),
    pendingMemoryMiB: of(pending, 0),
    totalVcores: of(total, 1),
    usedVcores: of(used, 1),
    pendingVcores: of(pending, 1),
    runningApplications: appsRunning,
    waitingApplications: appsPending,
    containers: across?.containers ?? containersAllocated,
    pendingContainers: policy.pendingContainers,
    machineMemoryMiB: machines.memoryMiB,
    machineCores: machines.cores,
  };
}

/** How much is kept of lists that are asked for again. */
const mostListBytes = 4 * 1024 * 1024;

/** How applications are shown. */
export interface Shown {
  readonly views: ApplicationViews;
  /** Texts of applications for lists. */
  readonly fragments: FragmentCache;
  /** Lists that are asked for again. */
  readonly keptLists: KeptLists;
  /** The numbers of the cluster as a whole, for the monitors that ask for them at the same time. */
  readonly metrics: OncePerMoment<ClusterMetrics>;
  /** `http` or `https`, by `yarn.http.policy`. */
  readonly scheme: 'http' | 'https';
}

/** How the applications of a cluster are shown. */
export function buildShown({
  configuration,
  clock,
  cluster,
  policy,
  types,
  startedMs,
  resolvedUrl,
}: Pick<ReadState, 'configuration' | 'clock' | 'cluster' | 'policy' | 'types' | 'startedMs' | 'resolvedUrl'>): Shown {
  const { webProxyAddress, logServerUrl } = configuration.values(commonSettings);
  const { clusterId } = configuration.values(resourceManagerSettings);
  const scheme = schemeOf(configuration);
  const proxyAddress = webProxyAddress?.replace(/^127\.0\.0\.1(?=:)/, 'localhost');
  const views = new ApplicationViews({
    policy,
    types,
    now: () => clock.now(),
    clusterTimestamp: startedMs,
    clusterId: clusterId || undefined,
    proxyUrl: () => (proxyAddress ? `${scheme}://${proxyAddress}` : resolvedUrl()),
    applicationPage: (id) => cluster.settings.applicationPage(id),
    waitingText: (application, ageMs) => cluster.view.waitingText(application, ageMs),
    opportunisticRequests: (attemptId) => cluster.opportunistic.requestsOf(attemptId),
    avoidedNodes: (application) => cluster.avoidedNodes(application),
    logServerUrl: logServerUrl || undefined,
    scheme,
  });
  const moment = { changes: () => cluster.view.changes, clock, longestMs: waitingAgeMs };
  return {
    views,
    fragments: new FragmentCache(views),
    keptLists: new KeptLists({ ...moment, mostBytes: mostListBytes }),
    metrics: new OncePerMoment(moment),
    scheme,
  };
}

// Applications as clients see them (AppInfo): which members, which values, and what strangers do not see.

import type { PublicApplicationState } from '../../model/application-states.ts';
import type { Resource, ResourceTypes } from '../../model/resource.ts';
import type { ApplicationUsage, SchedulingPolicy } from '../../scheduler/policy.ts';
import type { ApplicationInfo, PartitionUsageInfo, ResourceRequest, Timeout } from '../../wire/cluster/application.ts';
import { resourceInfoOf } from '../../wire/cluster/resource.ts';
import { type Application, currentAttempt, finalStatus, publicState, usedResourceSeconds } from '../applications/application.ts';
import { isCompletedState } from '../applications/application-states.ts';
import type { Attempt } from '../applications/attempt.ts';
import { logAggregationStatus } from '../applications/log-gathering.ts';
import type { OpportunisticRequest } from '../cluster/opportunistic.ts';
import type { Deselected } from './deselects.ts';
import { type RequestRow, requestRows } from './request-rows.ts';
import { formatExpiry } from './times.ts';

/** What views depend on. */
export interface ViewOptions {
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  readonly now: () => number;
  readonly clusterTimestamp: number;
  readonly clusterId: string | undefined;
  /** Base URL of the web proxy, `http://localhost:8088`. */
  readonly proxyUrl: () => string;
  /** The page of an ended application. */
  readonly applicationPage: (applicationId: string) => string;
  /** What the scheduler says of an application whose master waits, not older than `ageMs`; undefined for every other one. */
  readonly waitingText: (application: Application, ageMs: number) => string | undefined;
  /** What an attempt asks for outside of queues. */
  readonly opportunisticRequests: (attemptId: string) => readonly OpportunisticRequest[];
  /** Nodes that the next master of an application would not be placed on. */
  readonly avoidedNodes: (application: Application) => readonly string[];
  /** Base URL where aggregated logs are found, if any. */
  readonly logServerUrl: string | undefined;
  /** `http` or `https`, by `yarn.http.policy`. */
  readonly scheme: 'http' | 'https';
}

const unassigned: Readonly<Record<PublicApplicationState, boolean>> = {
  NEW: true,
  NEW_SAVING: true,
  SUBMITTED: true,
  ACCEPTED: true,
  RUNNING: false,
  FINISHED: false,
  FAILED: false,
  KILLED: false,
};

/** What is shown of the requests of one application: a master may have hundreds of thousands, which nobody reads and everybody would wait for. */
const shownOfRequests = { mostRows: 5000, mostRead: 100_000 };

const whole = (amount: number): number => Math.floor(amount / 1000);

/** Turns applications into their REST form. */
export class ApplicationViews {
  readonly options: ViewOptions;

  constructor(options: ViewOptions) {
    this.options = options;
  }

  /** The tracking URL of an attempt as reports give it; undefined where there is none. */
  trackingUrl(application: Application, attempt: Attempt | undefined): string | undefined {
    if (!attempt) return undefined;
    if (attempt.state === 'FAILED' || attempt.state === 'KILLED') return this.options.applicationPage(application.id);
    if (application.submission.unmanaged) return attempt.originalTrackingUrl || 'N/A';
    return `${this.options.proxyUrl()}/proxy/${application.id}/`;
  }

  /** What the master registered; after failure the page that stands for it. */
  originalTrackingUrl(application: Application, attempt: Attempt): string {
    if (attempt.state === 'FAILED' || attempt.state === 'KILLED') return this.options.applicationPage(application.id);
    return attempt.originalTrackingUrl || 'N/A';
  }

  /** The lifetime as it stands; `remaining` counts on after the end unless `asMember`. */
  timeout(application: Application, asMember: boolean): Timeout {
    const { lifetimeExpiryMs: expiryMs } = application;
    if (expiryMs === undefined) return { type: 'LIFETIME', expiryTime: 'UNLIMITED', remainingTimeInSeconds: -1 };
    const over = asMember && isCompletedState[application.state];
    const remaining = over ? 0 : Math.max(0, whole(expiryMs - this.options.now()));
    return { type: 'LIFETIME', expiryTime: formatExpiry(expiryMs), remainingTimeInSeconds: remaining };
  }

  /** What the scheduler says of an application it still knows. */
  usageOf(application: Application): ApplicationUsage | undefined {
    return application.scheduled ? this.options.policy.usage(application.id) : undefined;
  }

  /** The application's text, or where it has none the current attempt's. `ageMs`: how old the scheduler's word on a waiting one may be. */
  diagnosticsOf(application: Application, ageMs = 0): string {
    if (application.diagnostics !== '') return application.diagnostics;
    const attempt = currentAttempt(application);
    return attempt ? this.attemptDiagnosticsOf(application, attempt, ageMs) : '';
  }

  /** The attempt's last words, or where its master stands. */
  attemptDiagnosticsOf(application: Application, attempt: Attempt, ageMs = 0): string {
    if (attempt.diagnostics !== '') return attempt.diagnostics;
    if (attempt !== currentAttempt(application)) return attempt.launchDiagnostics;
    return this.options.waitingText(application, ageMs) ?? attempt.launchDiagnostics;
  }

  /** AppInfo. `textAgeMs`: how old the scheduler's word on a waiting application may be. `visible`: whether the caller may view everything; `scheme` goes in front of addresses without one. */
  info(application: Application, visible: boolean, scheme: string, deselected: Deselected, textAgeMs = 0): ApplicationInfo {
    const { options } = this;
    const usage = this.usageOf(application);
    const { submission } = application;
    const attempt = currentAttempt(application);
    const state = publicState(application);
    const tracking = this.trackingUrl(application, attempt);
    const isUnassigned = tracking === undefined || tracking === '' || unassigned[state];
    const seconds = usedResourceSeconds(application, options.now());
    const { preempted, preemptedResource, preemptedMasters, preemptedOthers } = application.resourceSeconds;
    return {
      id: application.id,
      user: application.user,
      name: submission.name,
      queue: application.queue,
      state,
      finalStatus: finalStatus(application),
      progress: Math.fround((attempt?.progress ?? 0) * 100),
      trackingUI: isUnassigned ? 'UNASSIGNED' : application.finishedMs === 0 ? 'ApplicationMaster' : 'History',
      trackingUrl: isUnassigned ? undefined : tracking.includes('://') ? tracking : `${scheme}://${tracking}`,
      diagnostics: this.diagnosticsOf(application, textAgeMs),
      clusterId: options.clusterTimestamp,
      rmClusterId: visible ? options.clusterId : undefined,
      applicationType: submission.type,
      applicationTags: submission.tags.join(','),
      priority: application.priority,
      ...(visible ? this.#times(application, attempt, scheme) : { startedTime: 0, launchTime: 0, finishedTime: 0, elapsedTime: 0 }),
      masterNodeId: visible ? (attempt?.masterNodeId ?? '') : '',
      ...this.#holdings(attempt, usage, visible),
      memorySeconds: seconds[0] ?? 0,
      vcoreSeconds: seconds[1] ?? 0,
      queueUsagePercentage: visible ? (usage?.queueUsagePercentage ?? 0) : 0,
      clusterUsagePercentage: visible ? (usage?.clusterUsagePercentage ?? 0) : 0,
      resourceSecondsMap: usage || seconds.some((amount) => amount > 0) ? this.#byType(seconds) : {},
      preemptedResourceMB: preemptedResource[0] ?? 0,
      preemptedResourceVCores: preemptedResource[1] ?? 0,
      numNonAMContainerPreempted: preemptedOthers,
      numAMContainerPreempted: preemptedMasters,
      preemptedMemorySeconds: whole(preempted[0] ?? 0),
      preemptedVcoreSeconds: whole(preempted[1] ?? 0),
      preemptedResourceSecondsMap: preempted.some((amount) => amount > 0) ? this.#byType(preempted.map(whole)) : {},
      resourceRequests: visible && usage && !deselected.has('resourceRequests') ? this.#requests(usage, attempt) : undefined,
      logAggregationStatus: visible ? logAggregationStatus(application) : undefined,
      unmanagedApplication: submission.unmanaged,
      appNodeLabelExpression: submission.applicationLabelExpression,
      // A master asks with the application's expression where it has none of its own.
      amNodeLabelExpression:
        submission.unmanaged || deselected.has('amNodeLabelExpression')
          ? undefined
          : submission.masterLabelExpression || submission.applicationLabelExpression || '',
      resourceInfo: deselected.has('resourceInfo') ? undefined : this.#partitions(usage?.byPartition),
      timeouts: deselected.has('timeouts') ? undefined : { timeout: [this.timeout(application, true)] },
    };
  }

  #times(application: Application, attempt: Attempt | undefined, scheme: string): Partial<ApplicationInfo> {
    const { startedMs, launchedMs, finishedMs, user } = application;
    const elapsed = startedMs === 0 ? 0 : (finishedMs === 0 ? this.options.now() : finishedMs) - startedMs;
    const address = attempt?.masterNodeHttpAddress;
    const hasAddress =
      attempt !== undefined && attempt.host !== 'N/A' && attempt.rpcPort !== -1 && attempt.state !== 'FAILED' && attempt.state !== 'KILLED';
    return {
      startedTime: startedMs,
      launchTime: launchedMs,
      finishedTime: finishedMs,
      elapsedTime: elapsed < 0 ? -1 : elapsed,
      amContainerLogs:
        attempt?.masterContainerId && address
          ? `${scheme}://${address}/node/containerlogs/${attempt.masterContainerId}/${user}`
          : undefined,
      amHostHttpAddress: attempt?.masterContainerId ? address : undefined,
      amRPCAddress: hasAddress ? `${attempt.host}:${attempt.rpcPort}` : undefined,
    };
  }

  /** Amounts held now: -1 where the scheduler does not know the attempt, 0 where there is none. */
  #holdings(attempt: Attempt | undefined, usage: ApplicationUsage | undefined, visible: boolean): Partial<ApplicationInfo> {
    const unknown = visible && attempt !== undefined ? -1 : 0;
    const of = (amount: number | undefined) => (visible && usage ? (amount ?? 0) : unknown);
    return {
      allocatedMB: of(usage?.allocated[0]),
      allocatedVCores: of(usage?.allocated[1]),
      reservedMB: of(usage?.reserved[0]),
      reservedVCores: of(usage?.reserved[1]),
      runningContainers: of(usage?.runningContainers),
    };
  }

  #byType(amounts: readonly number[]): [string, number][] {
    return this.options.types.types.map(({ name }, index) => [name, amounts[index] ?? 0]);
  }

  #requests(usage: ApplicationUsage, attempt: Attempt | undefined): ResourceRequest[] {
    // A scheduling request names no place: it stands once.
    const ofQueue = usage.requests().filter(({ scheduling, resourceName }) => scheduling === undefined || resourceName === '*');
    const guaranteed = requestRows(ofQueue, shownOfRequests).map((row) => ({
      ...this.#request(row),
      resourceName: row.scheduling ? undefined : row.resourceName,
      relaxLocality: row.scheduling ? false : row.relaxLocality,
      nodeLabelExpression: row.labelExpression,
      placementConstraint: row.scheduling?.placementConstraint,
      allocationTags: row.scheduling && [...row.scheduling.allocationTags],
    }));
    const opportunistic = attempt ? this.options.opportunisticRequests(attempt.id).toSorted((a, b) => a.priority - b.priority) : [];
    const places = Iterator.from(opportunistic).flatMap((request) =>
      [...request.nodes, ...request.racks, '*'].map((resourceName) => ({
        ...request,
        allocationRequestId: -1,
        resourceName,
        labelExpression: '',
      })),
    );
    const free = requestRows(places, shownOfRequests).map((row) => ({
      ...this.#request(row),
      executionTypeRequest: { executionType: 'OPPORTUNISTIC', enforceExecutionType: true },
    }));
    return [...guaranteed, ...free];
  }

  #request({ priority, allocationRequestId, resourceName, resource, count, relaxLocality }: RequestRow): ResourceRequest {
    return {
      priority,
      allocationRequestId,
      resourceName,
      capability: this.#resource(resource),
      numContainers: count,
      relaxLocality,
      executionTypeRequest: { executionType: 'GUARANTEED', enforceExecutionType: false },
    };
  }

  #partitions(byPartition: ApplicationUsage['byPartition']): ApplicationInfo['resourceInfo'] {
    if (!byPartition) return undefined;
    const none: Resource = [0, 0];
    const usages = byPartition.map(
      (partition): PartitionUsageInfo => ({
        partitionName: partition.partition,
        used: this.#resource(partition.used),
        reserved: this.#resource(partition.reserved),
        pending: this.#resource(partition.pending),
        amUsed: this.#resource(partition.amUsed),
        amLimit: this.#resource(partition.amLimit ?? none),
        userAmLimit: this.#resource(partition.userAmLimit ?? none),
      }),
    );
    return { resourceUsagesByPartition: usages };
  }

  #resource(amount: Resource) {
    return resourceInfoOf(amount, this.options.types);
  }
}

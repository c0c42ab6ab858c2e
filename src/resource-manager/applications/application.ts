// Applications, attempts and containers as data. Only the cluster changes them; views read them; the store keeps them as they are.
import type { Resource } from '../../model/resource.ts';
import type { ExecutionType, LogAggregationContext } from '../../wire/cluster/container-messages.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';
import type { LogAggregationStatus } from '../../wire/cluster/node-channel.ts';
import type { ApplicationState, PublicApplicationState } from './application-states.ts';
import type { AttemptState, PublicAttemptState } from './attempt-states.ts';
import type { ContainerState } from './container-states.ts';

/** How an application ended, as its master or the resource manager says. */
export type FinalStatus = 'UNDEFINED' | 'SUCCEEDED' | 'FAILED' | 'KILLED' | 'ENDED';

/** Hosts and racks for a master; elsewhere too where `relaxed`. */
export interface MasterPlaces {
  readonly nodes: readonly string[];
  readonly racks: readonly string[];
  readonly relaxed: boolean;
}

/** `threshold`: share of all nodes from which on none is avoided; absent: the cluster's. */
export interface MasterBlacklisting {
  readonly enabled: boolean;
  readonly threshold?: number | undefined;
}

/** What was submitted, normalised at the edge: every default of Hadoop's record is filled in. */
export interface Submission {
  readonly applicationId: string;
  /** `N/A` when submitted as null; REST gives `''`. */
  readonly name: string;
  /** As asked for; undefined when absent. */
  readonly queue: string | undefined;
  /** -1 when absent. */
  readonly priority: number;
  readonly type: string;
  /** Lower-cased, sorted, without duplicates. */
  readonly tags: readonly string[];
  readonly unmanaged: boolean;
  /** 0: the cluster's limit. */
  readonly maximumAttempts: number;
  readonly keepContainers: boolean;
  /** ms; -1: failures count for ever. */
  readonly failuresValidityIntervalMs: number;
  /** Size of the master's container as asked; [0, 0] when absent. */
  readonly resource: Resource;
  /** Where the master should stand; absent: anywhere. */
  readonly masterPlaces?: MasterPlaces | undefined;
  /** Whether masters avoid nodes on which one died, where the submission says; absent: as the cluster does. */
  readonly masterBlacklisting?: MasterBlacklisting | undefined;
  readonly launch: LaunchContext;
  readonly viewAcl: string | undefined;
  readonly modifyAcl: string | undefined;
  readonly applicationLabelExpression: string | undefined;
  readonly masterLabelExpression: string | undefined;
  readonly logAggregation: LogAggregationContext | undefined;
  readonly reservationId: string | undefined;
  /** Seconds of life asked for; undefined: the queue's default. */
  readonly lifetimeSeconds: number | undefined;
}

/** Sums over an application's containers, by resource index × seconds. */
export interface ResourceSeconds {
  /** Amount × ms per type; divide by 1000 for the shown seconds. */
  used: number[];
  preempted: number[];
  /** Amounts taken by preemption, by type. */
  preemptedResource: number[];
  preemptedMasters: number;
  preemptedOthers: number;
}

export interface Container {
  readonly id: string;
  readonly applicationId: string;
  readonly attemptId: string;
  readonly nodeId: string;
  readonly nodeHttpAddress: string;
  /** Changed by a resize. */
  resource: Resource;
  readonly priority: number;
  readonly isMaster: boolean;
  readonly requestId: string;
  readonly allocationRequestId: number;
  readonly allocationTags: readonly string[];
  executionType: ExecutionType;
  /** The id under which the scheduler counts it, where that is another: since it was promoted. */
  chargedAs?: string | undefined;
  state: ContainerState;
  /** Whether its node has told of it: then it is being started, or more. */
  told: boolean;
  readonly createdMs: number;
  /** 0 until the node reports it started. */
  startedMs: number;
  finishedMs: number;
  exitCode: number;
  diagnostics: string;
}

export interface Attempt {
  readonly id: string;
  readonly applicationId: string;
  readonly number: number;
  state: AttemptState;
  /** Shown while FINAL_SAVING. */
  stateBefore: PublicAttemptState;
  readonly startedMs: number;
  finishedMs: number;
  /** The master's container; undefined before allocation and for unmanaged masters. */
  masterContainerId: string | undefined;
  masterNodeId: string | undefined;
  masterNodeHttpAddress: string | undefined;
  /** Live containers by id. */
  containers: Map<string, Container>;
  /** What the master registered; `N/A` and -1 before and after failure. */
  host: string;
  rpcPort: number;
  /** What the master registered, undefined before; the final URL after it finished. */
  originalTrackingUrl: string | undefined;
  /** 0…1. */
  progress: number;
  finalStatus: FinalStatus;
  /** The master's or the resource manager's last words. */
  diagnostics: string;
  /** Where the launch of the master stands, with its date where it has one. */
  launchDiagnostics: string;
  exitCode: number;
  registered: boolean;
  /** Hosts, node ids and racks on which the master wants no containers, as it named them. */
  blacklistedNodes: ReadonlySet<string>;
  /** Bearer token of the master; secret. */
  token: string;
  /** Number of the last allocate answer. */
  responseId: number;
  /** Highest container number given in this epoch. */
  lastContainerNumber: number;
}

/** What FINAL_SAVING leads to. */
export type FinalTarget = 'FINISHING' | 'FINISHED' | 'FAILED' | 'KILLED';

export interface Application {
  readonly id: string;
  readonly submission: Submission;
  readonly user: string;
  /** As clients see it (full path in the capacity scheduler). */
  queue: string;
  priority: number;
  state: ApplicationState;
  /** Shown while FINAL_SAVING or KILLING. */
  stateBefore: PublicApplicationState;
  /** When the resource manager took it. */
  readonly submittedMs: number;
  readonly startedMs: number;
  /** First launch of a master; 0 before, -1 for a launched unmanaged one. */
  launchedMs: number;
  finishedMs: number;
  diagnostics: string;
  /** What FINAL_SAVING leads to. */
  target: FinalTarget | undefined;
  attempts: Attempt[];
  maximumAttempts: number;
  /** Failures so far, with their times, for the validity interval. */
  failures: number[];
  /** End of life, ms since the epoch; undefined: unlimited. */
  lifetimeExpiryMs: number | undefined;
  /** Limit of the queue in seconds from submission; -1 none. */
  maximumLifetimeSeconds: number;
  resourceSeconds: ResourceSeconds;
  /** State of log gathering by node. */
  logAggregation: Map<string, { status: LogAggregationStatus; diagnostics: string }>;
  logAggregationEnabled: boolean;
  /** Nodes on which a master died through no fault of its own that is known; avoided for the next one. */
  blacklistedBySystem: string[];
  /** Grows with every change that views can see. */
  version: number;
  /** Set once a scheduler admitted it; the scheduler knows it until its end. */
  admitted: boolean;
  /** Whether the scheduler still knows the current attempt (usage is shown). */
  scheduled: boolean;
}

/** The state clients see. */
export function publicState(application: Application): PublicApplicationState {
  switch (application.state) {
    case 'FINAL_SAVING':
    case 'KILLING':
      return application.stateBefore;
    case 'FINISHING':
      return 'FINISHED';
    default:
      return application.state;
  }
}

/** The attempt state of single reports. */
export function publicAttemptState(attempt: Attempt): PublicAttemptState {
  if (attempt.state === 'FINAL_SAVING') return attempt.stateBefore;
  return attempt.state === 'LAUNCHED_UNMANAGED_SAVING' ? 'ALLOCATED_SAVING' : attempt.state;
}

/** Whether the master of an attempt wants no containers on a node: it named its host, its id or its rack. */
export const avoids = (
  { blacklistedNodes: names }: Pick<Attempt, 'blacklistedNodes'>,
  { host, id, rack }: { readonly host: string; readonly id: string; readonly rack: string },
): boolean => names.size > 0 && (names.has(host) || names.has(id) || names.has(rack));

/** The attempt that counts now. */
export const currentAttempt = (application: Application): Attempt | undefined => application.attempts.at(-1);

/** `finalStatus` of reports: the current attempt's, else derived from the state (RMAppImpl.createFinalApplicationStatus). */
export function finalStatus(application: Application): FinalStatus {
  const attempt = currentAttempt(application);
  if (attempt && attempt.finalStatus !== 'UNDEFINED') return attempt.finalStatus;
  switch (application.state) {
    case 'FINISHING':
    case 'FINISHED':
    case 'FAILED':
      return 'FAILED';
    case 'KILLED':
      return 'KILLED';
    default:
      return 'UNDEFINED';
  }
}

/** `diagnostics` of reports: the application's text, or where it has none the current attempt's. */
export function diagnosticsOf(application: Application): string {
  if (application.diagnostics !== '') return application.diagnostics;
  const attempt = currentAttempt(application);
  if (!attempt) return '';
  return attempt.diagnostics !== '' ? attempt.diagnostics : attempt.launchDiagnostics;
}

/** Amount × seconds per resource type at `nowMs`, live containers included. */
export function usedResourceSeconds(application: Application, nowMs: number): number[] {
  const totals = [...application.resourceSeconds.used];
  for (const attempt of application.attempts) {
    for (const container of attempt.containers.values()) {
      const lifeMs = Math.max(0, nowMs - container.createdMs);
      for (let i = 0; i < container.resource.length; i++) totals[i] = (totals[i] ?? 0) + container.resource[i]! * lifeMs;
    }
  }
  return totals.map((amount) => Math.floor(amount / 1000));
}

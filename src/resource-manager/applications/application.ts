// Applications as data. Only the cluster changes them; views read them; the store keeps them as they are.

import type { PublicApplicationState } from '../../model/application-states.ts';
import type { ApplicationState } from './application-states.ts';
import type { Attempt, FinalStatus } from './attempt.ts';
import type { LogAggregationStatus, Submission } from './submission.ts';

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

/** How many containers of an application ended in which way. */
export interface ContainerEndCounts {
  succeeded: number;
  failed: number;
  stopped: number;
}

/** What FINAL_SAVING leads to. */
export type FinalTarget = 'FINISHING' | 'FINISHED' | 'FAILED' | 'KILLED';

/** An application as the cluster keeps it. Times are ms since the epoch; 0 until it comes to that. */
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
  /** What clients see as its start: the same moment. */
  readonly startedMs: number;
  /** First launch of a master; 0 before, -1 for a launched unmanaged one. */
  launchedMs: number;
  finishedMs: number;
  diagnostics: string;
  /** What FINAL_SAVING leads to. */
  target: FinalTarget | undefined;
  attempts: Attempt[];
  maximumAttempts: number;
  /** Times of the failures that count against its attempts, ms since the epoch, for the validity interval. */
  failures: number[];
  /** When its lifetime is over, ms since the epoch; undefined: unlimited. */
  lifetimeExpiryMs: number | undefined;
  /** Limit of the queue in seconds from submission; -1 none. */
  maximumLifetimeSeconds: number;
  /** How many instances of a run there are to be, where that was changed since the submission. */
  wantedInstances: number | undefined;
  resourceSeconds: ResourceSeconds;
  /** Masters included. Undefined: an earlier version kept it. */
  endedContainers: ContainerEndCounts | undefined;
  /** Ended containers that the two above count, which is not durable yet. Not kept itself. */
  readonly uncountedEnds: Set<string>;
  /** State of log gathering by node. */
  logAggregation: Map<string, { status: LogAggregationStatus; diagnostics: string }>;
  logAggregationEnabled: boolean;
  /** Ids of nodes on which a master's container ended as it may by the node's fault (Apps.shouldCountTowardsNodeBlacklisting); the next master avoids them. */
  blacklistedBySystem: string[];
  /** Grows with every change that views can see. */
  version: number;
  /** The queue in whose counters it stands as submitted; '' until a scheduler admitted it for the first time. */
  submittedQueue: string;
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

/** The attempt that counts now. */
export const currentAttempt = (application: Application): Attempt | undefined => application.attempts.at(-1);

/** `finalStatus` of reports: the current attempt's, else derived from the state (RMAppImpl.createFinalApplicationStatus). */
export function finalStatus(application: Application): FinalStatus {
  const attempt = currentAttempt(application);
  // What is not durable yet is not shown.
  if (attempt && attempt.state !== 'FINAL_SAVING' && attempt.finalStatus !== 'UNDEFINED') return attempt.finalStatus;
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

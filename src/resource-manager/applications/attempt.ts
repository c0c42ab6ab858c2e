// Attempts of applications as data. Only the cluster changes them.
import { exitStatus } from '../../model/exit-status.ts';
import type { AttemptState, PublicAttemptState } from './attempt-states.ts';
import type { Container } from './container.ts';

/** How an application ended, as its master or the resource manager says. */
export type FinalStatus = 'UNDEFINED' | 'SUCCEEDED' | 'FAILED' | 'KILLED' | 'ENDED';

/** An attempt as the cluster keeps it. Times are ms since the epoch; 0 until it comes to that. */
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
  /** Of the master's container; `exitStatus.invalid` until it ended. */
  exitCode: number;
  /** Whether the master has registered. */
  registered: boolean;
  /** Hosts, node ids and racks on which the master wants no containers, as it named them. */
  blacklistedNodes: ReadonlySet<string>;
  /** Bearer token of the master; secret. Empty where its application had ended before this process: then its digest is left. */
  token: string;
  /** By which the master of an ended application is still known when it says again that it is done; empty while its token is kept. */
  tokenDigest: string;
  /** Number of the last allocate answer. */
  responseId: number;
  /** Names of its master's registrations, the last at the end; those of masters that give them one. */
  registrationIds: readonly string[];
  /** Sessions of its masters so far: each registration begins one. */
  sessions: number;
  /** Highest container number given in this epoch. */
  lastContainerNumber: number;
}

/** An attempt to which nothing has happened yet. */
export const newAttempt = (identity: Pick<Attempt, 'id' | 'applicationId' | 'number' | 'startedMs' | 'token'>): Attempt => ({
  id: identity.id,
  applicationId: identity.applicationId,
  number: identity.number,
  state: 'NEW',
  stateBefore: 'NEW',
  startedMs: identity.startedMs,
  finishedMs: 0,
  masterContainerId: undefined,
  masterNodeId: undefined,
  masterNodeHttpAddress: undefined,
  containers: new Map(),
  host: 'N/A',
  rpcPort: -1,
  originalTrackingUrl: undefined,
  progress: 0,
  finalStatus: 'UNDEFINED',
  diagnostics: '',
  launchDiagnostics: '',
  exitCode: exitStatus.invalid,
  registered: false,
  blacklistedNodes: new Set(),
  token: identity.token,
  tokenDigest: '',
  responseId: 0,
  registrationIds: [],
  sessions: 0,
  lastContainerNumber: 0,
});

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

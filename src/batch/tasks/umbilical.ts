// What a task and its master say to each other: JSON over HTTP, authorised by the job's token.
import type { CounterData } from '../counters/counters.ts';
import type { InputSplit } from './input/splits.ts';

export type TaskKind = 'MAP' | 'REDUCE';
export type TaskPhase = 'STARTING' | 'MAP' | 'SHUFFLE' | 'SORT' | 'REDUCE' | 'CLEANUP';

/** `POST /task`: a fresh container asks what it is to run. */
export interface TaskRequest {
  readonly containerId: string;
}
/** The answer; without `attemptId` there is nothing to do and the process ends. */
export interface TaskAssignment {
  readonly attemptId?: string;
  readonly kind: TaskKind;
  readonly index: number;
  readonly generation: number;
  readonly maps: number;
  readonly reduces: number;
  readonly split?: TaskSplit;
  readonly configuration: Record<string, string>;
  /** Port of the shuffle service on the nodes. */
  readonly user: string;
}
export type TaskSplit = InputSplit;

/** `POST /status`. */
export interface StatusReport {
  readonly attemptId: string;
  /** 0 to 1. */
  readonly progress: number;
  readonly statusText: string;
  readonly phase: TaskPhase;
  readonly counters: CounterData;
  readonly mapFinishTimeMs?: number;
  readonly shuffleFinishTimeMs?: number;
  readonly sortFinishTimeMs?: number;
  /** Map outputs that could not be fetched since the last report: attempts of maps. */
  readonly fetchFailures?: readonly string[];
  /** The port on which this node's shuffle service answered the map's output, maps only. */
}
/** Answer to every report: a task that is not wanted any more ends itself. */
export interface StatusAnswer {
  readonly known: boolean;
}

/** `POST /commit-pending` tells that output lies ready; `POST /can-commit` asks for the permission. */
export interface CommitAnswer {
  readonly known: boolean;
  readonly permitted: boolean;
}

/** `POST /done` (with the final status) and `POST /failed`. */
export interface FailureReport extends StatusReport {
  readonly diagnostic: string;
  /** The task must not be tried again. */
  readonly failFast: boolean;
}

/** `POST /events`: map completions from number `from` on; the answer waits a while where there is none. */
export interface EventsRequest {
  readonly attemptId: string;
  readonly from: number;
  readonly waitMs: number;
}
export type MapEventStatus = 'SUCCEEDED' | 'OBSOLETE' | 'TIPFAILED';
export interface MapEvent {
  readonly attemptId: string;
  readonly status: MapEventStatus;
  /** `http://host:port` of the shuffle service that has the output. */
  readonly shuffleUrl: string;
}
export interface EventsAnswer {
  readonly known: boolean;
  readonly events: readonly MapEvent[];
}

/** Exit codes of a task process that could not reach its master or was not wanted (Hadoop's ExitUtil uses in Task). */
export const exitMasterUnreachable = 65;
export const exitUnknownAttempt = 66;

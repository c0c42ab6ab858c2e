// What a task and its master say to each other: JSON over HTTP, authorised by the job's token. What a task sends is described by shapes, which
// the master checks before it looks inside.
import { fields, type JsonOf, many, mapOf, number, optional, text, truth, whole, word } from '../../lib/json-shape.ts';
import type { InputSplit } from './input/splits.ts';

export type TaskKind = 'MAP' | 'REDUCE';
const name = text({ minLength: 1, maxLength: 4096 });

/** `POST /task`: a fresh container asks what it is to run. */
export const taskRequest = fields({ containerId: name });
export type TaskRequest = JsonOf<typeof taskRequest>;

/** The answer; without `attemptId` there is nothing to do and the process ends. */
export interface TaskAssignment {
  readonly attemptId?: string;
  readonly kind: TaskKind;
  readonly index: number;
  /** Number of the job's master, 1 for the first. */
  readonly generation: number;
  readonly maps: number;
  readonly reduces: number;
  /** Input of a map; undefined for reduces and maps without input. */
  readonly split?: InputSplit;
  /** The job's settings. */
  readonly configuration: Record<string, string>;
  readonly user: string;
}

const statusFields = {
  attemptId: name,
  /** 0 to 1. */
  progress: number(),
  statusText: text(),
  phase: word('STARTING', 'MAP', 'SHUFFLE', 'SORT', 'REDUCE', 'CLEANUP'),
  /** Group → name → value. */
  counters: mapOf(mapOf(number())),
  /** Epoch milliseconds, from when each is reached. */
  mapFinishTimeMs: optional(number({ minimum: 0 })),
  shuffleFinishTimeMs: optional(number({ minimum: 0 })),
  sortFinishTimeMs: optional(number({ minimum: 0 })),
  /** Map outputs that could not be fetched since the last report: attempts of maps. */
  fetchFailures: optional(many(text({ maxLength: 256 }))),
};

/** `POST /status`. */
export const statusReport = fields(statusFields);
export type StatusReport = JsonOf<typeof statusReport>;
export type TaskPhase = StatusReport['phase'];

/** Answer to every report: a task that is not wanted any more ends itself. */
export interface StatusAnswer {
  readonly known: boolean;
}

/** `POST /commit-pending` tells that output lies ready, with a status; `POST /can-commit` asks for the permission. */
export const commitRequest = fields({ attemptId: name });
export interface CommitAnswer {
  readonly known: boolean;
  readonly permitted: boolean;
}

/** `POST /failed`; `POST /done` has the final status alone. */
export const failureReport = fields({
  ...statusFields,
  diagnostic: text(),
  /** The task must not be tried again. */
  failFast: truth(),
});
export type FailureReport = JsonOf<typeof failureReport>;

/** `POST /kill`: a client that holds the job's token ends the job. */
export const killRequest = fields({ diagnostic: text() });

/** `POST /events`: map completions from number `from` on; the answer waits a while where there is none. */
export const eventsRequest = fields({
  attemptId: name,
  from: whole({ minimum: 0 }),
  /** How long the answer may wait for news, milliseconds; cut to the master's own limit. */
  waitMs: number({ minimum: 0 }),
});
export type EventsRequest = JsonOf<typeof eventsRequest>;
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

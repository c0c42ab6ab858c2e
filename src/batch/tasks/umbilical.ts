// What a task and its master say to each other: JSON over HTTP, authorised by the job's token. Each side checks what it reads by
// these shapes.
import { fields, type JsonOf, longNumber, many, mapOf, number, optional, text, truth, whole, word } from '../../lib/json-shape.ts';
import { inputSplit } from './input/input-split.ts';
import { recordRange, skippingPlan } from './skipping/record-ranges.ts';

const taskKind = word('MAP', 'REDUCE');
export type TaskKind = JsonOf<typeof taskKind>;
const name = text({ minLength: 1, maxLength: 4096 });

/** `POST /task`: a fresh container asks what it is to run. */
export const taskRequest = fields({ containerId: name });
export type TaskRequest = JsonOf<typeof taskRequest>;

/** The answer; where there is nothing to do it is an empty object instead, and the process ends. */
export const taskAssignment = fields({
  attemptId: name,
  kind: taskKind,
  index: whole({ minimum: 0 }),
  /** Number of the job's master, 1 for the first. */
  generation: whole(),
  maps: whole({ minimum: 0 }),
  reduces: whole({ minimum: 0 }),
  /** Input of a map; undefined for reduces and maps without input. */
  split: optional(inputSplit),
  /** The job's settings. */
  configuration: mapOf(text()),
  user: text(),
  /** What to leave out; undefined: no record is told of, none left out. */
  skipping: optional(skippingPlan),
});
export type TaskAssignment = JsonOf<typeof taskAssignment>;

const statusFields = {
  attemptId: name,
  /** 0 to 1. */
  progress: number(),
  statusText: text(),
  phase: word('STARTING', 'MAP', 'SHUFFLE', 'SORT', 'REDUCE', 'CLEANUP'),
  /** Group → name → value. */
  counters: mapOf(mapOf(longNumber())),
  /** Epoch milliseconds, from when each is reached. */
  mapFinishTimeMs: optional(number({ minimum: 0 })),
  shuffleFinishTimeMs: optional(number({ minimum: 0 })),
  sortFinishTimeMs: optional(number({ minimum: 0 })),
  /** Nothing has happened since the report before: no record, no counter, no status, no line of a command's. */
  idle: optional(truth()),
  /** Map outputs that could not be fetched since the last report: attempts of maps. */
  fetchFailures: optional(many(text({ maxLength: 256 }))),
  /** In skipping mode: the records that may be at work. */
  nextRecords: optional(recordRange),
  /** What the program waits for, where it does. */
  waitsFor: optional(text({ maxLength: 8192 })),
};

/** `POST /status`. */
export const statusReport = fields(statusFields);
export type StatusReport = JsonOf<typeof statusReport>;
export type TaskPhase = StatusReport['phase'];

/** Answer to every report: a task that is not wanted any more ends itself. */
export const statusAnswer = fields({ known: truth() });
export type StatusAnswer = JsonOf<typeof statusAnswer>;

/** `POST /commit-pending` tells that output lies ready, with a status; `POST /can-commit` asks for the permission. */
export const commitRequest = fields({ attemptId: name });
export const commitAnswer = fields({ known: truth(), permitted: truth() });
export type CommitAnswer = JsonOf<typeof commitAnswer>;

/** `POST /failed`; `POST /done` has the final status alone. */
export const failureReport = fields({
  ...statusFields,
  diagnostic: text(),
  /** The task must not be tried again. */
  failFast: truth(),
  /** No failure in itself: a trial that has worked on all it was to work on. */
  trialPassed: optional(truth()),
});
export type FailureReport = JsonOf<typeof failureReport>;

/** `POST /events`: map completions from number `from` on; the answer waits a while where there is none. */
export const eventsRequest = fields({
  attemptId: name,
  from: whole({ minimum: 0 }),
  /** How long the answer may wait for news, milliseconds; cut to the master's own limit. */
  waitMs: number({ minimum: 0 }),
});
export type EventsRequest = JsonOf<typeof eventsRequest>;
const mapEvent = fields({
  attemptId: name,
  status: word('SUCCEEDED', 'OBSOLETE', 'TIPFAILED'),
  /** `http://host:port` of the shuffle service that has the output. */
  shuffleUrl: text(),
});
export type MapEvent = JsonOf<typeof mapEvent>;
export const eventsAnswer = fields({ known: truth(), events: many(mapEvent) });
export type EventsAnswer = JsonOf<typeof eventsAnswer>;

/** Exit codes of a task process that could not reach its master or was not wanted (Hadoop's ExitUtil uses in Task). */
export const exitMasterUnreachable = 65;
export const exitUnknownAttempt = 66;

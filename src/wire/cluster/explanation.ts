// Why an application and its requests wait (`/api/v1/applications/{id}/explain`).
import { boolean, int, list, long, map, object, record, type Shape, text } from '../codec/describe.ts';

/** Amounts by name: `memoryMiB`, `vcores`, then registered types by their names. */
const amounts = map(long());

const waitingReason = object({
  /** Name of the rule, stable for programs. */
  rule: text(),
  sentence: text(),
  remedy: text(),
  queue: text(),
  user: text(),
  partition: text(),
  asked: amounts,
  used: amounts,
  limit: amounts,
  /** The queue's maximum as it is, where `limit` is less of it: the whole steps in which containers are given out. */
  unroundedLimit: amounts,
  running: int(),
  maximum: int(),
  other: text(),
  nodeId: text(),
  missing: amounts,
});
export type WireWaitingReason = Shape<typeof waitingReason>;

const nodes = object({
  count: int(),
  groups: list(object({ why: text(), sentence: text(), count: int(), nodeIds: list(text()) }), { keepEmpty: true }),
  closest: object({ nodeId: text(), available: amounts, total: amounts, missing: amounts }),
});

const request = object({
  askId: text(),
  master: boolean(),
  priority: int(),
  allocationRequestId: long(),
  resource: amounts,
  count: int(),
  partition: text(),
  /** When it was first asked, and how long ago, in ms. */
  sinceMs: long(),
  waitingMs: long(),
  /** The one that decides first; never empty. */
  reasons: list(waitingReason, { keepEmpty: true }),
  nodes,
});

export const applicationExplanation = record(
  'explanation',
  {
    id: text(),
    state: text(),
    /** How it ended; `UNDEFINED` until then. */
    finalStatus: text(),
    queue: text(),
    user: text(),
    /** For people: what it waits for, or that it does not wait. */
    sentence: text(),
    remedy: text(),
    waiting: boolean(),
    sinceMs: long(),
    waitingMs: long(),
    queueState: text(),
    /** Set where the whole application is held back. */
    application: waitingReason,
    requests: list(request, { keepEmpty: true }),
    /** Requests that are not listed. */
    furtherRequests: int(),
    /** What it has otherwise than was asked for; empty once it is over. */
    adjusted: list(object({ of: text(), what: text(), asked: long(), given: long(), sentence: text() }), { keepEmpty: true }),
    /** YARN's text about it. */
    diagnostics: text(),
  },
  { json: 'plain', wrapped: false },
);
export type ApplicationExplanation = Shape<typeof applicationExplanation>;

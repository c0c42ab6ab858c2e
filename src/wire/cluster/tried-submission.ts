// What `POST /api/v1/applications?dryRun=true` answers: what a submission would come to.
import { fields, type JsonOf, many, mapOf, number, optional, text, truth, whole, word } from '../../lib/json-shape.ts';
import { adjustment } from './adjustment.ts';

const whyWaiting = fields({
  /** Name of the rule, stable for programs; those of `/explain`. */
  rule: text(),
  sentence: text(),
  remedy: text(),
});

const triedContainers = fields({
  role: word('master', 'instance'),
  count: whole({ minimum: 0 }),
  /** What each would get, by name: as the scheduler makes it. */
  resource: mapOf(number()),
  /** Where they would stand now. */
  nodes: many(fields({ nodeId: text(), count: whole({ minimum: 1 }) })),
  /** How many would wait. */
  waiting: whole({ minimum: 0 }),
  /** Why they would; the reason that decides first is the first. */
  reasons: many(whyWaiting),
  /** Why its master would be refused them. */
  refused: optional(text()),
});

/** What a submission would come to if it were made now. */
export const triedSubmission = fields({
  /** Whether it would run or wait; without it, it would be over at once as FAILED. */
  accepted: truth(),
  /** For people. */
  sentence: text(),
  /** The application that the submission repeats: it would change nothing. */
  repeats: optional(text()),
  user: text(),
  name: optional(text()),
  type: optional(text()),
  queue: optional(text()),
  /** Whether a placement rule chose the queue. */
  mapped: optional(truth()),
  priority: optional(whole()),
  masterLabel: optional(text()),
  /** Its lifetime, after the limit of the queue; absent: unlimited. */
  lifetimeSeconds: optional(number()),
  containers: many(triedContainers),
  /** What it would have otherwise than was asked for. */
  adjusted: many(adjustment),
});
export type TriedSubmission = JsonOf<typeof triedSubmission>;

// Schedules as `/api/v1/schedules` takes and shows them.
import { anything, closedFields, fields, type JsonOf, many, mapOf, number, optional, text, truth, word } from '../../lib/json-shape.ts';
import { submittedWork } from './submitted.ts';

/** Milliseconds since the epoch. */
const time = number({ minimum: 0 });
/** What happens where the run before is not over: none, one that waits for it, or another one beside it. */
const overlap = word('skip', 'queue', 'allow');
/** What happens when the resource manager comes back after more than five minutes: one run for all that were due meanwhile, or none. */
const missed = word('one', 'none');

const creationMembers = {
  name: text({ minLength: 1, maxLength: 64 }),
  cron: text({ minLength: 1, maxLength: 200 }),
  timeZone: optional(text({ minLength: 1, maxLength: 64 })),
  overlap: optional(overlap),
  missed: optional(missed),
  paused: optional(truth()),
  /** Takes the place of the one of this name. */
  replace: optional(truth()),
  /** As `POST /api/v1/applications` takes it, without an id. Absent: with `replace` that of the schedule that is there. */
  submission: optional(anything()),
  /** With `replace`, instead of `submission`: what changes of what the schedule of this name submits, as a JSON merge patch (RFC 7396). */
  submissionPatch: optional(mapOf(anything())),
};
/** A schedule that is asked for. */
export const scheduleCreation = closedFields(creationMembers);
export type ScheduleCreation = JsonOf<typeof scheduleCreation>;

const run = fields({
  dueMs: time,
  decidedMs: time,
  outcome: word('submitted', 'skipped', 'waiting', 'missed', 'refused'),
  applicationId: optional(text()),
  reason: optional(text()),
});

const scheduleMembers = {
  user: text(),
  name: text(),
  cron: text(),
  timeZone: text(),
  overlap,
  missed,
  paused: truth(),
  createdMs: time,
  next: many(time),
  runs: many(run),
};
/** A schedule, without what it submits. `next`: the coming moments; `runs`: what came of the last, the newest last. */
export const schedule = fields(scheduleMembers);
export type Schedule = JsonOf<typeof schedule>;
/** What a schedule submits, without secrets; what is absent was not said. */
const scheduledSubmission = fields({
  name: optional(text()),
  queue: optional(text()),
  priority: optional(number()),
  tags: many(text()),
  label: optional(text()),
  reservationId: optional(text()),
  lifetimeSeconds: optional(number()),
  /** Memory of the master. */
  masterMemoryMiB: optional(number()),
  work: optional(submittedWork),
});
export type ScheduledSubmission = JsonOf<typeof scheduledSubmission>;
/** A schedule with what it submits; absent where that cannot be read any more. */
export const scheduleDetail = fields({ ...scheduleMembers, submits: optional(scheduledSubmission) });
export type ScheduleDetail = JsonOf<typeof scheduleDetail>;
/** When a schedule would be due. `fault`: why never. */
export const scheduleTimes = fields({ next: many(time), fault: optional(text()) });
export type ScheduleTimes = JsonOf<typeof scheduleTimes>;
/** Schedules. */
export const schedules = fields({ schedules: many(schedule) });
/** A schedule that was removed. */
export const removedSchedule = fields({ removed: text() });
/** What was submitted now. */
export const scheduleRun = fields({ applicationId: text() });

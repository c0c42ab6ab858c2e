// Schedules in the resource manager's store, as records by user and name.
import { fields, type JsonOf, many, number, optional, text, truth, word } from '../../lib/json-shape.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { storedJson } from '../store/stored-json.ts';

/** Under which kind the store has them. */
export const scheduleKind = 'schedule';

/** What came of an occurrence. */
const keptRun = fields({
  /** When it was due, or asked for; ms since the epoch. */
  dueMs: number(),
  /** When this was decided. */
  decidedMs: number(),
  outcome: word('submitted', 'skipped', 'waiting', 'missed', 'refused'),
  applicationId: optional(text()),
  reason: optional(text()),
});
export type KeptRun = JsonOf<typeof keptRun>;

/** What is kept of a schedule. */
export const keptSchedule = fields({
  user: text({ minLength: 1 }),
  name: text({ minLength: 1 }),
  cron: text({ minLength: 1 }),
  timeZone: text({ minLength: 1 }),
  overlap: word('skip', 'queue', 'allow'),
  missed: word('one', 'none'),
  paused: truth(),
  createdMs: number(),
  /** Whether its maker had proved who they are, instead of only naming themselves. */
  proved: truth(),
  /** What is submitted: JSON, as `POST /api/v1/applications` takes it. */
  submission: text(),
  /** The next occurrence that nothing was decided of; absent: there is none any more. */
  nextMs: optional(number()),
  /** An occurrence that waits for the run before it. */
  waitingMs: optional(number()),
  /** An occurrence under whose id an application is submitted, or was: a death in between repeats the id. */
  begun: optional(fields({ dueMs: number(), applicationId: text() })),
  /** The newest last. */
  runs: many(keptRun),
});
export type KeptSchedule = JsonOf<typeof keptSchedule>;

/** Names a schedule among all. */
export const scheduleKey = ({ user, name }: Pick<KeptSchedule, 'user' | 'name'>): string => `${name}@${user}`;

/** Reads and writes them; writes resolve when durable. */
export class ScheduleStore {
  readonly #records: Pick<ResourceManagerStore, 'records' | 'putRecord' | 'dropRecord'>;

  constructor(records: Pick<ResourceManagerStore, 'records' | 'putRecord' | 'dropRecord'>) {
    this.#records = records;
  }

  all(): KeptSchedule[] {
    return [...this.#records.records(scheduleKind).values()].map((written) => storedJson(keptSchedule, written, 'a schedule'));
  }

  put(schedule: KeptSchedule): Promise<void> {
    return this.#records.putRecord(scheduleKind, scheduleKey(schedule), JSON.stringify(schedule));
  }

  remove(schedule: Pick<KeptSchedule, 'user' | 'name'>): Promise<void> {
    return this.#records.dropRecord(scheduleKind, scheduleKey(schedule));
  }
}

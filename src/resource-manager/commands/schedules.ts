// Schedules: made by their user; seen, paused, run and removed by their user, and by administrators for everybody.
import type { Audit, AuditedOperation } from '../../auth/audit-log.ts';
import { mergePatch } from '../../lib/merge-patch.ts';
import { failure } from '../../model/errors.ts';
import type { ScheduleDetail, ScheduledSubmission, ScheduleTimes } from '../../wire/cluster/schedules.ts';
import { type Caller, isProved } from './caller.ts';
import { mustNotBeNarrow } from './token-limits.ts';

/** What of a schedule its maker says; names are checked here. */
export interface ScheduleRequest {
  readonly name: string;
  readonly cron: string;
  readonly timeZone?: string | undefined;
  readonly overlap?: 'skip' | 'queue' | 'allow' | undefined;
  readonly missed?: 'one' | 'none' | undefined;
  readonly paused?: boolean | undefined;
  readonly replace?: boolean | undefined;
  /** JSON, as `POST /api/v1/applications` takes it; undefined: that of the schedule which is replaced. */
  readonly submission?: string | undefined;
  /** Instead of it, what changes of what the replaced schedule submits: a JSON merge patch. */
  readonly submissionPatch?: Readonly<Record<string, unknown>> | undefined;
}

/** A schedule as it is kept. */
export interface KnownSchedule extends Required<Omit<ScheduleRequest, 'replace' | 'submissionPatch'>> {
  readonly user: string;
  readonly overlap: 'skip' | 'queue' | 'allow';
  readonly missed: 'one' | 'none';
  readonly paused: boolean;
  readonly timeZone: string;
  readonly submission: string;
  readonly createdMs: number;
  readonly proved: boolean;
  readonly runs: readonly {
    readonly dueMs: number;
    readonly decidedMs: number;
    readonly outcome: 'submitted' | 'skipped' | 'waiting' | 'missed' | 'refused';
    readonly applicationId?: string;
    readonly reason?: string;
  }[];
}

export interface ScheduleCommandPorts {
  readonly schedules: {
    list(): readonly KnownSchedule[];
    find(user: string, name: string): KnownSchedule | undefined;
    upcoming(schedule: Pick<KnownSchedule, 'cron' | 'timeZone' | 'paused'>, most: number): number[];
    put(schedule: Omit<KnownSchedule, 'createdMs' | 'runs'>): Promise<KnownSchedule>;
    remove(user: string, name: string): Promise<void>;
    pause(user: string, name: string, paused: boolean): Promise<void>;
    run(user: string, name: string): Promise<string | undefined>;
  };
  /** Why an expression or a time zone cannot be; undefined where it can. */
  readonly cronFault: (cron: string, timeZone: string) => string | undefined;
  /** @throws Failure for what no submission can be */
  readonly checkSubmission: (submission: string) => void;
  /** What is submitted, without secrets; undefined where it cannot be read any more. */
  readonly submitsOf: (submission: string) => ScheduledSubmission | undefined;
  readonly access: { isAdministrator(user: string): boolean };
  readonly audit: Audit;
}

const longestCron = 200;
const mostOfUser = 100;
const mostOfAll = 1000;
const mostBytes = 1 << 20;
const upcoming = 5;

/** A schedule as it is shown: without what it submits. */
export interface ShownSchedule extends Omit<KnownSchedule, 'submission' | 'proved'> {
  readonly next: readonly number[];
}

/** Without what is kept beside: how far it is, and what it submits. */
const shown = ({ schedules }: ScheduleCommandPorts, known: KnownSchedule): ShownSchedule => {
  const { user, name, cron, timeZone, overlap, missed, paused, createdMs, runs } = known;
  return { user, name, cron, timeZone, overlap, missed, paused, createdMs, next: schedules.upcoming(known, upcoming), runs };
};

/**
 * Makes a schedule of the caller's; resolves when it is durable.
 * @throws Failure BAD_REQUEST and what no submission can be, SCHEDULE_EXISTS, SCHEDULE_TOO_MANY, SCHEDULE_BY_NARROW_TOKEN
 */
export async function createSchedule(ports: ScheduleCommandPorts, caller: Caller, request: ScheduleRequest): Promise<ShownSchedule> {
  const { schedules, audit } = ports;
  const { user } = caller;
  const { name, cron, timeZone = 'UTC', overlap = 'skip', missed = 'one', paused = false, replace = false } = request;
  const operation = { operation: 'create schedule', target: name };
  mustNotBeNarrow(ports.audit, caller, operation, 'SCHEDULE_BY_NARROW_TOKEN');
  const must = (holds: boolean, reason: string) => {
    if (!holds) throw failure('BAD_REQUEST', { reason });
  };
  must(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name), 'name must be of letters, digits, points, _ and -, 64 at most');
  const fault = ports.cronFault(cron, timeZone);
  must(fault === undefined, fault ?? '');
  const before = schedules.find(user, name);
  const { submissionPatch } = request;
  must(submissionPatch === undefined || request.submission === undefined, 'only one of submission and submissionPatch can be there');
  must(
    submissionPatch === undefined || (replace && before !== undefined),
    'submissionPatch needs replace, and a schedule of this name whose submission it changes',
  );
  const submission = request.submission ?? (replace && before ? patched(before.submission, submissionPatch) : undefined);
  if (submission === undefined) throw failure('BAD_REQUEST', { reason: 'submission must be there: what the schedule submits' });
  must(
    Buffer.byteLength(submission) <= mostBytes,
    `submission must have at most ${mostBytes} bytes; bring larger files by their addresses`,
  );
  ports.checkSubmission(submission);
  if (before && !replace) throw failure('SCHEDULE_EXISTS', { name });
  const all = schedules.list();
  const whose = all.length >= mostOfAll ? 'The cluster' : all.filter((one) => one.user === user).length >= mostOfUser ? user : undefined;
  if (!before && whose !== undefined) throw failure('SCHEDULE_TOO_MANY', { whose, most: whose === user ? mostOfUser : mostOfAll });
  const made = await schedules.put({ user, name, cron, timeZone, overlap, missed, paused, proved: isProved(caller), submission });
  audit.changed(caller, operation);
  return shown(ports, made);
}

/** What is submitted from now on; it is checked as one that is sent. */
const patched = (submission: string, patch: object | undefined): string =>
  patch === undefined ? submission : JSON.stringify(mergePatch(JSON.parse(submission), patch));

/** The caller's schedules, or with `all` those of everybody. @throws Failure SCHEDULE_BY_NARROW_TOKEN, ONLY_ADMINISTRATORS */
export function listSchedules(ports: ScheduleCommandPorts, caller: Caller, all: boolean): readonly ShownSchedule[] {
  const operation = { operation: 'list schedules', target: all ? 'all' : caller.user };
  mustNotBeNarrow(ports.audit, caller, operation, 'SCHEDULE_BY_NARROW_TOKEN');
  if (all && !ports.access.isAdministrator(caller.user)) throw ports.audit.refused(caller, operation, failure('ONLY_ADMINISTRATORS'));
  const wanted = ports.schedules.list().filter(({ user }) => all || user === caller.user);
  return wanted.map((one) => shown(ports, one));
}

/** One schedule with what it submits. @throws Failure SCHEDULE_UNKNOWN, SCHEDULE_BY_NARROW_TOKEN */
export function showSchedule(ports: ScheduleCommandPorts, caller: Caller, user: string, name: string): ScheduleDetail {
  const known = found(ports, caller, user, { operation: 'show schedule', target: name });
  const submits = ports.submitsOf(known.submission);
  return { ...shown(ports, known), ...(submits && { submits }) };
}

/** When a schedule would be due, or why it would not. */
export function timesOfSchedule({ schedules, cronFault }: ScheduleCommandPorts, cron: string, timeZone: string): ScheduleTimes {
  if (cron.length > longestCron || timeZone.length > longestCron) return { next: [], fault: `it is longer than ${longestCron} characters` };
  const fault = cronFault(cron, timeZone);
  return fault === undefined ? { next: schedules.upcoming({ cron, timeZone, paused: false }, upcoming) } : { next: [], fault };
}

/** Removes a schedule; what it submitted goes on. @throws Failure SCHEDULE_UNKNOWN, SCHEDULE_BY_NARROW_TOKEN */
export async function removeSchedule(
  ports: ScheduleCommandPorts,
  caller: Caller,
  user: string,
  name: string,
): Promise<{ readonly removed: string }> {
  const operation = { operation: 'remove schedule', target: name };
  found(ports, caller, user, operation);
  await ports.schedules.remove(user, name);
  ports.audit.changed(caller, { ...operation, for: user });
  return { removed: name };
}

/** Stops a schedule, or lets it go on. @throws Failure SCHEDULE_UNKNOWN, SCHEDULE_BY_NARROW_TOKEN */
export async function pauseSchedule(
  ports: ScheduleCommandPorts,
  caller: Caller,
  user: string,
  name: string,
  paused: boolean,
): Promise<ShownSchedule> {
  const operation = { operation: paused ? 'pause schedule' : 'resume schedule', target: name };
  found(ports, caller, user, operation);
  await ports.schedules.pause(user, name, paused);
  ports.audit.changed(caller, { ...operation, for: user });
  return shown(ports, found(ports, caller, user, operation));
}

/** Submits it now, as its user; resolves when that is durable. @throws Failure SCHEDULE_UNKNOWN, SCHEDULE_BY_NARROW_TOKEN, those of `submit` */
export async function runSchedule(
  ports: ScheduleCommandPorts,
  caller: Caller,
  user: string,
  name: string,
): Promise<{ readonly applicationId: string }> {
  const operation = { operation: 'run schedule', target: name };
  found(ports, caller, user, operation);
  const applicationId = await ports.schedules.run(user, name);
  if (applicationId === undefined) throw failure('SCHEDULE_UNKNOWN', { name });
  ports.audit.changed(caller, { ...operation, for: user });
  return { applicationId };
}

/** The schedule, if it is the caller's or the caller administers: whose others are is not told. */
function found(ports: ScheduleCommandPorts, caller: Caller, user: string, operation: AuditedOperation): KnownSchedule {
  mustNotBeNarrow(ports.audit, caller, operation, 'SCHEDULE_BY_NARROW_TOKEN');
  const known = ports.schedules.find(user, operation.target);
  if (known && (user === caller.user || ports.access.isAdministrator(caller.user))) return known;
  throw ports.audit.refused(caller, operation, failure('SCHEDULE_UNKNOWN', { name: operation.target }));
}

// Times for people. Pure: who looks passes the time in.

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A span: `40 ms`, `0.4 s`, `12 s`, `3 min 20 s`, `5 h 2 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms <= 0) return '0 s';
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 10 * second) return `${Math.round(ms / 100) / 10} s`;
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return two(ms, minute, 'min', second, 's');
  if (ms < day) return two(ms, hour, 'h', minute, 'min');
  return two(ms, day, 'd', hour, 'h');
}

function two(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeUnit}${rest === 0 ? '' : ` ${rest} ${smallUnit}`}`;
}

/** `just now`, `12 s ago`, `3 min ago`; in the other direction `in 5 min`. */
export function relative(atMs: number, nowMs: number): string {
  const ago = nowMs - atMs;
  if (ago < -second) return `in ${coarse(-ago)}`;
  return ago < 2 * second ? 'just now' : `${coarse(ago)} ago`;
}

function coarse(ms: number): string {
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} d`;
}

/** Dates end here (ECMAScript: a hundred million days). Programs may publish any number as a time. */
const lastMs = 8.64e15;
const isDate = (atMs: number): boolean => Math.abs(atMs) <= lastMs;

/** The time as ISO 8601 writes it, for programs that read the page; undefined where no date is so far away. */
export const isoTime = (atMs: number): string | undefined => (isDate(atMs) ? new Date(atMs).toISOString() : undefined);

/** Made once: to make one takes longer than all else of a row of a table. */
const zoneFormat = new Intl.DateTimeFormat('en', { timeZoneName: 'short' });
/** What the browser's zone is called, by how far it is from UTC: that changes with summer time, and where the machine goes elsewhere. */
const zoneNames = new Map<number, string>();

function zoneName(at: Date): string {
  const offset = at.getTimezoneOffset();
  const known = zoneNames.get(offset);
  if (known !== undefined) return known;
  const name = zoneFormat.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  zoneNames.set(offset, name);
  return name;
}

/** The whole time as this browser's zone has it: `2026-11-23 02:45:07 GMT+1`; its digits where no date is so far away. */
export function absolute(atMs: number): string {
  if (!isDate(atMs)) return String(atMs);
  const at = new Date(atMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} ${zoneName(at)}`.trim();
}

/** A moment by the clock of a time zone, with its day: `Mon, Nov 30, 2026, 06:00 GMT+1`; the browser's clock where it has no such zone. */
export function inZone(atMs: number, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', {
      ...{ timeZone, weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' },
      ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
    } as const).format(atMs);
  } catch {
    return absolute(atMs);
  }
}

/** `02:45:07`. */
export function timeOfDay(atMs: number): string {
  const at = new Date(atMs);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((value) => String(value).padStart(2, '0')).join(':');
}

/** The same to the millisecond: `02:45:07.042`. */
export const clockTime = (atMs: number): string => `${timeOfDay(atMs)}.${String(new Date(atMs).getMilliseconds()).padStart(3, '0')}`;

/** A length of time as people write it: `90`, `90 s`, `5 min`, `2h`, `1 d`; seconds, or undefined. */
export function readSeconds(text: string): number | undefined {
  const found = /^(\d{1,9}) ?(s|min|m|h|d)?$/.exec(text.trim());
  if (!found) return undefined;
  const units: Record<string, number> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400 };
  return Number(found[1]) * (units[found[2] ?? 's'] ?? 1);
}

/** Since when it ran, 0: not yet. Of one that ended without its start being known, since it was given. */
export const ranSince = (of: { readonly startedTime: number; readonly createdTime: number; readonly finishedTime: number }): number =>
  of.startedTime || (of.finishedTime > 0 ? of.createdTime : 0);

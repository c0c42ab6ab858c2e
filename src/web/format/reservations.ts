// Reservations on a time axis. Pure: who looks passes the time in.
import { type Amounts, amountsOf, type ReadResource } from './queue-tree.ts';

/** One part of a reservation, ms since the epoch. */
export interface Allocation {
  readonly startMs: number;
  readonly endMs: number;
  readonly amounts: Amounts;
}

/** A reservation of a plan. */
export interface Reservation {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly arrivalMs: number;
  readonly deadlineMs: number;
  readonly acceptedMs: number;
  /** How often it comes again; '' or 0: once. */
  readonly recurrence: string;
  readonly allocations: readonly Allocation[];
}

/** The mapped form writes numbers as texts, and lists of one as the one. */
type OneOrMany<T> = T | readonly T[];
type Digits = string | number;

/** A reservation as JSON has it. */
export interface ReadReservation {
  readonly 'reservation-id': string;
  readonly user: string;
  readonly 'acceptance-time': Digits;
  readonly 'resource-allocations'?: OneOrMany<{ readonly resource: ReadResource; readonly startTime: Digits; readonly endTime: Digits }>;
  readonly 'reservation-definition': {
    readonly arrival: Digits;
    readonly deadline: Digits;
    readonly 'reservation-name'?: string;
    readonly 'recurrence-expression'?: Digits;
  };
}

/** The list of `/ws/v1/cluster/reservation/list`. */
export function reservationsOf(list: OneOrMany<ReadReservation> | undefined | null): readonly Reservation[] {
  return [list ?? []].flat().map((read) => {
    const definition = read['reservation-definition'];
    return {
      id: read['reservation-id'],
      name: definition['reservation-name'] ?? '',
      user: read.user,
      arrivalMs: Number(definition.arrival),
      deadlineMs: Number(definition.deadline),
      acceptedMs: Number(read['acceptance-time']),
      recurrence: String(definition['recurrence-expression'] ?? ''),
      allocations: [read['resource-allocations'] ?? []].flat().map(({ resource, startTime, endTime }) => ({
        startMs: Number(startTime),
        endMs: Number(endTime),
        amounts: amountsOf(resource),
      })),
    };
  });
}

/** What is reserved from a time on, until the next step. */
export interface Step {
  readonly atMs: number;
  readonly amount: number;
}

/** What all reservations together hold over time, of one type. */
export function stepsOf(reservations: readonly Reservation[], type: string): readonly Step[] {
  const changes = new Map<number, number>();
  const add = (atMs: number, amount: number) => changes.set(atMs, (changes.get(atMs) ?? 0) + amount);
  for (const { startMs, endMs, amounts } of reservations.flatMap(({ allocations }) => allocations)) {
    add(startMs, amounts[type] ?? 0);
    add(endMs, -(amounts[type] ?? 0));
  }
  let amount = 0;
  return [...changes].toSorted(([a], [b]) => a - b).map(([atMs, change]) => ({ atMs, amount: (amount += change) }));
}

/** A window of time, ms since the epoch. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const hour = 3_600_000;

/** The window: a little before now, for `hours`; without, until the last reservation ends. */
export function spanOf(reservations: readonly Reservation[], nowMs: number, hours: number | undefined): Span {
  if (hours !== undefined) return { fromMs: nowMs - (hours * hour) / 12, toMs: nowMs + hours * hour };
  const ends = reservations.flatMap(({ deadlineMs, allocations }) => [deadlineMs, ...allocations.map(({ endMs }) => endMs)]);
  const begins = reservations.flatMap(({ arrivalMs, allocations }) => [arrivalMs, ...allocations.map(({ startMs }) => startMs)]);
  const fromMs = begins.reduce((least, ms) => Math.min(least, ms), nowMs);
  const toMs = ends.reduce((most, ms) => Math.max(most, ms), nowMs + hour);
  return { fromMs, toMs };
}

/** Where a time lies in a window, 0…1. */
export const placeOf = (ms: number, { fromMs, toMs }: Span): number => Math.min(1, Math.max(0, (ms - fromMs) / Math.max(1, toMs - fromMs)));

const stepSizes = [0.25, 0.5, 1, 2, 3, 6, 12, 24, 48, 168, 720, 8760].map((hours) => hours * hour);

/** Times at which the axis has a mark, ms since the epoch: at most about `most`, at round times of a day. `zoneMs`: how far the zone is from UTC. */
export function marksOf({ fromMs, toMs }: Span, most: number, zoneMs: number): readonly number[] {
  const size = stepSizes.find((step) => (toMs - fromMs) / step <= most) ?? stepSizes.at(-1)!;
  const marks: number[] = [];
  for (let ms = Math.ceil((fromMs + zoneMs) / size) * size - zoneMs; ms <= toMs && marks.length < 100; ms += size) marks.push(ms);
  return marks;
}

// Reservations that come again: their intervals in a window, and what a plan holds as seen by one that repeats.
import type { Reservation } from './plan.ts';
import type { Interval } from './room.ts';

/** So many repetitions are looked at; more do not happen within the longest periodicity at a step of minutes. */
const maximumCycles = 2000;

/** ms between repetitions; 0: once. */
export const periodOf = (recurrence: string): number => Number(recurrence) || 0;

/** The reservation's intervals that touch a window, each repetition by itself. */
export function instancesIn({ allocations, definition }: Reservation, fromMs: number, toMs: number): Interval[] {
  const periodMs = periodOf(definition.recurrence);
  if (periodMs === 0) return allocations.filter((interval) => interval.startMs < toMs && interval.endMs > fromMs);
  const found: Interval[] = [];
  for (const { startMs, endMs, resource } of allocations) {
    const first = Math.max(0, Math.ceil((fromMs - endMs + 1) / periodMs));
    for (let k = first; k < first + maximumCycles && startMs + k * periodMs < toMs; k++)
      found.push({ startMs: startMs + k * periodMs, endMs: endMs + k * periodMs, resource });
  }
  return found;
}

/** Whether it may hold something from `fromMs` until `toMs`, inclusive: one that comes once between its arrival and its deadline, wherever it was placed. */
export function isWithin(reservation: Reservation, fromMs: number, toMs: number): boolean {
  const { arrivalMs, deadlineMs, recurrence } = reservation.definition;
  if (periodOf(recurrence) === 0) return arrivalMs <= toMs && deadlineMs > fromMs;
  return instancesIn(reservation, fromMs, toMs + 1).length > 0;
}

/**
 * What the reservations hold in a window as seen by one that repeats every `periodMs`: at each moment the most of any repetition within
 * `horizonMs`. Without a period what they hold in the window itself.
 */
export function takenIn(
  reservations: readonly Reservation[],
  window: { readonly fromMs: number; readonly toMs: number },
  periodMs: number,
  horizonMs: number,
): Interval[] {
  const { fromMs, toMs } = window;
  if (periodMs === 0) return reservations.flatMap((reservation) => instancesIn(reservation, fromMs, toMs));
  const cycles: Interval[][] = [];
  for (let k = 0; k < Math.min(maximumCycles, Math.max(1, Math.ceil(horizonMs / periodMs))); k++) {
    const shiftMs = k * periodMs;
    const held = reservations.flatMap((reservation) => instancesIn(reservation, fromMs + shiftMs, toMs + shiftMs));
    if (held.length > 0)
      cycles.push(held.map(({ startMs, endMs, resource }) => ({ startMs: startMs - shiftMs, endMs: endMs - shiftMs, resource })));
  }
  const moments = [...new Set(cycles.flat().flatMap(({ startMs, endMs }) => [startMs, endMs]))].sort((a, b) => a - b);
  const most: Interval[] = [];
  for (let i = 0; i + 1 < moments.length; i++) {
    const [startMs, endMs] = [moments[i]!, moments[i + 1]!];
    const resource: number[] = [];
    for (const cycle of cycles) {
      const now: number[] = [];
      for (const interval of cycle) {
        if (interval.startMs > startMs || interval.endMs <= startMs) continue;
        interval.resource.forEach((amount, type) => {
          now[type] = (now[type] ?? 0) + amount;
        });
      }
      now.forEach((amount, type) => {
        resource[type] = Math.max(resource[type] ?? 0, amount);
      });
    }
    if (resource.length > 0) most.push({ startMs, endMs, resource });
  }
  return most;
}

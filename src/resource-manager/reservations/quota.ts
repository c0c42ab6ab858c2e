// What one user's reservations may hold of a plan over time (Hadoop's CapacityOverTimePolicy).
import { failure } from '../../model/errors.ts';
import type { Resource } from '../../model/resource.ts';
import type { PlanQueueView } from '../../scheduler/abilities.ts';
import type { Reservation } from './plan.ts';
import { instancesIn } from './recurrence.ts';
import type { Interval } from './room.ts';

type Quota = NonNullable<NonNullable<PlanQueueView['rules']>['quota']>;

/** In every window that begins or ends with a reservation the user's average stays within the quota. @throws Failure RESERVATION_REFUSED */
export function checkAverage(wanted: Reservation, own: readonly Reservation[], total: Resource, quota: Quota): void {
  const { windowMs, average } = quota;
  if (average >= 1) return;
  const moments = wanted.allocations.flatMap(({ startMs, endMs }) => [startMs, endMs - windowMs]);
  for (const fromMs of moments) {
    const toMs = fromMs + windowMs;
    const held = [wanted, ...own].flatMap((reservation) => instancesIn(reservation, fromMs, toMs));
    for (const [type, amount] of total.entries()) {
      if (integral(held, type, fromMs, toMs) <= amount * average * windowMs) continue;
      throw failure('RESERVATION_REFUSED', {
        reason: `org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions.PlanningQuotaException: Integral (avg over time) quota capacity ${average} over a window of ${windowMs / 1000} seconds,  would be exceeded by accepting reservation: ${wanted.id}`,
      });
    }
  }
}

function integral(intervals: readonly Interval[], type: number, fromMs: number, toMs: number): number {
  let sum = 0;
  for (const { startMs, endMs, resource } of intervals)
    sum += (resource[type] ?? 0) * Math.max(0, Math.min(endMs, toMs) - Math.max(startMs, fromMs));
  return sum;
}

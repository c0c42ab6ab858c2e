// Where the aligned planner puts one request: slots of its duration, the least loaded first, so that reservations spread evenly (Hadoop's
// StageAllocatorLowCostAligned).
import type { ReservationRequest } from './definition.ts';
import { gangsThatFit, type Interval, type Room, roundUp, stepMs } from './room.ts';

/** `yarn.resourcemanager.reservation-system.smoothness-factor`: gangs are given in at least so many portions a slot. */
const smoothness = 10;
/** More than this is not weighed up: the greedy planner decides. */
const mostWork = 4_000_000;

interface Slot {
  readonly startMs: number;
  readonly endMs: number;
  cost: number;
  fitting: number;
}

/** Places the request in the window; undefined where it does not fit or would be too much work. */
export function placeAligned(
  request: ReservationRequest,
  room: Room,
  before: readonly Interval[],
  fromMs: number,
  toMs: number,
): Interval[] | undefined {
  const durationMs = Math.max(stepMs, roundUp(request.durationMs));
  const slotCount = Math.floor((toMs - fromMs) / durationMs);
  const gangs = Math.trunc(request.containers / request.concurrency);
  if (slotCount <= 0) return undefined;
  const most = Math.max(1, Math.trunc(Math.max(1, Math.floor(gangs / slotCount)) / smoothness));
  if (slotCount * (gangs / most + room.taken.length + before.length) > mostWork) return undefined;
  const placed: Interval[] = [];
  const look = (startMs: number, endMs: number): Slot => {
    const load = [...room.taken, ...before, ...placed].filter((interval) => interval.endMs > startMs && interval.startMs < endMs);
    return {
      startMs,
      endMs,
      cost: costOf(load, room, startMs, endMs),
      fitting: gangsThatFit(request, room, [...before, ...placed], startMs, endMs),
    };
  };
  const slots: Slot[] = [];
  for (let i = 0; i < slotCount; i++) {
    const startMs = room.late ? toMs - (i + 1) * durationMs : fromMs + i * durationMs;
    const slot = look(startMs, startMs + durationMs);
    if (slot.fitting > 0) slots.push(slot);
  }
  for (let left = gangs; left > 0; ) {
    const best = cheapest(slots);
    if (!best) return undefined;
    const given = Math.min(most, left, best.fitting);
    left -= given;
    const { startMs, endMs } = best;
    placed.push({ startMs, endMs, resource: request.capability.map((amount) => amount * request.concurrency * given) });
    Object.assign(best, look(startMs, endMs));
  }
  return placed;
}

/** Slots stand in the order of preference: among equals the first wins. */
function cheapest(slots: readonly Slot[]): Slot | undefined {
  let best: Slot | undefined;
  for (const slot of slots) if (slot.fitting > 0 && (!best || slot.cost < best.cost)) best = slot;
  return best;
}

/** The dominant part of the plan that is taken, summed over the time. */
function costOf(load: readonly Interval[], { total }: Room, startMs: number, endMs: number): number {
  const moments = [startMs, endMs];
  for (const interval of load) for (const ms of [interval.startMs, interval.endMs]) if (ms > startMs && ms < endMs) moments.push(ms);
  moments.sort((a, b) => a - b);
  let cost = 0;
  for (let i = 0; i + 1 < moments.length; i++) {
    const [fromMs, toMs] = [moments[i]!, moments[i + 1]!];
    let most = 0;
    for (let type = 0; type < total.length; type++) {
      let taken = 0;
      for (const interval of load) if (interval.startMs <= fromMs && interval.endMs > fromMs) taken += interval.resource[type] ?? 0;
      if (taken > 0) most = Math.max(most, total[type]! > 0 ? taken / total[type]! : Number.POSITIVE_INFINITY);
    }
    cost += most * ((toMs - fromMs) / stepMs);
  }
  return cost;
}

// What a plan holds over time, and what room that leaves.
import type { Resource } from '../../model/resource.ts';
import type { ReservationRequest } from './definition.ts';

/** A constant amount over a time, `endMs` exclusive. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
  readonly resource: Resource;
}

/** The plan's step: durations are whole steps. */
export const stepMs = 1000;
export const roundUp = (ms: number): number => Math.ceil(ms / stepMs) * stepMs;
export const roundDown = (ms: number): number => Math.floor(ms / stepMs) * stepMs;

/** What the given intervals hold at most, by resource, in a window. */
export function peak(intervals: readonly Interval[], startMs: number, endMs: number): number[] {
  const moments = [startMs, ...intervals.map((interval) => interval.startMs).filter((ms) => ms > startMs && ms < endMs)];
  const result: number[] = [];
  for (const moment of moments) {
    const now: number[] = [];
    for (const { startMs: from, endMs: to, resource } of intervals) {
      if (from > moment || to <= moment) continue;
      resource.forEach((amount, index) => {
        now[index] = (now[index] ?? 0) + amount;
      });
    }
    now.forEach((amount, index) => {
      result[index] = Math.max(result[index] ?? 0, amount);
    });
  }
  return result;
}

/** What a new reservation must leave room for. */
export interface Room {
  /** Held by others and the same user. */
  readonly taken: readonly Interval[];
  readonly total: Resource;
  /** The largest container that there may be; undefined: any. */
  readonly maximumAllocation?: Resource;
  /** What the user's other reservations hold, and the most they may at a moment. */
  readonly ofUser?: readonly Interval[];
  readonly userTotal?: Resource;
  /** The aligned agent spreads what it places over the least loaded times first; the greedy one, and it where that fails, begins at once. */
  readonly greedy?: boolean;
  /** From the deadline backwards (`favor-early-allocation` false). */
  readonly late?: boolean;
}

/** How many gangs fit into a window besides what is there and what was just placed. */
export function gangsThatFit(request: ReservationRequest, room: Room, placed: readonly Interval[], startMs: number, endMs: number): number {
  let count = Number.POSITIVE_INFINITY;
  const bound = (intervals: readonly Interval[], total: Resource): void => {
    const taken = peak([...intervals, ...placed], startMs, endMs);
    request.capability.forEach((amount, index) => {
      const gang = amount * request.concurrency;
      if (gang > 0) count = Math.min(count, Math.floor(((total[index] ?? 0) - (taken[index] ?? 0)) / gang));
    });
  };
  bound(room.taken, room.total);
  if (room.userTotal) bound(room.ofUser ?? [], room.userTotal);
  return Math.max(0, count);
}

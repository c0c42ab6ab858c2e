// One plan: what is reserved in a reservable queue, and where a new reservation still fits (the aligned planner with the greedy one behind it).
import type { Resource } from '../../model/resource.ts';
import { notSatisfiable, type ReservationDefinition, type ReservationRequest } from './definition.ts';

/** A constant amount over a time, `endMs` exclusive. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
  readonly resource: Resource;
}

/** An accepted reservation. */
export interface Reservation {
  readonly id: string;
  readonly user: string;
  /** The queue of the plan, as its full path. */
  readonly queue: string;
  readonly definition: ReservationDefinition;
  readonly acceptedMs: number;
  /** In time order. */
  readonly allocations: readonly Interval[];
}

const stepMs = 1000;
const roundUp = (ms: number) => Math.ceil(ms / stepMs) * stepMs;
const roundDown = (ms: number) => Math.floor(ms / stepMs) * stepMs;

/** What the given intervals hold at most, by resource, in a window. */
function peak(intervals: readonly Interval[], startMs: number, endMs: number): number[] {
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
  /** What the user's other reservations hold, and the most they may at a moment. */
  readonly ofUser?: readonly Interval[];
  readonly userTotal?: Resource;
  /** The greedy agent begins as early as it can, the aligned one as late. */
  readonly early?: boolean;
}

/** How many gangs fit into a window besides what is there and what was just placed. */
function gangsThatFit(request: ReservationRequest, room: Room, placed: readonly Interval[], startMs: number, endMs: number): number {
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

/** Places one request in a window, as late (or early) as it fits; undefined where it does not. */
function placeRequest(
  request: ReservationRequest,
  room: Room,
  before: readonly Interval[],
  fromMs: number,
  toMs: number,
): Interval[] | undefined {
  const durationMs = Math.max(stepMs, roundUp(request.durationMs));
  let gangs = request.containers / request.concurrency;
  const placed: Interval[] = [];
  const starts = new Set<number>();
  for (let startMs = toMs - durationMs; startMs >= fromMs; startMs -= durationMs) starts.add(startMs);
  starts.add(fromMs);
  for (const { startMs, endMs } of [...room.taken, ...before]) {
    starts.add(endMs);
    starts.add(startMs - durationMs);
  }
  const order = room.early ? (a: number, b: number) => a - b : (a: number, b: number) => b - a;
  for (const startMs of [...starts].filter((ms) => ms >= fromMs && ms + durationMs <= toMs).sort(order)) {
    const fitting = Math.min(gangs, gangsThatFit(request, room, [...before, ...placed], startMs, startMs + durationMs));
    if (fitting === 0) continue;
    const containers = fitting * request.concurrency;
    placed.push({ startMs, endMs: startMs + durationMs, resource: request.capability.map((amount) => amount * containers) });
    gangs -= fitting;
    if (gangs === 0) return placed;
  }
  return undefined;
}

/**
 * Finds a place for a definition in a plan.
 * @throws Failure RESERVATION_REFUSED where there is none
 */
export function findPlace(definition: ReservationDefinition, room: Room): Interval[] {
  const fromMs = roundUp(definition.arrivalMs);
  const toMs = roundDown(definition.deadlineMs);
  const { interpreter } = definition;
  const requests = room.early ? definition.requests : [...definition.requests].reverse();
  if (interpreter === 'ANY') {
    for (const request of requests) {
      const placed = placeRequest(request, room, [], fromMs, toMs);
      if (placed) return merged(placed);
    }
    throw notSatisfiable();
  }
  const all: Interval[] = [];
  // The stages follow each other: from the deadline backwards, early ones from the arrival onwards.
  let edgeMs = room.early ? fromMs : toMs;
  for (const request of requests) {
    const parallel = interpreter === 'ALL';
    const window = parallel ? [fromMs, toMs] : room.early ? [edgeMs, toMs] : [fromMs, edgeMs];
    const placed = placeRequest(request, room, all, window[0]!, window[1]!);
    if (!placed) throw notSatisfiable();
    const startMs = Math.min(...placed.map((interval) => interval.startMs));
    const endMs = Math.max(...placed.map((interval) => interval.endMs));
    if (interpreter === 'ORDER_NO_GAP' && all.length > 0 && (room.early ? startMs : endMs) !== edgeMs) throw notSatisfiable();
    all.push(...placed);
    edgeMs = room.early ? endMs : startMs;
  }
  return merged(all);
}

/** Overlapping intervals as steps in time order, without empty ones. */
export function merged(intervals: readonly Interval[]): Interval[] {
  const moments = [...new Set(intervals.flatMap(({ startMs, endMs }) => [startMs, endMs]))].sort((a, b) => a - b);
  const steps: Interval[] = [];
  for (let i = 0; i + 1 < moments.length; i++) {
    const [startMs, endMs] = [moments[i]!, moments[i + 1]!];
    const resource = peak(intervals, startMs, endMs);
    const last = steps.at(-1);
    if (resource.length === 0) continue;
    if (last && last.endMs === startMs && last.resource.every((amount, index) => amount === resource[index]))
      steps[steps.length - 1] = { ...last, endMs };
    else steps.push({ startMs, endMs, resource });
  }
  return steps;
}

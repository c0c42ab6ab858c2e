// One plan: what is reserved in a reservable queue, and where a new reservation still fits (the aligned planner with the greedy one behind it).
import { fields, type JsonOf, many, number, optional, text, word } from '../../lib/json-shape.ts';
import { Failure } from '../../model/errors.ts';
import { placeAligned } from './aligned.ts';
import {
  checkRequest,
  interpreters,
  leavesGap,
  notSatisfiable,
  type ReservationDefinition,
  type ReservationRequest,
} from './definition.ts';
import { gangsThatFit, type Interval, peak, type Room, roundDown, roundUp, stepMs } from './room.ts';

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

/** The same as it is stored. */
export const storedReservation = fields({
  id: text(),
  user: text(),
  queue: text(),
  definition: fields({
    arrivalMs: number(),
    deadlineMs: number(),
    interpreter: word(...interpreters),
    requests: many(fields({ capability: many(number()), containers: number(), concurrency: number(), durationMs: number() })),
    name: optional(text()),
    recurrence: text(),
  }),
  acceptedMs: number(),
  allocations: many(fields({ startMs: number(), endMs: number(), resource: many(number()) })),
});

/** The reservation of what was stored. */
export const reservationOf = ({ definition, ...stored }: JsonOf<typeof storedReservation>): Reservation => ({
  ...stored,
  definition: { ...definition, name: definition.name },
});

/** So many starts of a window are tried. */
const mostStarts = 20_000;

/** Places one request in a window, as early (or late) as it fits; undefined where it does not. */
function placeGreedily(
  request: ReservationRequest,
  room: Room,
  before: readonly Interval[],
  fromMs: number,
  toMs: number,
): Interval[] | undefined {
  const durationMs = Math.max(stepMs, roundUp(request.durationMs));
  let gangs = Math.trunc(request.containers / request.concurrency);
  const placed: Interval[] = [];
  const starts = new Set<number>();
  for (let i = 0; i < mostStarts && fromMs + (i + 1) * durationMs <= toMs; i++) {
    starts.add(toMs - (i + 1) * durationMs);
    starts.add(fromMs + i * durationMs);
  }
  for (const { startMs, endMs } of [...room.taken, ...before]) {
    starts.add(endMs);
    starts.add(startMs - durationMs);
  }
  const order = room.late ? (a: number, b: number) => b - a : (a: number, b: number) => a - b;
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

type Place = typeof placeGreedily;

/**
 * Finds a place for a definition in a plan: by the aligned planner, and by the greedy one where that finds none.
 * @throws Failure RESERVATION_REFUSED where there is none
 */
export function findPlace(definition: ReservationDefinition, room: Room): Interval[] {
  const aligned = room.greedy ? undefined : unlessRefused(() => placeStages(definition, room, placeAligned, true));
  const found = aligned ?? placeStages(definition, room, placeGreedily, false);
  if (!found) throw notSatisfiable();
  return merged(found);
}

/** What a planner finds; why it refuses is not told where another one is asked after it (TryManyReservationAgents). */
function unlessRefused<T>(plan: () => T): T | undefined {
  try {
    return plan();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Every request of the definition, in order (Hadoop's IterativePlanner). `byDemand`: stages in order get windows by their size. */
function placeStages(definition: ReservationDefinition, room: Room, place: Place, byDemand: boolean): Interval[] | undefined {
  const { interpreter, arrivalMs, deadlineMs } = definition;
  const requests = room.late ? [...definition.requests].reverse() : definition.requests;
  const isOrdered = interpreter === 'ORDER' || interpreter === 'ORDER_NO_GAP';
  const all: Interval[] = [];
  // Stages in order follow each other: from the arrival onwards, late ones from the deadline backwards.
  let edgeMs = room.late ? deadlineMs : arrivalMs;
  for (const [at, request] of requests.entries()) {
    if (room.maximumAllocation) checkRequest(request, room.maximumAllocation);
    let window: readonly [number, number] = [arrivalMs, deadlineMs];
    if (isOrdered) window = room.late ? [arrivalMs, edgeMs] : [edgeMs, deadlineMs];
    if (isOrdered && byDemand) window = partOf(window, requests.slice(at), room.late ?? false);
    const placed = place(request, room, all, window[0], window[1]);
    if (!placed) {
      if (interpreter === 'ANY') continue;
      return undefined;
    }
    if (interpreter === 'ANY') return placed;
    const startMs = Math.min(...placed.map((interval) => interval.startMs));
    const endMs = Math.max(...placed.map((interval) => interval.endMs));
    if (interpreter === 'ORDER_NO_GAP' && ((all.length > 0 && (room.late ? endMs : startMs) !== edgeMs) || !isOnePiece(placed)))
      throw leavesGap();
    all.push(...placed);
    edgeMs = room.late ? startMs : endMs;
  }
  return all.length > 0 ? all : undefined;
}

/** Whether one piece of time follows the other: only the first beginning and the last end are no other's (IterativePlanner.isNonPreemptiveAllocation). */
function isOnePiece(placed: readonly Interval[]): boolean {
  const ends = new Set<number>();
  for (const key of new Set(placed.map(({ startMs, endMs }) => `${startMs} ${endMs}`)))
    for (const moment of key.split(' ').map(Number)) if (!ends.delete(moment)) ends.add(moment);
  return ends.size === 2;
}

/** The part of the window that the first of the stages gets, by what each takes of memory and time. */
function partOf([fromMs, toMs]: readonly [number, number], stages: readonly ReservationRequest[], late: boolean): [number, number] {
  const weight = ({ durationMs, capability, containers }: ReservationRequest): number => durationMs * (capability[0] ?? 0) * containers;
  const all = stages.reduce((sum, stage) => sum + weight(stage), 0);
  const lengthMs = all > 0 ? Math.trunc((weight(stages[0]!) / all) * (toMs - fromMs)) : toMs - fromMs;
  return late ? [roundUp(toMs - lengthMs), toMs] : [fromMs, roundDown(fromMs + lengthMs)];
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

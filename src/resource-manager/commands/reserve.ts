// Reservations: ids, submission, update, deletion, the list (ClientRMService.createReservation … listReservations). What a plan takes is for
// the reservation system.

import type { Audit, AuditedOperation } from '../../auth/audit-log.ts';
import { Failure, failure } from '../../model/errors.ts';
import type { Found } from '../../scheduler/policy.ts';
import { interpreters, type ReservationDefinition } from '../reservations/definition.ts';
import type { Reservation } from '../reservations/plan.ts';
import { parseReservationId, type ReservationSystem } from '../reservations/reservation-system.ts';
import type { NamedAmount } from './amounts.ts';
import type { Caller } from './caller.ts';
import { mustBeWithinToken, mustReachQueue } from './token-limits.ts';

/** A reservation as its caller wrote it. */
export interface WantedReservation {
  readonly arrivalMs: number;
  readonly deadlineMs: number;
  /** Number of a ReservationRequestInterpreter. */
  readonly interpreter: number;
  readonly requests: readonly {
    readonly capability: NamedAmount | undefined;
    readonly containers: number;
    readonly concurrency: number;
    readonly durationMs: number;
  }[];
  readonly name: string | undefined;
  readonly recurrence: string | undefined;
}

export interface ReservationPorts {
  /** Undefined where reservations are off. */
  readonly system: Pick<ReservationSystem, 'newId' | 'submit' | 'update' | 'delete' | 'list' | 'reservation'> | undefined;
  readonly policy: { resolveQueue(name: string): Found };
  readonly audit: Audit;
}

const refuse = (reason: string) => failure('RESERVATION_REFUSED', { reason });

/** What the lists of the plan refuse stands in the audit log, whatever status Hadoop answers it with. Returns what was thrown, to be thrown on. */
function told(ports: ReservationPorts, caller: Caller, operation: AuditedOperation, problem: unknown): unknown {
  return problem instanceof Failure && problem.code === 'RESERVATION_ACCESS_REFUSED'
    ? ports.audit.refused(caller, operation, problem)
    : problem;
}

/** Waits for a change that the caller asked for and notes it, or its refusal by the plan's lists. @throws Failure that of the change */
async function noted(ports: ReservationPorts, caller: Caller, operation: AuditedOperation, change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (problem) {
    throw told(ports, caller, operation, problem);
  }
  ports.audit.changed(caller, operation);
}

function enabled({ system }: ReservationPorts): NonNullable<ReservationPorts['system']> {
  if (!system) throw failure('RESERVATION_DISABLED');
  return system;
}

/** An id that no reservation has. @throws Failure RESERVATION_DISABLED */
export const newReservation = (ports: ReservationPorts): string => enabled(ports).newId();

/** Accepts a reservation in the caller's name; resolves when it is durable. @throws Failure RESERVATION_… */
export async function createReservation(
  ports: ReservationPorts,
  caller: Caller,
  wanted: { readonly id: string | undefined; readonly queue: string | undefined; readonly definition: WantedReservation | undefined },
): Promise<void> {
  const definition = checkedDefinition(wanted.definition);
  const id = parseReservationId(wanted.id);
  const system = enabled(ports);
  const target = ports.policy.resolveQueue(wanted.queue ?? '');
  if (typeof target === 'object') mustReachQueue(ports.audit, caller, target.queue, { operation: 'submit reservation', target: id ?? '' });
  const operation = { operation: 'submit reservation', target: id ?? '', queue: wanted.queue };
  await noted(ports, caller, operation, system.submit(id, wanted.queue, caller.user, definition));
}

/** Replaces the definition of a reservation; resolves when that is durable. @throws Failure RESERVATION_… */
export async function updateReservation(
  ports: ReservationPorts,
  caller: Caller,
  wanted: { readonly id: string | undefined; readonly definition: WantedReservation | undefined },
): Promise<void> {
  const definition = checkedDefinition(wanted.definition);
  if (wanted.id === undefined) throw refuse('Update operations must specify an existing ReservationId');
  const id = parseReservationId(wanted.id);
  const system = enabled(ports);
  const reservation = system.reservation(id ?? '');
  if (reservation) mustBeWithinToken(ports.audit, caller, reservation, 'update reservation');
  const operation = { operation: 'update reservation', target: id ?? '', by: caller.user };
  await noted(ports, caller, operation, system.update(id, definition, caller.user));
}

/** Ends a reservation; resolves when that is durable. @throws Failure RESERVATION_…, ILLEGAL_ARGUMENT */
export async function deleteReservation(ports: ReservationPorts, caller: Caller, wanted: string | undefined): Promise<void> {
  const system = enabled(ports);
  const id = parseReservationId(wanted);
  const reservation = system.reservation(id ?? '');
  if (reservation) mustBeWithinToken(ports.audit, caller, reservation, 'delete reservation');
  const operation = { operation: 'delete reservation', target: id ?? '' };
  await noted(ports, caller, operation, system.delete(id, caller.user));
}

/** Which reservations are listed. */
export interface ReservationFilter {
  readonly queue: string;
  /** A window in ms since the epoch; a negative end means no end. */
  readonly startMs: number;
  readonly endMs: number;
  /** Only this one; '' and undefined: all. */
  readonly id: string | undefined;
}

/** Reservations of a queue that touch a window. @throws Failure RESERVATION_… */
export function listReservations(ports: ReservationPorts, caller: Caller, { queue, startMs, endMs, id }: ReservationFilter): Reservation[] {
  let inQueue: Reservation[];
  try {
    inQueue = enabled(ports).list(queue, startMs, endMs, caller.user, id);
  } catch (problem) {
    throw told(ports, caller, { operation: 'list reservations', target: queue }, problem);
  }
  const wanted = parseReservationId(id || undefined);
  return inQueue.filter((reservation) => wanted === undefined || reservation.id === wanted);
}

/** The definition that the plans know. @throws Failure RESERVATION_REFUSED, RESERVATION_INTERPRETER_UNKNOWN */
function checkedDefinition(wanted: WantedReservation | undefined): ReservationDefinition {
  if (wanted === undefined) throw refuse('Input ReservationDefinition should not be null');
  const { requests, interpreter: index, arrivalMs, deadlineMs, name, recurrence = '0' } = wanted;
  if (requests.length === 0) throw refuse('The ReservationDefinition should contain at least one ReservationRequest');
  const interpreter = interpreters[index];
  if (interpreter === undefined) throw failure('RESERVATION_INTERPRETER_UNKNOWN', { index });
  if (requests.some(({ capability }) => capability === undefined)) throw refuse('Each resource request needs a capability.');
  return {
    arrivalMs,
    deadlineMs,
    interpreter,
    requests: requests.map(({ capability, containers, concurrency, durationMs }) => ({
      capability: [capability?.memoryMiB ?? 0, capability?.vcores ?? 0],
      containers,
      concurrency,
      durationMs,
    })),
    name,
    recurrence,
  };
}

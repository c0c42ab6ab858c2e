// Reservations: new ids, submission, update, deletion, the list.
import { type Answer, ok, rendered } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import {
  newReservation,
  type ReservationDefinitionInfo,
  type ReservationInfo,
  type reservationDelete,
  reservationDeleted,
  reservationList,
  type reservationSubmission,
  type reservationUpdate,
  reservationUpdated,
} from '../../wire/cluster/reservation.ts';
import { resourceInfoOf } from '../../wire/cluster/resource.ts';
import type { Shape } from '../../wire/codec/describe.ts';
import { interpreters, type ReservationDefinition } from '../reservations/definition.ts';
import type { Reservation } from '../reservations/plan.ts';
import { parseReservationId, type ReservationSystem } from '../reservations/reservation-system.ts';
import type { Parts } from './parts.ts';

function system({ reservations }: Parts): ReservationSystem {
  if (!reservations) throw failure('RESERVATION_DISABLED');
  return reservations;
}

const refuse = (reason: string) => failure('RESERVATION_REFUSED', { reason });

/** The definition of a body. @throws Failure RESERVATION_REFUSED, RESERVATION_INTERPRETER_UNKNOWN */
function definitionOf(info: ReservationDefinitionInfo | undefined): ReservationDefinition {
  if (info === undefined) throw refuse('Input ReservationDefinition should not be null');
  const requests = info['reservation-requests']?.['reservation-request'] ?? [];
  if (requests.length === 0) throw refuse('The ReservationDefinition should contain at least one ReservationRequest');
  const index = info['reservation-requests']?.['reservation-request-interpreter'] ?? 0;
  const interpreter = interpreters[index];
  if (interpreter === undefined) throw failure('RESERVATION_INTERPRETER_UNKNOWN', { index });
  if (requests.some(({ capability }) => capability === undefined)) throw refuse('Each resource request needs a capability.');
  return {
    arrivalMs: Number(info.arrival ?? 0),
    deadlineMs: Number(info.deadline ?? 0),
    interpreter,
    requests: requests.map((request) => ({
      capability: [Number(request.capability?.memory ?? 0), request.capability?.vCores ?? 0],
      containers: request['num-containers'] ?? 0,
      concurrency: request['min-concurrency'] ?? 0,
      durationMs: Number(request.duration ?? 0),
    })),
    name: info['reservation-name'],
    recurrence: info['recurrence-expression'] ?? '0',
  };
}

/** `POST /reservation/new-reservation`. */
export function answerNewReservation(parts: Parts, call: Call): Answer {
  parts.caller(call.caller).user;
  return ok(newReservation, { 'reservation-id': system(parts).newId() });
}

/** `POST /reservation/submit`: 202 when it is durable. */
export async function submitReservation(parts: Parts, call: Call<Shape<typeof reservationSubmission>>): Promise<Answer> {
  const user = parts.caller(call.caller).user;
  const reservations = system(parts);
  const definition = definitionOf(call.body['reservation-definition']);
  const id = parseReservationId(call.body['reservation-id']);
  await reservations.submit(id, call.body.queue, user, definition);
  parts.audit.changed(call.caller, { operation: 'submit reservation', target: id ?? '', queue: call.body.queue });
  return rendered('', 202);
}

/** `POST /reservation/update`. */
export async function updateReservation(parts: Parts, call: Call<Shape<typeof reservationUpdate>>): Promise<Answer> {
  const user = parts.caller(call.caller).user;
  const reservations = system(parts);
  const text = call.body['reservation-id'];
  const definition = definitionOf(call.body['reservation-definition']);
  if (text === undefined) throw refuse('Update operations must specify an existing ReservationId');
  const id = parseReservationId(text);
  await reservations.update(id, definition, user);
  parts.audit.changed(call.caller, { operation: 'update reservation', target: id ?? '', by: user });
  return ok(reservationUpdated, {});
}

/** `POST /reservation/delete`. */
export async function deleteReservation(parts: Parts, call: Call<Shape<typeof reservationDelete>>): Promise<Answer> {
  const user = parts.caller(call.caller).user;
  const reservations = system(parts);
  const id = parseReservationId(call.body['reservation-id']);
  await reservations.delete(id, user);
  parts.audit.changed(call.caller, { operation: 'delete reservation', target: id ?? '' });
  return ok(reservationDeleted, {});
}

function time(call: Call, name: string, standard: number): number {
  const text = call.query.first(name);
  if (text === undefined || text === '') return standard;
  if (!/^[+-]?\d{1,18}$/.test(text)) throw failure('QUERY_NUMBER_MALFORMED', { value: text });
  return Number(text);
}

/** `GET /reservation/list`. */
export function answerReservations(parts: Parts, call: Call): Answer {
  const user = parts.caller(call.caller).user;
  const startMs = time(call, 'start-time', 0);
  const endMs = time(call, 'end-time', -1);
  const reservations = system(parts);
  const withAllocations = call.query.first('include-resource-allocations')?.toLowerCase() === 'true';
  const asked = call.query.first('reservation-id');
  const inQueue = reservations.list(call.query.first('queue') ?? 'default', startMs, endMs, user, asked);
  const id = parseReservationId(asked || undefined);
  const found = inQueue.filter((reservation) => id === undefined || reservation.id === id);
  return ok(reservationList, { reservations: found.map((reservation) => shown(parts, reservation, withAllocations)) });
}

/** What is allocated over time; between its parts nothing, with the cluster's bounds, as Hadoop shows it. */
function allocationsOf({ types, policy }: Parts, { allocations }: Reservation) {
  return allocations.flatMap(({ resource, startMs, endMs }, i) => {
    const before = allocations[i - 1];
    const part = { resource: resourceInfoOf(resource, types), startTime: startMs, endTime: endMs };
    if (!before || before.endMs >= startMs) return [part];
    const nothing = resourceInfoOf([], types);
    const resourceInformations = nothing.resourceInformations?.map((information, type) => ({
      ...information,
      minimumAllocation: policy.minimumAllocation()[type] ?? 0,
      maximumAllocation: policy.configuredMaximum()[type] ?? information.maximumAllocation,
    }));
    return [{ resource: { ...nothing, resourceInformations }, startTime: before.endMs, endTime: startMs }, part];
  });
}

function shown(parts: Parts, reservation: Reservation, withAllocations: boolean): ReservationInfo {
  const { types } = parts;
  const { definition } = reservation;
  return {
    'acceptance-time': reservation.acceptedMs,
    user: reservation.user,
    'resource-allocations': withAllocations ? allocationsOf(parts, reservation) : undefined,
    'reservation-id': reservation.id,
    'reservation-definition': {
      arrival: definition.arrivalMs,
      deadline: definition.deadlineMs,
      'reservation-requests': {
        'reservation-request-interpreter': interpreters.indexOf(definition.interpreter),
        'reservation-request': definition.requests.map(({ capability, concurrency, containers, durationMs }) => ({
          capability: resourceInfoOf(capability, types),
          'min-concurrency': concurrency,
          'num-containers': containers,
          duration: durationMs,
        })),
      },
      'reservation-name': definition.name,
      priority: 0,
      'recurrence-expression': definition.recurrence,
    },
  };
}

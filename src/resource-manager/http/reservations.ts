// Reservations: new ids, submission, update, deletion, the list.

import { type Answer, ok, rendered } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { parseLong } from '../../lib/java-number.ts';
import { failure } from '../../model/errors.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
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
import type { Commands } from '../commands/commands.ts';
import type { WantedReservation } from '../commands/reserve.ts';
import { interpreters } from '../reservations/definition.ts';
import type { Reservation } from '../reservations/plan.ts';
import { namedAmount } from './amounts.ts';
import type { KnownCaller } from './callers.ts';

/** What these handlers work with. */
export interface ReservationNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<
    Commands,
    'newReservation' | 'createReservation' | 'updateReservation' | 'deleteReservation' | 'listReservations'
  >;
  readonly policy: Pick<SchedulingPolicy, 'minimumAllocation' | 'configuredMaximum'>;
  readonly types: ResourceTypes;
}

/** The definition of a body. */
function readDefinition(info: ReservationDefinitionInfo | undefined): WantedReservation | undefined {
  if (info === undefined) return undefined;
  const requests = info['reservation-requests'];
  return {
    arrivalMs: Number(info.arrival ?? 0),
    deadlineMs: Number(info.deadline ?? 0),
    interpreter: requests?.['reservation-request-interpreter'] ?? 0,
    requests: (requests?.['reservation-request'] ?? []).map((request) => ({
      capability: request.capability && namedAmount(request.capability),
      containers: request['num-containers'] ?? 0,
      concurrency: request['min-concurrency'] ?? 0,
      durationMs: Number(request.duration ?? 0),
    })),
    name: info['reservation-name'],
    recurrence: info['recurrence-expression'],
  };
}

/** `POST /reservation/new-reservation`. */
export function answerNewReservation({ caller, commands }: ReservationNeeds, call: Call): Answer {
  caller(call.caller);
  return ok(newReservation, { 'reservation-id': commands.newReservation() });
}

/** `POST /reservation/submit`: 202 when it is durable. */
export async function submitReservation(
  { caller, commands }: ReservationNeeds,
  call: Call<Shape<typeof reservationSubmission>>,
): Promise<Answer> {
  const { queue, 'reservation-id': id, 'reservation-definition': definition } = call.body;
  await commands.createReservation(caller(call.caller), { id, queue, definition: readDefinition(definition) });
  return rendered('', 202);
}

/** `POST /reservation/update`. */
export async function updateReservation(
  { caller, commands }: ReservationNeeds,
  call: Call<Shape<typeof reservationUpdate>>,
): Promise<Answer> {
  const { 'reservation-id': id, 'reservation-definition': definition } = call.body;
  await commands.updateReservation(caller(call.caller), { id, definition: readDefinition(definition) });
  return ok(reservationUpdated, {});
}

/** `POST /reservation/delete`. */
export async function deleteReservation(
  { caller, commands }: ReservationNeeds,
  call: Call<Shape<typeof reservationDelete>>,
): Promise<Answer> {
  await commands.deleteReservation(caller(call.caller), call.body['reservation-id']);
  return ok(reservationDeleted, {});
}

function time(call: Call, name: string, standard: number): number {
  const text = call.query.first(name);
  if (text === undefined || text === '') return standard;
  const value = parseLong(text);
  if (value === undefined) throw failure('QUERY_NUMBER_MALFORMED', { value: text });
  return value;
}

/** `GET /reservation/list`. */
export function answerReservations(needs: ReservationNeeds, call: Call): Answer {
  const caller = needs.caller(call.caller);
  const found = needs.commands.listReservations(caller, {
    startMs: time(call, 'start-time', 0),
    endMs: time(call, 'end-time', -1),
    queue: call.query.first('queue') ?? 'default',
    id: call.query.first('reservation-id'),
  });
  const withAllocations = call.query.first('include-resource-allocations')?.toLowerCase() === 'true';
  return ok(reservationList, { reservations: found.map((reservation) => shown(needs, reservation, withAllocations)) });
}

/** What is allocated over time; between its parts nothing, with the cluster's bounds, as Hadoop shows it. */
function allocationsOf({ types, policy }: ReservationNeeds, { allocations }: Reservation) {
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

function shown(needs: ReservationNeeds, reservation: Reservation, withAllocations: boolean): ReservationInfo {
  const { types } = needs;
  const { definition } = reservation;
  return {
    'acceptance-time': reservation.acceptedMs,
    user: reservation.user,
    'resource-allocations': withAllocations ? allocationsOf(needs, reservation) : undefined,
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

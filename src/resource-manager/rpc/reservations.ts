// Reservations in Hadoop's messages (ReservationSystemUtil, ReservationAllocationStatePBImpl).
import type { ResourceTypes } from '../../model/resource.ts';
import type { Decoded, Encodable } from '../../wire/rpc/message.ts';
import type { ReservationIdProto } from '../../wire/rpc/tables/identifiers.ts';
import type { ReservationAllocationStateProto, ReservationDefinitionProto } from '../../wire/rpc/tables/reservations.ts';
import type { WantedReservation } from '../commands/reserve.ts';
import { interpreters } from '../reservations/definition.ts';
import type { Reservation } from '../reservations/plan.ts';
import { namedAmount, resourceMessage } from './values.ts';

const names = ['R_ANY', 'R_ALL', 'R_ORDER', 'R_ORDER_NO_GAP'] as const;

/** The text of a reservation's id; undefined where there is none. */
export const reservationIdText = (id: Decoded<typeof ReservationIdProto> | undefined): string | undefined =>
  id && `reservation_${id.cluster_timestamp ?? 0}_${id.id ?? 0}`;

export function reservationIdMessage(text: string): Encodable<typeof ReservationIdProto> {
  const [, clusterTimestamp, sequence] = text.split('_').map(Number);
  return { id: sequence, cluster_timestamp: clusterTimestamp };
}

/** What a caller wants reserved. */
export function readDefinition(definition: Decoded<typeof ReservationDefinitionProto> | undefined): WantedReservation | undefined {
  if (!definition) return undefined;
  const {
    reservation_requests: requests,
    arrival = 0,
    deadline = 0,
    reservation_name: name,
    recurrence_expression: recurrence,
  } = definition;
  return {
    arrivalMs: arrival,
    deadlineMs: deadline,
    interpreter: names.indexOf(requests?.interpreter ?? 'R_ALL'),
    requests: (requests?.reservation_resources ?? []).map(
      ({ capability, num_containers: containers, concurrency, duration: durationMs }) => ({
        capability: namedAmount(capability),
        containers,
        concurrency,
        durationMs,
      }),
    ),
    name,
    recurrence,
  };
}

/** A reservation as lists have it. */
export function reservationState(
  reservation: Reservation,
  types: ResourceTypes,
  withAllocations: boolean,
): Encodable<typeof ReservationAllocationStateProto> {
  const { definition, allocations } = reservation;
  return {
    reservation_definition: {
      reservation_requests: {
        reservation_resources: definition.requests.map(({ capability, containers, concurrency, durationMs }) => ({
          capability: resourceMessage(capability, types),
          num_containers: containers,
          concurrency,
          duration: durationMs,
        })),
        interpreter: names[interpreters.indexOf(definition.interpreter)]!,
      },
      arrival: definition.arrivalMs,
      deadline: definition.deadlineMs,
      reservation_name: definition.name,
      recurrence_expression: definition.recurrence,
    },
    allocation_requests: withAllocations
      ? allocations.map(({ startMs, endMs, resource }) => ({
          start_time: startMs,
          end_time: endMs,
          resource: resourceMessage(resource, types),
        }))
      : [],
    start_time: allocations[0]?.startMs,
    end_time: allocations.at(-1)?.endMs,
    user: reservation.user,
    contains_gangs: definition.requests.some(({ concurrency }) => concurrency > 1),
    acceptance_time: reservation.acceptedMs,
    reservation_id: reservationIdMessage(reservation.id),
  };
}

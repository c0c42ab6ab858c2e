// Reservations on the resource manager's REST interface. All records are written by the mapped writer.
import { int, list, long, object, record, type Shape, text } from '../codec/describe.ts';
import { resourceInfo } from './resource.ts';

/** One gang of containers. `duration` in ms. */
const reservationRequest = object({ capability: resourceInfo, 'min-concurrency': int(), 'num-containers': int(), duration: long() });

/** What is to be reserved and when. `reservation-request-interpreter`: 0 ANY, 1 ALL, 2 ORDER, 3 ORDER_NO_GAP. */
export const reservationDefinition = object({
  arrival: long(),
  deadline: long(),
  'reservation-requests': object({ 'reservation-request-interpreter': int(), 'reservation-request': list(reservationRequest) }),
  'reservation-name': text(),
  priority: int(),
  'recurrence-expression': text(),
});
export type ReservationDefinitionInfo = Shape<typeof reservationDefinition>;

/** `POST /reservation/new-reservation`. */
export const newReservation = record('new-reservation', { 'reservation-id': text() }, { json: 'mapped' });
/** Body of `POST /reservation/submit`. */
export const reservationSubmission = record(
  'reservation-submission-context',
  { queue: text(), 'reservation-definition': reservationDefinition, 'reservation-id': text() },
  { json: 'mapped' },
);
/** Body of `POST /reservation/update`. */
export const reservationUpdate = record(
  'reservation-update-context',
  { 'reservation-id': text(), 'reservation-definition': reservationDefinition },
  { json: 'mapped' },
);
/** Body of `POST /reservation/delete`. */
export const reservationDelete = record('reservation-delete-context', { 'reservation-id': text() }, { json: 'mapped' });
/** Answers without members. */
export const reservationUpdated = record('reservation-update-response', {}, { json: 'mapped' });
export const reservationDeleted = record('reservation-delete-response', {}, { json: 'mapped' });

/** One reservation of the list. */
export const reservation = object({
  'acceptance-time': long(),
  user: text(),
  'resource-allocations': list(object({ resource: resourceInfo, startTime: long(), endTime: long() })),
  'reservation-id': text(),
  'reservation-definition': reservationDefinition,
});
export type ReservationInfo = Shape<typeof reservation>;
/** `GET /reservation/list`. */
export const reservationList = record('reservationListInfo', { reservations: list(reservation) }, { json: 'mapped' });

// Methods of ApplicationClientProtocol about reservations and delegation tokens (ClientRMService).
import { decodeToken, encodeToken } from '../../auth/delegation/token-text.ts';
import { failure } from '../../model/errors.ts';
import type { Decoded } from '../../wire/rpc/message.ts';
import type { TokenProto } from '../../wire/rpc/tables/transport.ts';
import type { ClientHandlers, ClientNeeds } from './client-handlers.ts';
import { yarnException } from './failures.ts';
import { readDefinition, reservationIdMessage, reservationIdText, reservationState } from './reservations.ts';

type Names =
  | 'getNewReservation'
  | 'submitReservation'
  | 'updateReservation'
  | 'deleteReservation'
  | 'listReservations'
  | 'getDelegationToken'
  | 'renewDelegationToken'
  | 'cancelDelegationToken';

/** Handlers of these methods. */
export const reservationHandlers = ({ parts, commands, known, tokenProof }: ClientNeeds): ClientHandlers<Names> => ({
  getNewReservation: ({ caller }) => {
    known(caller);
    return { reservation_id: reservationIdMessage(commands.newReservation()) };
  },
  submitReservation: async ({ request, caller }) => {
    const id = reservationIdText(request.reservation_id);
    if (id === undefined)
      throw yarnException(
        'Reservation id cannot be null. Please try again specifying  a valid reservation id by creating a new reservation id.',
      );
    await commands.createReservation(known(caller), {
      id,
      queue: request.queue,
      definition: readDefinition(request.reservation_definition),
    });
    return {};
  },
  updateReservation: async ({ request, caller }) => {
    const id = reservationIdText(request.reservation_id);
    if (id === undefined) throw yarnException('Missing reservation id. Please try again by specifying a reservation id.');
    await commands.updateReservation(known(caller), { id, definition: readDefinition(request.reservation_definition) });
    return {};
  },
  deleteReservation: async ({ request, caller }) => {
    await commands.deleteReservation(known(caller), reservationIdText(request.reservation_id));
    return {};
  },
  listReservations: ({ request, caller }) => {
    const found = commands.listReservations(known(caller), {
      queue: request.queue ?? '',
      startMs: request.start_time ?? 0,
      endMs: request.end_time ?? -1,
      id: request.reservation_id,
    });
    const withAllocations = request.include_resource_allocations ?? false;
    return { reservations: found.map((reservation) => reservationState(reservation, parts.types, withAllocations)) };
  },
  getDelegationToken: async ({ request, caller }) => {
    const { token } = await commands.createToken(known(caller), request.renewer, tokenProof);
    const decoded = decodeToken(token);
    if (!decoded) throw failure('TOKEN_NOT_DECODABLE');
    return { token: decoded };
  },
  renewDelegationToken: async ({ request, caller }) => ({
    newExpiryTime: await commands.renewToken(known(caller), tokenText(request.token), tokenProof),
  }),
  cancelDelegationToken: async ({ request, caller }) => {
    await commands.cancelToken(known(caller), tokenText(request.token), tokenProof);
    return {};
  },
});

const tokenText = ({ identifier, password, kind, service }: Decoded<typeof TokenProto>): string =>
  encodeToken({ identifier: Buffer.from(identifier), password: Buffer.from(password), kind, service });

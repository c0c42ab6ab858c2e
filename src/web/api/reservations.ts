// What pages ask the resource manager about reservations.
import { queryOptions } from '@tanstack/react-query';
import { type ReadReservation, type Reservation, reservationsOf } from '../format/reservations.ts';
import { getJson, queryText } from './http.ts';

/** Reservations of a queue with what they hold over time. */
export const reservationsQuery = (queue: string) =>
  queryOptions({
    queryKey: ['queues', 'reservations', queue],
    queryFn: async ({ signal }): Promise<readonly Reservation[]> => {
      const found = await getJson<{ reservations?: readonly ReadReservation[] | ReadReservation } | null>(
        `ws/v1/cluster/reservation/list${queryText({ queue, 'include-resource-allocations': 'true' })}`,
        signal,
      );
      return reservationsOf(found?.reservations);
    },
  });

// Reservations: parts of a queue for a time to come.
import { many } from './cluster-client.ts';
import type { HttpClient } from './http.ts';

const base = '/ws/v1/cluster/reservation';

/** How the requests of a reservation belong together, in the order of the interface's numbers. */
export const reservationKinds = ['any', 'all', 'order', 'order-no-gap'] as const;

/** Containers that are wanted for a while. */
export interface ReservationRequest {
  readonly containers: number;
  /** How many of them at the same time, at least. */
  readonly concurrency: number;
  readonly memoryMiB: number;
  readonly vcores: number;
  readonly durationMs: number;
}

/** What is to be reserved. Times are ms since the epoch. */
export interface ReservationWish {
  readonly name: string | undefined;
  readonly arrivalMs: number;
  readonly deadlineMs: number;
  readonly kind: (typeof reservationKinds)[number];
  readonly requests: readonly ReservationRequest[];
  /** Repeats after so many ms. */
  readonly everyMs?: number | undefined;
}

/** A reservation that was made. */
export interface ReservationInfo extends ReservationWish {
  readonly id: string;
  readonly user: string;
  readonly acceptedMs: number;
}

interface WireRequest {
  readonly capability?: { readonly memory?: number | string; readonly vCores?: number | string };
  readonly 'min-concurrency'?: number | string;
  readonly 'num-containers'?: number | string;
  readonly duration?: number | string;
}
interface WireReservation {
  readonly 'reservation-id'?: string;
  readonly 'acceptance-time'?: number | string;
  readonly user?: string;
  readonly 'reservation-definition'?: {
    readonly arrival?: number | string;
    readonly deadline?: number | string;
    readonly 'reservation-name'?: string;
    readonly 'recurrence-expression'?: string;
    readonly 'reservation-requests'?: {
      readonly 'reservation-request-interpreter'?: number | string;
      readonly 'reservation-request'?: WireRequest | WireRequest[];
    };
  };
}

const definitionOf = ({ name, arrivalMs, deadlineMs, kind, requests, everyMs }: ReservationWish) => ({
  arrival: arrivalMs,
  deadline: deadlineMs,
  ...(name === undefined ? {} : { 'reservation-name': name }),
  ...(everyMs === undefined ? {} : { 'recurrence-expression': String(everyMs) }),
  'reservation-requests': {
    'reservation-request-interpreter': reservationKinds.indexOf(kind),
    'reservation-request': requests.map(({ containers, concurrency, memoryMiB, vcores, durationMs }) => ({
      capability: { memory: memoryMiB, vCores: vcores },
      'min-concurrency': concurrency,
      'num-containers': containers,
      duration: durationMs,
    })),
  },
});

function infoOf(wire: WireReservation): ReservationInfo {
  const definition = wire['reservation-definition'];
  const requests = definition?.['reservation-requests'];
  const every = Number(definition?.['recurrence-expression'] ?? 0);
  return {
    id: wire['reservation-id'] ?? '',
    user: wire.user ?? '',
    acceptedMs: Number(wire['acceptance-time'] ?? 0),
    name: definition?.['reservation-name'],
    arrivalMs: Number(definition?.arrival ?? 0),
    deadlineMs: Number(definition?.deadline ?? 0),
    kind: reservationKinds[Number(requests?.['reservation-request-interpreter'] ?? 0)] ?? 'any',
    requests: many(requests?.['reservation-request']).map((request) => ({
      containers: Number(request['num-containers'] ?? 0),
      concurrency: Number(request['min-concurrency'] ?? 0),
      memoryMiB: Number(request.capability?.memory ?? 0),
      vcores: Number(request.capability?.vCores ?? 0),
      durationMs: Number(request.duration ?? 0),
    })),
    ...(every > 0 ? { everyMs: every } : {}),
  };
}

/** Calls of the resource manager. All methods throw Unreachable and RemoteFailure. */
export class Reservations {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  async list(queue: string, id?: string): Promise<ReservationInfo[]> {
    const answer = await this.#http.json<{ reservations?: WireReservation | WireReservation[] }>('GET', `${base}/list`, {
      query: { queue, 'reservation-id': id },
    });
    return many(answer.reservations).map(infoOf);
  }

  /** Resolves with the id of what was reserved. */
  async submit(queue: string, wish: ReservationWish): Promise<string> {
    const { 'reservation-id': id } = await this.#http.json<{ 'reservation-id': string }>('POST', `${base}/new-reservation`);
    await this.#http.json('POST', `${base}/submit`, {
      body: { queue, 'reservation-id': id, 'reservation-definition': definitionOf(wish) },
    });
    return id;
  }

  async update(id: string, wish: ReservationWish): Promise<void> {
    await this.#http.json('POST', `${base}/update`, { body: { 'reservation-id': id, 'reservation-definition': definitionOf(wish) } });
  }

  async delete(id: string): Promise<void> {
    await this.#http.json('POST', `${base}/delete`, { body: { 'reservation-id': id } });
  }
}

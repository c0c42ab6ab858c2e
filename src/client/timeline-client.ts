// Puts entities into timeline v1 without ever making the caller wait: bounded buffer, batches, repetition while the server is away or behind.

import type { Clock } from '../lib/clock.ts';
import { anything, checked, fields, many, optional } from '../lib/json-shape.ts';
import type { Logger } from '../lib/log.ts';
import type { TimelineEntity } from '../wire/timeline/entity.ts';
import { type Delivery, DeliveryQueue } from './delivery-queue.ts';
import { request } from './request.ts';

export interface TimelineClientOptions {
  /** Base URL of the timeline server, `http://127.0.0.1:8188`. */
  readonly url: string;
  /** Who publishes (`user.name`). */
  readonly user: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Most entities kept while the server is away; default 50,000. */
  readonly maximumKept?: number;
  /** Further headers, asked for at each request (a bearer token). */
  readonly headers?: () => Record<string, string>;
}

const requestTimeoutMs = 30_000;

/** What an answer means for the batch that got it: 429 and 5xx are repeated, other 4xx are refusals. */
export function deliveryOf(status: number, retryAfter: string | undefined, body: string): Delivery {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  if (status === 429 || status >= 500) {
    const seconds = Number(retryAfter);
    return Number.isFinite(seconds) && seconds > 0 ? { kind: 'again', afterMs: seconds * 1000 } : { kind: 'again' };
  }
  return { kind: 'refused', reason: `${status} ${body.slice(0, 300)}` };
}

/** Sends a JSON body and tells what became of it; throws when the server cannot be reached. */
export async function deliver(
  method: 'POST' | 'PUT',
  url: string,
  value: unknown,
  headers: Record<string, string> = {},
): Promise<Delivery & { text?: string }> {
  const answer = await request(url, {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(value),
    headersTimeout: requestTimeoutMs,
    bodyTimeout: requestTimeoutMs,
  });
  const text = await answer.body.text();
  const retryAfter = answer.headers['retry-after'];
  return { ...deliveryOf(answer.statusCode, Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, text), text };
}

/** A publisher of timeline v1 entities. */
export class TimelineClient {
  readonly #queue: DeliveryQueue<TimelineEntity>;

  constructor(options: TimelineClientOptions) {
    const url = `${options.url.replace(/\/$/, '')}/ws/v1/timeline?user.name=${encodeURIComponent(options.user)}`;
    this.#queue = new DeliveryQueue({
      name: 'timeline',
      clock: options.clock,
      logger: options.logger,
      ...(options.maximumKept === undefined ? {} : { maximumKept: options.maximumKept }),
      send: async (entities) => {
        const delivery = await deliver('POST', url, { entities }, options.headers?.());
        if (delivery.kind === 'taken') reportErrors(delivery.text ?? '', options.logger);
        return delivery;
      },
    });
  }

  /** Entities kept for sending. */
  get size(): number {
    return this.#queue.size;
  }

  /** Entities given up since the start. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  /** Takes entities for publishing and returns at once; they are sent in the order given. */
  putEntities(entities: readonly TimelineEntity[]): void {
    this.#queue.push(entities);
  }

  /** Resolves when everything was sent. */
  flush(): Promise<void> {
    return this.#queue.idle();
  }

  /** Gives the rest up to `withinMs` to be sent, then forgets it. */
  close(withinMs?: number): Promise<void> {
    return this.#queue.close(withinMs);
  }
}

/** TimelinePutResponse: each error names an entity and why it was refused. */
const putResponse = fields({ errors: optional(many(anything())) });

/** Refused entities are a fault of the publisher: they are logged, never repeated. */
function reportErrors(text: string, logger: Logger): void {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return;
  }
  const errors = checked(putResponse, answer).value?.errors;
  if (errors && errors.length > 0) logger.warn({ errors: errors.slice(0, 5), count: errors.length }, 'timeline refused entities');
}

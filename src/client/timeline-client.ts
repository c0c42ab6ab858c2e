// Puts entities into the timeline without ever making the caller wait: bounded buffer, batches, repetition while the server is away or behind.

import type { Clock } from '../lib/clock.ts';
import { checked, fields, many, number, optional, text } from '../lib/json-shape.ts';
import type { Logger } from '../lib/log.ts';
import { putErrorCodes, type TimelineEntity } from '../wire/timeline/entity.ts';
import { type EntityV2, systemWritesPath } from '../wire/timeline/v2-entity.ts';
import type { Authorize } from './credentials.ts';
import { type Delivery, DeliveryQueue } from './delivery-queue.ts';
import { requestProven } from './request-proven.ts';

export interface TimelineClientOptions {
  /** Base URL of the timeline server, `http://127.0.0.1:8188`. */
  readonly url: string;
  /** Who publishes (`user.name`). */
  readonly user: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Most entities kept while the server is away; default 50,000. */
  readonly maximumKept?: number;
  /** Proves who publishes, with headers of each request; absent: the name alone. */
  readonly authorize?: Authorize | undefined;
}

const requestTimeoutMs = 30_000;

/** What an answer means for the batch that got it: 429 and 5xx are repeated, other 4xx are refusals. */
export function deliveryOf(status: number, retryAfter: string | undefined, body: string): Delivery {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  if (status === 429 || status >= 500) {
    const seconds = Number(retryAfter);
    return Number.isFinite(seconds) && seconds > 0 ? { kind: 'again', afterMs: seconds * 1000 } : { kind: 'again' };
  }
  return { kind: 'refused', status, reason: `${status} ${body.slice(0, 300)}` };
}

/** Sends a JSON text and tells what became of it; throws when the server cannot be reached. */
async function deliver(
  target: TimelineTarget,
  path: string,
  body: string,
  method: 'POST' | 'PUT' = 'POST',
): Promise<{ delivery: Delivery; text: string }> {
  const answer = await requestProven(urlOf(target, path), target.authorize, {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
    headersTimeout: requestTimeoutMs,
    bodyTimeout: requestTimeoutMs,
  });
  const text = await answer.body.text();
  const retryAfter = answer.headers['retry-after'];
  const delivery = deliveryOf(answer.statusCode, Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, text);
  return { delivery, text };
}

/** Where to, and as whom. */
export type TimelineTarget = Pick<TimelineClientOptions, 'url' | 'user' | 'logger' | 'authorize'>;

const urlOf = ({ url, user }: TimelineTarget, path: string): string =>
  `${url.replace(/\/$/, '')}${path}${path.includes('?') ? '&' : '?'}user.name=${encodeURIComponent(user)}`;

/** Puts entities of version 1, given as JSON joined by commas. */
export async function sendEntities(target: TimelineTarget, texts: string): Promise<Delivery> {
  const { delivery, text: answer } = await deliver(target, '/ws/v1/timeline', `{"entities":[${texts}]}`);
  if (delivery.kind !== 'taken') return delivery;
  const errors = errorsIn(answer);
  if (errors.length > 0) target.logger.warn({ errors: errors.slice(0, 5), count: errors.length }, 'timeline refused entities');
  return { ...delivery, refused: errors.length, denied: errors.some(({ errorcode }) => errorcode === putErrorCodes.ACCESS_DENIED) };
}

/** Tells version 2 what the resource manager writes, given as JSON joined by commas. */
export async function sendSystemWrites(target: TimelineTarget, texts: string): Promise<Delivery> {
  return (await deliver(target, systemWritesPath, `{"writes":[${texts}]}`)).delivery;
}

/**
 * Puts entities of version 2 of an application, given as JSON joined by commas. A collector that does not know the application yet hears of it
 * soon (404): the resource manager tells it when the master's container was launched.
 */
export async function sendApplicationEntities(target: TimelineTarget, applicationId: string, texts: string): Promise<Delivery> {
  const path = `/ws/v2/timeline/entities?appid=${encodeURIComponent(applicationId)}`;
  const { delivery } = await deliver(target, path, `{"entities":[${texts}]}`, 'PUT');
  return delivery.kind === 'refused' && delivery.status === 404 ? { kind: 'again', reason: delivery.reason } : delivery;
}

/** Answers that speak of what was sent. Others, of a wrong address or of missing rights, are mended elsewhere: what was sent stays owed. */
const refusals = new Set([400, 413, 422]);

/** For one who keeps what it owes: only what can never be taken is refused. */
export const owed =
  (send: (target: TimelineTarget, texts: string) => Promise<Delivery>, target: TimelineTarget) =>
  async (texts: string): Promise<Delivery> => {
    const delivery = await send(target, texts);
    if (delivery.kind === 'taken' && delivery.denied)
      return { kind: 'again', reason: 'it does not know its sender as a server of this cluster' };
    if (delivery.kind !== 'refused' || refusals.has(delivery.status)) return delivery;
    return { kind: 'again', reason: delivery.reason };
  };

/** A publisher of entities: of version 1, or of version 2 for one application. */
export class TimelineClient<Entity extends TimelineEntity | EntityV2 = TimelineEntity> {
  readonly #queue: DeliveryQueue<Entity>;

  /** `send` takes the entities of a batch as JSON, joined by commas. */
  constructor(options: TimelineClientOptions, send: (target: TimelineTarget, texts: string) => Promise<Delivery> = sendEntities) {
    this.#queue = new DeliveryQueue({
      name: 'timeline',
      clock: options.clock,
      logger: options.logger,
      ...(options.maximumKept === undefined ? {} : { maximumKept: options.maximumKept }),
      send: (entities) => send(options, entities.map((entity) => JSON.stringify(entity)).join(',')),
    });
  }

  /** A publisher of entities of version 2 of an application; `url` is the collector's. */
  static ofApplication(options: TimelineClientOptions, applicationId: string): TimelineClient<EntityV2> {
    return new TimelineClient<EntityV2>(options, (target, texts) => sendApplicationEntities(target, applicationId, texts));
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
  putEntities(entities: readonly Entity[]): void {
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
const putResponse = fields({
  errors: optional(many(fields({ entity: optional(text()), entitytype: optional(text()), errorcode: optional(number()) }))),
});

/** What an answer to a put refuses. */
function errorsIn(answer: string): readonly { readonly errorcode?: number | undefined }[] {
  try {
    return checked(putResponse, JSON.parse(answer)).value?.errors ?? [];
  } catch {
    return [];
  }
}

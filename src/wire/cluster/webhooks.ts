// Webhooks as `/api/v1/webhooks` takes and shows them.
import { closedFields, fields, type JsonOf, many, number, optional, text, truth, whole } from '../../lib/json-shape.ts';

/** Milliseconds since the epoch. */
const time = number({ minimum: 0 });

const wantedNames = optional(many(text({ minLength: 1, maxLength: 1024 }), { maxItems: 100 }));
/** A webhook that is asked for; absent lists let everything pass, and where there is no secret one is made. */
export const webhookCreation = closedFields({
  url: text({ minLength: 1, maxLength: 1500 }),
  secret: optional(text({ minLength: 16, maxLength: 200 })),
  applications: wantedNames,
  users: wantedNames,
  queues: wantedNames,
  kinds: wantedNames,
});
export type WebhookCreation = JsonOf<typeof webhookCreation>;

/** Which deliveries that were given up are owed again; absent: all. */
export const redelivery = closedFields({ deliveries: optional(many(whole({ minimum: 1 }), { maxItems: 1000 })) });

const names = optional(many(text()));
const webhookMembers = {
  id: text(),
  user: text(),
  url: text(),
  createdMs: time,
  proved: truth(),
  applications: names,
  users: names,
  queues: names,
  kinds: names,
  waiting: whole({ minimum: 0 }),
  delivered: whole({ minimum: 0 }),
  failures: whole({ minimum: 0 }),
  withheld: whole({ minimum: 0 }),
  deadLetters: whole({ minimum: 0 }),
  dropped: whole({ minimum: 0 }),
  lastDeliveredMs: optional(time),
  failingSinceMs: optional(time),
  lastFailure: optional(text()),
};
/** A webhook and how it fares, without its secret. */
export const webhook = fields(webhookMembers);
/** A webhook that was made now: the only answer with its secret. */
export const madeWebhook = fields({ ...webhookMembers, secret: text() });
/** Webhooks. */
export const webhooks = fields({ webhooks: many(webhook) });
/** A webhook with the events that were given up for it, the newest first. */
export const webhookDetail = fields({
  ...webhookMembers,
  letters: many(fields({ delivery: whole(), kind: text(), madeMs: time, tries: whole(), deadMs: time, reason: text() })),
});
/** A webhook that was removed. */
export const removedWebhook = fields({ removed: text() });
/** How many events are owed again. */
export const redelivered = fields({ redelivered: whole({ minimum: 0 }) });

// Webhooks over HTTP.
import { json } from '../../http/answers.ts';
import { jsonBody } from '../../http/json-body.ts';
import { readFlag } from '../../http/query-flag.ts';
import type { Service } from '../../http/service.ts';
import type { Found } from '../../scheduler/policy.ts';
import { redelivery, webhookCreation } from '../../wire/cluster/webhooks.ts';
import type { Commands } from '../commands/commands.ts';
import type { KnownCaller } from './callers.ts';
import { eventNames } from './event-filter.ts';

/** What these routes work with. */
export interface WebhookNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'createWebhook' | 'listWebhooks' | 'showWebhook' | 'removeWebhook' | 'redeliver'>;
  readonly policy: { queueOfFilter(name: string): Found };
}

const path = '/api/v1/webhooks';
const one = `${path}/:webhook`;

/** Adds the routes. */
export function mountWebhooks(service: Service, { caller: known, commands, policy }: WebhookNeeds): void {
  service.route<Buffer>({
    method: 'POST',
    path,
    access: 'named',
    about: 'Makes a webhook of the caller’s: events are sent there. Its secret is in this answer and nowhere else.',
    body: 'raw',
    bodyLimitBytes: 500_000,
    produces: ['json'],
    handle: async ({ body, caller }) => {
      const { url, secret, ...filter } = jsonBody(webhookCreation, body);
      return json(await commands.createWebhook(known(caller), { url, secret, ...eventNames(filter, policy) }), 201);
    },
  });
  service.route({
    method: 'GET',
    path,
    access: 'overview',
    about: 'The caller’s webhooks, without their secrets; with `all=true` those of everybody, for administrators.',
    produces: ['json'],
    handle: ({ caller, query }) => json({ webhooks: commands.listWebhooks(known(caller), readFlag(query, 'all')) }),
  });
  service.route({
    method: 'GET',
    path: one,
    access: 'named',
    about: 'One webhook with the events that were given up for it.',
    produces: ['json'],
    handle: ({ caller, params }) => json(commands.showWebhook(known(caller), params['webhook'] ?? '')),
  });
  service.route({
    method: 'DELETE',
    path: one,
    access: 'named',
    about: 'Removes a webhook and all that was to be sent there.',
    produces: ['json'],
    handle: async ({ caller, params }) => json(await commands.removeWebhook(known(caller), params['webhook'] ?? '')),
  });
  service.route<Buffer>({
    method: 'POST',
    path: `${one}/redeliver`,
    access: 'named',
    about: 'Sends events again that were given up: those that are named, or all.',
    body: 'raw',
    bodyLimitBytes: 50_000,
    produces: ['json'],
    handle: async ({ body, caller, params }) => {
      const { deliveries } = jsonBody(redelivery, body, {});
      return json(await commands.redeliver(known(caller), params['webhook'] ?? '', deliveries));
    },
  });
}

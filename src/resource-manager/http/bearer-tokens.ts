// Bearer tokens over HTTP: for users, and for servers of the cluster that want to know what one is worth.
import {
  changesPath,
  changesQuestion,
  examinePath,
  examineQuestion,
  longestWaitMs,
  sealed,
  unsealed,
} from '../../auth/bearer/examination.ts';
import { tokenScopes } from '../../auth/bearer/restriction.ts';
import type { TokenRegistry } from '../../auth/bearer/token-registry.ts';
import type { ClusterSecret } from '../../auth/cluster-secret.ts';
import { json } from '../../http/answers.ts';
import { jsonBody } from '../../http/json-body.ts';
import { readFlag } from '../../http/query-flag.ts';
import type { Service } from '../../http/service.ts';
import { anything, closedFields, many, number, optional, text, word } from '../../lib/json-shape.ts';
import { failure } from '../../model/errors.ts';
import type { Commands } from '../commands/commands.ts';
import type { KnownCaller } from './callers.ts';

/** What these routes work with. */
export interface BearerTokenNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'createBearerToken' | 'listBearerTokens' | 'revokeBearerToken'>;
  readonly registry: Pick<TokenRegistry, 'judge' | 'changed' | 'version'>;
  /** What servers prove themselves with. */
  readonly secret: Pick<ClusterSecret, 'examinationKeys'>;
  /** How long a token lasts that is asked for without a time. */
  readonly usualLifetimeMs: number;
}

export const creation = closedFields({
  name: text({ minLength: 1, maxLength: 100 }),
  scope: word(...tokenScopes),
  queues: optional(many(text({ minLength: 1, maxLength: 1024 }), { maxItems: 100 })),
  lifetimeSeconds: optional(number({ minimum: 1, maximum: 10_000_000_000 })),
});

const path = '/api/v1/tokens';

/** Adds the routes. */
export function mountBearerTokens(
  service: Service,
  { caller: known, commands, registry, secret, usualLifetimeMs }: BearerTokenNeeds,
): void {
  service.route<Buffer>({
    method: 'POST',
    path,
    access: 'named',
    about: 'Makes a bearer token of the caller’s; its text is in this answer and nowhere else.',
    body: 'raw',
    bodyLimitBytes: 200_000,
    produces: ['json'],
    handle: async ({ body, caller }) => {
      const { name, scope, queues, lifetimeSeconds } = jsonBody(creation, body);
      const lifetimeMs = lifetimeSeconds === undefined ? usualLifetimeMs : lifetimeSeconds * 1000;
      return json(await commands.createBearerToken(known(caller), { name, scope, queues, lifetimeMs }), 201);
    },
  });
  service.route({
    method: 'GET',
    path,
    access: 'overview',
    about: 'The caller’s bearer tokens, without their texts; with `all=true` those of everybody, for administrators.',
    produces: ['json'],
    handle: ({ caller, query }) => json({ tokens: commands.listBearerTokens(known(caller), readFlag(query, 'all')) }),
  });
  service.route({
    method: 'DELETE',
    path: `${path}/:token`,
    access: 'named',
    about: 'Revokes a bearer token, named by its id or by its name; it counts nowhere any more.',
    produces: ['json'],
    handle: async ({ caller, params }) => json(await commands.revokeBearerToken(known(caller), params['token'] ?? '')),
  });
  const examination = {
    method: 'POST',
    access: 'own-credentials',
    authentication: 'none',
    body: 'raw',
    bodyLimitBytes: 4096,
    produces: ['json'],
  } as const;
  service.route<Buffer>({
    ...examination,
    path: examinePath,
    about: 'What a bearer token is worth, for servers of the cluster: question and answer are signed with its secret.',
    handle: ({ body }) => {
      const question = unsealed(secret.examinationKeys, 'examine question', examineQuestion, jsonBody(anything(), body));
      if (!question) throw failure('BEARER_REFUSED', { mechanism: 'cluster-secret' });
      return json(sealed(question.key, 'examine answer', question.nonce, registry.judge(question.value.digest)));
    },
  });
  service.route<Buffer>({
    ...examination,
    path: changesPath,
    about: 'Answers when a bearer token was revoked, or after a while, for servers of the cluster.',
    handle: async ({ body, signal }) => {
      const question = unsealed(secret.examinationKeys, 'changes question', changesQuestion, jsonBody(anything(), body));
      if (!question) throw failure('BEARER_REFUSED', { mechanism: 'cluster-secret' });
      await registry.changed(question.value.version, AbortSignal.any([signal, AbortSignal.timeout(longestWaitMs)]));
      return json(sealed(question.key, 'changes answer', question.nonce, { version: registry.version }));
    },
  });
}

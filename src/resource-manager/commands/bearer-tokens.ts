// Bearer tokens: made by their user; listed and revoked by their user, and by administrators for everybody. What a token may do is in
// `auth/bearer/`.

import type { Audit } from '../../auth/audit-log.ts';
import type { TokenRestriction } from '../../auth/bearer/restriction.ts';
import { type KeptToken, mostTokensOfUser, type TokenRegistry } from '../../auth/bearer/token-registry.ts';
import { failure } from '../../model/errors.ts';
import type { Found } from '../../scheduler/policy.ts';
import { type Caller, isProved } from './caller.ts';
import { mustNotBeNarrow } from './token-limits.ts';

export interface BearerTokenPorts {
  readonly registry: Pick<TokenRegistry, 'create' | 'list' | 'revoke'>;
  readonly access: { isAdministrator(user: string): boolean };
  readonly policy: { resolveQueue(name: string): Found };
  readonly audit: Audit;
  readonly clock: { now(): number };
  /** `heddle.security.tokens.maximum-lifetime`. */
  readonly maximumLifetimeMs: number;
}

/** What a token is asked for. */
export interface BearerTokenRequest extends TokenRestriction {
  readonly name: string;
  readonly lifetimeMs: number;
}

/** A token as it is shown: without its digest. */
export type ShownToken = Omit<KeptToken, 'digest'>;
const shown = ({ digest: _, ...token }: KeptToken): ShownToken => token;
const unprintable = /[\p{Cc}\p{Cf}]/u;

/**
 * Makes a token of the caller's; its text is told this once. Resolves when it is durable.
 * @throws Failure BAD_REQUEST, BEARER_BY_NARROW_TOKEN, BEARER_TOO_MANY
 */
export async function createBearerToken(
  ports: BearerTokenPorts,
  caller: Caller,
  { name, scope, queues, lifetimeMs }: BearerTokenRequest,
): Promise<ShownToken & { readonly text: string }> {
  const { registry, audit, clock, maximumLifetimeMs } = ports;
  const { user } = caller;
  const operation = { operation: 'create bearer token', target: name, scope };
  mustNotBeNarrow(ports.audit, caller, operation, 'BEARER_BY_NARROW_TOKEN');
  if (name.trim() === '' || unprintable.test(name)) throw failure('BAD_REQUEST', { reason: 'a token needs a name that can be printed' });
  if (lifetimeMs > maximumLifetimeMs) {
    const seconds = Math.floor(maximumLifetimeMs / 1000);
    throw failure('BAD_REQUEST', { reason: `a token lasts ${seconds} s at most (heddle.security.tokens.maximum-lifetime)` });
  }
  const own = registry.list(user).filter(({ expiresMs }) => expiresMs > clock.now());
  if (own.some((token) => token.name === name)) throw failure('BAD_REQUEST', { reason: `${user} has a token named ${name} already` });
  if (own.length >= mostTokensOfUser) throw failure('BEARER_TOO_MANY', { user, most: mostTokensOfUser });
  const named = queues?.map((queue) => fullName(ports, queue));
  const { text, token } = await registry.create({ name, user, scope, queues: named, lifetimeMs, proved: isProved(caller) });
  audit.changed(caller, { ...operation, tokenId: token.id });
  return { ...shown(token), text };
}

/** The caller's tokens, or with `all` those of everybody. @throws Failure BEARER_BY_NARROW_TOKEN, ONLY_ADMINISTRATORS */
export function listBearerTokens(ports: BearerTokenPorts, caller: Caller, all: boolean): readonly ShownToken[] {
  const operation = { operation: 'list bearer tokens', target: all ? 'all' : caller.user };
  mustNotBeNarrow(ports.audit, caller, operation, 'BEARER_BY_NARROW_TOKEN');
  if (all && !ports.access.isAdministrator(caller.user)) throw ports.audit.refused(caller, operation, failure('ONLY_ADMINISTRATORS'));
  return ports.registry.list(all ? undefined : caller.user).map(shown);
}

/**
 * Ends a token, named by its id, or by the name that the caller gave to it. Resolves when that is durable; it counts at once.
 * @throws Failure BEARER_UNKNOWN (also for those of others: whose they are is not told), BEARER_BY_NARROW_TOKEN
 */
export async function revokeBearerToken(ports: BearerTokenPorts, caller: Caller, named: string): Promise<ShownToken> {
  const { registry, access, audit } = ports;
  const operation = { operation: 'revoke bearer token', target: named };
  mustNotBeNarrow(ports.audit, caller, operation, 'BEARER_BY_NARROW_TOKEN');
  const tokens = registry.list();
  const own = tokens.filter(({ user }) => user === caller.user);
  const token =
    (access.isAdministrator(caller.user) ? tokens : own).find(({ id }) => id === named) ?? own.findLast(({ name }) => name === named);
  if (!token) throw audit.refused(caller, operation, failure('BEARER_UNKNOWN', { named }));
  await registry.revoke(token);
  audit.changed(caller, { ...operation, for: token.user, tokenId: token.id });
  return shown(token);
}

/** The full name of a queue; one that is not there yet is named by it. @throws Failure BAD_REQUEST */
function fullName({ policy }: BearerTokenPorts, queue: string): string {
  if (queue.trim() === '' || unprintable.test(queue)) throw failure('BAD_REQUEST', { reason: 'a queue needs a name' });
  const found = policy.resolveQueue(queue);
  if (typeof found === 'object') return found.queue;
  if (queue === 'root' || queue.startsWith('root.')) return queue;
  throw failure('BAD_REQUEST', { reason: `there is no queue ${queue}; write the full name (root.…) of one that is made later` });
}

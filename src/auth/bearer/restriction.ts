// What a bearer token narrows its bearer to: a scope, and the queues it may submit to. It never gives more than its user may.
import { type Failure, failure } from '../../model/errors.ts';
import type { RouteAccess } from '../route-access.ts';

/** Scopes from the narrowest to the widest; each has those before it. */
export const tokenScopes = ['read', 'submit', 'admin'] as const;
/** `read`: views; `submit`: besides, the user's own applications; `admin`: everything the user may, of the cluster as a whole only without queues. */
export type TokenScope = (typeof tokenScopes)[number];

/** The limits of a token. */
export interface TokenRestriction {
  readonly scope: TokenScope;
  /** Full names of queues; those below them count too. Absent: every queue. */
  readonly queues?: readonly string[] | undefined;
}

const neededScopes: Readonly<Record<RouteAccess, TokenScope | 'none' | 'never'>> = {
  open: 'none',
  'own-credentials': 'none',
  facts: 'read',
  overview: 'read',
  view: 'read',
  named: 'submit',
  submit: 'submit',
  modify: 'submit',
  owner: 'submit',
  proven: 'never',
  relayed: 'submit',
  admin: 'admin',
};

/**
 * What a route asks of a token that is narrower; undefined where the token is wide enough. `access` undefined is a route without a
 * declaration: it is for administrators.
 */
function missing({ scope, queues }: TokenRestriction, access: RouteAccess = 'admin', method: string): string | undefined {
  const reads = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  const needed = access === 'relayed' && reads ? 'read' : neededScopes[access];
  if (needed === 'none') return undefined;
  if (needed === 'never') return 'a proof of another kind';
  // What is for administrators is the whole cluster's: its queues, nodes, lists and settings.
  if (needed === 'admin' && queues !== undefined) return 'the scope admin for all queues';
  return tokenScopes.indexOf(scope) < tokenScopes.indexOf(needed) ? `the scope ${needed}` : undefined;
}

/** Whether a token reaches a queue, given by its full name (`root.a.b`). */
export const reachesQueue = ({ queues }: TokenRestriction, queue: string): boolean =>
  queues === undefined || queues.some((named) => queue === named || queue.startsWith(`${named}.`));

/** Who bears a token. */
interface ScopedCaller {
  readonly user: string | undefined;
  readonly restriction?: TokenRestriction;
}

/** Why a caller may not use a route with the token that it bears; undefined where it may. */
export function scopeRefusal(caller: ScopedCaller, access: RouteAccess | undefined, method: string): Failure | undefined {
  const { user = '', restriction } = caller;
  const needed = restriction && missing(restriction, access, method);
  if (needed === undefined) return undefined;
  const { scope, queues } = restriction!;
  return failure('BEARER_SCOPE', { user, scope: queues === undefined ? scope : `${scope} for some queues`, needed });
}

/** What belongs to a user and a queue: an application, a reservation. `queue` is its full name; undefined: not known, so that no named queue is it. */
export interface Belonging {
  readonly id: string;
  readonly user: string;
  readonly queue: string | undefined;
}

/** Why a caller may not change something with the token that it bears: with a narrower scope than `admin` others' things, and things of queues that it does not reach. */
export function changeRefusal({ user = '', restriction }: ScopedCaller, { id, user: owner, queue }: Belonging): Failure | undefined {
  if (restriction === undefined) return undefined;
  if (restriction.scope !== 'admin' && owner !== user) return failure('BEARER_OTHERS', { id });
  const isReached = restriction.queues === undefined || (queue !== undefined && reachesQueue(restriction, queue));
  return isReached ? undefined : failure('BEARER_QUEUE', { user, queue: queue ?? `of ${id}` });
}

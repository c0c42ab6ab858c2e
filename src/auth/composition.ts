// How the proofs of a server make its authenticator: delegation tokens first, then each proof in order, then what callers without any are.
import { failure } from '../model/errors.ts';
import {
  type AuthenticationRequest,
  type Authenticator,
  actsFor,
  type Identity,
  type MayImpersonate,
  type NameOf,
  namesUser,
  type Proof,
  shortName,
} from './authenticator.ts';

/**
 * Delegation tokens and `op=` calls. `prove` asks the other proofs, `session` who was known before alone; undefined: the request has to
 * do with neither.
 */
export type TokenProof = (
  request: AuthenticationRequest,
  prove: () => ReturnType<Proof>,
  session: () => ReturnType<Proof>,
) => ReturnType<Proof>;

/** What an authenticator is made of. */
export interface Composition {
  /** Absent: tokens and `op=` calls are ignored. */
  readonly tokens?: TokenProof | undefined;
  /** The one of the proofs that says who was known before (a cookie): it counts more than a token that comes with it. */
  readonly session?: Proof | undefined;
  /** Asked in this order; the first that finds itself in the request decides. */
  readonly proofs: readonly Proof[];
  /** Who a caller without any proof is, or its refusal. */
  readonly nobody: (request: AuthenticationRequest) => Identity;
  /** Who may act for others by `doAs`. Absent: `doAs` is ignored. */
  readonly mayImpersonate?: MayImpersonate | undefined;
  /** The user of a principal; undefined: nobody's. Default: what stands before `/` and `@`. */
  readonly nameOf?: NameOf;
}

/** The authenticator of these proofs. */
export function composeAuthenticator({ tokens, session, proofs, nobody, mayImpersonate, nameOf = shortName }: Composition): Authenticator {
  const act = (identity: Identity, request: AuthenticationRequest) =>
    mayImpersonate ? acting(identity, request, mayImpersonate, nameOf) : identity;
  const proveBy =
    (asked: readonly Proof[]) =>
    (request: AuthenticationRequest): ReturnType<Proof> => {
      for (const proof of asked) {
        const found = proof(request);
        if (found === undefined) continue;
        return found instanceof Promise ? found.then((identity) => act(identity, request)) : act(found, request);
      }
      return undefined;
    };
  const prove = proveBy(proofs);
  const known = proveBy(session ? [session] : []);
  return {
    identify: (request) =>
      tokens?.(
        request,
        () => prove(request),
        () => known(request),
      ) ??
      prove(request) ??
      nobody(request),
  };
}

/** The identity of whom the caller acts for, where the request names a user (`doAs`). */
function acting(identity: Identity, request: AuthenticationRequest, mayImpersonate: MayImpersonate, nameOf: NameOf): Identity {
  if (!('caller' in identity)) return identity;
  const { caller, headers } = identity;
  const target = actsFor(request);
  const user = caller.user;
  if (target === undefined || user === undefined) return identity;
  const refused = (refusal: ReturnType<typeof failure>): Identity => ({ refusal, ...(headers ? { headers } : {}) });
  const named = namesUser(target) ? nameOf(target) : undefined;
  if (named === undefined) return refused(failure('ILLEGAL_ARGUMENT', { reason: 'Null user' }));
  // Lists of proxy users hold short names (DefaultImpersonationProvider asks by them); who is refused reads the name as it was written.
  if (!mayImpersonate(user, named, request.remoteAddress))
    return refused(failure('IMPERSONATION_REFUSED', { user: caller.principal ?? user, target, auditedUser: user }));
  return { ...identity, caller: { ...caller, user: named, principal: target, realUser: user } };
}

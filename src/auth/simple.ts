// Simple (pseudo) authentication: a caller is who `user.name` says. Rules: PseudoAuthenticationHandler of hadoop-auth.
import { failure } from '../model/errors.ts';
import { type AuthenticationRequest, type Identity, namesUser, type Proof, shortName } from './authenticator.ts';
import { type CookieOptions, clearedCookie, cookieHeader, refusalReason } from './cookie.ts';

/** How a server treats names. */
export interface SimpleOptions extends CookieOptions {
  /** `t=` of the cookie (`simple-dt` where delegation tokens are understood); undefined: no cookie is ever set. */
  readonly cookieType: string | undefined;
}

/** Takes a caller by its name, and sets a cookie for next time. */
export function simpleProof(options: SimpleOptions): Proof {
  return (request): Identity | undefined => {
    const name = request.query('user.name');
    if (name === undefined) return undefined;
    if (!namesUser(name) || name.includes('&'))
      // Hadoop's static user takes no names, so that none is a wrong one.
      return options.cookieType === undefined ? undefined : { refusal: failure('BAD_USER_NAME') };
    const user = shortName(name);
    return {
      caller: { user, principal: user, anonymous: false, authentication: 'simple', remoteAddress: request.remoteAddress },
      headers: options.cookieType === undefined ? {} : cookieHeader(options, name, name, options.cookieType),
    };
  };
}

/** Callers without any proof: `staticUser` stands in for them, or they have no name. */
export const anonymousCaller =
  (staticUser: string | undefined) =>
  ({ remoteAddress }: AuthenticationRequest): Identity => ({
    caller: { user: staticUser, principal: staticUser, anonymous: true, authentication: undefined, remoteAddress },
  });

/** Callers without any proof are refused; `scheme` says what they may answer with (`PseudoAuth`, `Negotiate`). */
export const refusedCaller =
  (scheme: string, cookies: CookieOptions) =>
  ({ headers }: AuthenticationRequest): Identity => ({
    refusal: failure('AUTHENTICATION_REQUIRED', refusalReason(cookies, headers['cookie'] as string | undefined)),
    headers: { 'www-authenticate': scheme, 'set-cookie': clearedCookie },
  });

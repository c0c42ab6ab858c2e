// Simple (pseudo) authentication: `user.name` and the signed cookie. Rules: PseudoAuthenticationHandler and
// AuthenticationFilter of hadoop-auth.
import type { Clock } from '../lib/clock.ts';
import { failure } from '../model/errors.ts';
import type { AuthenticationRequest, Authenticator, Caller, Identity } from './authenticator.ts';
import { actsFor, namesUser, shortName } from './authenticator.ts';
import type { CookieSigner } from './signer.ts';

const usualCookieLifetimeMs = 10 * 3600 * 1000;
const beyondLatin1 = /[^\u0020-\u00ff]/;
const clearedCookie = 'hadoop.auth=; Path=/; HttpOnly';

/** How a server treats names, cookies and those who act for others. */
export interface SimpleAuthenticationOptions {
  readonly signer: CookieSigner;
  readonly clock: Clock;
  /** `t=` of the cookie (`simple-dt` where delegation tokens are understood); undefined: no cookie is ever set. */
  readonly cookieType: string | undefined;
  /** How long the cookie is valid; default ten hours. */
  readonly cookieLifetimeMs?: number;
  /** Hosts that get the cookie; absent: the one that set it. */
  readonly cookieDomain?: string | undefined;
  /** Who an unnamed caller is; undefined: none. */
  readonly staticUser: string | undefined;
  /** Whether unnamed callers are refused with 401. */
  readonly anonymousAllowed: boolean;
  /** Whether `doAs` is honoured, and who may: says undefined, or why not. Absent: `doAs` is ignored. */
  readonly mayImpersonate?: (realUser: string, target: string, remoteAddress: string) => boolean;
  /** Delegation tokens and `op=` calls; asked first. Absent: both are ignored. */
  readonly tokens?: (request: AuthenticationRequest, named: string | undefined) => Identity | Promise<Identity> | undefined;
}

/** The value of the last `hadoop.auth` cookie, without quotes. */
export function authenticationCookie(header: string | undefined): string | undefined {
  if (header === undefined || !header.includes('hadoop.auth')) return undefined;
  let found: string | undefined;
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (part.slice(0, at).trim() === 'hadoop.auth')
      found = part
        .slice(at + 1)
        .trim()
        .replace(/^"|"$/g, '');
  }
  return found;
}

/** Simple authentication under the given rules. */
export function simpleAuthenticator(options: SimpleAuthenticationOptions): Authenticator {
  return {
    identify(request): Identity | Promise<Identity> {
      const name = request.query('user.name');
      const cookie = authenticationCookie(request.headers['cookie'] as string | undefined);
      const token = cookie === undefined ? undefined : options.signer.verify(cookie, options.clock.now());
      const named = token?.user ?? name;
      const byToken = options.tokens?.(request, named === undefined ? undefined : shortName(named));
      if (byToken) return byToken;
      if (token) return withImpersonation(options, request, shortName(token.user), {});
      if (cookie !== undefined && cookie !== '' && !options.anonymousAllowed)
        return { refusal: failure('AUTHENTICATION_REQUIRED', { reason: cookieFault(cookie) }), headers: unauthenticated };
      if (name === undefined) return nobody(options, request, cookie);
      if (!namesUser(name) || name.includes('&')) return { refusal: failure('BAD_USER_NAME') };
      const headers: Record<string, string> = {};
      // A name beyond Latin-1 has no form in a header: such a caller goes on naming itself.
      if (options.cookieType && !beyondLatin1.test(name)) {
        const value = options.signer.sign({
          user: name,
          principal: name,
          type: options.cookieType,
          expiresMs: options.clock.now() + (options.cookieLifetimeMs ?? usualCookieLifetimeMs),
        });
        headers['set-cookie'] = `hadoop.auth="${value}"; Path=/${options.cookieDomain ? `; Domain=${options.cookieDomain}` : ''}; HttpOnly`;
      }
      return withImpersonation(options, request, shortName(name), headers);
    },
  };
}

const unauthenticated = { 'www-authenticate': 'PseudoAuth', 'set-cookie': clearedCookie };
const cookieFault = (cookie: string) =>
  `org.apache.hadoop.security.authentication.util.SignerException: ${cookie.includes('&s=') ? 'Invalid signature' : `Invalid signed text: ${cookie}`}`;

function nobody(options: SimpleAuthenticationOptions, request: AuthenticationRequest, cookie: string | undefined): Identity {
  if (!options.anonymousAllowed)
    return {
      refusal: failure('AUTHENTICATION_REQUIRED', { reason: cookie === '' ? 'Unauthorized access' : 'Authentication required' }),
      headers: unauthenticated,
    };
  const { staticUser: user } = options;
  return { caller: { user, principal: user, anonymous: true, authentication: undefined, remoteAddress: request.remoteAddress } };
}

function withImpersonation(
  options: SimpleAuthenticationOptions,
  request: AuthenticationRequest,
  user: string,
  headers: Record<string, string>,
): Identity {
  const caller: Caller = { user, principal: user, anonymous: false, authentication: 'simple', remoteAddress: request.remoteAddress };
  const target = options.mayImpersonate ? actsFor(request) : undefined;
  if (target === undefined) return { caller, headers };
  if (!namesUser(target)) return { refusal: failure('ILLEGAL_ARGUMENT', { reason: 'Null user' }), headers };
  if (!options.mayImpersonate!(user, target, request.remoteAddress))
    return { refusal: failure('IMPERSONATION_REFUSED', { user, target }), headers };
  return { caller: { ...caller, user: shortName(target), principal: target, realUser: user }, headers };
}

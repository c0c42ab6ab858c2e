// Kerberos as a proof of who calls: SPNEGO over HTTP (RFC 4559), under the rules of KerberosAuthenticationHandler of hadoop-auth.
import type { Logger } from '../../lib/log.ts';
import { failure } from '../../model/errors.ts';
import { type AuthenticationRequest, type Identity, type NameOf, namesUser, type Proof } from '../authenticator.ts';
import { type CookieOptions, clearedCookie, cookieHeader } from '../cookie.ts';
import { type Accepted, GssRefused } from './gss.ts';

/** How tickets are taken. */
export interface SpnegoOptions extends CookieOptions {
  /** Accepts a token, base64. @throws GssRefused, GssUnavailable */
  readonly accept: (token: string) => Promise<Accepted>;
  readonly nameOf: NameOf;
  /** `t=` of the cookie: `kerberos-dt` where delegation tokens are understood, else `kerberos`. */
  readonly cookieType: string;
  readonly logger: Logger;
}

const scheme = /^negotiate(?:\s+|$)/i;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Takes a caller by the ticket of its `Authorization: Negotiate`, proves the server in the answer, and sets a cookie for next time. */
export function spnegoProof(options: SpnegoOptions): Proof {
  return (request) => {
    const { authorization } = request.headers;
    if (typeof authorization !== 'string' || !scheme.test(authorization)) return undefined;
    const token = authorization.replace(scheme, '').trim();
    if (!base64.test(token)) return refused('it is not base64');
    return identify(options, request, token);
  };
}

const refused = (reason: string): Identity => ({
  refusal: failure('KERBEROS_TICKET_REFUSED', { reason }),
  headers: { 'set-cookie': clearedCookie },
});

async function identify(options: SpnegoOptions, { remoteAddress }: AuthenticationRequest, token: string): Promise<Identity> {
  let accepted: Accepted;
  try {
    accepted = await options.accept(token);
  } catch (error) {
    const reason = (error as Error).message;
    if (error instanceof GssRefused) return refused(reason);
    options.logger.error({ err: error }, 'a Kerberos ticket could not be looked at');
    return { refusal: failure('KERBEROS_UNAVAILABLE', { reason }) };
  }
  const { principal, target } = accepted;
  // The keytab may hold other keys too; a ticket for one of those was not made for a web server.
  if (!target.startsWith('HTTP/')) return refused(`it is for ${target}, not for HTTP/…`);
  const user = options.nameOf(principal);
  if (user === undefined || !namesUser(user)) return refused(`no rule of hadoop.security.auth_to_local gives a user for ${principal}`);
  const mutual = accepted.token === undefined ? 'Negotiate' : `Negotiate ${accepted.token}`;
  return {
    caller: { user, principal, anonymous: false, authentication: 'kerberos', remoteAddress },
    headers: { 'www-authenticate': mutual, ...cookieHeader(options, user, principal, options.cookieType) },
  };
}

// The `hadoop.auth` cookie as a proof of who calls. Rules: AuthenticationFilter of hadoop-auth.
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { type Caller, type Proof, shortName } from './authenticator.ts';
import type { CookieSigner, CookieToken } from './signer.ts';

const usualLifetimeMs = 10 * 3600 * 1000;
/** What has no form in a cookie: other scripts, and the characters that end its parts. */
const unfit = /[^\u0020-\u00ff]|[&";\\]/;

/** Headers that are remembered with what their cookies say, and the longest of them. */
const mostSeen = 1000;
const longestSeen = 4096;

/** The header that takes the cookie away. */
export const clearedCookie = 'hadoop.auth=; Path=/; HttpOnly';

/** How cookies are made and read. */
export interface CookieOptions {
  readonly signer: CookieSigner;
  readonly clock: Clock;
  /** How long a cookie is valid; default ten hours. */
  readonly cookieLifetimeMs?: number;
  /** Hosts that get the cookie; absent: the one that set it. */
  readonly cookieDomain?: string | undefined;
}

/** The value of the first `hadoop.auth` cookie, whatever the case of its name, without quotes. */
export function authenticationCookie(header: string | undefined): string | undefined {
  if (header === undefined || !/hadoop\.auth/i.test(header)) return undefined;
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (part.slice(0, at).trim().toLowerCase() === 'hadoop.auth')
      return part
        .slice(at + 1)
        .trim()
        .replace(/^"|"$/g, '');
  }
  return undefined;
}

/** Whom a cookie proves, until when (ms since the epoch). */
interface Known extends Pick<Caller, 'user' | 'principal' | 'authentication'> {
  readonly expiresMs: number;
}

/** What a cookie proves: the mechanism that it was given for stands in its type. */
function knownOf({ user, principal, type, expiresMs }: CookieToken): Known {
  if (type.startsWith('kerberos')) return { user, principal, authentication: 'kerberos', expiresMs };
  const short = shortName(user);
  return { user: short, principal: short, authentication: 'simple', expiresMs };
}

const noHeaders = {};

/**
 * Takes a caller by a cookie that this secret signed. `types` are those (`t=`) that this server's own mechanisms give: a cookie of another
 * mechanism is no proof, as is one that is forged or past its end.
 */
export function cookieProof({ signer, clock }: CookieOptions, types: readonly string[]): Proof {
  const seen = new BoundedMap<string, Known>(mostSeen);
  const knownBy = (header: string): Known | undefined => {
    const now = clock.now();
    const known = seen.get(header);
    if (known) return known.expiresMs > now ? known : undefined;
    const cookie = authenticationCookie(header);
    const token = cookie === undefined ? undefined : signer.verify(cookie, now);
    if (!token || !types.includes(token.type)) return undefined;
    const found = knownOf(token);
    if (header.length <= longestSeen) seen.set(header, found);
    return found;
  };
  return ({ headers, remoteAddress }) => {
    const header = headers['cookie'] as string | undefined;
    const known = header === undefined ? undefined : knownBy(header);
    if (!known) return undefined;
    const { user, principal, authentication } = known;
    return { caller: { user, principal, anonymous: false, authentication, remoteAddress }, headers: noHeaders };
  };
}

/** The header that sets a cookie of the given type. Empty for a name that has no form in a cookie: such a caller goes on proving itself. */
export function cookieHeader(options: CookieOptions, user: string, principal: string, type: string): Record<string, string> {
  if (unfit.test(user) || unfit.test(principal)) return {};
  const { signer, clock, cookieLifetimeMs = usualLifetimeMs, cookieDomain } = options;
  const value = signer.give({ user, principal, type, expiresMs: clock.now() + cookieLifetimeMs });
  return { 'set-cookie': `hadoop.auth="${value}"; Path=/${cookieDomain ? `; Domain=${cookieDomain}` : ''}; HttpOnly` };
}

/** Why a caller without any other proof is refused, as parameters of the failure: what is wrong with its cookie, or that there is none. */
export function refusalReason({ signer, clock }: CookieOptions, header: string | undefined): Record<string, string> & { reason: string } {
  const cookie = authenticationCookie(header);
  if (cookie === undefined) return { reason: 'Authentication required' };
  if (cookie === '') return { reason: 'Unauthorized access' };
  const mechanism = 'cookie';
  if (signer.verify(cookie, clock.now())) return { reason: 'Invalid AuthenticationToken type', mechanism };
  if (signer.verify(cookie, 0)) return { reason: 'AuthenticationToken expired', mechanism };
  const exception = 'org.apache.hadoop.security.authentication.util.SignerException';
  if (cookie.includes('&s=')) return { reason: `${exception}: Invalid signature`, mechanism };
  return { reason: `${exception}: Invalid signed text: ${cookie}`, auditedReason: 'Invalid signed text', mechanism };
}

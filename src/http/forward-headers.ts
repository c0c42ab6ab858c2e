// What of a visitor's request a master sees, and what of a master's answer its visitor. A master runs its user's code, on what is
// for browsers the cluster's own site, or at least that of every other master.
import { proxiedHeader, proxyUserHeader } from '../auth/proxy-user.ts';
import type { Headers } from './answers.ts';
import { unsendableHeader } from './header-values.ts';
import type { Call } from './service.ts';

const perConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-connection',
]);
/** Headers of the visitor that are the proxy's own business: its credentials, and what only the proxy may say. */
const withheld = new Set([
  'host',
  'authorization',
  'cookie',
  'content-length',
  'expect',
  'x-hadoop-delegation-token',
  'hadoop-yarn-rm-delegation-token',
  proxyUserHeader,
  proxiedHeader,
]);
/** Headers of a master's answer that say something of the answer itself. All others could speak for the whole site, or to what stands before it. */
const passed = new Set([
  'accept-ranges',
  'age',
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-range',
  'content-security-policy',
  'etag',
  'expires',
  'last-modified',
  'pragma',
  'referrer-policy',
  'retry-after',
  'server',
  'vary',
]);
/** Names of the cluster's own cookies, and prefixes that a browser grants the whole site alone. */
const ownCookieName = /^(?:hadoop\.auth|hadoop-jwt|proxy-user|checked_.*|heddle.*|__host-.*|__secure-.*)$/i;
const cookieName = /^[!#$%&'*+.^`|~\w-]+$/;
/** What pages in a sandbox may do: everything but speak as a page of the site that they come from. */
const sandbox =
  'sandbox allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups allow-popups-to-escape-sandbox allow-presentation allow-scripts';

/** The cookies of a visitor that are the master's. What has no clean name is nobody's: servers read such cookies in different ways. */
function visitorCookies(header: string | undefined): string[] {
  return (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => {
      const at = part.indexOf('=');
      const name = part.slice(0, at);
      return at > 0 && cookieName.test(name) && !ownCookieName.test(name);
    });
}

/** Headers of a visitor for the master: everything but what is the proxy's own business. `signature`: the signed name of the visitor. */
export function forwardedHeaders(
  call: Pick<Call, 'headers' | 'user' | 'remoteAddress' | 'scheme' | 'host'>,
  signature?: string,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(call.headers)) {
    if (value === undefined || perConnection.has(name) || withheld.has(name)) continue;
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  // The proxy's word first: masters take the first cookie of a name.
  const named = call.user === undefined ? [] : [`proxy-user=${encodeURIComponent(call.user)}`];
  const cookies = [...named, ...visitorCookies(call.headers.cookie)];
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ');
  if (signature !== undefined) headers[proxyUserHeader] = signature;
  headers[proxiedHeader] = '1';
  headers['x-forwarded-for'] = [call.headers['x-forwarded-for'], call.remoteAddress].filter(Boolean).join(', ');
  headers['x-forwarded-proto'] = call.scheme;
  headers['x-forwarded-host'] = call.host;
  return headers;
}

/** How an answer is passed on. */
export interface PassingOn {
  readonly applicationId: string;
  /** The path of the master as its visitors see it. */
  readonly shownPath: (path: string) => string;
  /** Its pages are put into a sandbox of their browser. */
  readonly sandboxed: boolean;
}

/** Headers of a master's answer for the visitor. */
export function passedHeaders(
  answered: Readonly<Record<string, string | string[] | undefined>>,
  { applicationId, shownPath, sandboxed }: PassingOn,
): Headers {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(answered)) {
    if (value === undefined || !passed.has(name) || unsendableHeader({ [name]: value }) !== undefined) continue;
    headers[name] = value;
  }
  const policies = [headers['content-security-policy'] ?? []].flat();
  headers['content-security-policy'] = [...policies, sandboxed ? sandbox : "frame-ancestors 'self'"];
  const cookies = [answered['set-cookie'] ?? []].flat().flatMap((cookie) => masterCookie(cookie, applicationId, shownPath));
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  return headers;
}

/** A cookie of the master, kept below the application's own path so that it reaches no other. */
function masterCookie(cookie: string, applicationId: string, shownPath: PassingOn['shownPath']): string[] {
  const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
  const name = pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
  if (!cookieName.test(name) || ownCookieName.test(name) || unsendableHeader({ cookie }) !== undefined) return [];
  const path = attributes.find((attribute) => /^path\s*=/i.test(attribute))?.replace(/^path\s*=\s*/i, '') ?? '/';
  const kept = attributes.filter((attribute) => !/^(?:path|domain)\s*(?:=|$)/i.test(attribute));
  const own = `/proxy/${applicationId}`;
  const below = path === own || path.startsWith(`${own}/`) ? path : shownPath(path === '/' ? '' : path);
  return [[`${name}=${pair.slice(pair.indexOf('=') + 1)}`, `Path=${below}`, ...kept].join('; ')];
}

// What a request must be before anything is done with it: addressed to this server, and no change that a page of another origin
// makes a browser send. Neither asks who calls: a browser sends its user's credentials along.
import type { IncomingMessage } from 'node:http';
import { proxiedHeader } from '../auth/proxy-user.ts';
import { type Failure, failure } from '../model/errors.ts';
import type { HostNames } from './own-names.ts';

/** What decides. */
export interface GateRules {
  readonly hosts: HostNames;
  /** Whether the settings of the cross-origin filter allow the request's `Origin`. */
  readonly allowsOrigin: (request: IncomingMessage) => boolean;
  /** Whether the web proxy may come here: to masters alone. */
  readonly takesProxied?: boolean | undefined;
}

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const browser = /^(?:Mozilla|Opera)/;
const defaultPorts: Readonly<Record<string, string>> = { 'http:': ':80', 'https:': ':443' };
const longestShown = 100;

/** Which hosts a request names: RFC 9112, section 3.2.2: in absolute form the target's own, besides those of the header. */
function hostsOf({ url = '', rawHeaders }: IncomingMessage): string[] {
  const hosts: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[index + 1]!);
  }
  return url.startsWith('/') || url === '*' ? hosts : [...hosts, ...targetHost(url)];
}

function targetHost(url: string): string[] {
  const found = /^[a-z]+:\/\/([^/?#]*)/i.exec(url);
  return found ? [found[1]!] : [''];
}

/**
 * Why a request is refused for the host that it names; undefined where it is this server. Only HTTP/1.0 may name none, as load balancers'
 * checks do: every browser names the host that it was led to, whatever name a website gave it.
 */
function hostFault(request: IncomingMessage, { hosts }: GateRules, upgrade: boolean): Failure | undefined {
  const named = hostsOf(request);
  if (named.length === 0 && request.httpVersion === '1.0' && !upgrade) return undefined;
  const inHeader = named.length - (request.url?.startsWith('/') || request.url === '*' ? 0 : 1);
  if (inHeader !== 1) return failure('HOST_NOT_SINGLE', { count: inHeader });
  const foreign = named.find((host) => !hosts.allows(host, request.socket.localAddress));
  return foreign === undefined ? undefined : failure('HOST_REFUSED', { host: foreign.slice(0, longestShown) });
}

/** Whether `Origin` is where the browser thinks this server is: as addressed, or as a gateway was that says so. */
function isOwnOrigin(origin: string, { headers }: IncomingMessage): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  const port = defaultPorts[protocol];
  const forwarded = String(headers['x-forwarded-host'] ?? '').split(',', 1)[0]!;
  return [headers.host ?? '', forwarded].some((own) => {
    const name = own.trim().toLowerCase();
    return host !== '' && (name === host || (port !== undefined && name === host + port));
  });
}

/** Whether a browser sent this for a page of another origin, which the settings do not allow. */
function isForeign(request: IncomingMessage, { allowsOrigin }: GateRules): boolean {
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  // The browser itself vouches for it: no page can set or remove this header.
  if (site === 'same-origin') return false;
  if (site !== undefined && site !== 'none') return origin === undefined || !allowsOrigin(request);
  return origin !== undefined && !isOwnOrigin(origin, request) && !allowsOrigin(request);
}

/** Whether a browser sent it. (By `Sec-Fetch-Mode` it could not be told: Node's own fetch sends that.) */
export const isBrowser = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['sec-fetch-site'] !== undefined || browser.test(headers['user-agent'] ?? '');

/** Why a request is refused as it stands; undefined where it may go on. `upgrade`: it asks for a WebSocket. */
export function gateRefusal(request: IncomingMessage, rules: GateRules, upgrade = false): Failure | undefined {
  const fault = hostFault(request, rules, upgrade);
  if (fault) return fault;
  if (request.headers[proxiedHeader] !== undefined && !rules.takesProxied) return failure('PROXY_LOOP');
  const changes = upgrade || !reading.has(request.method ?? '');
  if (!changes || !isForeign(request, rules)) return undefined;
  const { origin = 'another origin' } = request.headers;
  return failure('ORIGIN_REFUSED', { origin: origin.slice(0, longestShown) });
}

/**
 * Why a GET that changes something is refused: links, images and forms of any page make a browser send one. Programs are let
 * through (as RestCsrfPreventionFilter, by `User-Agent`), and scripts that add a header which no other page's could.
 */
export function changingGetRefusal(request: IncomingMessage): Failure | undefined {
  const { headers } = request;
  if (headers['x-requested-by'] !== undefined || headers['x-xsrf-header'] !== undefined) {
    const site = headers['sec-fetch-site'];
    if (site === undefined || site === 'same-origin') return undefined;
  }
  return isBrowser(request) || headers.origin !== undefined ? failure('CHANGE_BY_LINK') : undefined;
}

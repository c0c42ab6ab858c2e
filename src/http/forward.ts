// The web proxy `/proxy/{application}/…` in front of masters' web interfaces (WebAppProxyServlet). The resource manager mounts these
// routes, or the proxy role does on a host of its own; both say where an application's report comes from.

import { PassThrough, type Readable } from 'node:stream';
import type { Agent } from 'undici';
import { changeRefusal } from '../auth/bearer/restriction.ts';
import { connectionReason } from '../lib/connection-reason.ts';
import { failure } from '../model/errors.ts';
import { formatApplicationId } from '../model/ids.ts';
import { type Answer, empty, type Headers, htmlAnswer, stream } from './answers.ts';
import { containerError, methodNotSupported } from './container-error.ts';
import { tokenParameter, withoutToken } from './credentials.ts';
import { forwardedHeaders, passedHeaders } from './forward-headers.ts';
import { isOwnAddress, type ProxyTargets } from './forward-targets.ts';
import { type Html, html } from './html.ts';
import { throwAtServerEnd } from './open-calls.ts';
import type { ProxiedApplication } from './proxied-application.ts';
import { requestIdHeader } from './request-ids.ts';
import type { Call, Method, Route } from './service.ts';

/** Where reports come from and how the proxy behaves. */
export interface ProxyOptions {
  /** The report of an application, or undefined where neither the resource manager nor history knows it. */
  readonly lookUp: (applicationId: string) => Promise<ProxiedApplication | undefined> | ProxiedApplication | undefined;
  /** URL of the page that tells of a proxy loop. */
  readonly failurePage: (applicationId: string) => string;
  /** Where this server has pages of its own: visitors are led there by the address that they asked. */
  readonly ownUrls?: () => readonly string[];
  /** Scheme of tracking URLs that name none. */
  readonly scheme: 'http' | 'https';
  /** Strangers are warned before they see an application's pages (a proxy of its own with security on). */
  readonly warnStrangers: boolean;
  /** `yarn.resourcemanager.application-https.policy` = STRICT: only https is relayed. */
  readonly httpsOnly: boolean;
  /** Longest wait for a connection or for more of an answer, in ms; 0 waits for ever. */
  readonly timeoutMs: number;
  /** Where it goes, and where it sends visitors. */
  readonly targets: ProxyTargets;
  /** Signs a visitor's name for the masters of an application; absent: they are told the name unsigned. */
  readonly sign?: (applicationId: string, user: string | undefined) => string;
  /** Whether browsers are told to keep masters' pages in a sandbox. */
  readonly sandboxed: boolean;
}

const methods: readonly Method[] = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];
const maximumRedirects = 10;

/** The routes of the proxy. Mount each with `service.route`. */
export function createProxyRoutes(options: ProxyOptions): Route<never>[] {
  let connections: Promise<Agent> | undefined;
  // Loaded with the first visit: it is the largest module of a resource manager, and many clusters never proxy.
  const agent = () =>
    (connections ??= import('undici').then(
      ({ Agent: Connections }) =>
        new Connections({
          connect: { timeout: options.timeoutMs || undefined, lookup: options.targets.lookup },
          headersTimeout: options.timeoutMs,
          bodyTimeout: options.timeoutMs,
        }),
    ));
  const routes: Route<never>[] = [];
  for (const path of ['/proxy', '/proxy/*']) {
    for (const method of methods) {
      routes.push({
        method,
        path,
        // Jars and other uploads pass through as they come, however long.
        streamsBody: true,
        produces: 'any',
        gzip: false,
        about: "Pages of an application's master.",
        access: 'relayed',
        handle: (call: Call) => answerProxied(options, agent, call),
      });
    }
    routes.push({
      method: 'OPTIONS',
      path,
      produces: 'any',
      gzip: false,
      about: 'Methods of the web proxy.',
      access: 'facts',
      handle: () => ({
        kind: 'rendered',
        status: 200,
        body: '',
        contentType: 'text/plain;charset=utf-8',
        headers: { allow: 'GET, HEAD, PUT, TRACE, OPTIONS' },
      }),
    });
  }
  return routes;
}

const heading = (text: string): Html => html`<html>\n  <h1>\n    ${text}\n  </h1>\n</html>\n`;
const notFound = (text: string): Answer => htmlAnswer(404, heading(text));
const malformed = 'Your path appears to be formatted incorrectly.';

/** The redirect of the proxy with its page. */
export function moved(url: string): Answer {
  const body = html`<html>\n  <head>\n    <title>\n      Moved\n    </title>\n  </head>\n  <body>\n    <h1>\n      Moved\n    </h1>\n    <div>\n      Content has moved \n      <a href="${url}">here</a>\n    </div>\n  </body>\n</html>\n`;
  return { kind: 'rendered', status: 302, body: body.text, contentType: 'text/html;charset=utf-8', headers: { location: url } };
}

/** The parts of an id, each without the blanks around it (StringHelper.split). */
const partsOf = (text: string): string[] => text.split('_').map((part) => part.trim());
const isApplication = (text: string): boolean => /^application_[+-]?\d{1,15}_[+-]?\d{1,10}(_|$)/.test(partsOf(text).join('_'));

/** The application an address names: `application_{timestamp}_{sequence}`, more parts ignored. @throws Failure PROXY_ID_MALFORMED */
export function proxiedApplicationId(text: string): string {
  if (!isApplication(text)) throw failure('PROXY_ID_MALFORMED', { id: text });
  const [, timestamp, sequence] = partsOf(text);
  return formatApplicationId({ clusterTimestamp: Number(timestamp), sequence: Number(sequence) });
}

/**
 * A page of this server for a visitor who came through a gateway: by the address that the gateway asked, which it turns back as in all redirects of the
 * server. Others are led to where the server says that it is, as by Hadoop; a program does not show its proof there.
 */
function asAsked({ ownUrls }: ProxyOptions, call: Call, url: string): string {
  const own = call.headers['x-forwarded-host'] === undefined ? undefined : ownUrls?.().find((each) => url.startsWith(`${each}/`));
  return own === undefined ? url : `${call.scheme}://${call.host}${url.slice(own.length)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function answerProxied(options: ProxyOptions, agent: () => Promise<Agent>, call: Call): Promise<Answer> {
  if (call.headers['service-worker'] !== undefined) throw failure('PROXY_WORKER_REFUSED');
  const changes = call.method !== 'GET' && call.method !== 'HEAD' && call.method !== 'PUT';
  let rest = call.path.slice('/proxy'.length);
  const redirected = rest.startsWith('/redirect');
  if (redirected) rest = rest.slice('/redirect'.length);
  const from = rest.indexOf('/');
  if (changes && from < 0) return methodNotSupported(call);
  if (from < 0) return notFound(malformed);
  rest = rest.slice(from + 1);
  const slash = rest.indexOf('/');
  // An escaped slash ends the id as well.
  const [named = '', ...inside] = decoded(withoutMatrix(slash < 0 ? rest : rest.slice(0, slash))).split('/');
  const behind = slash < 0 ? [] : [rest.slice(slash + 1)];
  const below = inside.length + behind.length === 0 ? undefined : [...inside.map(encodeURIComponent), ...behind].join('/');
  if (changes && !isApplication(named)) return methodNotSupported(call);
  const unreadable = unreadableQuery(call);
  if (unreadable && (redirected || !isApplication(named))) return unreadable;
  const applicationId = proxiedApplicationId(named);
  if (redirected && isOwnAddress(call.remoteAddress))
    return changes ? methodNotSupported(call) : moved(asAsked(options, call, options.failurePage(encodeURI(named))));
  const application = await options.lookUp(applicationId);
  // What goes on to a master is its own to read.
  if (unreadable && (!application || application.ended || !trackingUrl(application, options.scheme))) return unreadable;
  if (!application) return changes ? methodNotSupported(call) : notFound(`Application ${named} could not be found in RM or history server`);
  if (call.method !== 'GET' && call.method !== 'HEAD') mustBeWithinToken(call.caller, applicationId, application);
  const tracking = trackingUrl(application, options.scheme);
  if (!tracking) return changes ? methodNotSupported(call) : moved(asAsked(options, call, application.page));
  if (options.httpsOnly && tracking.protocol !== 'https:') return httpsRequired(tracking);
  const warning =
    options.warnStrangers && application.user !== call.user ? visitStranger(application, applicationId, below, call) : undefined;
  if (warning && 'kind' in warning) return warning;
  if (application.ended) {
    if (changes) return methodNotSupported(call);
    const parameters = parametersOf(call.query.text).filter(([name]) => name !== tokenParameter && name !== '');
    const target = redirectTarget(tracking, below === undefined ? undefined : withoutMatrix(below), parameters);
    return options.targets.mayLeadTo(new URL(target), application.hosts) ? moved(asAsked(options, call, target)) : leads(target);
  }
  return relay(agent, { options, application, applicationId, tracking }, below, call, warning?.headers ?? {});
}

/** The answer to a query with escapes that are none, or that are no UTF-8. */
function unreadableQuery({ method, path, headers, query }: Call): Answer | undefined {
  try {
    decodeURIComponent(query.text);
    return undefined;
  } catch {
    return containerError(400, 'Unable to parse URI query', { method, path, accept: headers.accept });
  }
}

/** The master hears who calls and not by which token: what that keeps its bearer from changing is refused here. @throws Failure BEARER_OTHERS, BEARER_QUEUE */
export function mustBeWithinToken(
  caller: Pick<Call['caller'], 'user' | 'restriction'>,
  id: string,
  { user, queue }: Pick<ProxiedApplication, 'user' | 'queue'>,
): void {
  const refusal = changeRefusal(caller, { id, user, queue });
  if (refusal) throw refusal;
}

/** Where a redirect would let an application send visitors anywhere, they are asked. */
const leads = (url: string): Answer =>
  htmlAnswer(
    200,
    html`<html>\n  <h1>\n    The application has ended\n  </h1>\n  <h3>\n    Its user named a page outside of this cluster: \n    <a href="${url}" rel="noreferrer">${url}</a>\n  </h3>\n</html>\n`,
  );

/** Parameters of paths (`;a=b`) are for servlets, which this is none of. */
const withoutMatrix = (path: string): string => path.replace(/;[^/]*/g, '');

/** The pairs of a query, which `;` parts as `&` does (URLEncodedUtils). */
const parametersOf = (query: string): [string, string][] => [...new URLSearchParams(query.replaceAll(';', '&'))];

export function trackingUrl({ originalTrackingUrl }: ProxiedApplication, scheme: string): URL | undefined {
  if (!originalTrackingUrl || originalTrackingUrl === 'N/A') return undefined;
  const url = originalTrackingUrl.includes('://') ? originalTrackingUrl : `${scheme}://${originalTrackingUrl}`;
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  return parsed.protocol === 'http:' || parsed.protocol === 'https:' ? parsed : undefined;
}

/** The tracking URL with what was asked below it: path decoded once and encoded again, its own parameters first. */
export function redirectTarget(tracking: URL, below: string | undefined, query: readonly (readonly [string, string])[]): string {
  const url = new URL(tracking);
  if (below) url.pathname = `${url.pathname.replace(/\/$/, '')}/${pathEncoded(decoded(below).replace(/^\/+/, ''))}`;
  const more = query.map(([name, value]) => `${formEncoded(name)}=${formEncoded(value)}`).join('&');
  url.search = [url.search.slice(1), more].filter((part) => part !== '').join('&');
  return url.href;
}

/** A path as Jersey's UriBuilder writes it: what a path may hold stays, as do escapes that are in it already. */
const pathEncoded = (text: string): string =>
  encodeURIComponent(text)
    .replace(/%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent)
    .replace(/%25(?=[\da-f]{2})/gi, '%');

/** A name or value as Jersey's UriBuilder writes it into a query: what a query may hold stays, as do escapes that are in it already. */
const formEncoded = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/%(?:24|2C|2F|3A|3B|3F|40)/g, decodeURIComponent)
    .replace(/%25(?=[\da-f]{2})/gi, '%');

function httpsRequired(tracking: URL): Answer {
  return htmlAnswer(
    200,
    html`<html>\n  <h1>\n    HTTPS must be used\n  </h1>\n  <h3>\n    yarn.resourcemanager.application-https.policyis set to STRICT, which means that the tracking URL must be an HTTPS URL, but it is not.\n    The tracking URL is: ${tracking.href}\n  </h3>\n</html>\n`,
  );
}

/** Another user's application: the warning, or the headers to go on with once it was accepted. */
function visitStranger(
  application: ProxiedApplication,
  id: string,
  below: string | undefined,
  call: Pick<Call, 'headers' | 'query'>,
): Answer | { headers: Headers } {
  const cookie = new RegExp(`(?:^|;\\s*)checked_${id}=(\\w+)`).exec(String(call.headers.cookie ?? ''))?.[1];
  const set = (value: boolean): Headers => ({
    'set-cookie': `checked_${id}=${value}; Path=/proxy/${id}; Max-Age=7200; HttpOnly`,
  });
  if (cookie !== undefined && (cookie === 'true' || call.query.first('proxyapproved') === 'true')) return { headers: set(true) };
  const link = `/proxy/${id}/${below ?? ''}?${call.query.text === '' ? '' : `${call.query.text}&`}proxyapproved=true`;
  const body = html`<html>\n  <h1>\n    WARNING: The following page may not be safe!\n  </h1>\n  <h3>\n    click \n    <a href="${link}">here</a>\n     to continue to an Application Master web interface owned by ${application.user}\n  </h3>\n</html>\n`;
  return htmlAnswer(200, body, set(false));
}

/** A path without needless escapes and empty parts: as Hadoop's proxy asks for it (URIUtils.rewriteURI of its HTTP client). */
const plainly = (path: string): string =>
  path
    .replace(/^\/+/, '')
    .replace(/\/{2,}/g, '/')
    .replace(/%([0-9A-Fa-f]{2})/g, (written, code: string) => {
      const character = String.fromCharCode(Number.parseInt(code, 16));
      return /[\w.~-]/.test(character) ? character : written;
    });

/** Where the master is asked: below its tracking URL, whose own parameters come first. */
export function relayTarget(tracking: URL, below: string | undefined, query: string): URL {
  const target = new URL(tracking);
  if (below !== undefined) target.pathname = `${target.pathname.replace(/\/$/, '')}/${plainly(below)}`;
  target.search = [target.search.slice(1), query].filter((part) => part !== '').join('&');
  target.hash = '';
  return target;
}

/** The body as it comes, with its length where that is known; undefined for none. */
function bodyOf({ request }: Call, headers: Record<string, string>): Readable | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return undefined;
  if (length !== undefined) headers['content-length'] = length;
  // A stream between: what is destroyed when the master cannot be reached must not be the visitor's connection.
  const body = new PassThrough();
  request.once('error', (error) => body.destroy(error));
  request.once('aborted', () => body.destroy());
  return request.pipe(body);
}

/** A path of the master as its visitors see it. */
export const shownPath = (tracking: URL, id: string, path: string): string => {
  const base = tracking.pathname.replace(/\/$/, '');
  return `/proxy/${id}${path === base || path.startsWith(`${base}/`) ? path.slice(base.length) : path}`;
};

/** What is known of a visit once it is clear where it leads. */
interface Way {
  readonly options: ProxyOptions;
  readonly application: ProxiedApplication;
  readonly applicationId: string;
  readonly tracking: URL;
}

/** Asks the master and passes its answer on. Redirects of a GET within the master are followed, as Hadoop's proxy does. */
async function relay(agent: () => Promise<Agent>, way: Way, below: string | undefined, call: Call, more: Headers): Promise<Answer> {
  const { options, application, applicationId, tracking } = way;
  await options.targets.check(tracking, application);
  let target = relayTarget(tracking, below, withoutToken(call.query.text));
  const headers = forwardedHeaders(call, options.sign?.(applicationId, call.user));
  if (call.caller.requestId !== undefined) headers[requestIdHeader] = call.caller.requestId;
  const reading = call.method === 'GET' || call.method === 'HEAD';
  const body = reading ? undefined : bodyOf(call, headers);
  for (let redirects = 0; ; redirects++) {
    const { request: send } = await import('undici');
    const response = await send(target, {
      dispatcher: await agent(),
      // A head is asked for as a whole, so that its status is that of the thing.
      method: (reading ? 'GET' : call.method) as 'GET',
      headers,
      body,
      signal: call.signal,
    }).catch((error: Error & { code?: string | number }) => {
      throwAtServerEnd(call.signal);
      throw failure('PROXY_TARGET_UNREACHABLE', { target: tracking.host, reason: connectionReason(error) });
    });
    const location = response.statusCode >= 300 && response.statusCode < 400 ? response.headers['location'] : undefined;
    const next = typeof location === 'string' && URL.canParse(location, target) ? new URL(location, target) : undefined;
    if (next && reading && next.origin === tracking.origin && redirects < maximumRedirects) {
      await response.body.dump();
      target = next;
      continue;
    }
    // What the master did not want to read of a body is not read either: the connection cannot go on.
    const left = body !== undefined && !call.request.complete ? { ...more, connection: 'close' } : more;
    const answer = await passedOn(response, way, call.method, next, left);
    if (call.method !== 'HEAD' || answer.kind !== 'pieces') return answer;
    await response.body.dump();
    return { kind: 'rendered', status: answer.status, body: '', contentType: answer.contentType, headers: answer.headers };
  }
}

interface MasterAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Buffer> & { dump(): Promise<void> };
}

/** A master's media type as its visitors see it: texts without a charset are UTF-8, and what has no type is text, as behind Hadoop's container. */
function relayedType(given: string | string[] | undefined, method: string): string {
  const type = String(given ?? (method === 'DELETE' ? '' : 'text/plain'));
  return /charset=/i.test(type) || !/^(?:text\/|application\/(?:json|xml|javascript)\b)/i.test(type) ? type : `${type};charset=utf-8`;
}

async function passedOn(response: MasterAnswer, way: Way, method: string, location: URL | undefined, more: Headers): Promise<Answer> {
  const { options, application, applicationId, tracking } = way;
  const shown = (path: string) => shownPath(tracking, applicationId, path);
  const headers: Record<string, string | string[]> = {
    ...passedHeaders(response.headers, { applicationId, shownPath: shown, sandboxed: options.sandboxed }),
  };
  const cookies = [headers['set-cookie'] ?? [], more['set-cookie'] ?? []].flat();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  if (more['connection'] !== undefined) headers['connection'] = more['connection'];
  if (location?.origin === tracking.origin) headers['location'] = `${shown(location.pathname)}${location.search}${location.hash}`;
  else if (location && options.targets.mayLeadTo(location, application.hosts)) headers['location'] = location.href;
  else if (response.headers['location'] !== undefined) {
    await response.body.dump();
    throw failure('PROXY_REDIRECT_REFUSED', {
      target: location?.origin === 'null' || !location ? 'an address that is none' : location.origin,
    });
  }
  const contentType = relayedType(response.headers['content-type'], method);
  if (response.statusCode === 204 || response.statusCode === 304) {
    await response.body.dump();
    return empty(response.statusCode, headers);
  }
  return stream(response.statusCode, contentType, response.body, headers);
}
